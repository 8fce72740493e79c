// The types of the package, as programs use them. Compiled by tools/test-npm, never run. LANG-2
import { generateText, jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent, type LanguageModel } from "ai";
import { Guard, Policy, type Finding, type Status } from "countersign";
import { guard } from "countersign/ai";
import { Client, type StreamEvent } from "countersign/client";
import { countersign } from "countersign/langchain";
import { createAgent } from "langchain";
import { z } from "zod";

declare const model: LanguageModel;
const tools = {
  get_weather: tool({ description: "Weather.", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => ({ city }) }),
  send: tool({ inputSchema: jsonSchema<{ to: string }>({ type: "object" }), execute: async ({ to }) => to }),
};

export async function inTheAiSdk() {
  const { text, toolResults } = await generateText({ ...guard({ model, tools, policy: "" }), prompt: "Hi", stopWhen: stepCountIs(3) });
  const output: { city: string } | string | undefined = toolResults[0]?.dynamic ? undefined : toolResults[0]?.output;
  streamText({ ...guard({ model, tools }), prompt: "Hi" });
  const agent = new ToolLoopAgent({ ...guard({ model, tools, answers: "watch", watch: (report) => report.json() }), instructions: "Be brief." });
  await agent.generate({ prompt: "Hi" });
  // @ts-expect-error: there is no such way of answering.
  guard({ model, tools, answers: "shout" });
  return [text, output];
}

export const inLangChain = createAgent({ model: "openai:gpt-5", tools: [], middleware: [countersign({ policy: new Policy("") })] });

export function judge(): [Status, Finding[], string | undefined] {
  const verdict = new Guard({ level: "strict" }).check({ call: { name: "get_weather", arguments: {} } });
  // @ts-expect-error: nothing may run where there is no call.
  verdict.call.name;
  // @ts-expect-error: there is no such member.
  verdict.colour;
  return [verdict.status, verdict.findings, verdict.call?.name];
}

export async function follow(client: Client) {
  for await (const event of client.events("ses_1")) {
    if (event.event_type === "text_delta") event.payload.content satisfies string;
    event satisfies StreamEvent;
  }
}
