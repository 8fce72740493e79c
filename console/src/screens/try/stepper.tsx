// The stops of the tour, and how many of them were seen.
import { href } from "../../route";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { useSeen } from "./bench";
import { TOPICS, type Topic } from "./topics";

export function Stepper({ open, landing }: { open: Topic; landing: boolean }) {
  const say = useWords(tryWords);
  const seen = useSeen();
  return (
    <nav className="try-tour" aria-label={say("tour")}>
      <div className="row">
        {landing ? <h2>{say("tour")}</h2> : <h1>{say("tour")}</h1>}
        <span className="quiet grow">{landing ? say("tourAbout") : <a href={href("try")}>{say("back")}</a>}</span>
        <span className="quiet" role="status">
          {say("seen", { count: seen.size, all: TOPICS.length })}
        </span>
      </div>
      <ol className="try-steps">
        {TOPICS.map((topic, at) => (
          <li key={topic}>
            <a href={href("try", topic)} aria-current={topic === open ? "step" : undefined} data-topic={topic} data-seen={seen.has(topic)}>
              <span className="try-step-sign" aria-hidden="true">
                {seen.has(topic) && topic !== open ? "✓" : at + 1}
              </span>
              <span className="try-step-name">{say(topic)}</span>
              {seen.has(topic) && <span className="reader-only">({say("stopDone")})</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
