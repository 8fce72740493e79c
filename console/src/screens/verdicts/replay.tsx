// "What if this were the policy?": stored calls are judged again by the text below. Nothing is changed by it.
import { useEffect, useState } from "react";
import { ask } from "../../api";
import { Failed } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import type { Replay, VerdictPage } from "../../contract";
import { Ticked } from "../../text/ticked";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { Replayed } from "./replayed";
import { SNIPPETS, withSnippet, type Snippet } from "./snippets";

interface InForce {
  version: string;
  toml: string;
  path: string | null;
}

export function ReplayPart() {
  const say = useWords(verdictsWords);
  const inForce = useAsked<InForce>("/v1/policy");
  const [text, setText] = useState<string | null>(kept.text);
  const [tool, setTool] = useState(kept.tool);
  const [limit, setLimit] = useState(kept.limit);
  const [outcome, setOutcome] = useState<Outcome>(kept.outcome);
  const usual = inForce.answer?.toml ?? "";
  const policy = text ?? usual;
  useEffect(() => {
    kept = { text, tool, limit, outcome: { ...outcome, running: false } };
  }, [text, tool, limit, outcome]);
  const run = () => {
    setOutcome({ replay: null, error: null, running: true });
    ask<Replay>("/v1/policy/replay", { method: "POST", body: { policy, limit, ...(tool.trim() === "" ? {} : { tool: tool.trim() }) } }).then(
      (replay) => setOutcome({ replay, error: null, running: false }),
      (error: unknown) => setOutcome({ replay: null, error, running: false }),
    );
  };
  return (
    <>
      <p>
        <strong>{say("replayAbout")}</strong>
      </p>
      <p className="quiet">
        <Ticked text={say("replayForce")} />
      </p>
      <form
        className="panel replay"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Standing inForce={inForce.answer} />
        <Snippets policy={policy} take={setText} />
        <label>
          <span>{say("policyText")}</span>
          <textarea className="policy-text" rows={16} spellCheck={false} value={policy} onChange={(event) => setText(event.target.value)} />
        </label>
        <div className="row">
          <label>
            <span>{say("onlyTool")}</span>
            <input value={tool} spellCheck={false} onChange={(event) => setTool(event.target.value)} />
          </label>
          <label>
            <span>{say("limit")}</span>
            <input type="number" min={1} max={1000} value={limit} onChange={(event) => setLimit(Math.min(1000, Math.max(1, Number(event.target.value) || 1)))} />
          </label>
        </div>
        <div className="row">
          <button type="submit" className="primary" disabled={outcome.running}>
            {say(outcome.running ? "running" : "run")}
          </button>
          {text !== null && text !== usual && (
            <button type="button" onClick={() => setText(null)}>
              {say("policyReset")}
            </button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {outcome.error !== null && (
          <>
            <Failed error={outcome.error} />
            <p className="quiet">{say("readOnlyReplay")}</p>
          </>
        )}
        {outcome.replay && <Replayed replay={outcome.replay} />}
      </div>
    </>
  );
}

/** Which policy is in force now. */
function Standing({ inForce }: { inForce: InForce | null }) {
  const say = useWords(verdictsWords);
  if (inForce === null) return null;
  return <p className="quiet">{inForce.path === null ? say("policyBuiltIn", { version: inForce.version }) : say("policyOf", { version: inForce.version, path: inForce.path })}</p>;
}

/** Changes that are worth a try, with what they do. */
function Snippets({ policy, take }: { policy: string; take: (text: string) => void }) {
  const say = useWords(verdictsWords);
  const newest = useAsked<VerdictPage>("/v1/verdicts?limit=1");
  const tool = newest.answer?.verdicts[0]?.tool ?? "delete_file";
  const [last, setLast] = useState<Snippet | null>(null);
  return (
    <div className="snippets">
      <span id="snippets-head">{say("snippets")}</span>
      <div className="row" role="group" aria-labelledby="snippets-head">
        {SNIPPETS.map((snippet) => (
          <button
            key={snippet}
            type="button"
            onClick={() => {
              take(withSnippet(policy, snippet, tool));
              setLast(snippet);
            }}
          >
            {say(`snippet_${snippet}`)}
          </button>
        ))}
      </div>
      <p className="quiet" role="status">
        {last && <Ticked text={say(`snippet_${last}_about`)} />}
      </p>
    </div>
  );
}

interface Outcome {
  replay: Replay | null;
  error: unknown;
  running: boolean;
}

/** What was written and found stays, also while a verdict of the outcome is looked at. */
let kept: { text: string | null; tool: string; limit: number; outcome: Outcome } = { text: null, tool: "", limit: 1000, outcome: { replay: null, error: null, running: false } };
