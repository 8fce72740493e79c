// Something that the server is asked for, and asked for again.
import { useCallback, useEffect, useState } from "react";
import { ask } from "../api";

export interface Loaded<Answer> {
  answer: Answer | null;
  error: unknown;
  loading: boolean;
  again: () => void;
}

/** Asks for a path (nothing for null), again when it changes, and every so many milliseconds where that is wished. What was
 *  known stays on the screen while it is asked for again. */
export function useAsked<Answer>(path: string | null, every?: number): Loaded<Answer> {
  const [state, setState] = useState<{ path: string | null; answer: Answer | null; error: unknown; loading: boolean }>({ path, answer: null, error: null, loading: path !== null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const left = new AbortController();
    const look = () => {
      ask<Answer>(path, { signal: left.signal }).then(
        (answer) => setState({ path, answer, error: null, loading: false }),
        (error: unknown) => {
          if (!left.signal.aborted) setState((before) => ({ path, answer: before.path === path ? before.answer : null, error, loading: false }));
        },
      );
    };
    look();
    // A page that nobody sees asks for nothing.
    const timer = every === undefined ? undefined : setInterval(() => document.visibilityState === "visible" && look(), every);
    return () => {
      left.abort();
      clearInterval(timer);
    };
  }, [path, every, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const known = state.path === path;
  return { answer: known ? state.answer : null, error: known ? state.error : null, loading: known ? state.loading : path !== null, again };
}
