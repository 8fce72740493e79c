// The frame: who we are, the screens, and the one that is open.
import { Component, lazy, Suspense, useEffect, useRef, type ReactNode } from "react";
import { signOut } from "./api";
import { Failed, Loading } from "./parts/note";
import { useAsked } from "./parts/use-asked";
import { href, SCREENS, settle, useRoute, type Screen } from "./route";
import { SettingsBar } from "./settings-bar";
import { may, useWho, WhoProvider } from "./who";
import { shell } from "./words/shell";
import { useWords } from "./words/words";
import type { ConsoleSession, SessionInfo } from "./contract";

export function App() {
  return (
    <WhoProvider>
      <Frame />
    </WhoProvider>
  );
}

function Frame() {
  const say = useWords(shell);
  const who = useWho();
  const { screen, item } = useRoute();
  useKeptFocus(`${screen}/${item}`);
  const Open = screen === null ? Beginning : SCREEN[screen];
  const scope = screen === null ? null : SCOPES[screen];
  return (
    <div className="frame">
      <a className="skip" href="#content" onClick={skip}>
        {say("skip")}
      </a>
      <header className="side">
        <a className="brand" href="#/">
          <img src="/console/icon.svg" alt="" width="26" height="26" /> <span>Countersign</span>
        </a>
        <nav aria-label={say("screens")}>
          {SCREENS.map((name) => (
            <a key={name} href={href(name)} aria-current={name === screen ? "page" : undefined}>
              <span aria-hidden="true" className="nav-sign">
                {SIGNS[name]}
              </span>
              <span>{say(name)}</span>
              {name === "reviews" && may(who, "review") && <Waiting />}
            </a>
          ))}
        </nav>
        <div className="side-foot">
          {who.demo && (
            <span className="badge badge-quiet" title={say("demoAbout")}>
              {say("demo")}
            </span>
          )}
          <SettingsBar />
          {who.locked && (
            <button type="button" className="link" onClick={() => void signOut()}>
              {say("signOut")} <span className="quiet">({who.key_id})</span>
            </button>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Net key={screen}>
          <Suspense fallback={<Loading />}>{scope !== null && !may(who, scope) ? <Closed scope={scope} /> : <Open />}</Suspense>
        </Net>
      </main>
    </div>
  );
}

/** What had the focus may be gone in another place; then the focus goes to the head of that place, so that the keyboard goes on there. */
function useKeptFocus(place: string) {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    const frame = requestAnimationFrame(() => {
      const at = document.activeElement;
      if (at && at !== document.body && at.checkVisibility()) return;
      (document.querySelector<HTMLElement>("main :is(h1, h2)[tabindex]") ?? document.getElementById("content"))?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [place]);
}

/** `#/`: what happens now. On a first run with the demo model, where nothing has happened yet, the tour. */
function Beginning() {
  const who = useWho();
  const sessions = useAsked<{ sessions: SessionInfo[] }>(may(who, "sessions") ? "/v1/sessions?limit=1" : null);
  const reviews = useAsked<{ reviews: unknown[] }>(may(who, "review") ? "/v1/reviews?limit=1&brief=true" : null);
  const carried = useAsked<{ conversations: unknown[] }>("/v1/conversations?limit=1");
  const known = !sessions.loading && !reviews.loading && !carried.loading;
  useEffect(() => {
    if (!known) return;
    const some = (sessions.answer?.sessions.length ?? 0) + (reviews.answer?.reviews.length ?? 0) + (carried.answer?.conversations.length ?? 0) > 0;
    settle(some || !who.demo || !may(who, "engine") ? "live" : "try");
  }, [known, sessions.answer, reviews.answer, carried.answer, who]);
  return <Loading />;
}

/** How many calls wait for a person. */
function Waiting() {
  const { answer } = useAsked<{ reviews: unknown[] }>("/v1/reviews?state=pending&limit=100&brief=true", 5_000);
  const waiting = answer?.reviews.length ?? 0;
  return waiting === 0 ? null : <span className="count">{waiting > 99 ? "99+" : waiting}</span>;
}

function Closed({ scope }: { scope: string }) {
  const say = useWords(shell);
  return (
    <p className="note" role="status">
      {say("signInScope", { scope })}
    </p>
  );
}

/** A screen that breaks does not take the frame with it. */
class Net extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    return this.state.error === null ? this.props.children : <Failed error={this.state.error} again={() => this.setState({ error: null })} />;
  }
}

function skip(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

const SCREEN = {
  live: lazy(() => import("./screens/live/live")),
  reviews: lazy(() => import("./screens/reviews/reviews")),
  verdicts: lazy(() => import("./screens/verdicts/verdicts")),
  policy: lazy(() => import("./screens/policy/policy")),
  overview: lazy(() => import("./screens/overview/overview")),
  try: lazy(() => import("./screens/try/try")),
};

const SIGNS: Record<Screen, string> = { live: "◉", reviews: "☑", verdicts: "§", policy: "⚖", overview: "▤", try: "▷" };

/** What each screen needs; the audit and the figures show every key its own. */
const SCOPES: Record<Screen, ConsoleSession["scopes"][number] | null> = { live: null, reviews: "review", verdicts: null, policy: null, overview: null, try: "engine" };
