// How the connection stands, in a sign and words.
import { useNow } from "../../parts/when";
import type { Connection } from "../../stream/follow";
import { visible } from "../../text/visible";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";

export function ConnectionBadge({ connection }: { connection: Connection }) {
  const say = useWords(liveWords);
  const reason = "reason" in connection ? visible(connection.reason) : undefined;
  return (
    <span className={`connection connection-${connection.state}`} data-connection={connection.state} title={reason} role="status">
      <span className="dot" aria-hidden="true" /> {say(`connection_${connection.state}`)}
      {connection.state === "waiting" && <Countdown until={connection.until} />}
      {connection.state === "over" && <span className="connection-reason">{reason}</span>}
    </span>
  );
}

/** Not for screen readers: a number that changes each second is no news. */
function Countdown({ until }: { until: number }) {
  const say = useWords(liveWords);
  const now = useNow(500);
  return <span aria-hidden="true"> {say("againIn", { seconds: Math.max(0, Math.ceil((until - now) / 1000)) })}</span>;
}
