// Whether the list is live.
import { reviewsWords } from "../../words/reviews";
import { useWords } from "../../words/words";
import { visible } from "../../text/visible";
import { useCell } from "./cell";
import { connection } from "./watch";

export function ConnectionState() {
  const say = useWords(reviewsWords);
  const now = useCell(connection);
  return (
    <span className="connection" data-connection={now.state} role="status" title={"reason" in now && now.reason !== "" ? visible(now.reason) : undefined}>
      <span aria-hidden="true">{SIGNS[now.state]}</span> {say(`connection_${now.state}`)}
    </span>
  );
}

const SIGNS = { connecting: "◌", live: "●", waiting: "↻", over: "✕" } as const;
