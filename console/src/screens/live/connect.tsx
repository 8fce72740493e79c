// Nothing came through the gateway yet: how to point a client here. The first request opens by itself.
import { useState } from "react";
import { useWho } from "../../who";
import { liveWords } from "../../words/live";
import { useWords } from "../../words/words";

export function Connect({ kept }: { kept: boolean }) {
  const say = useWords(liveWords);
  const who = useWho();
  const [chosen, setChosen] = useState<(typeof CLIENTS)[number]["name"]>("Python openai");
  const client = CLIENTS.find(({ name }) => name === chosen) ?? CLIENTS[0];
  const code = client.code(location.origin, who.demo, who.locked);
  if (!kept) return <p className="note">{say("conversationsOff")}</p>;
  return (
    <section className="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">{say("connectTitle")}</h2>
      <p>{say("connectAbout")}</p>
      <div className="connect-tabs" role="group" aria-label={say("connectClient")}>
        {CLIENTS.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === client.name} onClick={() => setChosen(name)}>
            {name}
          </button>
        ))}
      </div>
      <pre tabIndex={0} aria-label={client.name}>
        <code>{code}</code>
      </pre>
      <p>
        <Copy text={code} />
      </p>
      <p className="connect-waits" role="status">
        <span className="dot" aria-hidden="true" /> {say("connectWaits")}
      </p>
    </section>
  );
}

function Copy({ text }: { text: string }) {
  const say = useWords(liveWords);
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    });
  };
  return (
    <button type="button" onClick={copy}>
      {say(copied ? "copied" : "copy")}
    </button>
  );
}

const CLIENTS = [
  {
    name: "Python openai",
    code: (origin: string, demo: boolean, locked: boolean) =>
      `from openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/v1", api_key="${locked ? "YOUR_COUNTERSIGN_KEY" : "sk-yours"}")\nanswer = client.chat.completions.create(\n    model="${demo ? "demo" : "your-model"}",\n    messages=[{"role": "user", "content": "Hello!"}],\n)\nprint(answer.choices[0].message.content)`,
  },
  {
    name: "Python anthropic",
    code: (origin: string, demo: boolean, locked: boolean) =>
      `from anthropic import Anthropic\n\nclient = Anthropic(base_url="${origin}", api_key="${locked ? "YOUR_COUNTERSIGN_KEY" : "sk-ant-yours"}")\nanswer = client.messages.create(\n    model="${demo ? "demo" : "your-model"}", max_tokens=500,\n    messages=[{"role": "user", "content": "Hello!"}],\n)\nprint(answer.content[0].text)`,
  },
  {
    name: "Node openai",
    code: (origin: string, demo: boolean, locked: boolean) =>
      `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "${locked ? "YOUR_COUNTERSIGN_KEY" : "sk-yours"}" });\nconst answer = await client.chat.completions.create({\n  model: "${demo ? "demo" : "your-model"}",\n  messages: [{ role: "user", content: "Hello!" }],\n});\nconsole.log(answer.choices[0].message.content);`,
  },
  {
    name: "curl",
    code: (origin: string, demo: boolean, locked: boolean) =>
      `curl ${origin}/v1/chat/completions -H content-type:application/json \\\n  ${locked ? '-H "Authorization: Bearer YOUR_COUNTERSIGN_KEY" ' : ""}-d '{"model": "${demo ? "demo" : "your-model"}", "messages": [{"role": "user", "content": "Hello!"}]}'`,
  },
] as const;
