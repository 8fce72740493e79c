// A change of the policy: written, checked while it is written, tried on past calls, and applied.
import { useEffect, useState } from "react";
import { ask, told } from "../../api";
import { Failed } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import type { PolicyCheck, PolicyText, Replay, VerdictPage } from "../../contract";
import { go } from "../../route";
import { useSettings } from "../../settings";
import { Ticked } from "../../text/ticked";
import { Visible } from "../../text/visible";
import { policyWords } from "../../words/policy";
import { useWords } from "../../words/words";
import { Replayed } from "./replayed";
import { SNIPPETS, withSnippet, type Snippet } from "./snippets";

export function Change({ policy: inForce, applied }: { policy: PolicyText; applied: () => void }) {
  const say = useWords(policyWords);
  const [text, setText] = useState<string | null>(kept.text);
  const [tool, setTool] = useState(kept.tool);
  const [limit, setLimit] = useState(kept.limit);
  const [outcome, setOutcome] = useState<Outcome>(kept.outcome);
  const policy = text ?? inForce.toml;
  const changed = text !== null && text !== inForce.toml;
  const checked = useCheck(changed ? policy : null);
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
      <p>{say("changeAbout")}</p>
      {inForce.path !== null && (
        <p className="note">
          <Visible text={say("changeFile", { path: inForce.path })} />
        </p>
      )}
      <form
        className="panel replay"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Snippets policy={policy} take={setText} />
        <label>
          <span>{say("policyText")}</span>
          <textarea className="policy-text" rows={18} spellCheck={false} value={policy} aria-invalid={checked?.valid === false || undefined} aria-describedby="policy-checked" onChange={(event) => setText(event.target.value)} />
        </label>
        <p id="policy-checked" role="status" className={checked?.valid === false ? "bad" : "quiet"}>
          {checked?.error && <Visible text={(checked.error.line === null ? "" : `${say("line", { line: checked.error.line })} `) + [checked.error.message, checked.error.help].filter(Boolean).join(". ")} />}
          {checked?.valid && say("canBeUsed", { version: checked.version ?? "" })}
          {!changed && say("unchanged")}
        </p>
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
          {changed && (
            <button type="button" onClick={() => setText(null)}>
              {say("reset")}
            </button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {outcome.error !== null && <Failed error={outcome.error} />}
        {outcome.replay && <Replayed replay={outcome.replay} />}
      </div>
      {inForce.editable && (
        <Apply
          policy={policy}
          base={inForce.version}
          ready={changed && checked?.valid === true}
          applied={() => {
            kept = { text: null, tool: "", limit: 1000, outcome: NOTHING };
            setText(null);
            setOutcome(NOTHING);
            applied();
            go("policy");
          }}
        />
      )}
    </>
  );
}

/** Puts it in force, with a word on why. */
function Apply({ policy, base, ready, applied }: { policy: string; base: string; ready: boolean; applied: () => void }) {
  const say = useWords(policyWords);
  const { reviewer } = useSettings();
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const apply = () => {
    setBusy(true);
    setError(null);
    ask("/v1/policy", { method: "POST", body: { policy, base, note, author: reviewer || undefined } }).then(applied, (failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  return (
    <section className="panel policy-apply">
      <h2>{say("applyHead")}</h2>
      <p className="quiet">{say("applyAbout")}</p>
      <label>
        <span>{say("note")}</span>
        <input value={note} maxLength={500} onChange={(event) => setNote(event.target.value)} />
      </label>
      <p>
        <button type="button" className="primary" data-action="apply" disabled={!ready || busy} onClick={apply}>
          {say(busy ? "applying" : "apply")}
        </button>
      </p>
      {error !== null && (
        <p className="bad" role="alert">
          <Visible text={told(error)} />
        </p>
      )}
    </section>
  );
}

/** Says whether a text can be used, a moment after it was written. */
function useCheck(text: string | null): PolicyCheck | null {
  const [state, setState] = useState<{ text: string; checked: PolicyCheck } | null>(null);
  useEffect(() => {
    if (text === null) return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      ask<PolicyCheck>("/v1/policy/check", { method: "POST", body: { policy: text }, signal: left.signal }).then(
        (checked) => setState({ text, checked }),
        () => undefined,
      );
    }, 300);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text]);
  return text !== null && state?.text === text ? state.checked : null;
}

/** Changes that are worth a try, with what they do. */
function Snippets({ policy, take }: { policy: string; take: (text: string) => void }) {
  const say = useWords(policyWords);
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

const NOTHING: Outcome = { replay: null, error: null, running: false };

/** What was written and found stays, also while a verdict of the outcome is looked at. */
let kept: { text: string | null; tool: string; limit: number; outcome: Outcome } = { text: null, tool: "", limit: 1000, outcome: NOTHING };
