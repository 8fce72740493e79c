// A tool's schema, as far as a form can follow it. What it cannot follow becomes a JSON text: nothing is hidden from the reviewer.
import { isObject } from "../../../parts/changes";

export type Schema = Record<string, unknown>;
export type Kind = "text" | "number" | "boolean" | "choice" | "object" | "list" | "json";

/** A schema with its references followed and "or null" taken off. */
export function resolve(schema: unknown, root: Schema): Schema {
  let at: unknown = schema;
  for (let steps = 0; steps < DEEPEST && isObject(at); steps += 1) {
    const { $ref, ...rest } = at;
    const next = typeof $ref === "string" ? { ...asSchema(lookUp($ref, root)), ...rest } : onlyWay(at);
    if (next === at) return at;
    at = next;
  }
  return asSchema(at);
}

/** Where there is one way besides null, that one; the same schema where there is nothing to simplify. */
function onlyWay(schema: Schema): Schema {
  for (const word of ["anyOf", "oneOf", "allOf"] as const) {
    const ways = schema[word];
    if (!Array.isArray(ways)) continue;
    const real = ways.filter((way) => !(isObject(way) && way.type === "null"));
    if (real.length !== 1) continue;
    const { [word]: _, ...rest } = schema;
    return { ...asSchema(real[0]), ...rest };
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    if (types.length === 1) return { ...schema, type: types[0] };
  }
  return schema;
}

function lookUp(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** How a value is edited. Decided by the value that the item came with, so that a field does not change under the fingers. */
export function kindOf(schema: Schema, original: unknown, root: Schema): Kind {
  const given = original === undefined || original === null ? null : original;
  const fits = (...types: string[]) => given === null || types.includes(typeof given);
  if (optionsOf(schema)) return fits("string", "number", "boolean") ? "choice" : "json";
  switch (schema.type ?? typeOf(given)) {
    case "string":
      return fits("string") ? "text" : "json";
    case "number":
    case "integer":
      return fits("number", "string") ? "number" : "json";
    case "boolean":
      return fits("boolean") ? "boolean" : "json";
    case "object":
      return (given === null || isObject(given)) && propertiesOf(schema, given).length > 0 ? "object" : "json";
    case "array":
      return isSimpleList(schema, given, root) ? "list" : "json";
    default:
      return "json";
  }
}

function isSimpleList(schema: Schema, given: unknown, root: Schema): boolean {
  if (given !== null && !(Array.isArray(given) && given.every(isScalar))) return false;
  if (Array.isArray(schema.prefixItems)) return false;
  const items = resolve(schema.items, root);
  const named = SCALAR.includes(String(items.type)) || optionsOf(items) !== null;
  return named || (items.type === undefined && Array.isArray(given) && given.length > 0);
}

export interface Property {
  name: string;
  schema: unknown;
  required: boolean;
  /** Whether the schema knows it. */
  foreign: boolean;
}

/** The fields of an object: those of the schema, and those that are there all the same. */
export function propertiesOf(schema: Schema, given: unknown): Property[] {
  const properties = asSchema(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const listed = Object.keys(properties).map((name) => ({ name, schema: properties[name], required: required.includes(name), foreign: false }));
  const others = isObject(given) ? Object.keys(given).filter((name) => !Object.hasOwn(properties, name)) : [];
  const known = Object.keys(properties).length > 0;
  return [...listed, ...others.map((name) => ({ name, schema: {}, required: false, foreign: known }))];
}

/** What can be chosen, where the schema says so. */
export function optionsOf(schema: Schema): unknown[] | null {
  if (Array.isArray(schema.enum) && schema.enum.every(isScalar)) return schema.enum;
  if ("const" in schema && isScalar(schema.const)) return [schema.const];
  return null;
}

export function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

const SCALAR = ["string", "number", "integer", "boolean"];
const DEEPEST = 8;
