// One conversation, followed for as long as it is open.
import { useEffect, useState } from "react";
import { follow, type Connection } from "../../stream/follow";
import { NOTHING, type Conversation } from "./draft";
import { fold } from "./fold";

export interface Followed {
  conversation: Conversation;
  connection: Connection;
}

/** The component that uses this is to be made anew for another session (`key`). */
export function useConversation(session: string): Followed {
  const [conversation, setConversation] = useState<Conversation>(NOTHING);
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  useEffect(() => {
    // Kept outside of the state: a batch is folded once, however often React asks.
    let now = NOTHING;
    return follow(session, {
      events: (events, fresh) => {
        now = fold(fresh ? NOTHING : now, events);
        setConversation(now);
      },
      connection: setConnection,
    });
  }, [session]);
  return { conversation, connection };
}
