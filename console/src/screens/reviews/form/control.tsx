// The control of one simple argument. What a model wrote may hold characters that do not show in a field: they are told below it.
import { useState } from "react";
import { parseJson } from "../../../exact";
import { same } from "../../../parts/changes";
import { Visible, visible } from "../../../text/visible";
import { reviewsWords } from "../../../words/reviews";
import { useWords } from "../../../words/words";
import { useFilling } from "./filling";
import { pointerOf, type Steps } from "./place";
import { optionsOf, type Kind, type Schema } from "./schema";

export interface ControlProps {
  id: string;
  kind: Kind;
  schema: Schema;
  steps: Steps;
  value: unknown;
  required: boolean;
  wrong: boolean;
  /** A name for readers where no label stands beside it. */
  name?: string;
}

export function Control(props: ControlProps) {
  switch (props.kind) {
    case "choice":
      return <Choice {...props} options={optionsOf(props.schema) ?? []} />;
    case "boolean":
      return <Choice {...props} options={[true, false]} />;
    case "text":
    case "number":
      return <Line {...props} />;
    default:
      return <Json {...props} />;
  }
}

function Line({ id, kind, steps, value, wrong, name }: ControlProps) {
  const say = useWords(reviewsWords);
  const { readOnly, change } = useFilling();
  const text = value === undefined || value === null ? "" : String(value);
  // Decided once: a field does not change its kind while somebody types.
  const [tall] = useState(() => kind === "text" && (text.length > 60 || text.includes("\n")));
  const shared = {
    id,
    name: visible(pointerOf(steps)),
    readOnly,
    "aria-invalid": wrong || undefined,
    "aria-describedby": name === undefined ? `${id}-notes` : undefined,
    "aria-label": name === undefined ? undefined : visible(name),
    value: text,
    placeholder: value === null ? "null" : value === undefined ? say("notSet") : undefined,
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => change(steps, kind === "number" ? asNumber(event.target.value, name === undefined ? undefined : "") : event.target.value),
  };
  return (
    <>
      {tall ? <textarea {...shared} rows={Math.min(10, Math.max(3, Math.ceil(text.length / 70)))} /> : <input type="text" inputMode={kind === "number" ? "decimal" : undefined} {...shared} />}
      <Hidden text={text} />
    </>
  );
}

/** What is no number stays a text: the server says what it makes of it. */
function asNumber(text: string, nothing: unknown): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return nothing;
  // A number must come back as it was typed ("1." and "1e" are on their way to one).
  return /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/.test(trimmed) && Number.isFinite(Number(trimmed)) ? parseJson(trimmed) : text;
}

function Choice({ id, steps, value, required, wrong, options, name }: ControlProps & { options: unknown[] }) {
  const say = useWords(reviewsWords);
  const { readOnly, change } = useFilling();
  const at = options.findIndex((option) => same(option, value));
  const foreign = at < 0 && value !== undefined && value !== null;
  return (
    <select
      id={id}
      name={visible(pointerOf(steps))}
      disabled={readOnly}
      aria-invalid={wrong || foreign || undefined}
      aria-describedby={name === undefined ? `${id}-notes` : undefined}
      aria-label={name === undefined ? undefined : visible(name)}
      value={at < 0 ? (foreign ? "foreign" : "") : String(at)}
      onChange={(event) => change(steps, event.target.value === "" ? undefined : options[Number(event.target.value)])}
    >
      {(!required || at < 0) && <option value="">{value === null ? "null" : say("notSet")}</option>}
      {foreign && (
        <option value="foreign" disabled>
          {visible(`${JSON.stringify(value)} (${say("notAllowed")})`)}
        </option>
      )}
      {options.map((option, index) => (
        <option key={index} value={String(index)}>
          {visible(typeof option === "string" ? option : JSON.stringify(option))}
        </option>
      ))}
    </select>
  );
}

function Json({ id, steps, value, wrong }: ControlProps) {
  const say = useWords(reviewsWords);
  const { readOnly, change, broken, breakAt } = useFilling();
  const pointer = pointerOf(steps);
  const [own, setOwn] = useState(() => written(value));
  const text = broken[pointer] ?? (matchesText(own, value) ? own : written(value));
  const error = broken[pointer] === undefined ? null : reason(broken[pointer]);
  const typed = (next: string) => {
    setOwn(next);
    if (next.trim() === "") {
      breakAt(pointer, null);
      change(steps, undefined);
    } else if (reason(next) !== null) breakAt(pointer, next);
    else {
      breakAt(pointer, null);
      change(steps, parseJson(next));
    }
  };
  return (
    <>
      <textarea
        id={id}
        name={visible(pointer)}
        className="field-json"
        readOnly={readOnly}
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        value={text}
        placeholder={say("notSet")}
        spellCheck={false}
        aria-invalid={wrong || error !== null || undefined}
        aria-describedby={`${id}-notes ${id}-json`}
        onChange={(event) => typed(event.target.value)}
      />
      <div id={`${id}-json`} className={error === null ? "quiet field-json-note" : "field-finding field-finding-error"}>
        {error === null ? say("asJson") : <Visible text={say("badJson", { message: error })} />}
      </div>
      <Hidden text={text} />
    </>
  );
}

function written(value: unknown): string {
  return value === undefined ? "" : (JSON.stringify(value, null, 2) ?? "");
}

/** Whether a text is how somebody wrote this value. */
function matchesText(text: string, value: unknown): boolean {
  if (text.trim() === "") return value === undefined;
  try {
    return same(parseJson(text), value);
  } catch {
    return false;
  }
}

function reason(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A text with what does not show in a field, where it holds such characters. */
function Hidden({ text }: { text: string }) {
  const say = useWords(reviewsWords);
  if (visible(text) === text) return null;
  return (
    <div className="field-hidden">
      <span aria-hidden="true">△ </span>
      {say("hiddenInside")}{" "}
      <code>
        <Visible text={text} />
      </code>
    </div>
  );
}
