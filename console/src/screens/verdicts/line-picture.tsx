// The picture of the line: a station for each check, told apart by sign, shape and word. A row on a wide window, a column on a
// narrow one. A station is a button; what it said stands below.
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { StatusBadge } from "../../parts/status";
import { took } from "../../parts/took";
import type { LineStop, Status } from "../../contract";
import { useCheckName } from "../../words/checks";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { first, stations, type Station, type StopState } from "./line";
import { StopSaid } from "./stop-said";
import { wordOf } from "./telling";

export function LinePicture({ line, status }: { line: readonly LineStop[]; status: Status }) {
  const say = useWords(verdictsWords);
  const all = stations(line, status);
  const [wished, setWished] = useState<string | null>(null);
  const chosen = wished ?? first(all);
  const open = all.find((station) => station.stop.check === chosen);
  const place = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(place, all.length * ROOM);
  const said = open && (
    <div className="stop-said" id={PLACE} aria-live="polite">
      <StopSaid station={open} status={status} />
    </div>
  );
  return (
    <div ref={place}>
      <ol className={narrow ? "line line-column" : "line line-row"} aria-label={say("line")}>
        {all.map((station) => (
          <StationButton key={station.stop.check} station={station} status={status} chosen={station === open} choose={() => setWished(station.stop.check)}>
            {narrow && station === open && said}
          </StationButton>
        ))}
      </ol>
      {!narrow && said}
    </div>
  );
}

interface Given {
  station: Station;
  status: Status;
  chosen: boolean;
  choose: () => void;
  /** What it said, where that is under it. */
  children: ReactNode;
}

function StationButton({ station, status, chosen, choose, children }: Given) {
  const say = useWords(verdictsWords);
  const nameOf = useCheckName();
  const { stop, state } = station;
  return (
    <li className={`station station-${state}`} data-stop={stop.check} data-ran={stop.ran} data-state={state} data-worst={station.worst ?? undefined}>
      <button type="button" aria-pressed={chosen} aria-controls={PLACE} onClick={choose}>
        <span className="station-sign" aria-hidden="true">
          {state === "found" && station.worst === "info" ? "ⓘ" : SIGNS[state]}
        </span>
        <span className="station-text">
          <span className="station-name">{nameOf(stop.check)}</span>{" "}
          <span className="station-word">{state === "decided" ? <StatusBadge status={stop.status ?? status} /> : wordOf(say, station)}</span>{" "}
          {stop.microseconds !== null && <span className="station-cost quiet">{took(stop.microseconds)}</span>}
        </span>
      </button>
      {children}
    </li>
  );
}

/** Whether the stations have no room beside each other. */
function useNarrow(place: { current: HTMLElement | null }, room: number): boolean {
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = () => setNarrow(element.clientWidth < room);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => watch.disconnect();
  }, [place, room]);
  return narrow;
}

const PLACE = "stop-said";
/** One station with its words, in pixels. */
const ROOM = 78;
const SIGNS: Record<StopState, string> = { passed: "✓", found: "△", mended: "✎", refused: "✗", notReached: "·", shadow: "◐", decided: "◆" };
