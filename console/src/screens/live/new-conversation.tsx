// A new conversation: with which agent, which model, which tools.
import { useState } from "react";
import { told } from "../../api";
import { Visible } from "../../text/visible";
import { useWho } from "../../who";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { EXAMPLE_TOOLS } from "./example-tools";
import { createSession } from "./session-calls";

export function NewConversation({ made, cancel }: { made: (session: string) => void; cancel: () => void }) {
  const say = useWords(liveWords);
  const who = useWho();
  const agents = who.agents.length > 0 ? who.agents : AGENTS;
  const [agent, setAgent] = useState(agents.includes("react") ? "react" : (agents[0] ?? "react"));
  const [model, setModel] = useState("");
  const [user, setUser] = useState("");
  const [tools, setTools] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = () => {
    setBusy(true);
    setError(null);
    const wanted = { agent, model: model || null, user: user.trim() || null, tools: tools ? EXAMPLE_TOOLS : [] };
    createSession(wanted).then(
      (session) => made(session.session_id),
      (failure: unknown) => {
        setError(failure);
        setBusy(false);
      },
    );
  };
  const about = `about_${agent}`;
  return (
    <form
      className="panel new-conversation"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <h2>{say("newConversation")}</h2>
      <label>
        <span>{say("agent")}</span>
        <select value={agent} autoFocus onChange={(event) => setAgent(event.target.value)}>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {isAbout(about) && <span className="quiet">{say(about)}</span>}
      </label>
      {who.demo && who.models.length > 0 && (
        <label>
          <span>{say("model")}</span>
          <select value={model} onChange={(event) => setModel(event.target.value)}>
            <option value="">{say("usualModel")}</option>
            {who.models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <span className="quiet">{say("modelAbout")}</span>
        </label>
      )}
      <label>
        <span>{say("user")}</span>
        <input value={user} maxLength={80} autoComplete="off" onChange={(event) => setUser(event.target.value)} />
        <span className="quiet">{say("userAbout")}</span>
      </label>
      <label className="check">
        <input type="checkbox" checked={tools} onChange={(event) => setTools(event.target.checked)} />
        <span>
          {say("exampleTools")} <code>{EXAMPLE_TOOLS.map((tool) => tool.function.name).join(", ")}</code>
          <br />
          <span className="quiet">{say("exampleToolsAbout")}</span>
        </span>
      </label>
      {error !== null && (
        <p className="note note-bad" role="alert">
          <Visible text={told(error)} />
        </p>
      )}
      <div className="row">
        <button type="submit" className="primary" disabled={busy}>
          {say("create")}
        </button>
        <button type="button" onClick={cancel}>
          {say("cancel")}
        </button>
      </div>
    </form>
  );
}

function isAbout(key: string): key is "about_react" | "about_rewoo" | "about_concierge" | "about_orchestrator" {
  return key in liveWords.en;
}

const AGENTS = ["concierge", "react", "rewoo"];
