// What is between the messages: searches, notes, references, warnings, ends of turns.
import { When } from "../../parts/when";
import { href } from "../../route";
import { Markdown, Plain } from "../../text/markdown";
import { Ticked } from "../../text/ticked";
import { Visible, visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { Clip } from "./clip";
import type { Aside, End, Found, Kept, Notice, Reference, Referred } from "./items";

export function FoundView({ found }: { found: Found }) {
  const say = useWords(liveWords);
  return (
    <div className="small-item found">
      <strong>
        <span aria-hidden="true">⌕</span> {say("searched")}
      </strong>{" "}
      {found.queries.map((query, at) => (
        <q key={at}>
          <Visible text={query} />
        </q>
      ))}
      {found.results.length === 0 && <p className="quiet">{say("foundNothing")}</p>}
      <ol>
        {found.results.map((result, at) => (
          <li key={at}>
            <ResultTitle title={result.title} link={result.link} />
            {result.date && (
              <span className="quiet">
                {" "}
                <Visible text={result.date} />
              </span>
            )}
            <Plain text={result.content.slice(0, LONG)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function ResultTitle({ title, link }: { title: string; link: string }) {
  if (!/^https?:\/\//i.test(link)) return <Visible text={`${title} ${link}`} />;
  return (
    <>
      <a href={link} target="_blank" rel="noopener noreferrer nofollow" title={visible(link)}>
        <Visible text={title || link} />
      </a>{" "}
      <span className="quiet">
        <Visible text={hostOf(link)} />
      </span>
    </>
  );
}

function hostOf(link: string): string {
  try {
    return new URL(link).host;
  } catch {
    return "";
  }
}

export function KeptView({ kept }: { kept: Kept }) {
  const say = useWords(liveWords);
  return (
    <details className="small-item">
      <summary>
        <span aria-hidden="true">✎</span> {say(kept.what === "note" ? "noted" : "saved")}{" "}
        <strong>
          <Visible text={kept.name} />
        </strong>
      </summary>
      <Markdown source={kept.content} />
    </details>
  );
}

export function ReferredView({ referred }: { referred: Referred }) {
  const say = useWords(liveWords);
  const { valid, invalid } = referred;
  if (valid.length + invalid.length === 0) return <div className="small-item quiet">{say("referencesNone")}</div>;
  return (
    <div className="small-item">
      {valid.length > 0 && (
        <p>
          <Clip /> {say("referencesValid")} <References references={valid} />
        </p>
      )}
      {invalid.length > 0 && (
        <p className="bad">
          <span aria-hidden="true">⊘</span> {say("referencesInvalid")} <References references={invalid} />
        </p>
      )}
    </div>
  );
}

function References({ references }: { references: readonly Reference[] }) {
  return references.map((reference, at) => (
    <span key={at} className="reference">
      <Visible text={reference.name} />
      <span className="quiet">
        {" "}
        (<Visible text={[reference.type, reference.reason].filter(Boolean).join(": ")} />)
      </span>
    </span>
  ));
}

export function NoticeView({ notice }: { notice: Notice }) {
  const say = useWords(liveWords);
  return (
    <div className={`small-item notice notice-${notice.what}`}>
      <strong>
        <span aria-hidden="true">{notice.what === "error" ? "✗" : "△"}</span> {say(notice.what)}
      </strong>{" "}
      <code>
        <Visible text={notice.code} />
      </code>{" "}
      <Ticked text={notice.message} />
      {notice.review !== null && (
        <>
          {" "}
          <a href={href("reviews", notice.review)}>{say("decide")}</a>
        </>
      )}
    </div>
  );
}

export function EndView({ end }: { end: End }) {
  const say = useWords(liveWords);
  const why = [end.reason, end.message].filter((part) => part !== null && !end.word.startsWith(part)).join(": ");
  return (
    <div className={`end end-${end.word}`} data-end={end.word}>
      <span>
        <span aria-hidden="true">{SIGNS[end.word]}</span> {say(`end_${end.word}`)}
        {why !== "" && (
          <>
            {" "}
            (<Visible text={why} />)
          </>
        )}{" "}
        <span className="quiet">
          <When time={end.time} />
        </span>
      </span>
    </div>
  );
}

/** What lies between messages of the gateway. What the client was told is shown as it was told. */
export function AsideView({ aside }: { aside: Aside }) {
  const say = useWords(liveWords);
  if (aside.word === "told")
    return (
      <details className="small-item">
        <summary>{say("aside_told")}</summary>
        <Plain text={aside.text ?? ""} />
      </details>
    );
  return <div className="small-item quiet">{say(`aside_${aside.word}`, { count: aside.text ?? "" })}</div>;
}

const SIGNS: Record<End["word"], string> = { completed: "✓", failed: "✗", stopped: "■", lost: "⚠" };
const LONG = 600;
