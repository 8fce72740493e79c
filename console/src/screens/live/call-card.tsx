// One call: what the model asked for, what was found, what was mended, who runs it, what came back.
import { parseJson } from "../../exact";
import { Findings } from "../../parts/findings";
import { ChangeTable } from "../../parts/change-table";
import { same } from "../../parts/changes";
import { JsonView } from "../../parts/json-view";
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import { href } from "../../route";
import { Ticked } from "../../text/ticked";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { outcomeWord, shell } from "../../words/shell";
import { useWords } from "../../words/words";
import { statusOf, waitsForClient, waitsForPerson, type CallCard } from "./items";
import { ResultForm } from "./result-form";
import { ResultView } from "./result";

export function CallCardView({ card, session }: { card: CallCard; session: string }) {
  const say = useWords(liveWords);
  const status = statusOf(card);
  const findings = card.verdict?.findings ?? [];
  return (
    <div className={`call-card call-${status}`} data-call={card.callId} data-status={status}>
      <div className="call-head">
        <span aria-hidden="true">⚙</span>
        <strong>
          <code>
            <Visible text={card.name || say("unknownTool")} />
          </code>
        </strong>
        {status !== "carried" && <StatusBadge status={status} />}
        <Stage card={card} />
        {card.verdictId && (
          <a className="call-explained" href={href("verdicts", card.verdictId)}>
            {say("explained")}
          </a>
        )}
        <span className="quiet bubble-time">
          <When time={card.time} />
        </span>
      </div>
      {card.verdict && (
        <p>
          {/* A verdict that found nothing does not say why a person is asked. */}
          {card.review && card.verdict.status === "approved" ? say("policyWants") : <Ticked text={card.verdict.explanation} />}
          {card.review && card.runBy !== null && <strong> {say("personAgreed")}</strong>}
        </p>
      )}
      {card.correction && (
        <p className="quiet">
          {card.correction.original === null ? (
            say("notCorrected", { attempts: String(card.correction.attempts) })
          ) : (
            <>
              {say("corrects", { attempts: String(card.correction.attempts) })}{" "}
              <code>
                <Visible text={card.correction.original} />
              </code>
            </>
          )}
        </p>
      )}
      <Arguments card={card} />
      {findings.length > 0 && <Findings findings={findings} />}
      {waitsForPerson(card) && card.review && (
        <div className="call-person">
          <p>
            {say("personNeeded")} <When time={card.review.expiresAt} />
            {say("personElse")}
          </p>
          <a className="button" href={href("reviews", card.review.id)}>
            {say("decide")}
          </a>
        </div>
      )}
      {card.withheld && !card.over && (
        <div className="call-person">
          <p>
            {say("resultNeedsPerson")} <When time={card.withheld.expiresAt} />
            {say("resultElse")}
          </p>
          <a className="button" href={href("reviews", card.withheld.id)}>
            {say("decide")}
          </a>
        </div>
      )}
      {card.warnings.map((warning, at) => (
        <p key={at} className="call-warning">
          <span aria-hidden="true">△</span> <code>{warning.code}</code> <Visible text={warning.message} />
        </p>
      ))}
      {waitsForClient(card) && <ResultForm session={session} card={card} />}
      {card.result && <ResultView result={card.result} />}
    </div>
  );
}

/** Where the call is on its way. */
function Stage({ card }: { card: CallCard }) {
  const say = useWords(liveWords);
  const sayShell = useWords(shell);
  const by = card.runBy === "client" ? say("runByClient") : say("runByServer");
  const become = outcomeWord(card.outcome ?? "");
  if (card.carried && !card.result && become && card.outcome !== "released") return <span className="quiet">{card.outcome === "decided_later" ? say(`later_${card.reviewState ?? "expired"}` as "later_expired") : sayShell(become)}</span>;
  if (card.carried && !card.result && card.runBy !== null) return <span className="quiet">{say("givenToClient")}</span>;
  if (card.result) return <span className="quiet">{say("ranBy", { by })}</span>;
  if (card.runBy !== null) return <span className={card.over ? "bad" : "quiet"}>{say(card.over ? "noResult" : "runsBy", { by })}</span>;
  if (card.over || card.denied || (card.verdict && !card.verdict.call && !card.review)) return <span className="quiet">{say("notRun")}</span>;
  return null;
}

/** The arguments; where they were mended, before and after. */
function Arguments({ card }: { card: CallCard }) {
  const say = useWords(shell);
  const made = bare(card.made);
  const toRun = bare(card.toRun);
  if (made && toRun && !same(made, toRun))
    return (
      <ChangeTable
        onlyChanges
        versions={[
          { label: say("model"), value: made },
          { label: say("corrected"), value: toRun },
        ]}
      />
    );
  const shown = toRun ?? made;
  return shown ? <JsonView value={shown.arguments} lines={8} /> : null;
}

/** Name and arguments alone: the id says nothing. Arguments that came as text are read where they can be. */
function bare(call: CallCard["made"]): { name: string; arguments: unknown } | null {
  if (!call) return null;
  if (typeof call.arguments !== "string") return { name: call.name, arguments: call.arguments };
  try {
    return { name: call.name, arguments: parseJson(call.arguments) };
  } catch {
    return { name: call.name, arguments: call.arguments };
  }
}
