// The same for a terminal, and the bare request and answer for those who want to see them.
import { JsonView } from "../../parts/json-view";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { useWho } from "../../who";
import { asCommand, asCurl } from "./commands";
import { Copy } from "./copy";
import type { Made } from "./engine";
import type { Topic } from "./topics";

export function Raw({ topic, made }: { topic: Topic; made: Made }) {
  const say = useWords(tryWords);
  const who = useWho();
  return (
    <div className="try-raw">
      <div className="row">
        <Copy label="copyCurl" text={asCurl(made.request, location.origin, who.locked)} />
        <Copy label="copyCommand" text={asCommand(topic, made.request)} />
      </div>
      <details>
        <summary>{say("rawRequest")}</summary>
        <h4>
          {say("request")} <code>POST {made.request.path}</code>
        </h4>
        <JsonView value={made.request.body} />
        <h4>{say("rawAnswer")}</h4>
        <JsonView value={made.body} />
      </details>
    </div>
  );
}
