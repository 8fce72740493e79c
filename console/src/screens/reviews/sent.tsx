// Decisions on their way: what, for how long they can be taken back, and what became of each.
import { useNow } from "../../parts/when";
import { Visible } from "../../text/visible";
import { shell } from "../../words/shell";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { titleOf } from "./asked";
import { failureWords } from "./failure";
import { isOver, isWaiting, remove, resend, type Parcel } from "./outbox";
import type { Desk } from "./use-desk";

export function Sent({ desk }: { desk: Desk }) {
  const waiting = desk.parcels.filter(isWaiting);
  const newest = waiting.at(-1)?.id;
  // A decision that came back is told at its item, where that is open.
  const told = desk.failure?.parcel.letters.length === 1 ? desk.failure.parcel.id : null;
  const shown = desk.parcels.filter((parcel) => parcel.id !== told);
  if (shown.length === 0) return null;
  return (
    <ul className="sent">
      {shown.map((parcel) => (
        <ParcelLine key={parcel.id} parcel={parcel} newest={parcel.id === newest} desk={desk} />
      ))}
    </ul>
  );
}

function ParcelLine({ parcel, newest, desk }: { parcel: Parcel; newest: boolean; desk: Desk }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const now = useNow(250);
  const [first] = parcel.letters;
  if (!first) return null;
  const many = parcel.letters.length;
  const sent = parcel.outcomes.filter((outcome) => outcome.state === "sent").length;
  const failed = parcel.letters.flatMap((letter, at) => {
    const outcome = parcel.outcomes[at];
    return outcome?.state === "failed" ? [{ letter, outcome }] : [];
  });
  const retry = failed.some(({ outcome }) => outcome.status === 0 || outcome.status >= 500 || outcome.status === 429);
  return (
    <li className="foot-panel parcel" data-parcel={parcel.id} data-failed={failed.length > 0 || undefined}>
      <span className="grow">
        <strong>{say(`did_${first.decision}`)}</strong> <Visible text={titleOf(first.review, say)} />
        {many > 1 && ` × ${many}`}
        {isWaiting(parcel) && <span className="quiet"> · {say("sentIn", { seconds: Math.max(0, Math.ceil((parcel.due - now) / 1000)) })}</span>}
        {!isWaiting(parcel) && !isOver(parcel) && <span className="quiet"> · {say("sending")}</span>}
        {isOver(parcel) && sent > 0 && (
          <span className="quiet">
            {" "}
            · <span aria-hidden="true">✓ </span>
            {many === 1 ? say("sent") : say("sentOf", { sent, count: many })}
          </span>
        )}
        {failed.map(({ letter, outcome }) => (
          <span key={letter.review.review_id} className="bad parcel-failure" role="alert">
            <span aria-hidden="true">✗ </span>
            <a href={`#/reviews/${encodeURIComponent(letter.review.review_id)}`}>
              <Visible text={many > 1 ? letter.review.review_id : say("notTaken")} />
            </a>
            : <Visible text={failureWords(outcome, say)} />
          </span>
        ))}
      </span>
      {isWaiting(parcel) && (
        <button type="button" data-action="undo" onClick={() => desk.undo(parcel.id)}>
          {say("undo")} {newest && <kbd>u</kbd>}
        </button>
      )}
      {isOver(parcel) && retry && (
        <button type="button" onClick={() => resend(parcel.id)}>
          {say("sendAgain")}
        </button>
      )}
      {failed.length > 0 && (
        <button type="button" onClick={() => remove(parcel.id)} aria-label={frame("close")} title={frame("close")}>
          <span aria-hidden="true">✕</span>
        </button>
      )}
    </li>
  );
}
