// What a tool gave, and what its examination said.
import { Findings } from "../../parts/findings";
import { JsonView } from "../../parts/json-view";
import { StatusBadge } from "../../parts/status";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { CallResult } from "./items";

export function ResultView({ result }: { result: CallResult }) {
  const say = useWords(liveWords);
  const { verification } = result;
  const status = result.isError ? "error" : verification?.is_suspicious ? "suspicious" : "trusted";
  return (
    <div className="call-result" data-result={status}>
      <div className="row">
        <strong>{say("result")}</strong>
        <StatusBadge status={status} />
        {verification && verification.total_checks > 0 && <span className="quiet">{say("checksPassed", { passed: verification.checks_passed, total: verification.total_checks })}</span>}
      </div>
      {result.unknown && <p className="bad">{say("unknownOutcome")}</p>}
      <JsonView value={result.content} lines={8} />
      {verification && verification.findings.length > 0 && <Findings findings={verification.findings} />}
      {verification && verification.findings.length === 0 && verification.concerns.length > 0 && (
        <ul>
          {verification.concerns.map((concern, at) => (
            <li key={at}>
              <Visible text={concern} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
