// Has the pending claims looked up, and says what came of it.
import { useState } from "react";
import { told } from "../../api";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { checkFacts, type Checked } from "./session-calls";

export function FactsButton({ session, pending }: { session: string; pending: number }) {
  const say = useWords(liveWords);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Checked["summary"] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const check = () => {
    setBusy(true);
    setError(null);
    setOutcome(null);
    checkFacts(session)
      .then((checked) => setOutcome(checked.summary), setError)
      .finally(() => setBusy(false));
  };
  return (
    <div className="facts">
      {(pending > 0 || busy) && (
        <button type="button" onClick={check} disabled={busy} title={say("checkFactsAbout")}>
          {say(busy ? "checking" : "checkFacts")}
        </button>
      )}
      <span role="status">
        {error !== null && (
          <span className="bad">
            <Visible text={told(error)} />
          </span>
        )}
        {outcome && <span className="quiet">{say("checked", { ...outcome })}</span>}
      </span>
    </div>
  );
}
