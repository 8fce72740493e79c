// A tool's result or an answer of the model: its text, which a reviewer can replace, and the call or the question that it answers.
import { JsonView } from "../../parts/json-view";
import { Plain } from "../../text/markdown";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { aboutOf, givenOf, labelOf, wordsOf } from "./asked";
import { keepDraft } from "./drafts";
import type { Shown } from "./item";
import type { Desk } from "./use-desk";

export function Words({ review, desk }: { review: Shown; desk: Desk }) {
  const say = useWords(reviewsWords);
  const about = aboutOf(review);
  const title = say(about === "answer" ? "theAnswer" : "theResult");
  const typed = desk.draft?.value.content;
  const pending = review.state === "pending";
  const replaced = review.decided?.content;
  return (
    <section aria-labelledby="words-title">
      <h3 id="words-title">{title}</h3>
      <p className="quiet">{say(about === "answer" ? "answerAbout" : "resultAbout")}</p>
      {about === "result" && typeof review.context.result !== "string" ? (
        <JsonView value={review.context.result} lines={24} />
      ) : (
        <div className="result-text" tabIndex={0} role="group" aria-label={title}>
          <Plain text={wordsOf(review)} />
        </div>
      )}
      {(pending || desk.edited) && (
        <div
          className="fields"
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              desk.decide("approve");
            } else if (event.key === "Escape" && !event.defaultPrevented) {
              event.preventDefault();
              document.getElementById("review-title")?.focus();
            }
          }}
        >
          <label>
            <span>{say("inItsPlace")}</span>
            <textarea
              name="content"
              rows={6}
              readOnly={desk.bar !== null}
              value={typeof typed === "string" ? typed : wordsOf(review)}
              onChange={(event) => keepDraft(review.review_id, { value: { content: event.target.value }, broken: {}, findings: [] })}
            />
          </label>
        </div>
      )}
      {replaced !== undefined && replaced !== null && (
        <>
          <h4>{labelOf(review, say)}</h4>
          {typeof replaced === "string" ? <Plain text={replaced} /> : <JsonView value={replaced} lines={24} />}
        </>
      )}
      {about === "result" && (
        <>
          <h4>{say("itsCall")}</h4>
          <JsonView value={{ name: review.call.name, arguments: givenOf(review) }} />
        </>
      )}
    </section>
  );
}
