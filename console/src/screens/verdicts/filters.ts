// What the audit is narrowed to. Kept in memory, so that coming back from one verdict, or coming from another screen with a
// wish, finds it as it was left.
import { useSyncExternalStore } from "react";
import type { StoredVerdict } from "../../contract";

export type Kind = StoredVerdict["of"] | "all";
export type Span = "hour" | "day" | "week" | "all" | "between";

export interface Filters {
  kind: Kind;
  tool: string;
  code: string;
  status: string;
  key: string;
  words: string;
  span: Span;
  /** Local times as `<input type="datetime-local">` has them; for `between`. */
  from: string;
  to: string;
}

export const NO_FILTERS: Filters = { kind: "all", tool: "", code: "", status: "", key: "", words: "", span: "all", from: "", to: "" };

let filters = NO_FILTERS;
const listeners = new Set<() => void>();

export function useFilters(): Filters {
  return useSyncExternalStore(listen, () => filters);
}

export function changeFilters(some: Partial<Filters>) {
  filters = { ...filters, ...some };
  for (const changed of listeners) changed();
}

/** The query of `GET /v1/verdicts`; spans count from now. */
export function queryOf(filters: Filters, now: number, after: string | null): string {
  const query = new URLSearchParams({ of: filters.kind, limit: String(PAGE) });
  const add = (name: string, value: string) => value.trim() !== "" && query.set(name, value.trim());
  add("tool", filters.tool);
  add("code", filters.code);
  add("status", filters.status);
  add("key", filters.key);
  add("q", filters.words);
  if (filters.span === "between") {
    add("since", instant(filters.from));
    add("until", instant(filters.to));
  } else if (filters.span !== "all") {
    query.set("since", new Date(now - SPANS[filters.span]).toISOString());
  }
  if (after !== null) query.set("after", after);
  return query.toString();
}

function instant(local: string): string {
  const date = new Date(local);
  return local === "" || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

const HOUR = 3_600_000;
const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;
const PAGE = 50;
