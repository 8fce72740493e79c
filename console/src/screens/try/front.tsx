// How it is put in front of one's own program: one line of the client changes.
import { useState } from "react";
import { tryWords } from "../../words/try";
import { useWords } from "../../words/words";
import { useWho } from "../../who";
import { Copy } from "./copy";

export function Front({ open }: { open: boolean }) {
  const say = useWords(tryWords);
  const who = useWho();
  const clients = clientsOf(location.origin, who.locked);
  const [name, setName] = useState(clients[0]?.name ?? "");
  const code = clients.find((client) => client.name === name)?.code ?? "";
  return (
    <details className="panel try-front" open={open}>
      <summary>
        <strong>{say("front")}</strong> <span className="quiet">{say("frontAbout")}</span>
      </summary>
      {who.demo && (
        <>
          <p>{say("frontStart")}</p>
          <Code text={"countersign serve \\\n  --upstream-openai https://api.openai.com/v1 \\\n  --upstream-anthropic https://api.anthropic.com"} />
          <p>{say("frontThen")}</p>
        </>
      )}
      <div className="row try-clients" role="group" aria-label={say("front")}>
        {clients.map((client) => (
          <button key={client.name} type="button" aria-pressed={client.name === name} onClick={() => setName(client.name)}>
            {client.name || say("frontEnv")}
          </button>
        ))}
      </div>
      <Code text={code} />
      {who.locked && <p className="quiet">{say("frontKey")}</p>}
    </details>
  );
}

function Code({ text }: { text: string }) {
  return (
    <div className="try-snippet">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <Copy label="copyCode" text={text} />
    </div>
  );
}

/** The clients as they are written; the empty name is any other. */
function clientsOf(origin: string, locked: boolean): { name: string; code: string }[] {
  const python = locked ? `, default_headers={"countersign-key": KEY}` : "";
  const script = locked ? `, defaultHeaders: { "countersign-key": KEY }` : "";
  return [
    { name: "Python · OpenAI", code: `from openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/v1"${python})` },
    { name: "Python · Anthropic", code: `from anthropic import Anthropic\n\nclient = Anthropic(base_url="${origin}"${python})` },
    { name: "TypeScript · OpenAI", code: `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: "${origin}/v1"${script} });` },
    { name: "TypeScript · Anthropic", code: `import Anthropic from "@anthropic-ai/sdk";\n\nconst client = new Anthropic({ baseURL: "${origin}"${script} });` },
    { name: "", code: `export OPENAI_BASE_URL=${origin}/v1\nexport ANTHROPIC_BASE_URL=${origin}` },
  ];
}
