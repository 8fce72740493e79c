// The figures at the top.
import type { ReactNode } from "react";
import type { Stats } from "../../contract";
import { useSettings } from "../../settings";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";
import { caught, people, refused } from "./read";

export function Figures({ stats }: { stats: Stats }) {
  const say = useWords(overviewWords);
  const { results, answers } = stats;
  return (
    <>
      <dl className="figures">
        <Figure name="calls" sign="→" word={say("calls")} value={stats.calls} />
        <Figure name="caught" sign="◉" word={say("caught")} value={caught(stats)} about={say("caughtAbout")} tone="accent" />
        <Figure name="mended" sign="✎" word={say("mended")} value={stats.mended} about={say("mendedAbout")} tone="good" />
        <Figure name="refused" sign="✗" word={say("refused")} value={refused(stats.verdicts)} about={say("refusedAbout")} tone="bad" />
        <Figure name="people" sign="☝" word={say("people")} value={people(stats.verdicts)} about={say("peopleAbout")} tone="person" />
        <Figure name="suspicious" sign="△" word={say("suspicious")} value={results.suspicious} about={say("ofExamined", { total: results.total })} tone="warn" />
        <Figure name="doubtful" sign="¶" word={say("doubtful")} value={answers.doubtful} about={say("ofExamined", { total: answers.total })} tone="warn" />
        <Figure name="claims" sign="?" word={say("claims")} value={stats.claims.total} about={say("claimsAbout")} />
        <Figure name="turns" sign="↻" word={say("turns")} value={stats.turns.total} about={<Ends ends={stats.turns.by_end} />} />
      </dl>
      <p className="reader-only" role="status">
        {say("announce", { calls: stats.calls, caught: caught(stats) })}
      </p>
    </>
  );
}

function Figure({ name, sign, word, value, about, tone = "plain" }: { name: string; sign: string; word: string; value: number; about?: ReactNode; tone?: string }) {
  const { language } = useSettings();
  return (
    <div className={`figure figure-${tone}`}>
      <dt>
        <span aria-hidden="true">{sign}</span> {word}
      </dt>
      <dd>
        <strong data-figure={name}>{new Intl.NumberFormat(language === "zh" ? "zh-CN" : "en-GB").format(value)}</strong>
        {about && <span className="figure-about quiet">{about}</span>}
      </dd>
    </div>
  );
}

/** How turns ended, in numbers. */
function Ends({ ends }: { ends: Record<string, number> }) {
  const say = useWords(overviewWords);
  const known = ENDS.filter((end) => (ends[end] ?? 0) > 0);
  return known.map((end, at) => (
    <span key={end}>
      {at > 0 && ", "}
      <span data-figure={`turns-${end}`}>{ends[end]}</span> {say(end)}
    </span>
  ));
}

const ENDS = ["completed", "failed", "stopped", "lost"] as const;
