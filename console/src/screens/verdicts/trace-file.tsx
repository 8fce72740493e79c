// A file of recorded traces, dropped here: judged by the policy in force, shown as live conversations are, and stored nowhere.
import { useState } from "react";
import { ask } from "../../api";
import type { AuditedConversation, AuditedFile } from "../../contract";
import { Failed } from "../../parts/note";
import { href } from "../../route";
import { Visible } from "../../text/visible";
import { verdictsWords } from "../../words/verdicts";
import { useWords } from "../../words/words";
import { Log } from "../live/log";
import "../live/live.css";
import { dropped, gravityOf } from "./dropped";

export function TraceFile() {
  const say = useWords(verdictsWords);
  const [state, setState] = useState<{ name: string; file: AuditedFile | null; error: unknown; busy: boolean }>(kept);
  const [open, setOpen] = useState(0);
  const take = (file: File | undefined) => {
    if (!file) return;
    setOpen(0);
    setState({ name: file.name, file: null, error: null, busy: true });
    void file.text().then((text) =>
      ask<AuditedFile>("/v1/audit", { method: "POST", raw: text }).then(
        (audited) => setState((kept = { name: file.name, file: sorted(audited), error: null, busy: false })),
        (error: unknown) => setState({ name: file.name, file: null, error, busy: false }),
      ),
    );
  };
  const { file } = state;
  const chosen = file?.conversations[open];
  return (
    <div className="verdicts trace-file">
      <p>
        <a href={href("verdicts")}>← {say("title")}</a>
      </p>
      <h1>{say("fileTitle")}</h1>
      <p className="quiet">{say("fileAbout")}</p>
      <label
        className="drop panel"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer?.files[0]);
        }}
      >
        <span>{say("fileDrop")}</span>
        <input type="file" accept=".jsonl,.json,.ndjson,.log,.txt,application/json" onChange={(event) => take(event.target.files?.[0])} />
      </label>
      <div role="status">
        {state.busy && say("fileBusy", { name: state.name })}
        {file && <Visible text={say("fileCounts", { name: state.name, conversations: file.conversations.length + file.left_out, calls: file.counts["calls"] ?? 0, refused: file.counts["refused"] ?? 0, review: file.counts["review"] ?? 0, repaired: file.counts["repaired"] ?? 0 })} />}
      </div>
      {state.error !== null && <Failed error={state.error} />}
      {file && file.problems.length > 0 && <p className="quiet">{say("fileProblems", { count: file.problems.length })}</p>}
      {file && chosen && (
        <div className="trace-pair">
          <ul className="trace-list" aria-label={say("fileConversations")}>
            {file.conversations.map((one, at) => (
              <li key={at}>
                <button type="button" aria-pressed={at === open} onClick={() => setOpen(at)}>
                  <Visible text={one.title || say("noWords")} />
                  <span className="quiet">
                    {" "}
                    {say("fileFindings", { count: gravityOf(one) })} · <Visible text={one.model ?? one.format} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <div className="trace-log" data-trace={open}>
            <Log key={open} session="" conversation={dropped(chosen)} connection={{ state: "live" }} />
          </div>
        </div>
      )}
    </div>
  );
}

/** Those with the most findings first. */
function sorted(file: AuditedFile): AuditedFile {
  const conversations: AuditedConversation[] = [...file.conversations].sort((one, two) => gravityOf(two) - gravityOf(one));
  return { ...file, conversations };
}

/** What was opened stays while the page is open. */
let kept: { name: string; file: AuditedFile | null; error: unknown; busy: boolean } = { name: "", file: null, error: null, busy: false };
