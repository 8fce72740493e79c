// One law: the same output of a model gets the same verdict, and the same calls run, in every framework. The outputs are
// those of the Python package (crates/countersign-py/tests/test_one_law.py).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { generateText, jsonSchema, stepCountIs, tool as aiTool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Guard, Verdict } from "countersign";
import { guard as guardAi } from "countersign/ai";
import { countersign } from "countersign/langchain";
import { createAgent, fakeModel, tool } from "langchain";

globalThis.AI_SDK_LOG_WARNINGS = false;
const ASKED = "Reserve a table for 4 at Nordlys on 2031-05-02.";
const SCHEMA = {
  type: "object",
  required: ["restaurant", "guests", "date"],
  additionalProperties: false,
  properties: { restaurant: { type: "string" }, guests: { type: "integer", minimum: 1, maximum: 12 }, date: { type: "string", format: "date" } },
};
const DESCRIPTION = "Reserve a table in a restaurant.";
const TOOLS = [{ name: "reserve_table", description: DESCRIPTION, parameters: SCHEMA }];
const RIGHT = { restaurant: "Nordlys", guests: 4, date: "2031-05-02" };
const OUTPUTS = {
  right: ["reserve_table", RIGHT],
  "a number as a string": ["reserve_table", { ...RIGHT, guests: "4" }],
  "a misspelt name": ["reserveTable", RIGHT],
  "a value is missing": ["reserve_table", { restaurant: "Nordlys", guests: 4 }],
  "out of bounds": ["reserve_table", { ...RIGHT, guests: 40 }],
  "a date that is none": ["reserve_table", { ...RIGHT, date: "2031-02-30" }],
  "another amount than asked for": ["reserve_table", { ...RIGHT, guests: 6 }],
  "an invented tool": ["cancel_everything", {}],
};

async function inLangChain(guard, name, args, watch, body) {
  const own = tool((given) => body(given), { name: "reserve_table", description: DESCRIPTION, schema: SCHEMA });
  const model = fakeModel()
    .respond(new AIMessage({ content: "", tool_calls: [{ name, args, id: "call_1", type: "tool_call" }] }))
    .respond(new AIMessage("That is all."));
  const agent = createAgent({ model, tools: [own], middleware: [countersign({ guard, answers: "pass", watch })], checkpointer: new MemorySaver() });
  await agent.invoke({ messages: [new HumanMessage(ASKED)] }, { configurable: { thread_id: "1" } });
}

async function inAiSdk(guard, toolName, input, watch, body) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const says = [{ type: "tool-call", toolCallId: "call_1", toolName, input: JSON.stringify(input) }, { type: "text", text: "That is all." }];
  const model = new MockLanguageModelV4({ doGenerate: async () => ({ content: [says.shift()], finishReason: { unified: says.length ? "tool-calls" : "stop" }, usage, warnings: [] }) });
  const tools = { reserve_table: aiTool({ description: DESCRIPTION, inputSchema: jsonSchema(SCHEMA), execute: async (given) => body(given) }) };
  await generateText({ ...guardAi({ model, tools, guard, answers: "pass", watch }), prompt: ASKED, stopWhen: stepCountIs(3) });
}

/** The command line, which the Python package is held against as well. */
function onTheCommandLine(call) {
  const line = JSON.stringify({ tools: TOOLS, messages: [{ role: "user", content: ASKED }], call });
  const { stdout } = spawnSync(process.env.COUNTERSIGN_BIN, ["check", "--format", "jsonl"], { input: line, encoding: "utf8" });
  return stdout.trim();
}

// LANG-3: one verdict in all, and only what it lets run runs.
for (const [framework, within] of Object.entries({ LangChain: inLangChain, "the AI SDK": inAiSdk })) {
  for (const [what, [name, args]] of Object.entries(OUTPUTS)) {
    test(`${what}: the same verdict in ${framework}`, async () => {
      const guard = new Guard({ tools: TOOLS });
      const verdict = guard.check({ call: { id: "call_1", name, arguments: args }, messages: [{ role: "user", content: ASKED }] });
      assert.equal(verdict.json(), onTheCommandLine({ id: "call_1", name, arguments: args }));
      const ran = [];
      const seen = [];
      const body = (given) => {
        ran.push(given);
        return '{"reserved": true}';
      };
      await within(guard, name, args, (report) => seen.push(report), body);
      assert.deepEqual(seen.filter((report) => report instanceof Verdict).map((report) => report.json()), [verdict.json()]);
      assert.deepEqual(ran, verdict.allowed ? [verdict.call.arguments] : []);
    });
  }
}

// LANG-3: the cases are worth their name: some run as they came, some mended, some not at all.
test("the outputs are of every kind", () => {
  const guard = new Guard({ tools: TOOLS });
  const status = (what) => guard.check({ call: { name: OUTPUTS[what][0], arguments: OUTPUTS[what][1] }, messages: [{ role: "user", content: ASKED }] }).status;
  assert.deepEqual([status("right"), status("a number as a string")], ["approved", "caution"]);
  for (const what of ["a value is missing", "out of bounds", "a date that is none", "an invented tool"]) assert.equal(status(what), "validation_failed", what);
});
