// What was done here, as something to paste into a terminal.
import type { Prepared } from "./engine";
import type { Topic } from "./topics";

/** The body goes in through a here-document, so that no quote in it means anything to the shell. */
export function asCurl(request: Prepared, origin: string, locked: boolean): string {
  const headers = [["content-type", "application/json"], ...Object.entries(request.headers)].map(([name, value]) => ` \\\n  -H ${quoted(`${name}: ${value}`)}`);
  const key = locked ? ' \\\n  -H "countersign-key: $COUNTERSIGN_KEY"' : "";
  return `curl -s ${origin}${request.path}${headers.join("")}${key} \\\n  --data-binary @- <<'END'\n${JSON.stringify(request.body)}\nEND\n`;
}

/** The same with the command line. The gateway has its scenes in `countersign demo`. */
export function asCommand(topic: Topic, request: Prepared): string {
  if (topic === "gateway") {
    const scene = SCENES[String(request.body.model)];
    return scene ? `countersign demo --scene ${scene}\n` : "countersign demo\n";
  }
  return `countersign ${COMMANDS[topic]} <<'END'\n${JSON.stringify(request.body)}\nEND\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const COMMANDS: Record<Exclude<Topic, "gateway">, string> = {
  call: "check",
  danger: "check",
  provenance: "check",
  output: "parse",
  claims: "claims",
  answer: "score",
  result: "verify",
};

const SCENES: Record<string, string> = {
  "demo-clean": "clean",
  "demo-name": "name",
  "demo-types": "types",
  "demo-json": "json",
  "demo-text-call": "text",
  "demo-missing": "missing",
  "demo-stubborn": "stubborn",
  "demo-parallel": "parallel",
  "demo-cut": "cut",
  "demo-claims": "claims",
};
