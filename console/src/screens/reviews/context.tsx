// What was said before the call, with its claims marked where they are.
import type { Claim } from "../../contract";
import { JsonView } from "../../parts/json-view";
import { ClaimSession } from "../../text/claim-mark";
import { Markdown, Plain } from "../../text/markdown";
import { Visible } from "../../text/visible";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import type { Shown } from "./item";
import { messagesOf, type Message } from "./messages";

export function Context({ review }: { review: Shown }) {
  const say = useWords(reviewsWords);
  const messages = messagesOf(review);
  const claims = new Map((review.context_claims ?? []).map((each) => [each.message, each.claims]));
  if (messages.length === 0) return null;
  return (
    <section aria-labelledby="context-title">
      <h3 id="context-title">{say("context")}</h3>
      <ClaimSession value={review.session_id}>
        <ol className="context">
          {messages.map((message, at) => (
            <li key={at} className={`context-message context-${ROLES.includes(message.role) ? message.role : "other"}`}>
              <Said message={message} claims={claims.get(at) ?? NONE} />
            </li>
          ))}
        </ol>
      </ClaimSession>
    </section>
  );
}

function Said({ message, claims }: { message: Message; claims: readonly Claim[] }) {
  const say = useWords(reviewsWords);
  const role = message.role === "developer" ? "system" : message.role;
  const name = ROLES.includes(role) ? say(`role_${role as "user"}`) : message.role;
  const words = message.text === null || message.text === "" ? null : role === "assistant" ? <Markdown source={message.text} claims={claims} /> : <Plain text={message.text} claims={claims} />;
  const inside = (
    <>
      {words}
      {message.calls.map((call, at) => (
        <div key={at} className="context-call">
          <span aria-hidden="true">→ </span>
          <code>
            <Visible text={`${call.name}(${typeof call.arguments === "string" ? call.arguments : (JSON.stringify(call.arguments) ?? "")})`} />
          </code>
        </div>
      ))}
      {message.rest !== undefined && <JsonView value={message.rest} />}
    </>
  );
  // The system's words are long and rarely the question.
  if (role === "system") {
    return (
      <details>
        <summary className="context-role">{name}</summary>
        {inside}
      </details>
    );
  }
  return (
    <>
      <div className="context-role">
        <Visible text={name} />
      </div>
      {inside}
    </>
  );
}

const NONE: readonly Claim[] = [];
const ROLES = ["user", "assistant", "system", "developer", "tool"];
