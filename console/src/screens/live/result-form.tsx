// The page stands in for the client: a result brought by hand.
import { useId, useState } from "react";
import { told } from "../../api";
import { Visible } from "../../text/visible";
import { useWho } from "../../who";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { exampleResult } from "./example-tools";
import type { CallCard } from "./items";
import { bringResult } from "./session-calls";

export function ResultForm({ session, card }: { session: string; card: CallCard }) {
  const say = useWords(liveWords);
  const draft = `${session} ${card.callId} ${card.seq}`;
  const [text, setText] = useState(() => DRAFTS.get(draft) ?? "");
  const example = useWho().demo ? exampleResult(card.name, card.toRun?.arguments) : "";
  const [isError, setIsError] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const about = useId();
  const write = (after: string) => {
    setText(after);
    DRAFTS.set(draft, after);
  };
  const bring = () => {
    setBusy(true);
    setError(null);
    bringResult(session, card.callId, text, isError).catch((failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  return (
    <form
      className="result-form"
      onSubmit={(event) => {
        event.preventDefault();
        bring();
      }}
    >
      <p id={about}>{say("resultWanted")}</p>
      <textarea rows={Math.min(8, Math.max(2, text.split("\n").length))} value={text} spellCheck={false} aria-label={say("result")} aria-describedby={about} onChange={(event) => write(event.target.value)} />
      <div className="row">
        <button type="submit" className="primary" disabled={busy || text.trim() === ""}>
          {say("bringResult")}
        </button>
        {example !== "" && (
          <button type="button" onClick={() => write(example)}>
            {say("exampleResult")}
          </button>
        )}
        <label className="check">
          <input type="checkbox" checked={isError} onChange={(event) => setIsError(event.target.checked)} /> {say("resultIsError")}
        </label>
      </div>
      {error !== null && (
        <p className="bad" role="alert">
          <Visible text={told(error)} />
        </p>
      )}
    </form>
  );
}

/** What was typed, kept while the card is scrolled out of the page. */
const DRAFTS = new Map<string, string>();
