// One conversation that went through the gateway: what was asked, called, returned and answered. It is only looked at; the client goes on with it.
import { useMemo, useRef } from "react";
import type { ConversationDetail } from "../../contract";
import { Failed } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import { Visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";
import { carried } from "./carried";
import { BackToList } from "./conversation";
import { Log } from "./log";

export function CarriedView({ id }: { id: string }) {
  const say = useWords(liveWords);
  const { answer, error } = useAsked<ConversationDetail>(`/v1/conversations/${encodeURIComponent(id)}`, EVERY);
  const conversation = useSame(answer);
  const connection = error !== null && answer === null ? ({ state: "over", reason: "" } as const) : ({ state: answer === null ? "connecting" : "live" } as const);
  return (
    <div className="conversation" data-carried={id}>
      <header className="conversation-head">
        <BackToList />
        <div className="grow">
          <h2 tabIndex={-1}>
            <Visible text={answer?.title || say("conversation")} />
          </h2>
          {answer && (
            <p className="quiet">
              <Visible text={[answer.model, say("throughGateway"), answer.key, say("exchangeCount", { count: answer.exchanges })].filter(Boolean).join(" · ")} />
            </p>
          )}
        </div>
      </header>
      {error !== null && answer === null && <Failed error={error} />}
      {answer?.next && <p className="quiet note">{say("olderExchanges")}</p>}
      <Log session="" conversation={conversation} connection={connection} />
    </div>
  );
}

/** What did not change is not drawn again. */
function useSame(answer: ConversationDetail | null) {
  const text = useMemo(() => JSON.stringify(answer?.list ?? []), [answer]);
  const kept = useRef<{ text: string; conversation: ReturnType<typeof carried> } | null>(null);
  if (kept.current?.text !== text) kept.current = { text, conversation: carried({ list: answer?.list ?? [] }) };
  return kept.current.conversation;
}

const EVERY = 2_500;
