// Several items of one kind can be decided together: all of them are chosen with one press.
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import type { Desk } from "./use-desk";

export function Alike({ desk }: { desk: Desk }) {
  const say = useWords(reviewsWords);
  if (desk.alike.length < 2) return null;
  if (desk.group.length > 0) {
    return (
      <button type="button" onClick={() => desk.chooseGroup([])}>
        {say("chooseNone")} <kbd>Esc</kbd>
      </button>
    );
  }
  return (
    <button type="button" onClick={() => desk.chooseGroup(desk.alike.map((review) => review.review_id))}>
      {say("chooseAlike", { count: desk.alike.length })}
    </button>
  );
}
