// What a decision rests on, side by side: what the user asked, the call, and the sentence of a tool result that the call follows.
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { aboutOf, argumentsOf } from "./asked";
import type { Shown } from "./item";
import { lastQuestion } from "./messages";

export function Beside({ review }: { review: Shown }) {
  const say = useWords(reviewsWords);
  const question = lastQuestion(review);
  const followed = aboutOf(review) === "call" ? (review.followed ?? null) : null;
  if (question === null && followed === null) return null;
  return (
    <section className={followed ? "beside beside-three" : "beside"} aria-label={say("whatWasAsked")}>
      <blockquote className="review-question">
        <span className="quiet">{say("whatWasAsked")}</span>
        <span className="plain">
          <Visible text={question ?? say("nobodyAsked")} />
        </span>
      </blockquote>
      {followed && (
        <>
          <div className="beside-call">
            <span className="quiet">{say("theCallMade")}</span>
            <strong>
              <code>
                <Visible text={review.call.name} />
              </code>
            </strong>
            <dl>
              {Object.entries(argumentsOf(review)).map(([name, value]) => (
                <div key={name}>
                  <dt>
                    <Visible text={name} />
                  </dt>
                  <dd className="plain">
                    <Visible text={short(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
          <blockquote className="review-question beside-followed" data-followed="true">
            <span className="quiet">
              <span aria-hidden="true">⚠ </span>
              {followed.tool ? <Visible text={say("followedIn", { tool: followed.tool })} /> : say("followed")}
            </span>
            <span className="plain">
              <Visible text={followed.excerpt} />
            </span>
          </blockquote>
        </>
      )}
    </section>
  );
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 240;
