// A tool's result that looked wrong and is withheld: the result itself, and the call that it answers. It can be let through or kept back.
import { JsonView } from "../../parts/json-view";
import { Plain } from "../../text/markdown";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { givenOf } from "./asked";
import type { Shown } from "./item";

export function Result({ review }: { review: Shown }) {
  const say = useWords(reviewsWords);
  const { result } = review.context;
  return (
    <section aria-labelledby="result-title">
      <h3 id="result-title">{say("theResult")}</h3>
      <p className="quiet">{say("resultAbout")}</p>
      {typeof result === "string" ? (
        <div className="result-text" tabIndex={0} role="group" aria-label={say("theResult")}>
          <Plain text={result} />
        </div>
      ) : (
        <JsonView value={result} lines={24} />
      )}
      <h4>{say("itsCall")}</h4>
      <JsonView value={{ name: review.call.name, arguments: givenOf(review) }} />
    </section>
  );
}
