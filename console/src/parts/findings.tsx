// What was found: where, what, and what would be right.
import type { Finding } from "../contract";
import { Ticked } from "../text/ticked";
import { Visible } from "../text/visible";
import { shell } from "../words/shell";
import { useWords } from "../words/words";

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const say = useWords(shell);
  if (findings.length === 0) return <p className="quiet">{say("noFindings")}</p>;
  return (
    <ul className="findings">
      {findings.map((finding, at) => (
        <FindingLine key={at} finding={finding} />
      ))}
    </ul>
  );
}

/** `forPeople` leaves out what the model is told to do: it is no note for who decides. */
export function FindingLine({ finding, forPeople = false }: { finding: Finding; forPeople?: boolean }) {
  const say = useWords(shell);
  const { correction } = finding;
  return (
    <li className={`finding finding-${finding.severity}`} data-code={finding.code}>
      <div className="finding-head">
        <span className="finding-sign">{SIGNS[finding.severity]}</span>
        <strong>{say(`severity_${finding.severity}`)}</strong> <code>{finding.code}</code>
        {finding.pointer && (
          <span className="quiet">
            {say("at")}{" "}
            <code>
              <Visible text={finding.pointer} />
            </code>
          </span>
        )}
      </div>
      <div>
        <Ticked text={finding.evidence} />
      </div>
      {correction && (!forPeople || correction.patch.length > 0) && (
        <div className="finding-fix">
          <span className={`badge badge-${correction.applied ? "good" : "quiet"}`}>{say(correction.applied ? "repaired" : "proposed")}</span> <Ticked text={correction.note} />
        </div>
      )}
    </li>
  );
}

const SIGNS = { error: "✗", warning: "△", info: "i" } as const;
