// A call: what was found, and what may run.
import { ChangeTable } from "../../../parts/change-table";
import { isObject, same } from "../../../parts/changes";
import { Findings } from "../../../parts/findings";
import { JsonView } from "../../../parts/json-view";
import { StatusBadge } from "../../../parts/status";
import { href } from "../../../route";
import { Plain } from "../../../text/markdown";
import { shell } from "../../../words/shell";
import { tryWords } from "../../../words/try";
import { useWords } from "../../../words/words";
import type { Answer } from "../engine";

type CallAnswer = Extract<Answer, { of: "call" }>;

export function CallMade({ answer: { verdict } }: { answer: CallAnswer }) {
  const say = useWords(tryWords);
  const mended = verdict.status === "caution" && verdict.findings.some((finding) => finding.correction?.applied);
  return (
    <>
      <p className="try-headline">
        <StatusBadge status={verdict.status} /> {say(mended ? "verdict_mended" : `verdict_${verdict.status}`)}
      </p>
      {verdict.findings.length > 0 && <Findings findings={verdict.findings} />}
    </>
  );
}

export function CallGets({ answer: { verdict, made } }: { answer: CallAnswer }) {
  const say = useWords(tryWords);
  const sayShell = useWords(shell);
  const { call } = verdict;
  if (call === null) {
    return (
      <>
        <p className="try-headline">
          <span aria-hidden="true">{verdict.status === "requires_review" ? "☝" : "⊘"}</span> {say(verdict.status === "requires_review" ? "waits" : "nothingRuns")}
        </p>
        {verdict.status === "requires_review" && (
          <p>
            {say("waitsAbout")} <a href={href("reviews")}>{sayShell("reviews")}</a>
          </p>
        )}
        {verdict.feedback && (
          <>
            <h4>{say("toldModel")}</h4>
            <blockquote className="try-told">
              <Plain text={verdict.feedback} />
            </blockquote>
          </>
        )}
      </>
    );
  }
  const before = made && isObject(made.arguments) ? { name: made.name, arguments: made.arguments } : null;
  const after = { name: call.name, arguments: call.arguments };
  const changed = before === null || !same(before, after);
  const repairs = verdict.findings.filter((finding) => finding.correction?.applied).length;
  return (
    <>
      <p className="try-headline">
        <span aria-hidden="true">✓</span> {say(changed ? "runs" : "runsAsIs")}
      </p>
      <JsonView value={after} />
      {changed && repairs > 0 && <h4>{repairs === 1 ? say("repairs1") : say("repairs", { count: repairs })}</h4>}
      {changed && before && <ChangeTable versions={[{ label: sayShell("before"), value: before }, { label: sayShell("after"), value: after }]} onlyChanges />}
    </>
  );
}
