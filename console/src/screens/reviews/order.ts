// Which items are shown, and in which order.
import type { Review } from "../../contract";
import { riskOf } from "./asked";

export interface Filter {
  state: "pending" | "decided";
  tool: string;
}

/** The items of a list, in order. */
export function arranged(reviews: Review[], filter: Filter): Review[] {
  const wanted = reviews.filter((review) => (review.state === "pending") === (filter.state === "pending") && (filter.tool === "" || review.tool === filter.tool));
  return wanted.sort(order(filter));
}

/** The riskiest first, and among equals what ends first; of what is decided, the newest. */
function order(filter: Filter) {
  return (one: Review, two: Review) => {
    const by = filter.state === "pending" ? riskOf(one) - riskOf(two) || one.expires_at_ms - two.expires_at_ms : Date.parse(two.created_at) - Date.parse(one.created_at);
    return by === 0 ? one.review_id.localeCompare(two.review_id) : by;
  };
}

/** Where an item stands in a list, or would stand. */
export function placeIn(shown: readonly Review[], review: Review, filter: Filter): number {
  const compare = order(filter);
  const at = shown.findIndex((other) => compare(other, review) >= 0);
  return at < 0 ? shown.length : at;
}
