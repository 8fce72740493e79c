// Whether list and item stand beside each other.
import { useSyncExternalStore } from "react";

export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(WIDE);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => matchMedia(WIDE).matches,
  );
}

/** The same width stands in reviews.css. */
const WIDE = "(min-width: 960px)";
