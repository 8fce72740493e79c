// What one station of the line looks for, and what it said about this call.
import { Findings } from "../../parts/findings";
import { StatusBadge } from "../../parts/status";
import { took } from "../../parts/took";
import type { Status } from "../../contract";
import { useCheckName } from "../../words/checks";
import { verdictsWords } from "../../words/verdicts";
import { hasWord, useWords } from "../../words/words";
import type { Station } from "./line";

export function StopSaid({ station, status }: { station: Station; status: Status }) {
  const say = useWords(verdictsWords);
  const nameOf = useCheckName();
  const { stop, state } = station;
  const about = `about_${stop.check}`;
  return (
    <>
      <h3>
        {nameOf(stop.check)} {state === "decided" && <StatusBadge status={stop.status ?? status} />}{" "}
        {stop.microseconds !== null && <span className="quiet">{took(stop.microseconds)}</span>}
      </h3>
      {hasWord(verdictsWords, about) && <p className="quiet">{say(about)}</p>}
      {state === "notReached" && <p>{say("stopNotReached")}</p>}
      {stop.mode === "shadow" && <p>◐ {say("stopShadow")}</p>}
      {stop.mode === "advise" && stop.findings.length > 0 && <p>{say("stopAdvise")}</p>}
      {stop.findings.length > 0 && <Findings findings={stop.findings} />}
      {stop.ran && state !== "decided" && stop.findings.length === 0 && <p>{say("stopNothing")}</p>}
    </>
  );
}
