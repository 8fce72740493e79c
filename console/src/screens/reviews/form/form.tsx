// The arguments of a call as a form, from the tool's schema.
import { useMemo } from "react";
import type { ArgumentSource, Finding } from "../../../contract";
import { reviewsWords } from "../../../words/reviews";
import { useWords } from "../../../words/words";
import type { Draft } from "../drafts";
import { Inside } from "./field";
import { FillingContext, type Filling } from "./filling";
import { withValue } from "./place";
import { asSchema, propertiesOf, resolve } from "./schema";

export interface FormProps {
  schema: unknown;
  original: Record<string, unknown>;
  draft: Draft;
  readOnly: boolean;
  findings: readonly Finding[];
  against: readonly Finding[];
  sources: readonly ArgumentSource[];
  lit: string | null;
  /** Told how the draft changes, so that two changes at once do not lose each other. */
  change: (how: (before: Draft) => Draft) => void;
}

export function Form({ schema, original, draft, readOnly, findings, against, sources, lit, change }: FormProps) {
  const say = useWords(reviewsWords);
  const root = useMemo(() => resolve(schema, asSchema(schema)), [schema]);
  const filling: Filling = {
    root: asSchema(schema),
    readOnly,
    findings,
    against,
    sources,
    lit,
    broken: draft.broken,
    change: (steps, value) => change((before) => ({ ...before, value: withValue(before.value, steps, value) as Record<string, unknown> })),
    breakAt: (pointer, text) =>
      change((before) => {
        const { [pointer]: _, ...others } = before.broken;
        return { ...before, broken: text === null ? others : { ...others, [pointer]: text } };
      }),
  };
  if (propertiesOf(root, { ...original, ...draft.value }).length === 0) return <p className="quiet">{say("noArguments")}</p>;
  return (
    <FillingContext value={filling}>
      <div className="fields">
        <Inside schema={root} steps={[]} value={draft.value} original={original} />
      </div>
    </FillingContext>
  );
}
