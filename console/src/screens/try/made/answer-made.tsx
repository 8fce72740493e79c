// An answer: six signals with their weights, and the sentences that are in no document.
import type { Signals } from "../../../contract";
import { SignalTable } from "../../../parts/signals";
import { tryWords } from "../../../words/try";
import { useWords } from "../../../words/words";
import type { Answer } from "../engine";
import { Marked, type Mark } from "../marked";
import { stretchOf } from "../places";
import { SUPPORTED } from "./passes";

type AnswerAnswer = Extract<Answer, { of: "answer" }>;

export function AnswerMade({ answer: { report } }: { answer: AnswerAnswer }) {
  const say = useWords(tryWords);
  const level = report.recommendation in LEVELS ? (report.recommendation as keyof typeof LEVELS) : null;
  return (
    <>
      <p className="try-headline">
        {say("overall")} {report.overall_confidence.toFixed(2)} {level && <span className={`badge badge-${LEVELS[level]}`}>{say(level)}</span>}
      </p>
      <SignalTable signals={report.signals} weights={report.weights ?? WEIGHTS} />
      {!report.weights && (
        <p className="quiet">
          <small>{say("weightsUsual")}</small>
        </p>
      )}
    </>
  );
}

export function AnswerGets({ answer: { report, response } }: { answer: AnswerAnswer }) {
  const say = useWords(tryWords);
  const marks = report.sentences.map((sentence): Mark => {
    const supported = sentence.support >= SUPPORTED;
    return { ...stretchOf(response, sentence.start, sentence.end), tone: supported ? "good" : "bad", about: say(supported ? "isSupported" : "notSupported", { support: sentence.support.toFixed(2) }) };
  });
  const all = marks.length;
  const count = marks.filter((mark) => mark.tone === "bad").length;
  const told = all === 0 ? say("noSentences") : count === 0 ? say("supported") : say("unsupported", { count, all });
  return (
    <>
      <p className="try-headline">
        {all > 0 && <span aria-hidden="true">{count === 0 ? "✓" : "△"}</span>} {told}
      </p>
      <Marked text={response} marks={marks} />
    </>
  );
}

/** Those of the policy that is built in. */
const WEIGHTS: Signals = { model_logprobs: 0.25, token_probability: 0.2, semantic_consistency: 0.2, fact_verification: 0.2, coherence: 0.1, knowledge_grounding: 0.05 };

const LEVELS = { high_confidence: "good", medium_confidence: "warn", low_confidence: "bad", manual_review: "person" } as const;
