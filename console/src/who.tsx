// Who we are to the server: whether it wants a key, and what ours opens.
import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { consoleSession, onSignedOut } from "./api";
import type { ConsoleSession } from "./contract";
import { Failed, Loading } from "./parts/note";
import { SignIn } from "./sign-in";

const Who = createContext<ConsoleSession | null>(null);

export function useWho(): ConsoleSession {
  const who = useContext(Who);
  if (!who) throw new Error("asked who we are outside of its provider");
  return who;
}

/** Whether our key opens something. */
export function may(who: ConsoleSession, scope: ConsoleSession["scopes"][number]): boolean {
  return who.scopes.includes(scope) || who.scopes.includes("admin");
}

/** Shows its children once we are known; until then the sign-in. */
export function WhoProvider({ children }: { children: ReactNode }) {
  const [who, setWho] = useState<ConsoleSession | null>(null);
  const [error, setError] = useState<unknown>(null);
  const last = useRef<string | null>(null);
  const take = useCallback((session: ConsoleSession) => {
    // What the page remembers belongs to the key that it was shown to; whoever comes next begins with an empty one.
    if (session.signed_in && last.current !== null && last.current !== session.key_id) return location.reload();
    if (session.signed_in) last.current = session.key_id;
    setWho(session);
    setError(null);
  }, []);
  const look = useCallback(() => {
    consoleSession().then(take, (failure: unknown) => setError(failure));
  }, [take]);
  useEffect(() => {
    look();
    return onSignedOut(look);
  }, [look]);
  useEffect(() => {
    if (error === null) return;
    const timer = setTimeout(look, 2_000);
    return () => clearTimeout(timer);
  }, [error, look]);
  if (error !== null && who === null) return <Failed error={error} again={look} />;
  if (who === null) return <Loading />;
  if (!who.signed_in) return <SignIn door={who} signedIn={take} />;
  return <Who value={who}>{children}</Who>;
}
