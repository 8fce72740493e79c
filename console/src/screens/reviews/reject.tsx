// Why not: five usual reasons by number, or one's own words. The agent is told.
import { useEffect, useRef, useState } from "react";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import type { Desk } from "./use-desk";

export function Reject({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const [text, setText] = useState("");
  const first = useRef<HTMLButtonElement>(null);
  // The numbers work at once; one's own words are a Tab away.
  useEffect(() => void first.current?.focus(), []);
  const cancel = () => {
    desk.setRejecting(false);
    document.querySelector<HTMLElement>("[data-action=reject]")?.focus();
  };
  return (
    <form
      className="foot-panel reject"
      aria-label={say("why")}
      onSubmit={(event) => {
        event.preventDefault();
        desk.decide("reject", text.trim() || undefined);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        cancel();
      }}
    >
      <div>
        <strong>{say("why")}</strong> <span className="quiet">{say("whyTold")}</span>
      </div>
      <div className="reasons">
        {REASONS.map((reason, at) => (
          <button key={reason} ref={at === 0 ? first : undefined} type="button" data-reason={at + 1} onClick={() => desk.decide("reject", say(reason))}>
            <kbd>{at + 1}</kbd> {say(reason)}
          </button>
        ))}
      </div>
      <div className="row">
        <input className="grow" name="reason" aria-label={say("ownReason")} placeholder={say("ownReason")} maxLength={500} value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit" className="danger">
          {say(text.trim() === "" ? "rejectBare" : "reject")} <kbd>↵</kbd>
        </button>
        <button type="button" onClick={cancel}>
          {say("cancel")} <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  );
}

export const REASONS = ["reason1", "reason2", "reason3", "reason4", "reason5"] as const;
