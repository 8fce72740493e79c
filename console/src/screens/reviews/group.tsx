// Several items of one kind, to be decided together. Every call is in sight: nobody approves what they have not seen.
import { shell } from "../../words/shell";
import { Ticked } from "../../text/ticked";
import { Visible, visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useSettings } from "../../settings";
import { useWords } from "../../words/words";
import { lineOf, wholeOf, whyOf } from "./asked";
import { Countdown } from "./countdown";
import type { Desk } from "./use-desk";

export function Group({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const { language } = useSettings();
  const frame = useWords(shell);
  const toggle = (id: string) => {
    const ids = new Set(desk.chosen);
    if (!ids.delete(id)) ids.add(id);
    desk.chooseGroup(ids);
  };
  return (
    <article className="review-item" data-group={desk.group.length}>
      {!desk.wide && (
        <button type="button" className="link" onClick={() => desk.chooseGroup([])}>
          ← {frame("backToList")}
        </button>
      )}
      <h2>
        <Visible text={say("groupTitle", { count: desk.group.length, tool: desk.selected?.tool ?? "" })} />
      </h2>
      <p className="quiet">{say("groupAbout")}</p>
      <ul className="group">
        {desk.alike.map((review) => (
          <li key={review.review_id}>
            <label>
              <input type="checkbox" checked={desk.chosen.has(review.review_id)} onChange={() => toggle(review.review_id)} aria-label={visible(lineOf(review))} />
              <span className="grow">
                <code>
                  <Visible text={wholeOf(review)} />
                </code>
                <span className="quiet group-why">
                  <Ticked text={whyOf(review, say, language)} />
                </span>
              </span>
              <Countdown until={review.expires_at_ms} />
            </label>
          </li>
        ))}
      </ul>
    </article>
  );
}
