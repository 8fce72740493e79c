// Places in a call's arguments: as steps, and as the pointers that findings use.
import { isObject } from "../../../parts/changes";

export type Steps = readonly (string | number)[];

/** The pointer of a place, as findings write it. */
export function pointerOf(steps: Steps): string {
  return `/arguments${steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;
}

/** Whether a finding's pointer points to a place, or into it where nothing closer can be shown. */
export function pointsTo(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`);
}

/** The same arguments with another value at a place; `undefined` takes it out. */
export function withValue(whole: unknown, steps: Steps, value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(whole) ? whole : [];
    const inner = withValue(list[step], rest, value);
    return inner === undefined ? list.filter((_, at) => at !== step) : list.length > step ? list.with(step, inner) : [...list, inner];
  }
  const object = isObject(whole) ? whole : {};
  const inner = withValue(object[step], rest, value);
  if (inner !== undefined) return { ...object, [step]: inner };
  const { [step]: _, ...others } = object;
  return others;
}
