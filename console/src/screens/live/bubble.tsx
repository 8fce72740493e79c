// Words of somebody to somebody, with their claims where they are.
import { useState } from "react";
import { Findings } from "../../parts/findings";
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import { Markdown, Plain } from "../../text/markdown";
import { Visible } from "../../text/visible";
import { claims as claimWords } from "../../words/claims";
import { liveWords } from "../../words/live";
import { shell } from "../../words/shell";
import { useWords } from "../../words/words";
import { needsVerify, type AnswerAssessment, type Bubble } from "./items";

export function BubbleView({ bubble }: { bubble: Bubble }) {
  const say = useWords(liveWords);
  const sayClaims = useWords(claimWords);
  return (
    <div className={`bubble bubble-${bubble.role}`} data-message={bubble.messageId} data-state={bubble.state}>
      <div className="bubble-head">
        <span className="bubble-who">
          <strong>
            <Visible text={bubble.from} />
          </strong>
          {bubble.to !== null && bubble.role !== "user" && (
            <>
              <span aria-hidden="true"> → </span>
              <span className="reader-only"> {say("to")} </span>
              <Visible text={bubble.to} />
            </>
          )}
        </span>
        <span className="quiet bubble-time">
          <When time={bubble.time} />
        </span>
        {needsVerify(bubble) && (
          <span className="verify-badge" title={sayClaims("badgeTitle")}>
            {sayClaims("badge")}
          </span>
        )}
      </div>
      <Words bubble={bubble} />
      {bubble.state === "growing" && (
        <span className="writing" aria-hidden="true">
          ▍
        </span>
      )}
      {bubble.state === "broken" && (
        <p className="bad">
          <span aria-hidden="true">✂</span> {say("broken")}
        </p>
      )}
      {bubble.filtered && <p className="quiet">{say("filtered")}</p>}
      {bubble.citations.length > 0 && (
        <ul className="citations" aria-label={say("citations")}>
          {bubble.citations.map((citation, at) => (
            <li key={at}>
              <code>
                <Visible text={citation.evidence} />
              </code>{" "}
              <Visible text={citation.tool} />: <Visible text={citation.text} />
            </li>
          ))}
        </ul>
      )}
      {bubble.assessment && <AssessmentBadge assessment={bubble.assessment} />}
    </div>
  );
}

/** A very long text is cut, and one that grows is only Markdown while it is short: both would make the page wait. */
function Words({ bubble }: { bubble: Bubble }) {
  const say = useWords(shell);
  const [whole, setWhole] = useState(false);
  const long = bubble.content.length > LONG;
  const content = long && !whole ? bubble.content.slice(0, LONG) : bubble.content;
  // Agents write Markdown, to each other too; what a person wrote is shown as it was written.
  const plain = bubble.role === "user" || long || (bubble.state === "growing" && content.length > GROWING);
  return (
    <>
      {plain ? <Plain text={content} claims={bubble.claims} /> : <Markdown source={content} claims={bubble.claims} />}
      {long && (
        <button type="button" className="link" onClick={() => setWhole(!whole)}>
          {say(whole ? "less" : "more")}
        </button>
      )}
    </>
  );
}

function AssessmentBadge({ assessment }: { assessment: AnswerAssessment }) {
  const say = useWords(liveWords);
  const { status, confidence, findings, rationale } = assessment;
  return (
    <details className="assessment">
      <summary>
        <span className="quiet">{say("assessment")}</span> <StatusBadge status={status} />{" "}
        {confidence !== null && <span className="quiet">{say("score", { score: confidence.toFixed(2) })}</span>}
      </summary>
      {findings.length > 0 && <Findings findings={findings} />}
      {rationale !== null && (
        <p className="quiet">
          <Visible text={rationale} />
        </p>
      )}
    </details>
  );
}

const LONG = 24_000;
const GROWING = 4_000;
