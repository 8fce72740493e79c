// Nothing is open: what this is, and three ways to see it at work with the demo model.
import { useState } from "react";
import { told } from "../../api";
import { Visible } from "../../text/visible";
import { useWho } from "../../who";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { EXAMPLE_TOOLS } from "./example-tools";
import { createSession, say as sayTo } from "./session-calls";

export function Starts({ opened, create }: { opened: (session: string) => void; create: () => void }) {
  const say = useWords(liveWords);
  const who = useWho();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = async ({ model, tools, question }: (typeof STARTS)[number]) => {
    setBusy(true);
    setError(null);
    try {
      const session = await createSession({ agent: "react", model, user: null, tools: tools ? EXAMPLE_TOOLS : [] });
      opened(session.session_id);
      await sayTo(session.session_id, say(question));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <div className="starts">
      <h2>{say("startsTitle")}</h2>
      <p>{say("startsAbout")}</p>
      {who.demo && (
        <ul>
          {STARTS.map((one) => (
            <li key={one.title}>
              <button type="button" className="start" data-start={one.title} disabled={busy} onClick={() => void start(one)}>
                <span className="start-sign" aria-hidden="true">
                  {one.sign}
                </span>
                <strong>{say(one.title)}</strong>
                <span className="quiet">{say(one.about)}</span>
                <q>{say(one.question)}</q>
              </button>
            </li>
          ))}
        </ul>
      )}
      {error !== null && (
        <p className="note note-bad" role="alert">
          <Visible text={told(error)} />
        </p>
      )}
      <p>
        <button type="button" className={who.demo ? "" : "primary"} onClick={create}>
          {say("startsOwn")}
        </button>
      </p>
    </div>
  );
}

/** Each of these models makes its one mistake every time. */
const STARTS = [
  { title: "startClaims", about: "startClaimsAbout", question: "startClaimsQuestion", model: "demo-claims", tools: false, sign: "⚠" },
  { title: "startRepair", about: "startRepairAbout", question: "startRepairQuestion", model: "demo-types", tools: true, sign: "✎" },
  { title: "startDelete", about: "startDeleteAbout", question: "startDeleteQuestion", model: "demo-clean", tools: true, sign: "☝" },
] as const;
