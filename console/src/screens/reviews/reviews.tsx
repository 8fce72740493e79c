// The screen "reviews".
import { useWords } from "../../words/words";
import { reviewsWords } from "../../words/reviews";

export default function Reviews() {
  const say = useWords(reviewsWords);
  return <h1>{say("title")}</h1>;
}
