// The sessions, newest first.
import { useState } from "react";
import { told } from "../../api";
import type { SessionInfo } from "../../contract";
import { Failed, Loading } from "../../parts/note";
import { When } from "../../parts/when";
import { href } from "../../route";
import { Visible, visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { deleteSession } from "./session-calls";

interface Props {
  sessions: readonly SessionInfo[];
  loading: boolean;
  error: unknown;
  open: string | null;
  create: () => void;
  chosen: () => void;
  removed: (session: string) => void;
}

export function SessionList({ sessions, loading, error, open, create, chosen, removed }: Props) {
  const say = useWords(liveWords);
  return (
    <section className="session-list" aria-label={say("sessions")}>
      <div className="session-list-head">
        <h2>{say("sessions")}</h2>
        <button type="button" className="primary" onClick={create}>
          <span aria-hidden="true">+</span> {say("newConversation")}
        </button>
      </div>
      {loading && <Loading />}
      {error !== null && <Failed error={error} />}
      {!loading && error === null && sessions.length === 0 && <p className="quiet note">{say("noSessions")}</p>}
      <ul>
        {sessions.map((session) => (
          <SessionLine key={session.session_id} session={session} open={session.session_id === open} chosen={chosen} removed={removed} />
        ))}
      </ul>
    </section>
  );
}

function SessionLine({ session, open, chosen, removed }: { session: SessionInfo; open: boolean; chosen: () => void; removed: (session: string) => void }) {
  const say = useWords(liveWords);
  const name = session.title || say(session.events === 0 ? "untitled" : "noUserYet");
  return (
    <li className="session" data-session={session.session_id} data-running={session.running === true}>
      <a href={href("live", session.session_id)} aria-current={open ? "true" : undefined} onClick={chosen}>
        <span className={session.title ? "session-title" : "session-title quiet"}>
          <Visible text={name} />
        </span>
        <span className="session-facts quiet">
          {session.running && (
            <span className="running">
              <span className="dot" aria-hidden="true" /> {say("running")}
            </span>
          )}
          {session.stopped && (
            <span className="bad">
              <span aria-hidden="true">■</span> {say("stoppedFlag")}
            </span>
          )}
          <span>
            <Visible text={session.agent} />
            {session.user && (
              <>
                {" · "}
                <Visible text={session.user} />
              </>
            )}
          </span>
          <When time={session.updated_at ?? session.created_at} />
        </span>
      </a>
      <Remove session={session.session_id} name={name} removed={removed} />
    </li>
  );
}

/** Asks once more: what is deleted is gone. */
function Remove({ session, name, removed }: { session: string; name: string; removed: (session: string) => void }) {
  const say = useWords(liveWords);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (!asking)
    return (
      <button type="button" className="session-remove" title={say("remove")} aria-label={say("removeNamed", { name: visible(name) })} onClick={() => setAsking(true)}>
        <span aria-hidden="true">×</span>
      </button>
    );
  return (
    <div className="session-removing" role="alertdialog" aria-label={say("removeSure")}>
      <span>{error === null ? say("removeSure") : <Visible text={told(error)} />}</span>
      <button type="button" className="danger" autoFocus onClick={() => deleteSession(session).then(() => removed(session), setError)}>
        {say("remove")}
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        {say("cancel")}
      </button>
    </div>
  );
}
