// The audit's pages. What was loaded stays in memory: coming back from one verdict shows the list as it was, and then the new.
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "../../api";
import type { StoredVerdict, VerdictPage } from "../../contract";
import { queryOf, type Filters } from "./filters";

export interface Audited {
  verdicts: StoredVerdict[];
  next: string | null;
  loading: boolean;
  error: unknown;
  older: () => void;
  refresh: () => void;
}

interface Kept {
  filters: Filters;
  verdicts: StoredVerdict[];
  next: string | null;
}

let kept: Kept | null = null;

export function useVerdicts(filters: Filters): Audited {
  const [state, setState] = useState<Kept | null>(kept?.filters === filters ? kept : null);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const asking = useRef<AbortController | null>(null);
  const load = useCallback(
    (after: string | null, before: Kept | null) => {
      asking.current?.abort();
      const left = new AbortController();
      asking.current = left;
      setLoading(true);
      ask<VerdictPage>(`/v1/verdicts?${queryOf(filters, Date.now(), after)}`, { signal: left.signal }).then(
        (page) => {
          kept = joined(filters, before, page, after);
          setState(kept);
          setError(null);
          setLoading(false);
        },
        (failure: unknown) => {
          if (left.signal.aborted) return;
          setError(failure);
          setLoading(false);
        },
      );
    },
    [filters],
  );
  useEffect(() => {
    const before = kept?.filters === filters ? kept : null;
    // Whoever types is not asked for after every letter.
    const timer = setTimeout(() => load(null, before), kept === null || before !== null ? 0 : PAUSE);
    return () => {
      clearTimeout(timer);
      asking.current?.abort();
    };
  }, [filters, load, round]);
  const older = useCallback(() => kept?.next != null && load(kept.next, kept), [load]);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  return { verdicts: state?.verdicts ?? [], next: state?.next ?? null, loading, error, older, refresh };
}

/** A page joined to what is known: older ones behind, newer ones before, none twice. */
function joined(filters: Filters, before: Kept | null, page: VerdictPage, after: string | null): Kept {
  const next = page.next ?? null;
  if (before === null) return { filters, verdicts: page.verdicts, next };
  const [first, second] = after === null ? [page.verdicts, before.verdicts] : [before.verdicts, page.verdicts];
  const known = new Set(first.map((verdict) => verdict.verdict_id));
  const rest = second.filter((verdict) => !known.has(verdict.verdict_id));
  if (after !== null) return { filters, verdicts: [...first, ...rest], next };
  // A whole page of new ones may leave a gap to the old: then the old are let go.
  const joins = rest.length < second.length;
  return joins ? { filters, verdicts: [...first, ...rest], next: before.next } : { filters, verdicts: first, next };
}

const PAUSE = 300;
