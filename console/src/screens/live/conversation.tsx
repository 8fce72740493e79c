// One conversation: what it is called, how the connection stands, what happened, and the place to write.
import { useEffect, useState } from "react";
import type { SessionInfo } from "../../contract";
import { useAsked } from "../../parts/use-asked";
import { href } from "../../route";
import { ClaimSession } from "../../text/claim-mark";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { shell } from "../../words/shell";
import { useWords } from "../../words/words";
import { Announcer } from "./announcer";
import { Composer } from "./composer";
import { ConnectionBadge } from "./connection";
import { FactsButton, FactsOutcome, useFactCheck } from "./fact-check";
import { Log } from "./log";
import { path } from "./session-calls";
import { StopBar } from "./stop-bar";
import { useConversation } from "./use-conversation";

export function ConversationView({ session, info, written, changed }: { session: string; info: SessionInfo | null; written: boolean; changed: () => void }) {
  const say = useWords(liveWords);
  const { conversation, connection } = useConversation(session);
  // A session that is not among the newest is asked for by itself.
  const asked = useAsked<SessionInfo>(info === null ? path(session) : null);
  const known = info ?? asked.answer;
  const facts = useFactCheck(session);
  const gone = connection.state === "over";
  const [hurdle, setHurdle] = useState<string | null>(null);
  // The list is told at once when a turn begins or ends here.
  useEffect(changed, [conversation.running, changed]);
  return (
    <ClaimSession value={session}>
      <div className="conversation">
        <header className="conversation-head">
          <BackToList />
          <div className="grow">
            <h2 tabIndex={-1}>
              <Visible text={known?.title || titleOf(conversation.items) || say(gone ? "conversation" : "untitled")} />
            </h2>
            {known && (
              <p className="quiet">
                <Visible text={[known.agent, known.model, known.user].filter(Boolean).join(" · ")} />
              </p>
            )}
          </div>
          <FactsButton facts={facts} unverified={conversation.unverified} />
          <ConnectionBadge connection={connection} />
        </header>
        <div className="conversation-bars">
          <FactsOutcome facts={facts} />
          {!gone && <StopBar session={session} running={conversation.running} ends={conversation.head} told={setHurdle} />}
        </div>
        <Log session={session} conversation={conversation} connection={connection} />
        <Announcer conversation={conversation} />
        {!gone && <Composer session={session} running={conversation.running} hurdle={hurdle} focus={written} sent={changed} />}
      </div>
    </ClaimSession>
  );
}

export function BackToList() {
  const say = useWords(shell);
  return (
    <a className="back button" href={href("live")} aria-label={say("backToList")}>
      <span aria-hidden="true">←</span>
    </a>
  );
}

function titleOf(items: ReturnType<typeof useConversation>["conversation"]["items"]): string | null {
  const first = items.find((item) => item.kind === "message");
  return first?.kind === "message" ? first.content.slice(0, 120) : null;
}
