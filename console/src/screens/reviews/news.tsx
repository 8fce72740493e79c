// What happened to an item: it was decided, it expired, somebody took it, or a decision came back. What was typed is kept.
import { ChangeTable } from "../../parts/change-table";
import { shell } from "../../words/shell";
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { aboutOf, deciderOf, labelOf } from "./asked";
import { failureWords } from "./failure";
import type { Shown } from "./item";
import { remove, resend } from "./outbox";
import { BROKEN, type Desk } from "./use-desk";

export function News({ review, desk }: { review: Shown; desk: Desk }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const { failure, notice, bar } = desk;
  const again = failure !== null && review.state === "pending" && failure.outcome.status !== 422;
  return (
    <div className="review-news">
      {failure && (
        <div className="note note-bad" role="alert">
          <strong>{say("notTaken")}</strong> <Visible text={failureWords(failure.outcome, say)} />{" "}
          {again && (
            <button type="button" onClick={() => resend(failure.parcel.id)}>
              {say("sendAgain")}
            </button>
          )}{" "}
          <button type="button" className="link" onClick={() => remove(failure.parcel.id)}>
            {frame("close")}
          </button>
        </div>
      )}
      {notice !== null && (
        <div className="note note-bad" role="alert">
          <Visible text={notice === BROKEN ? say("brokenJson") : notice} />
        </div>
      )}
      {bar?.why === "reserved" && (
        <div className="note note-person" role="status">
          <span aria-hidden="true">⚑ </span>
          <Visible text={say("barReserved", { name: bar.by })} />
        </div>
      )}
      {review.state === "pending" && bar?.why === "over" && (
        <div className="note note-quiet" role="status">
          <span aria-hidden="true">◷ </span>
          {say("bar_over")}
        </div>
      )}
      {review.state !== "pending" && <Decided review={review} typed={desk.edited} />}
      {review.state !== "pending" && desk.edited && (
        <div className="note note-quiet" role="status">
          {say("typedKept")}
        </div>
      )}
    </div>
  );
}

/** What was decided, by whom, and why. Where the form below holds something else that was typed, the edit that was taken stands here. */
function Decided({ review, typed }: { review: Shown; typed: boolean }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const decider = deciderOf(review);
  const { decided } = review;
  return (
    <div className="note note-quiet" role="status" data-decided={review.state}>
      <p>
        <strong>{say(`is_${review.state === "pending" ? "expired" : review.state}`)}</strong>{" "}
        {decider !== null && <Visible text={say("decidedBy", { name: decider })} />}
        {decided?.reviewer && decided.key && (
          <span className="quiet">
            {" "}
            (<Visible text={say("withKey", { key: decided.key })} />)
          </span>
        )}
        {review.used && <span className="quiet"> · {say("used")}</span>}
      </p>
      {decided?.reason && (
        <p>
          <span className="quiet">{say("reason")}:</span> <Visible text={decided.reason} />
        </p>
      )}
      {review.state === "edited" && typed && aboutOf(review) === "call" && (
        <ChangeTable
          versions={[
            { label: frame("corrected"), value: review.call.arguments },
            { label: labelOf(review, say), value: decided?.arguments },
          ]}
        />
      )}
    </div>
  );
}
