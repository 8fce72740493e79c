// One argument: its name, what it is for, the fitting control, and what is wrong with it.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Ticked } from "../../../text/ticked";
import { Visible, visible } from "../../../text/visible";
import { reviewsWords } from "../../../words/reviews";
import { useWords } from "../../../words/words";
import { complaint } from "./check";
import { Control } from "./control";
import { Evidence } from "./evidence";
import { useFilling } from "./filling";
import { List } from "./list";
import { pointerOf, pointsTo, type Steps } from "./place";
import { kindOf, propertiesOf, resolve, type Property, type Schema } from "./schema";
import { isObject, same } from "../../../parts/changes";

export interface FieldProps {
  property: Property;
  steps: Steps;
  value: unknown;
  /** The value that the item came with. */
  original: unknown;
}

export function Field({ property, steps, value, original }: FieldProps) {
  const say = useWords(reviewsWords);
  const filling = useFilling();
  const id = useId();
  const schema = resolve(property.schema, filling.root);
  const kind = kindOf(schema, original, filling.root);
  const pointer = pointerOf(steps);
  const inner = kind === "object";
  const findings = filling.findings.filter((finding) => (inner ? finding.pointer === pointer : pointsTo(finding.pointer, pointer)));
  const against = filling.against.filter((finding) => (inner ? finding.pointer === pointer : pointsTo(finding.pointer, pointer)));
  const source = filling.sources.find((one) => one.pointer === pointer) ?? null;
  const isTouched = !same(value, original);
  const lit = filling.lit !== null && (inner ? filling.lit === pointer : pointsTo(filling.lit, pointer));
  const help = filling.readOnly || findings.length > 0 || filling.broken[pointer] !== undefined ? null : complaint(schema, value, property.required);
  const place = useLit(lit);
  const described = typeof schema.description === "string" ? schema.description : "";
  const label = (
    <>
      <Visible text={property.name} />
      {property.required && (
        <span className="field-required" title={say("required")}>
          {" "}
          <span aria-hidden="true">*</span>
          <span className="reader-only">{say("required")}</span>
        </span>
      )}{" "}
      <span className="field-type">{typeWord(schema)}</span>
      {property.foreign && <span className="badge badge-warn field-foreign">{say("foreign")}</span>}
    </>
  );
  const notes = (
    <div id={`${id}-notes`} className="field-notes">
      {described && (
        <div className="quiet">
          <Visible text={described} />
        </div>
      )}
      {help && (
        <div className="field-help">
          <span aria-hidden="true">△ </span>
          <Visible text={say(help.word, help.values)} />
        </div>
      )}
      {/* What was said of a value is not said of another one that a reviewer typed. */}
      {!isTouched && <Evidence source={kind === "list" ? null : source} against={against} />}
      {findings.map((finding, at) => (
        <div key={at} className={`field-finding field-finding-${finding.severity}`}>
          <span aria-hidden="true">{finding.correction?.applied ? "✎" : finding.severity === "error" ? "✗" : "△"} </span>
          <Ticked text={finding.evidence} />
        </div>
      ))}
    </div>
  );
  const marks = { "data-field": visible(pointer), "data-lit": lit || undefined };
  if (inner || kind === "list") {
    return (
      <fieldset ref={place} className="field field-group" {...marks}>
        <legend>{label}</legend>
        {notes}
        {inner ? <Inside schema={schema} steps={steps} value={value} original={original} /> : <List schema={schema} steps={steps} value={value} name={property.name} />}
      </fieldset>
    );
  }
  const optional = !property.required && value !== undefined && !filling.readOnly;
  return (
    <div ref={place} className="field" {...marks}>
      <div className="field-head">
        <label htmlFor={id}>{label}</label>
        {optional && (
          <button type="button" className="link field-leave" onClick={() => leave(filling, steps, pointer)}>
            {say("leaveOut")}
          </button>
        )}
      </div>
      <Control id={id} kind={kind} schema={schema} steps={steps} value={value} required={property.required} wrong={help !== null || [...findings, ...(isTouched ? [] : against)].some((finding) => finding.severity === "error")} />
      {notes}
    </div>
  );
}

/** The fields of an object. */
export function Inside({ schema, steps, value, original }: { schema: Schema; steps: Steps; value: unknown; original: unknown }): ReactNode {
  const values = isObject(value) ? value : {};
  const originals = isObject(original) ? original : {};
  return propertiesOf(schema, { ...originals, ...values }).map((property) => (
    <Field key={property.name} property={property} steps={[...steps, property.name]} value={own(values, property.name)} original={own(originals, property.name)} />
  ));
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function leave(filling: ReturnType<typeof useFilling>, steps: Steps, pointer: string) {
  filling.breakAt(pointer, null);
  filling.change(steps, undefined);
}

function typeWord(schema: Schema): string {
  const type = typeof schema.type === "string" ? schema.type : "";
  const format = typeof schema.format === "string" ? ` · ${schema.format}` : "";
  return visible(type + format);
}

/** A place that is lit is brought into view. */
function useLit(lit: boolean) {
  const place = useRef<HTMLDivElement & HTMLFieldSetElement>(null);
  useEffect(() => {
    if (lit) place.current?.scrollIntoView({ block: "nearest" });
  }, [lit]);
  return place;
}
