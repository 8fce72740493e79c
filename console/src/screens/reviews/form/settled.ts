// What the server found in a refused edit stands at its fields until that very value is changed.
import { isObject, same } from "../../../parts/changes";
import type { Draft } from "../drafts";

export function settled(before: Draft, after: Draft): Draft {
  if (after.findings.length === 0) return after;
  const findings = after.findings.filter((finding) => same(valueAt(before.value, finding.pointer), valueAt(after.value, finding.pointer)));
  return { ...after, findings };
}

function valueAt(value: unknown, pointer: string): unknown {
  let at: unknown = value;
  for (const part of pointer.replace(/^\/arguments\/?/, "").split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (key === "") continue;
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
