// One conversation, followed for as long as it is open.
import { useEffect, useState } from "react";
import { follow, type Connection } from "../../stream/follow";
import { NOTHING, type Conversation } from "./draft";
import { fold } from "./fold";

export interface Followed {
  conversation: Conversation;
  connection: Connection;
}

/** The component that uses this is to be rebuilt for another session (`key`). */
export function useConversation(session: string): Followed {
  const [conversation, setConversation] = useState<Conversation>(NOTHING);
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  useEffect(() => {
    // Kept outside of the state: a batch is folded once, however often React asks.
    let now = NOTHING;
    let planned: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      clearTimeout(planned);
      planned = undefined;
      setConversation(now);
    };
    const leave = follow(session, {
      events: (events, fresh) => {
        now = fold(fresh ? NOTHING : now, events);
        // What was missed is not drawn frame by frame: nobody could read it.
        if (events.at(-1)?.meta?.is_replay) planned ??= setTimeout(show, CATCHING_UP);
        else show();
      },
      connection: setConnection,
    });
    return () => {
      clearTimeout(planned);
      leave();
    };
  }, [session]);
  return { conversation, connection };
}

const CATCHING_UP = 200;
