// A request through the gateway: every attempt of the model with its verdict, and the one answer that came out.
import { JsonView } from "../../../parts/json-view";
import { StatusBadge } from "../../../parts/status";
import { href } from "../../../route";
import { Plain } from "../../../text/markdown";
import { Ticked } from "../../../text/ticked";
import { outcomeWord, shell } from "../../../words/shell";
import { tryWords } from "../../../words/try";
import { useWords } from "../../../words/words";
import { opened, type Answer, type GatewayVerdict } from "../engine";
import { ClaimedMessage } from "./claims-made";

type GatewayAnswer = Extract<Answer, { of: "gateway" }>;

export function GatewayMade({ answer: { verdicts, message, ids } }: { answer: GatewayAnswer }) {
  const say = useWords(tryWords);
  if (verdicts === null) {
    return (
      <>
        <p className="quiet">{say("hiddenVerdicts")}</p>
        {ids.map((id) => (
          <p key={id}>
            <code>{id}</code>
          </p>
        ))}
      </>
    );
  }
  if (verdicts.length === 0) return message.marked ? <ClaimedMessage text={message.content ?? ""} claims={message.claims} pending={message.claims.length > 0} /> : <p className="quiet">{say("noVerdicts")}</p>;
  return (
    <ol className="try-attempts">
      {verdicts.map((verdict) => (
        <Attempt key={verdict.verdict_id} verdict={verdict} />
      ))}
    </ol>
  );
}

function Attempt({ verdict }: { verdict: GatewayVerdict }) {
  const say = useWords(tryWords);
  const sayShell = useWords(shell);
  const outcomes = verdict.outcomes.map(outcomeWord).filter((word) => word !== null);
  const wrote = verdict.call ? { name: verdict.call.name, arguments: opened(verdict.call.arguments) } : null;
  return (
    <li data-attempt={verdict.attempt}>
      <div className="row">
        <strong>{say("attempt", { number: (verdict.attempt ?? 0) + 1 })}</strong> <span className="quiet">{say("modelWrote")}</span>
      </div>
      {wrote && <JsonView value={typeof wrote.arguments === "string" ? `${wrote.name} ${wrote.arguments}` : `${wrote.name} ${JSON.stringify(wrote.arguments)}`} />}
      <div className="row">
        {verdict.status && <StatusBadge status={verdict.status} />} {outcomes.map((outcome) => (
          <span key={outcome}>→ {sayShell(outcome)}</span>
        ))}
      </div>
      {(verdict.verdict?.findings ?? []).map((finding, at) => (
        <div key={at} className="try-found">
          <code>{finding.code}</code> <Ticked text={finding.evidence} />
        </div>
      ))}
      <a href={href("verdicts", verdict.verdict_id)}>{say("verdictLink")}</a>
    </li>
  );
}

export function GatewayGets({ answer: { message, verdicts } }: { answer: GatewayAnswer }) {
  const say = useWords(tryWords);
  const attempts = new Set((verdicts ?? []).map((verdict) => verdict.attempt ?? 0)).size;
  return (
    <>
      {message.calls.length > 0 && (
        <>
          <h4>{say("clientCalls")}</h4>
          {message.calls.map((call, at) => (
            <JsonView key={at} value={{ name: call.name, arguments: call.arguments }} />
          ))}
        </>
      )}
      {message.content && (
        <>
          <h4>{say("clientText")}</h4>
          <Plain text={message.content} claims={message.claims} />
        </>
      )}
      {message.marked && message.claims.length > 0 && <p className="quiet">{say("claimsMarked")}</p>}
      {attempts > 1 && <p className="quiet">{say("unseen")}</p>}
    </>
  );
}
