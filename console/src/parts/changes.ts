// What differs between several versions of arguments, field by field. Pure, so that every screen shows the same differences.
import { Exact } from "../exact";

/** One field in all versions; a version without it has `undefined`. */
export interface Row {
  /** A JSON pointer. */
  pointer: string;
  values: unknown[];
  differs: boolean;
}

/** The fields of several versions, in the order in which they first occur. Objects are looked into, lists are compared whole. */
export function rows(versions: readonly unknown[]): Row[] {
  const out: Row[] = [];
  walk("", versions, out, 0);
  return out;
}

function walk(pointer: string, versions: readonly unknown[], out: Row[], depth: number) {
  const present = versions.filter((version) => version !== undefined);
  const open = depth < DEEPEST && present.length > 0 && present.every((version) => isObject(version) && Object.keys(version).length > 0);
  if (!open) {
    out.push({ pointer, values: [...versions], differs: versions.some((version) => !same(version, versions[0])) });
    return;
  }
  const keys = new Set(present.flatMap((version) => Object.keys(version as object)));
  for (const key of keys) {
    const inner = versions.map((version) => (isObject(version) && Object.hasOwn(version, key) ? version[key] : undefined));
    walk(`${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, inner, out, depth + 1);
  }
}

/** Whether two values are the same JSON, whatever the order of keys. */
export function same(one: unknown, two: unknown): boolean {
  if (Object.is(one, two)) return true;
  if (one instanceof Exact && two instanceof Exact) return one.source === two.source;
  if (Array.isArray(one) && Array.isArray(two)) return one.length === two.length && one.every((item, at) => same(item, two[at]));
  if (!isObject(one) || !isObject(two)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(two).length && keys.every((key) => Object.hasOwn(two, key) && same(one[key], two[key]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

const DEEPEST = 8;
