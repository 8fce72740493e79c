// The call: its arguments as a form, and the three versions of it beside each other.
import { ChangeTable, type Version } from "../../parts/change-table";
import { JsonView } from "../../parts/json-view";
import { isObject, same } from "../../parts/changes";
import type { Finding } from "../../contract";
import { shell } from "../../words/shell";
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { givenOf, labelOf, placeOf } from "./asked";
import { drafts, keepDraft, type Draft } from "./drafts";
import { Form } from "./form/form";
import { settled } from "./form/settled";
import type { Shown } from "./item";
import type { Desk } from "./use-desk";

export function Call({ review, desk, lit }: { review: Shown; desk: Desk; lit: string | null }) {
  const say = useWords(reviewsWords);
  const frame = useWords(shell);
  const { original } = desk;
  const draft: Draft = (desk.edited ? desk.draft : null) ?? { value: finalOf(review) ?? original, broken: {}, findings: desk.draft?.findings ?? [] };
  const change = (how: (before: Draft) => Draft) => {
    const before = drafts.get().get(review.review_id) ?? draft;
    keepDraft(review.review_id, settled(before, how(before)));
  };
  const versions: Version[] = [];
  if (review.made) versions.push({ label: frame("model"), value: plain(review.made) });
  versions.push({ label: frame("corrected"), value: plain(review.call) });
  // Nothing of a reviewer's stands in what was only said yes or no to.
  if (review.state === "pending" || review.state === "edited" || desk.edited) versions.push({ label: labelOf(review, say), value: { ...plain(review.call), arguments: draft.value } });
  const readable = isObject(givenOf(review));
  return (
    <section aria-labelledby="call-title">
      <h3 id="call-title">{say("call")}</h3>
      {readable ? (
        <div
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              desk.decide("approve");
            } else if (event.key === "Escape" && !event.defaultPrevented) {
              event.preventDefault();
              document.getElementById("review-title")?.focus();
            }
          }}
        >
          <Form schema={review.tool_schema ?? null} original={original} draft={draft} readOnly={desk.bar !== null} findings={draft.findings} against={review.findings.map(placed)} sources={review.sources ?? []} lit={lit} change={change} />
        </div>
      ) : (
        <JsonView value={review.call.arguments} />
      )}
      {versions.some(({ value }) => !same(value, versions[0]?.value)) && (
        <>
          <h4>{say("compare")}</h4>
          <ChangeTable versions={versions} onlyChanges />
        </>
      )}
    </section>
  );
}

/** The arguments that a reviewer has decided on. */
function finalOf(review: Shown): Record<string, unknown> | null {
  const decided = review.state === "edited" ? review.decided?.arguments : null;
  return isObject(decided) ? decided : null;
}

/** A finding with its pointer as the form writes it. */
function placed(finding: Finding): Finding {
  return { ...finding, pointer: placeOf(finding) ?? finding.pointer };
}

function plain(call: { name: string; arguments: unknown }): { name: string; arguments: unknown } {
  return { name: call.name, arguments: call.arguments };
}
