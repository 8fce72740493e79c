// What Countersign is, in a sentence and four duties.
import { href } from "../../route";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import type { Topic } from "./topics";

export function Head() {
  const say = useWords(tryWords);
  return (
    <header className="try-head">
      <h1>{say("title")}</h1>
      <p className="try-subtitle">{say("subtitle")}</p>
      <ol className="try-duties" aria-label={say("duties")}>
        {DUTIES.map(([duty, topic]) => (
          <li key={duty}>
            <strong>{say(duty)}</strong>
            <span className="quiet">{say(`${duty}About`)}</span>
            <a href={href("try", topic)} aria-label={`${say("seeIt")}: ${say(topic)}`}>
              {say("seeIt")} <span aria-hidden="true">→</span>
            </a>
          </li>
        ))}
      </ol>
    </header>
  );
}

const DUTIES = [
  ["duty1", "danger"],
  ["duty2", "answer"],
  ["duty3", "claims"],
  ["duty4", "output"],
] as const satisfies (readonly [string, Topic])[];
