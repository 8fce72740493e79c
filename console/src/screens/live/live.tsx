// The screen "live": sessions, and one conversation as it happens.
import { useEffect, useState } from "react";
import { useAsked } from "../../parts/use-asked";
import { go, useRoute } from "../../route";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import type { SessionInfo } from "../../contract";
import { ConversationView } from "./conversation";
import { NewConversation } from "./new-conversation";
import { SessionList } from "./sessions";
import { Starts } from "./starts";
import "./live.css";

export default function Live() {
  const say = useWords(liveWords);
  const { item } = useRoute();
  const [made, setMade] = useState<string | null>(null);
  const [creating, setCreating] = useState(false);
  const sessions = useAsked<{ sessions: SessionInfo[] }>("/v1/sessions?detail=true&limit=100", EVERY);
  // Who goes somewhere else does not want a new one any more.
  useEffect(() => setCreating(false), [item]);
  const open = (session: string) => {
    setCreating(false);
    sessions.again();
    go("live", session);
  };
  const known = sessions.answer?.sessions ?? [];
  const info = known.find((session) => session.session_id === item) ?? null;
  return (
    <div className="live-screen" data-open={item !== null || creating}>
      <h1 className="reader-only">{say("title")}</h1>
      <SessionList
        sessions={known}
        loading={sessions.loading}
        error={sessions.answer === null ? sessions.error : null}
        open={creating ? null : item}
        create={() => setCreating(true)}
        chosen={() => setCreating(false)}
        removed={(session) => {
          sessions.again();
          if (session === item) go("live");
        }}
      />
      <section className="live-main" aria-label={say("conversation")}>
        {creating && <NewConversation
            made={(session) => {
              setMade(session);
              open(session);
            }}
            cancel={() => setCreating(false)} />}
        {!creating && item !== null && <ConversationView key={item} session={item} info={info} written={item === made} changed={sessions.again} />}
        {!creating && item === null && <Starts opened={open} create={() => setCreating(true)} />}
      </section>
    </div>
  );
}

const EVERY = 3_000;
