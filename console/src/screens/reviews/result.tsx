// A tool's result that looked wrong and is withheld: the result itself, and the call that it answers. It can be let through or kept back.
import { JsonView } from "../../parts/json-view";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import type { Shown } from "./item";

export function Result({ review }: { review: Shown }) {
  const say = useWords(reviewsWords);
  return (
    <section aria-labelledby="result-title">
      <h3 id="result-title">{say("theResult")}</h3>
      <p className="quiet">{say("resultAbout")}</p>
      <JsonView value={review.context.result} lines={24} />
      <h4>{say("itsCall")}</h4>
      <JsonView value={{ name: review.call.name, arguments: review.call.arguments }} />
    </section>
  );
}
