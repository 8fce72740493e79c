// The only page of a locked server that is open: a key, and nothing that tells a stranger anything.
import { useState, type FormEvent } from "react";
import { Refused, signIn, told } from "./api";
import type { ConsoleSession } from "./contract";
import { SettingsBar } from "./settings-bar";
import { shell } from "./words/shell";
import { useWords } from "./words/words";

export function SignIn({ door, signedIn }: { door: ConsoleSession; signedIn: (who: ConsoleSession) => void }) {
  const say = useWords(shell);
  const [key, setKey] = useState("");
  const [error, setError] = useState<string | null>(() => {
    const word = new URLSearchParams(location.search).get("sign_in");
    return word === "away" ? say("signInAway") : word === "denied" ? say("signInDenied") : word === "refused" ? say("signInRefused") : null;
  });
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    signIn(key.trim()).then(signedIn, (failure: unknown) => {
      setBusy(false);
      setError(failure instanceof Refused && failure.status === 401 ? say("signInWrong") : told(failure));
    });
  };
  return (
    <main className="sign-in">
      <h1>
        <img src="/console/icon.svg" alt="" width="28" height="28" /> Countersign
      </h1>
      {door.single_sign_on && (
        <p>
          <a className="button primary" href="/console/oidc">
            {say("signInSingle")}
          </a>
        </p>
      )}
      <p>
        {say("signInAbout")} <code>countersign keys create --name console</code>
      </p>
      <form onSubmit={submit}>
        <label>
          {say("key")}
          <input type="password" autoComplete="current-password" autoFocus required value={key} onChange={(event) => setKey(event.target.value)} aria-invalid={error !== null} aria-describedby="sign-in-error" />
        </label>
        <p id="sign-in-error" role="alert" className="bad">
          {error}
        </p>
        <button type="submit" className="primary" disabled={busy || key.trim() === ""}>
          {say("signIn")}
        </button>
      </form>
      <SettingsBar />
    </main>
  );
}
