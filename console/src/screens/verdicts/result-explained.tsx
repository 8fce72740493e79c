// An examined result explained: how many checks it passed, what speaks against it, and the result itself.
import { Findings } from "../../parts/findings";
import { JsonView } from "../../parts/json-view";
import type { StoredVerdict, VerificationReport } from "../../contract";
import { Visible } from "../../text/visible";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { RawRequest } from "./raw-request";

export function ResultExplained({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  return (
    <>
      {verdict.verification && <Report report={verdict.verification} />}
      <section className="panel">
        <h2>{say("resultHead")}</h2>
        {verdict.result === undefined || verdict.result === null ? <p className="quiet">{say("resultNone")}</p> : <JsonView value={verdict.result} lines={24} />}
      </section>
      {verdict.request !== undefined && <RawRequest verdict={verdict} />}
    </>
  );
}

function Report({ report }: { report: VerificationReport }) {
  const say = useWords(verdictsWords);
  const passed = say("checksPassed", { passed: report.checks_passed, total: report.total_checks });
  return (
    <section className="panel">
      <h2>{say("report")}</h2>
      <p className="row">
        <meter className="passed-meter" min={0} max={report.total_checks} value={report.checks_passed} aria-label={passed} />
        <strong>{passed}</strong> <span className="quiet">{say("sure", { value: report.confidence.toFixed(2) })}</span>
      </p>
      <h3>{say("concerns")}</h3>
      {report.concerns.length === 0 ? <p className="quiet">{say("noConcerns")}</p> : <Sentences sentences={report.concerns} />}
      {report.recommendations.length > 0 && (
        <>
          <h3>{say("recommendations")}</h3>
          <Sentences sentences={report.recommendations} />
        </>
      )}
      <h3>{say("findings")}</h3>
      <Findings findings={report.findings} />
    </section>
  );
}

function Sentences({ sentences }: { sentences: string[] }) {
  return (
    <ul>
      {sentences.map((sentence, at) => (
        <li key={at}>
          <Visible text={sentence} />
        </li>
      ))}
    </ul>
  );
}
