// The request as it is stored, folded away.
import { JsonView } from "../../parts/json-view";
import type { StoredVerdict } from "../../contract";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";

export function RawRequest({ verdict }: { verdict: StoredVerdict }) {
  const say = useWords(verdictsWords);
  if (verdict.request === undefined) return <p className="quiet">{say("rawNone")}</p>;
  return (
    <details className="panel raw">
      <summary>{say("raw")}</summary>
      <JsonView value={verdict.request} lines={30} />
    </details>
  );
}
