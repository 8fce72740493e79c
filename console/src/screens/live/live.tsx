// The screen "live": what happens now. Conversations that this server hosts, and those that went through its gateway.
import { useEffect, useRef, useState } from "react";
import { useAsked } from "../../parts/use-asked";
import { go, settle, useRoute } from "../../route";
import { may, useWho } from "../../who";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { ConversationPage, SessionInfo } from "../../contract";
import { CarriedView } from "./carried-view";
import { Connect } from "./connect";
import { ConversationView } from "./conversation";
import { NewConversation } from "./new-conversation";
import { SessionList } from "./sessions";
import { Starts } from "./starts";
import "./live.css";

export default function Live() {
  const say = useWords(liveWords);
  const who = useWho();
  const { item } = useRoute();
  const [made, setMade] = useState<string | null>(null);
  const [creating, setCreating] = useState(false);
  const hosts = may(who, "sessions");
  const sessions = useAsked<{ sessions: SessionInfo[] }>(hosts ? "/v1/sessions?detail=true&limit=100" : null, EVERY);
  const carried = useAsked<ConversationPage>("/v1/conversations?limit=100", EVERY);
  // Who goes somewhere else does not want a new one any more.
  useEffect(() => setCreating(false), [item]);
  useFirst(carried.answer, item === null && !creating);
  const open = (session: string) => {
    setCreating(false);
    sessions.again();
    go("live", session);
  };
  const known = sessions.answer?.sessions ?? [];
  const info = known.find((session) => session.session_id === item) ?? null;
  const isCarried = item?.startsWith("con_") ?? false;
  return (
    <div className="live-screen" data-open={item !== null || creating}>
      <h1 className="reader-only">{say("title")}</h1>
      <SessionList
        sessions={known}
        carried={carried.answer?.conversations ?? []}
        loading={sessions.loading || carried.loading}
        error={sessions.answer === null ? (sessions.error ?? (carried.answer === null ? carried.error : null)) : null}
        open={creating ? null : item}
        create={hosts ? () => setCreating(true) : null}
        chosen={() => setCreating(false)}
        removed={(session) => {
          sessions.again();
          if (session === item) go("live");
        }}
      />
      <section className="live-main" aria-label={say("conversation")}>
        {creating && (
          <NewConversation
            made={(session) => {
              setMade(session);
              open(session);
            }}
            cancel={() => setCreating(false)}
          />
        )}
        {!creating && item !== null && isCarried && <CarriedView key={item} id={item} />}
        {!creating && item !== null && !isCarried && <ConversationView key={item} session={item} info={info} written={item === made} changed={sessions.again} />}
        {!creating && item === null && (
          <div className="live-nothing">
            {carried.answer && carried.answer.conversations.length === 0 && <Connect kept={carried.answer.kept} />}
            {hosts && <Starts opened={open} create={() => setCreating(true)} />}
          </div>
        )}
      </section>
    </div>
  );
}

/** The first request through the gateway opens by itself, for who waits for it. */
function useFirst(page: ConversationPage | null, waits: boolean) {
  const empty = useRef(false);
  const first = page?.conversations[0]?.conversation_id;
  useEffect(() => {
    if (page === null) return;
    if (first === undefined) empty.current = true;
    else if (empty.current && waits) settle("live", first);
    if (first !== undefined) empty.current = false;
  }, [page, first, waits]);
}

const EVERY = 3_000;
