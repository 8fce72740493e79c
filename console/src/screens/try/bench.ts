// The state of each workbench. It lives beside the page, so that it survives a look at another stop or another screen.
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { useSettings } from "../../settings";
import { examplesOf } from "./examples";
import type { Example } from "./examples/example";
import { run as runEngine, type Made } from "./engine";
import type { FieldName, Fields, Topic } from "./topics";

export interface Bench {
  example: Example | null;
  /** A person chose or typed something: the page no longer chooses by itself. */
  touched: boolean;
  fields: Fields;
  made: Made | null;
  error: unknown;
  busy: boolean;
  /** The answer was on the screen once. */
  seen: boolean;
}

export interface Worked extends Bench {
  edit: (name: FieldName, text: string) => void;
  choose: (example: Example) => void;
  run: () => void;
}

/** The workbench of a topic. An untouched one is filled with the first example in the reader's language, and asks by itself
 *  where that costs nothing. */
export function useBench(topic: Topic, itself: boolean): Worked {
  const { language } = useSettings();
  const bench = useSyncExternalStore(listen, () => benches.get(topic) ?? EMPTY);
  useEffect(() => {
    const now = benches.get(topic);
    if (now?.touched || now?.example?.language === language) return;
    const first = examplesOf(topic, language)[0];
    if (first) fill(topic, first, false, now?.seen ?? false);
    if (itself) void work(topic, language);
  }, [topic, language, itself]);
  const edit = useCallback((name: FieldName, text: string) => edited(topic, name, text), [topic]);
  const run = useCallback(() => void work(topic, language), [topic, language]);
  const choose = useCallback(
    (example: Example) => {
      fill(topic, example, true, benches.get(topic)?.seen ?? false);
      if (itself) void work(topic, language);
    },
    [topic, language, itself],
  );
  return { ...bench, edit, choose, run };
}

/** The topics whose answer was seen. */
export function useSeen(): ReadonlySet<Topic> {
  return useSyncExternalStore(listen, () => seen);
}

const EMPTY: Bench = { example: null, touched: false, fields: {}, made: null, error: null, busy: false, seen: false };
const benches = new Map<Topic, Bench>();
const asking = new Map<Topic, AbortController>();
const listeners = new Set<() => void>();
let seen: ReadonlySet<Topic> = new Set();

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function put(topic: Topic, bench: Bench) {
  benches.set(topic, bench);
  if (bench.seen && !seen.has(topic)) seen = new Set([...seen, topic]);
  for (const changed of listeners) changed();
}

function fill(topic: Topic, example: Example, touched: boolean, wasSeen: boolean) {
  asking.get(topic)?.abort();
  put(topic, { ...EMPTY, example, touched, fields: example.fields, seen: wasSeen });
}

function edited(topic: Topic, name: FieldName, text: string) {
  const before = benches.get(topic) ?? EMPTY;
  put(topic, { ...before, touched: true, fields: { ...before.fields, [name]: text } });
}

async function work(topic: Topic, language: string) {
  const { fields } = benches.get(topic) ?? EMPTY;
  asking.get(topic)?.abort();
  const left = new AbortController();
  asking.set(topic, left);
  put(topic, { ...(benches.get(topic) ?? EMPTY), busy: true });
  const change = (some: Partial<Bench>) => {
    if (!left.signal.aborted) put(topic, { ...(benches.get(topic) ?? EMPTY), busy: false, ...some });
  };
  try {
    const made = await runEngine(topic, fields, language, left.signal);
    change({ made, error: null, seen: true });
  } catch (error) {
    change({ made: null, error });
  }
}
