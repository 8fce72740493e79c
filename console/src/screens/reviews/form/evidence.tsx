// Beside an argument: where its value comes from, and what speaks against it.
import type { ArgumentSource, Finding } from "../../../contract";
import { Ticked } from "../../../text/ticked";
import { Visible } from "../../../text/visible";
import { reviewsWords } from "../../../words/reviews";
import { useWords } from "../../../words/words";

export function Evidence({ source, against }: { source: ArgumentSource | null; against: readonly Finding[] }) {
  const say = useWords(reviewsWords);
  if (source === null && against.length === 0) return null;
  return (
    <div className="evidence">
      {source?.kind === "writing" && <p className="quiet">{say("fromModel")}</p>}
      {source?.found.map((place, at) => (
        <p key={at} data-from={place.from}>
          <span className="quiet">{place.from === "result" && place.tool ? <Visible text={say("from_resultOf", { tool: place.tool })} /> : say(`from_${place.from}`)}</span>{" "}
          <q>
            <Visible text={place.excerpt} />
          </q>
        </p>
      ))}
      {source?.kind === "value" && source.found.length === 0 && !speaksOfSource(against) && (
        <p className="evidence-none" data-from="nowhere">
          <span aria-hidden="true">△ </span>
          {say("fromNowhere")}
        </p>
      )}
      {against.map((finding, at) => (
        <p key={at} className={`field-finding field-finding-${finding.severity}`} data-code={finding.code}>
          <span aria-hidden="true">{finding.correction?.applied ? "✎" : finding.severity === "error" ? "✗" : "△"} </span>
          <Ticked text={finding.evidence} />
          <Proposed finding={finding} />
        </p>
      ))}
    </div>
  );
}

/** A value that the checks propose or have put in. What they tell the model to do is no note for a reviewer. */
function Proposed({ finding }: { finding: Finding }) {
  const say = useWords(reviewsWords);
  const { correction } = finding;
  const patch = correction?.patch.find((operation) => "value" in operation);
  if (!correction || !patch) return null;
  const value: unknown = (patch as { value?: unknown }).value;
  return (
    <span className="quiet">
      {" "}
      {say(correction.applied ? "putIn" : "proposedValue")}{" "}
      <code>
        <Visible text={typeof value === "string" ? value : (JSON.stringify(value) ?? "")} />
      </code>
    </span>
  );
}

/** Whether a finding says already that nobody said the value. */
function speaksOfSource(against: readonly Finding[]): boolean {
  return against.some(({ code }) => code.startsWith("provenance.") || code.startsWith("trust."));
}
