// What one station of the line looks for, and what it said about this call.
import { Findings } from "../../parts/findings";
import { StatusBadge } from "../../parts/status";
import type { Finding, Status } from "../../contract";
import { Visible } from "../../text/visible";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { isCheck, type Station } from "./line";
import { nameOf, round } from "./telling";

export function StopSaid({ station, status }: { station: Station; status: Status }) {
  const say = useWords(verdictsWords);
  const { stop, state } = station;
  return (
    <>
      <h3>
        {nameOf(say, stop.check)} {state === "decided" && <StatusBadge status={stop.status ?? status} />}{" "}
        {stop.microseconds !== null && <span className="quiet">{say("cost", { value: round(stop.microseconds) })}</span>}
      </h3>
      {isCheck(stop.check) && <p className="quiet">{say(`about_${stop.check}`)}</p>}
      {state === "notReached" && <p>{say("stopNotReached")}</p>}
      {stop.mode === "shadow" && <p>◐ {say("stopShadow")}</p>}
      {stop.mode === "advise" && stop.findings.length > 0 && <p>{say("stopAdvise")}</p>}
      {stop.findings.length > 0 && <Findings findings={stop.findings} />}
      {stop.ran && state !== "decided" && stop.findings.length === 0 && <p>{say("stopNothing")}</p>}
      <Repairs findings={stop.findings} />
    </>
  );
}

/** The repairs that were made, as places and values. */
function Repairs({ findings }: { findings: readonly Finding[] }) {
  const say = useWords(verdictsWords);
  const made = findings.flatMap((finding) => (finding.correction?.applied ? finding.correction.patch : []));
  if (made.length === 0) return null;
  return (
    <>
      <h4>{say("stopRepairs")}</h4>
      <ul className="repairs">
        {made.map((operation, at) => (
          <li key={at}>
            <code>
              {operation.op} <Visible text={operation.path} />
              {operation.value !== undefined && (
                <>
                  {" → "}
                  <Visible text={JSON.stringify(operation.value).slice(0, LONG)} />
                </>
              )}
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}

const LONG = 300;
