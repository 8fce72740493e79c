// An example: what it shows in a sentence, and what it fills into the workbench.
import type { FieldName, Fields } from "../topics";

export interface Example {
  id: string;
  language: "en" | "zh";
  label: string;
  /** What happened before Countersign came in. */
  about: string;
  fields: Fields;
}

/** Values that are no text are written as JSON. */
export function example(language: Example["language"], label: string, about: string, values: Partial<Record<FieldName, unknown>>): Example {
  const fields: Fields = {};
  for (const [name, value] of Object.entries(values)) fields[name as FieldName] = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return { id: `${language}:${label}`, language, label, about, fields };
}

/** What a user said, as the only message. */
export function asked(content: string): unknown {
  return [{ role: "user", content }];
}

/** A tool, in the shape of MCP and Anthropic. */
export function tool(name: string, description: string, properties: Record<string, unknown>, required: readonly string[], more: Record<string, unknown> = {}): unknown {
  return { name, description, input_schema: { type: "object", properties, required, ...more } };
}
