// The picture of the line: a station for each check, told apart by sign, shape and word. A row on a wide window, a column on a
// narrow one. A station is a button; what it said stands below.
import { useState } from "react";
import { StatusBadge } from "../../parts/status";
import type { LineStop, Status } from "../../contract";
import { verdictsWords } from "../../words/verdicts";
import { useWords, type Say } from "../../words/words";
import { first, isCheck, stations, type Station, type StopState } from "./line";
import { StopSaid } from "./stop-said";

export function LinePicture({ line, status }: { line: readonly LineStop[]; status: Status }) {
  const say = useWords(verdictsWords);
  const all = stations(line, status);
  const [wished, setWished] = useState<string | null>(null);
  const chosen = wished ?? first(all);
  const open = all.find((station) => station.stop.check === chosen);
  return (
    <div className="line-picture">
      <ol className="line" aria-label={say("line")}>
        {all.map((station) => (
          <StationButton key={station.stop.check} station={station} status={status} chosen={station.stop.check === chosen} choose={() => setWished(station.stop.check)} />
        ))}
      </ol>
      <div className="stop-said" id={PLACE} aria-live="polite">
        {open && <StopSaid station={open} status={status} />}
      </div>
    </div>
  );
}

function StationButton({ station, status, chosen, choose }: { station: Station; status: Status; chosen: boolean; choose: () => void }) {
  const say = useWords(verdictsWords);
  const { stop, state } = station;
  return (
    <li className={`station station-${state}`} data-stop={stop.check} data-ran={stop.ran} data-state={state}>
      <button type="button" aria-pressed={chosen} aria-controls={PLACE} onClick={choose}>
        <span className="station-sign" aria-hidden="true">
          {SIGNS[state]}
        </span>
        <span className="station-text">
          <span className="station-name">{nameOf(say, stop.check)}</span>{" "}
          <span className="station-word">{state === "decided" ? <StatusBadge status={stop.status ?? status} /> : wordOf(say, station)}</span>{" "}
          {stop.microseconds !== null && <span className="station-cost quiet">{say("cost", { value: round(stop.microseconds) })}</span>}
        </span>
      </button>
    </li>
  );
}

export function nameOf(say: Say<keyof typeof verdictsWords.en>, check: string): string {
  return isCheck(check) ? say(`check_${check}`) : check;
}

/** What a station came to, in a word or two. */
export function wordOf(say: Say<keyof typeof verdictsWords.en>, { stop, state, worst }: Station): string {
  const count = stop.findings.length;
  switch (state) {
    case "found":
      return worst === null ? say("found", { count }) : say(FOUND[worst], { count: stop.findings.filter((finding) => finding.severity === worst).length });
    case "mended":
      return say("mended", { count });
    case "shadow":
      return say("shadow", { count });
    case "decided":
      return "";
    default:
      return say(state);
  }
}

/** Microseconds as people read them: small ones with a decimal. */
export function round(microseconds: number): string {
  return microseconds < 10 ? microseconds.toFixed(1).replace(/\.0$/, "") : String(Math.round(microseconds));
}

const PLACE = "stop-said";
const SIGNS: Record<StopState, string> = { passed: "✓", found: "△", mended: "✎", refused: "✗", notReached: "·", shadow: "◐", decided: "◆" };
const FOUND = { error: "foundError", warning: "foundWarning", info: "foundInfo" } as const;
