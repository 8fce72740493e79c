// When, by whom, under which policy: the small print of a verdict.
import type { ReactNode } from "react";
import { When } from "../../parts/when";
import type { StoredVerdict } from "../../contract";
import { href } from "../../route";
import { Visible } from "../../text/visible";
import { outcomeWord, shell } from "../../words/shell";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { keyOf, textOf } from "./stored";

export function Facts({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  const sayShell = useWords(shell);
  const review = textOf(verdict, "review_id");
  const outcome = textOf(verdict, "outcome");
  const word = outcome && outcomeWord(outcome);
  return (
    <dl className="verdict-facts">
      <Fact name={say("time")}>
        <When time={verdict.created_at} full />
      </Fact>
      <Fact name={say("policyVersion")}>
        <code>{verdict.policy_version}</code>
      </Fact>
      <Text name={say("key")} text={keyOf(verdict)} />
      <Text name={say("model")} text={textOf(verdict, "model")} />
      {outcome && <Fact name={say("outcome")}>{word ? sayShell(word) : <Visible text={outcome} />}</Fact>}
      {verdict.session_id && (
        <Fact name={say("session")}>
          <a href={href("live", verdict.session_id)}>
            <Visible text={verdict.session_id} />
          </a>
        </Fact>
      )}
      {review && (
        <Fact name={say("review")}>
          <a href={href("reviews", review)}>
            <Visible text={review} />
          </a>
        </Fact>
      )}
      <Text name={say("answerId")} text={verdict.answer_id ?? null} />
      <Text name={say("callId")} text={verdict.call_id} />
      <Text name={say("verdictId")} text={verdict.verdict_id} />
    </dl>
  );
}

function Text({ name, text }: { name: string; text: string | null }) {
  if (text === null) return null;
  return (
    <Fact name={name}>
      <code>
        <Visible text={text} />
      </code>
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
