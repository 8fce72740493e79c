// An examined answer explained: its words, what was found in them, and the signals of its confidence.
import { Findings } from "../../parts/findings";
import { SignalTable } from "../../parts/signals";
import type { StoredVerdict } from "../../contract";
import { Plain } from "../../text/markdown";
import { signalsWords } from "../../words/signals";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { RawRequest } from "./raw-request";
import { confidenceOf, findingsOf } from "./stored";

export function AnswerExplained({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  const saySignals = useWords(signalsWords);
  const { overall_confidence: overall, signals } = confidenceOf(verdict);
  const score = verdict.assessment?.score;
  return (
    <>
      <section className="panel">
        <h2>{say("answerHead")}</h2>
        <Plain text={verdict.response || say("noWords")} />
      </section>
      <section className="panel">
        <h2>{say("findings")}</h2>
        <Findings findings={findingsOf(verdict)} />
      </section>
      {signals && overall !== undefined && (
        <section className="panel">
          <h2>{saySignals("signals")}</h2>
          <SignalTable signals={signals} />
          <p className="quiet signals-sum">{say("scores", { overall: overall.toFixed(2), score: score?.toFixed(2) ?? "–" })}</p>
        </section>
      )}
      {verdict.request !== undefined && <RawRequest verdict={verdict} />}
    </>
  );
}
