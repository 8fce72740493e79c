// Where we are: a path after the `#`, so that one file serves every screen.
import { useSyncExternalStore } from "react";

export type Screen = "live" | "reviews" | "verdicts" | "policy" | "overview" | "try";

export interface Route {
  screen: Screen | null;
  /** What follows the screen: a session, a review, a verdict. */
  item: string | null;
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(listen, () => location.hash);
  const [screen, item] = hash.replace(/^#\/?/, "").split("/");
  const named = item ? decode(item) : null;
  // These would not name an item but lead to another path of the server.
  return { screen: isScreen(screen) ? screen : null, item: named === "." || named === ".." ? null : named };
}

export function href(screen: Screen, item?: string): string {
  return item === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(item)}`;
}

export function go(screen: Screen, item?: string) {
  location.hash = href(screen, item);
}

/** The same without a step in the history: for a choice that the page made by itself. */
export function settle(screen: Screen, item?: string) {
  history.replaceState(null, "", href(screen, item));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function listen(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

function isScreen(word: string | undefined): word is Screen {
  return word !== undefined && (SCREENS as readonly string[]).includes(word);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const SCREENS = ["live", "reviews", "verdicts", "policy", "overview", "try"] as const satisfies Screen[];
