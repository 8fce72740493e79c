// The brake: stops a turn, says that the session is stopped, and lets it go on.
import { useEffect, useRef, useState } from "react";
import { told } from "../../api";
import type { StopState } from "../../contract";
import { useAsked } from "../../parts/use-asked";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { clearStop, path, stopSession } from "./session-calls";

interface Props {
  session: string;
  running: boolean;
  /** The newest event: after it the flag may be another. */
  ends: number;
  /** Is told why the session takes no turns, or null. */
  told: (hurdle: string | null) => void;
}

export function StopBar({ session, running, ends, told: tell }: Props) {
  const say = useWords(liveWords);
  const state = useAsked<StopState>(path(session, "stop"), 5_000);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const flags = state.answer?.flags ?? [];
  const everywhere = flags.some((flag) => (flag as { scope?: unknown } | null)?.scope !== "session");
  const stopped = flags.length > 0;
  const { again } = state;
  useEffect(() => {
    if (!running && ends > 0) again();
  }, [running, ends > 0, again]);
  const hurdle = stopped ? say("stoppedHurdle") : null;
  useEffect(() => tell(hurdle), [hurdle, tell]);
  // The turn may end before its flag is known, and the bar is away for a moment.
  const button = useRef<HTMLButtonElement>(null);
  const acted = useRef(false);
  useEffect(() => {
    if (stopped && acted.current) button.current?.focus();
    acted.current = false;
  }, [stopped]);
  const act = (what: (session: string) => Promise<unknown>) => {
    acted.current = !stopped;
    setBusy(true);
    setError(null);
    what(session)
      .then(() => {
        again();
        // The bar goes, and what comes next is writing.
        if (stopped) document.querySelector<HTMLElement>(".composer textarea")?.focus();
      }, setError)
      .finally(() => setBusy(false));
  };
  if (!running && !stopped && error === null) return null;
  return (
    <div className={stopped ? "bar bar-stopped" : "bar bar-running"}>
      {running && !stopped && (
        <span className="running grow">
          <span className="dot" aria-hidden="true" /> {say("turnRuns")}
        </span>
      )}
      {stopped && (
        <span className="grow" role="status">
          <strong>{say(everywhere ? "stoppedEverywhere" : "stoppedHere")}</strong> {say(everywhere ? "stoppedEverywhereAbout" : "stoppedHereAbout")}
        </span>
      )}
      {error !== null && (
        <span className="bad" role="alert">
          <Visible text={told(error)} />
        </span>
      )}
      {(stopped ? !everywhere : running) && (
        <button ref={button} type="button" className={stopped ? "" : "danger"} onClick={() => !busy && act(stopped ? clearStop : stopSession)}>
          {!stopped && <span aria-hidden="true">■</span>} {say(stopped ? "clearStop" : "stop")}
        </button>
      )}
    </div>
  );
}
