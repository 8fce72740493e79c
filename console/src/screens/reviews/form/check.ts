// What a schema asks of a value, as a help while typing. The server decides; this only saves a round trip.
import { Exact } from "../../../exact";
import type { reviewsWords } from "../../../words/reviews";
import type { Schema } from "./schema";

export interface Complaint {
  word: Extract<keyof (typeof reviewsWords)["en"], `check_${string}`>;
  values?: Record<string, string | number>;
}

export function complaint(schema: Schema, value: unknown, required: boolean): Complaint | null {
  if (value === undefined) return required ? { word: "check_required" } : null;
  if (schema.type === "number" || schema.type === "integer") return ofNumber(schema, value);
  if (typeof value === "string") return ofText(schema, value);
  if (Array.isArray(value)) return ofList(schema, value);
  return null;
}

function ofNumber(schema: Schema, value: unknown): Complaint | null {
  // A number that is too long for JavaScript is left to the server.
  if (value instanceof Exact) return null;
  if (typeof value !== "number") return { word: "check_number" };
  if (schema.type === "integer" && !Number.isInteger(value)) return { word: "check_integer" };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) return { word: "check_minimum", values: { limit: minimum } };
  if (typeof maximum === "number" && value > maximum) return { word: "check_maximum", values: { limit: maximum } };
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) return { word: "check_above", values: { limit: exclusiveMinimum } };
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) return { word: "check_below", values: { limit: exclusiveMaximum } };
  if (typeof multipleOf === "number" && multipleOf > 0 && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9) return { word: "check_multiple", values: { limit: multipleOf } };
  return null;
}

function ofText(schema: Schema, value: string): Complaint | null {
  const length = [...value].length;
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === "number" && length < minLength) return { word: "check_short", values: { limit: minLength } };
  if (typeof maxLength === "number" && length > maxLength) return { word: "check_long", values: { limit: maxLength } };
  if (typeof pattern === "string" && matches(pattern, value) === false) return { word: "check_pattern", values: { pattern } };
  if (typeof format === "string" && Object.hasOwn(FORMATS, format) && FORMATS[format]?.(value) === false) return { word: "check_format", values: { format } };
  return null;
}

function ofList(schema: Schema, value: unknown[]): Complaint | null {
  const { minItems, maxItems } = schema;
  if (typeof minItems === "number" && value.length < minItems) return { word: "check_few", values: { limit: minItems } };
  if (typeof maxItems === "number" && value.length > maxItems) return { word: "check_many", values: { limit: maxItems } };
  return null;
}

/** Whether a text matches; null where it is not tried. A pattern comes from elsewhere, and one that can match in many ways could keep
 *  the page busy forever: only a few choices over a short text are tried. The server looks at the rest. */
function matches(pattern: string, value: string): boolean | null {
  if (pattern.length > 200 || value.length > 64) return null;
  // What is in brackets or behind a backslash is no choice.
  const bare = pattern.replace(/\\\D|\[(?:\\.|[^\]\\])*\]/g, "x");
  if (REPEATED.test(bare) || (bare.match(CHOICES)?.length ?? 0) > MOST_CHOICES) return null;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return null;
  }
}

/** Groups that are repeated, and texts that are looked for again. */
const REPEATED = /\)[*+{]|\\/;
/** Where a pattern can go on in more than one way. Alternatives need a group, or cost no more than their number. */
const CHOICES = /[*+?(]|\{\d+,\d*\}/g;
const MOST_CHOICES = 3;
const FORMATS: Record<string, (value: string) => boolean> = {
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => URL.canParse(value),
  url: (value) => URL.canParse(value),
  uuid: (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  "date-time": (value) => /^\d{4}-\d\d-\d\d[T ]/.test(value) && !Number.isNaN(Date.parse(value)),
  time: (value) => /^\d\d:\d\d(:\d\d)?/.test(value),
  ipv4: (value) => /^(\d{1,3}\.){3}\d{1,3}$/.test(value) && value.split(".").every((part) => Number(part) < 256),
};
