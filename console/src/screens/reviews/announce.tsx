// Tells readers of the screen what changed by itself or by a key: which item is open, and what was decided.
import { visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { titleOf } from "./asked";
import type { Desk } from "./use-desk";

export function Announce({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  const last = desk.parcels.at(-1);
  const at = desk.shown.findIndex((review) => review.review_id === desk.item);
  return (
    <div className="reader-only" role="status">
      {last?.letters[0] && <p>{say("announceDid", { did: say(`did_${last.letters[0].decision}`), tool: visible(titleOf(last.letters[0].review, say)) })}</p>}
      {desk.selected && at >= 0 && <p>{say("announceOpen", { tool: visible(titleOf(desk.selected, say)), number: at + 1, count: desk.shown.length })}</p>}
    </div>
  );
}
