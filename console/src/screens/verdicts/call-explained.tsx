// A judged call explained: the line, the call before and after, and what the model is told.
import { ChangeTable } from "../../parts/change-table";
import { same } from "../../parts/changes";
import { Findings } from "../../parts/findings";
import { JsonView } from "../../parts/json-view";
import { took } from "../../parts/took";
import type { StoredVerdict, Verdict } from "../../contract";
import { Plain } from "../../text/markdown";
import { shell } from "../../words/shell";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { costOf } from "./line";
import { LinePicture } from "./line-picture";
import { RawRequest } from "./raw-request";
import { comparable } from "./stored";

export function CallExplained({ verdict, judged }: { verdict: StoredVerdict; judged: Verdict }) {
  const say = useWords(verdictsWords);
  const line = verdict.line && verdict.line.length > 0 ? verdict.line : null;
  const now = line?.find((stop) => stop.check === "decision")?.status ?? judged.status;
  const cost = line && costOf(line);
  return (
    <>
      <section className="panel" aria-labelledby="line-head">
        <h2 id="line-head">{say("line")}</h2>
        {line && verdict.line_same === false && <Differs before={judged.status} after={now} />}
        <p className="quiet">
          {say(line ? "lineAbout" : "lineGone")} {cost !== null && say("lineCost", { cost: took(cost) })} {verdict.line_same === true && say("lineSame")}
        </p>
        {line ? <LinePicture line={line} status={now} /> : <Findings findings={[...judged.findings, ...(judged.shadow ?? [])]} />}
      </section>
      <Call verdict={verdict} judged={judged} />
      {judged.feedback && (
        <section className="panel">
          <h2>{say("feedback")}</h2>
          <Plain text={judged.feedback} />
        </section>
      )}
      {judged.unanswered && judged.unanswered.length > 0 && (
        <section className="panel">
          <h2>{say("unanswered")}</h2>
          <JsonView value={judged.unanswered} />
        </section>
      )}
      <RawRequest verdict={verdict} />
    </>
  );
}

function Differs({ before, after }: { before: Verdict["status"]; after: Verdict["status"] }) {
  const say = useWords(verdictsWords);
  const sayShell = useWords(shell);
  return (
    <p className="note note-differs" role="note">
      <span aria-hidden="true">≠</span> {before === after ? say("lineOther") : say("lineDiffers", { before: sayShell(before), after: sayShell(after) })}
    </p>
  );
}

/** The call as it was made, and as it may run. */
function Call({ verdict, judged }: { verdict: StoredVerdict; judged: Verdict }) {
  const say = useWords(verdictsWords);
  const made = comparable(verdict.call);
  const ran = comparable(judged.call);
  const refused = judged.status === "rejected" || judged.status === "validation_failed";
  const versions = [...(made ? [{ label: say("made"), value: made }] : []), ...(ran && !same(made, ran) ? [{ label: say(refused ? "wouldRun" : "ran"), value: ran }] : [])];
  return (
    <section className="panel">
      <h2>{say("callHead")}</h2>
      {versions.length > 0 && <ChangeTable versions={versions} />}
      {versions.length < 2 && <p className="quiet call-note">{say(judged.status === "requires_review" ? "waits" : ran ? "unchanged" : "nothingRuns")}</p>}
    </section>
  );
}
