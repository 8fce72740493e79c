// A tool's result: what is doubtful about it, and what to do.
import { Findings } from "../../../parts/findings";
import { JsonView } from "../../../parts/json-view";
import { StatusBadge } from "../../../parts/status";
import { Visible } from "../../../text/visible";
import { tryWords } from "../../../words/try";
import { useWords } from "../../../words/words";
import type { Answer } from "../engine";

type ResultAnswer = Extract<Answer, { of: "result" }>;

export function ResultMade({ answer: { report } }: { answer: ResultAnswer }) {
  const say = useWords(tryWords);
  return (
    <>
      <p className="try-headline">
        <StatusBadge status={report.is_suspicious ? "suspicious" : "trusted"} /> <span className="quiet">{say("checksPassed", { passed: report.checks_passed, all: report.total_checks })}</span>
      </p>
      {report.findings.length > 0 ? <Findings findings={report.findings} /> : <p>{say("resultAsIs")}</p>}
    </>
  );
}

export function ResultGets({ answer: { report, result } }: { answer: ResultAnswer }) {
  const say = useWords(tryWords);
  return (
    <>
      <p className="try-headline">
        <span aria-hidden="true">{report.is_suspicious ? "△" : "✓"}</span> {say(report.is_suspicious ? "resultDoubt" : "resultTrusted")}
      </p>
      <JsonView value={report.is_suspicious ? { is_suspicious: true, concerns: report.concerns } : result} />
      {report.recommendations.length > 0 && (
        <>
          <h4>{say("advice")}</h4>
          <ul>
            {report.recommendations.map((one, at) => (
              <li key={at}>
                <Visible text={one} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
