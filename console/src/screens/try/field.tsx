// One field of a workbench. A field that must be JSON says at which line and column it is wrong.
import { useId, useRef, type KeyboardEvent } from "react";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { jsonTrouble } from "./json-trouble";
import { KINDS, PROTOCOLS, type FieldName } from "./topics";

interface Props {
  name: FieldName;
  text: string;
  change: (text: string) => void;
  run: () => void;
  models: readonly string[];
}

export function Field({ name, text, change, run, models }: Props) {
  const say = useWords(tryWords);
  const id = useId();
  const kind = KINDS[name];
  const label = say(`field_${name}`);
  return (
    <div className={`try-field try-field-${kind}`}>
      <label htmlFor={id}>{label.charAt(0).toUpperCase() + label.slice(1)}</label>
      {kind === "json" || kind === "text" ? (
        <Area id={id} name={name} text={text} change={change} run={run} json={kind === "json"} />
      ) : kind === "protocol" ? (
        <select id={id} name={name} value={text || "auto"} onChange={(event) => change(event.target.value)}>
          {PROTOCOLS.map((protocol) => (
            <option key={protocol} value={protocol}>
              {protocol === "auto" ? say("protocol_auto") : protocol}
            </option>
          ))}
        </select>
      ) : (
        <>
          <input id={id} name={name} value={text} list={`${id}-list`} onChange={(event) => change(event.target.value)} onKeyDown={(event) => event.key === "Enter" && run()} />
          <datalist id={`${id}-list`}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </div>
  );
}

function Area({ id, name, text, change, run, json }: { id: string; name: FieldName; text: string; change: (text: string) => void; run: () => void; json: boolean }) {
  const say = useWords(tryWords);
  const area = useRef<HTMLTextAreaElement>(null);
  const trouble = json ? jsonTrouble(text) : null;
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  const show = () => {
    if (!trouble || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(trouble.at, Math.min(trouble.at + 1, text.length));
  };
  return (
    <>
      <textarea
        ref={area}
        id={id}
        name={name}
        className={json || name === "input" ? "try-code" : ""}
        value={text}
        rows={Math.min(MOST_ROWS, Math.max(json ? 3 : 1, rowsOf(text, json)))}
        spellCheck={false}
        aria-invalid={trouble !== null}
        aria-describedby={trouble ? `${id}-trouble` : undefined}
        onChange={(event) => change(event.target.value)}
        onKeyDown={keys}
      />
      {trouble && (
        <div id={`${id}-trouble`} className="try-trouble" role="status">
          ✗ {say("jsonWrong", { line: trouble.line, column: trouble.column, what: say(`json_${trouble.expected}`) })}{" "}
          <button type="button" className="link" onClick={show}>
            {say("jsonShow")}
          </button>
        </div>
      )}
    </>
  );
}

/** How many rows a text fills, long lines counted as often as they wrap. */
function rowsOf(text: string, json: boolean): number {
  const wide = json ? 44 : 40;
  return text.split("\n").reduce((rows, line) => rows + Math.max(1, Math.ceil(width(line) / wide)), 0);
}

function width(line: string): number {
  return [...line].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) > 0x2e7f ? 2 : 1), 0);
}

const MOST_ROWS = 16;
