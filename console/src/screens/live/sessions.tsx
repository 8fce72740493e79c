// Hosted conversations and those of the gateway, in one list, newest first.
import { useState } from "react";
import { told } from "../../api";
import type { ConversationSummary, SessionInfo } from "../../contract";
import { Failed, Loading } from "../../parts/note";
import { When } from "../../parts/when";
import { href } from "../../route";
import { Visible, visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { deleteSession } from "./session-calls";

interface Props {
  sessions: readonly SessionInfo[];
  carried: readonly ConversationSummary[];
  loading: boolean;
  error: unknown;
  open: string | null;
  /** None where our key may not hold conversations here. */
  create: (() => void) | null;
  chosen: () => void;
  removed: (session: string) => void;
}

export function SessionList({ sessions, carried, loading, error, open, create, chosen, removed }: Props) {
  const say = useWords(liveWords);
  const lines = [
    ...sessions.map((session) => ({ at: session.updated_at ?? session.created_at, session, one: null })),
    ...carried.map((one) => ({ at: one.updated_at, session: null, one })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <section className="session-list" aria-label={say("sessions")}>
      <div className="session-list-head">
        <h2>{say("sessions")}</h2>
        {create && (
          <button type="button" className="primary" onClick={create}>
            <span aria-hidden="true">+</span> {say("newConversation")}
          </button>
        )}
      </div>
      {loading && <Loading />}
      {error !== null && <Failed error={error} />}
      {!loading && error === null && lines.length === 0 && <p className="quiet note">{say("noSessions")}</p>}
      <ul>
        {lines.map(({ session, one }) =>
          session ? (
            <SessionLine key={session.session_id} session={session} open={session.session_id === open} chosen={chosen} removed={removed} />
          ) : (
            <CarriedLine key={one.conversation_id} one={one} open={one.conversation_id === open} chosen={chosen} />
          ),
        )}
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
          {session.running && !session.waits_for && (
            <span className="running">
              <span className="dot" aria-hidden="true" /> {say("running")}
            </span>
          )}
          {session.waits_for && (
            <span className="waits" data-waits={session.waits_for}>
              <span aria-hidden="true">☝</span> {say(session.waits_for === "person" ? "waitsPerson" : "waitsClient")}
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

/** A conversation that went through the gateway. */
function CarriedLine({ one, open, chosen }: { one: ConversationSummary; open: boolean; chosen: () => void }) {
  const say = useWords(liveWords);
  return (
    <li className="session" data-conversation={one.conversation_id}>
      <a href={href("live", one.conversation_id)} aria-current={open ? "true" : undefined} onClick={chosen}>
        <span className={one.title ? "session-title" : "session-title quiet"}>
          <Visible text={one.title || say("untitled")} />
        </span>
        <span className="session-facts quiet">
          {one.waiting > 0 && (
            <span className="waits">
              <span aria-hidden="true">☝</span> {say("waitsPerson")}
            </span>
          )}
          {one.state === "open" && one.waiting === 0 && (
            <span className="running">
              <span className="dot" aria-hidden="true" /> {say("running")}
            </span>
          )}
          {one.state === "failed" && (
            <span className="bad">
              <span aria-hidden="true">✗</span> {say("failedFlag")}
            </span>
          )}
          {one.refused > 0 && (
            <span className="bad">
              <span aria-hidden="true">⊘</span> {say("refusedCount", { count: one.refused })}
            </span>
          )}
          {one.repaired > 0 && (
            <span>
              <span aria-hidden="true">✎</span> {say("repairedCount", { count: one.repaired })}
            </span>
          )}
          <span>
            <Visible text={[one.model ?? one.route, one.key].filter(Boolean).join(" · ")} />
          </span>
          <When time={one.updated_at} />
        </span>
      </a>
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
