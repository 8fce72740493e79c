// The head of an item: the tool, how long it waits and what happens then, and where else it can be seen.
import { StatusBadge } from "../../parts/status";
import { When } from "../../parts/when";
import { href } from "../../route";
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { aboutOf, holderOf, titleOf } from "./asked";
import { Countdown } from "./countdown";
import type { Shown } from "./item";
import { serverNow } from "./known";

export function Head({ review }: { review: Shown }) {
  const say = useWords(reviewsWords);
  const verdict = review.verdict_id ?? (typeof review.context.verdict_id === "string" ? review.context.verdict_id : null);
  const holder = holderOf(review, serverNow());
  const pending = review.state === "pending";
  const about = aboutOf(review);
  return (
    <header className="review-head">
      <div className="row">
        <h2 tabIndex={-1} id="review-title">
          <code>
            <Visible text={titleOf(review, say)} />
          </code>
        </h2>
        <StatusBadge status={review.state} />
        {about !== "call" && <span className="badge badge-warn">{say(review.waits ? `${about}Withheld` : `${about}Shown`)}</span>}
        {pending && holder !== null && (
          <span className="badge badge-person">
            <span aria-hidden="true">⚑</span> <Visible text={say("reservedBy", { name: holder })} />
          </span>
        )}
        <span className="grow" />
        {review.session_id && <a href={href("live", review.session_id)}>{say("toSession")}</a>}
        {verdict && <a href={href("verdicts", verdict)}>{say("toVerdict")}</a>}
      </div>
      {review.tool_description && (
        <p className="quiet">
          <Visible text={review.tool_description} />
        </p>
      )}
      {pending && (
        <p className="review-end">
          <Countdown until={review.expires_at_ms} /> <span>{say(about === "call" ? "atExpiry" : !review.waits ? "atExpiryNothing" : about === "result" ? "atExpiryResult" : "atExpiryAnswer")}</span>
        </p>
      )}
      <p className="quiet review-facts">
        {say("asked")} <When time={review.created_at} /> · {say("policy")} <code>{review.policy_version}</code>
      </p>
    </header>
  );
}
