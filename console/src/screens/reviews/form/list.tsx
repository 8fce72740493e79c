// A list of simple values: each with its own control, and one more at the end.
import { useId } from "react";
import { reviewsWords } from "../../../words/reviews";
import { useWords } from "../../../words/words";
import { Control } from "./control";
import { useFilling } from "./filling";
import type { Steps } from "./place";
import { kindOf, optionsOf, resolve, type Schema } from "./schema";

export function List({ schema, steps, value, name }: { schema: Schema; steps: Steps; value: unknown; name: string }) {
  const say = useWords(reviewsWords);
  const id = useId();
  const { root, readOnly, change } = useFilling();
  const items: unknown[] = Array.isArray(value) ? value : [];
  const itemSchema = resolve(schema.items, root);
  return (
    <div className="field-list">
      {items.length === 0 && <span className="quiet">{say(value === undefined ? "notSet" : "emptyList")}</span>}
      {items.map((item, at) => (
        <div key={at} className="field-list-item">
          <Control id={`${id}-${at}`} kind={kindOf(itemSchema, item, root)} schema={itemSchema} steps={[...steps, at]} value={item} required wrong={false} name={`${name} ${at + 1}`} />
          {!readOnly && (
            <button type="button" aria-label={say("removeItem", { number: at + 1 })} title={say("removeItem", { number: at + 1 })} onClick={() => change([...steps, at], undefined)}>
              <span aria-hidden="true">✕</span>
            </button>
          )}
        </div>
      ))}
      {!readOnly && (
        <button type="button" onClick={() => change(steps, [...items, emptyOf(itemSchema)])}>
          + {say("addItem")}
        </button>
      )}
    </div>
  );
}

function emptyOf(schema: Schema): unknown {
  const options = optionsOf(schema);
  if (options) return options[0];
  return schema.type === "boolean" ? false : schema.type === "number" || schema.type === "integer" ? 0 : "";
}
