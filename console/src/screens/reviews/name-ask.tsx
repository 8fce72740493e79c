// Asks once for the name that is under decisions.
import { useState } from "react";
import { useSettings } from "../../settings";
import { shell } from "../../words/shell";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";

export function NameAsk({ sign, cancel }: { sign: (name: string) => void; cancel: () => void }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const { reviewer } = useSettings();
  const [name, setName] = useState(reviewer);
  return (
    <form
      className="foot-panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") sign(name.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") cancel();
      }}
    >
      <label htmlFor="reviewer-name">
        <strong>{frame("reviewer")}</strong> <span className="quiet">{frame("reviewerAbout")}</span>
      </label>
      <div className="row">
        <input id="reviewer-name" className="grow" name="reviewer" value={name} maxLength={80} required autoFocus autoComplete="name" onChange={(event) => setName(event.target.value)} />
        <button type="submit" className="primary" disabled={name.trim() === ""}>
          {say("goOn")} <kbd>↵</kbd>
        </button>
        <button type="button" onClick={cancel}>
          {say("cancel")} <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  );
}
