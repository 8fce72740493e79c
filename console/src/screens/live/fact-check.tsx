// Has the claims looked up that are not verified, and says what came of it.
import { useCallback, useState } from "react";
import { told } from "../../api";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { shell } from "../../words/shell";
import { useWords } from "../../words/words";
import { checkFacts, type Checked } from "./session-calls";

export interface FactCheck {
  busy: boolean;
  outcome: Checked["summary"] | null;
  error: unknown;
  check: () => void;
  forget: () => void;
}

export function useFactCheck(session: string): FactCheck {
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Checked["summary"] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const forget = useCallback(() => {
    setError(null);
    setOutcome(null);
  }, []);
  const check = () => {
    setBusy(true);
    forget();
    checkFacts(session)
      .then((checked) => setOutcome(checked.summary), setError)
      .finally(() => setBusy(false));
  };
  return { busy, outcome, error, check, forget };
}

export function FactsButton({ facts, unverified }: { facts: FactCheck; unverified: number }) {
  const say = useWords(liveWords);
  if (unverified === 0 && !facts.busy) return null;
  return (
    <button type="button" onClick={facts.check} disabled={facts.busy} title={say("checkFactsAbout")}>
      {say(facts.busy ? "checking" : "checkFacts")}
    </button>
  );
}

/** Always there, so that screen readers hear when something comes into it. */
export function FactsOutcome({ facts }: { facts: FactCheck }) {
  const say = useWords(liveWords);
  const close = useWords(shell)("close");
  const some = facts.outcome !== null || facts.error !== null;
  return (
    <div className={some ? "bar" : ""} role="status">
      {facts.error !== null && (
        <span className="bad grow">
          <Visible text={told(facts.error)} />
        </span>
      )}
      {facts.outcome && (
        <span className="grow">
          <strong>{say("checkedFacts")}</strong> {say("checked", { ...facts.outcome })}
          {facts.outcome.verified + facts.outcome.disputed === 0 && facts.outcome.unverifiable > 0 && <span className="quiet"> {say("checkedNothing")}</span>}
        </span>
      )}
      {some && (
        <button type="button" className="link" onClick={facts.forget}>
          {close}
        </button>
      )}
    </div>
  );
}
