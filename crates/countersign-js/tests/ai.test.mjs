// The AI SDK's own loop with a scripted model: what runs, what the model is told, what a person is asked.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { generateText, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Guard } from "countersign";
import { guard } from "countersign/ai";
import { z } from "zod";
import { ASKED, broken, LETTERS, ran, run, SCHEMAS } from "./place.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const USAGE = { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } };
const tools = Object.fromEntries(
  Object.entries(SCHEMAS).map(([name, { description, schema }]) => [name, tool({ description, inputSchema: jsonSchema(schema), execute: async (given) => run(name, given) })]),
);
const call = (toolName, input, toolCallId = "call_1") => ({ type: "tool-call", toolCallId, toolName, input: typeof input === "string" ? input : JSON.stringify(input) });
const say = (text) => ({ type: "text", text });

/** A model that says one thing after the other, whole or as a stream, and remembers what it was told. */
function scripted(says) {
  const told = [];
  let at = 0;
  const next = (prompt) => {
    told.push(prompt);
    const part = says[Math.min(at++, says.length - 1)];
    return { part, finishReason: { unified: part.type === "text" ? "stop" : "tool-calls", raw: undefined } };
  };
  const pieces = (part) =>
    part.type === "text"
      ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, { type: "text-end", id: "t" }]
      : [
          { type: "tool-input-start", id: part.toolCallId, toolName: part.toolName },
          ...[...part.input].map((delta) => ({ type: "tool-input-delta", id: part.toolCallId, delta })),
          { type: "tool-input-end", id: part.toolCallId },
          part,
        ];
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const { part, finishReason } = next(prompt);
      return { content: [part], finishReason, usage: USAGE, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { part, finishReason } = next(prompt);
      const chunks = [{ type: "stream-start", warnings: [] }, ...pieces(part), { type: "finish", finishReason, usage: USAGE }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  return { model, told };
}

const ask = (guarded, more = {}) => generateText({ ...guarded, prompt: ASKED, stopWhen: stepCountIs(4), ...more });
/** What the model was told of its last call. */
const output = (prompt) => JSON.stringify(prompt.at(-1).content.map((part) => part.output));

beforeEach(() => ran.splice(0));

// LANG-3: a wrong name and a wrong type are mended before the SDK looks for the tool.
test("a call is mended", async () => {
  const { model } = scripted([call("getForecast", { city: "Bergen", days: "3" }), say("Rain, 9 degrees in Bergen.")]);
  const done = await ask(guard({ model, tools }));
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 3 }]]);
  assert.equal(done.text, "Rain, 9 degrees in Bergen.");
});

// LANG-3: broken JSON is read by the engine, not by the SDK.
test("a call in broken JSON is mended", async () => {
  const { model } = scripted([call("get_forecast", '{"city": "Bergen", "days": 3,}'), say("Rain, 9 degrees.")]);
  await ask(guard({ model, tools }));
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 3 }]]);
});

// LANG-3: the same in a stream, and what is shown of the call is the mended one.
test("a streamed call is mended", async () => {
  const { model } = scripted([call("getForecast", { city: "Bergen", days: "3" }), say("Rain, 9 degrees in Bergen.")]);
  const done = streamText({ ...guard({ model, tools }), prompt: ASKED, stopWhen: stepCountIs(4) });
  const parts = [];
  for await (const part of done.fullStream) parts.push(part);
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 3 }]]);
  const input = parts.filter((part) => part.type === "tool-input-delta").map((part) => part.delta).join("");
  assert.deepEqual([parts.find((part) => part.type === "tool-input-start").toolName, JSON.parse(input)], ["get_forecast", { city: "Bergen", days: 3 }]);
  assert.equal(await done.text, "Rain, 9 degrees in Bergen.");
});

// LANG-3
test("an agent takes the same settings", async () => {
  const { model } = scripted([call("getForecast", { city: "Bergen", days: "3" }), say("Rain, 9 degrees in Bergen.")]);
  const done = await new ToolLoopAgent({ ...guard({ model, tools }), stopWhen: stepCountIs(4) }).generate({ prompt: ASKED });
  assert.equal(ran.length, 1);
  assert.equal(done.text, "Rain, 9 degrees in Bergen.");
});

// LANG-3: the model is told what is wrong, whether the SDK could read the call or not.
for (const [what, made, reason] of [
  ["that the SDK cannot read", call("get_forecast", { days: 3 }), /city/],
  ["of a tool that does not exist", call("launch_rocket", {}), /launch_rocket/],
  ["that the policy denies", call("get_forecast", { city: "Bergen" }), /the forecast is closed/],
]) {
  test(`a refused call goes back: one ${what}`, async () => {
    const { model, told } = scripted([made, say("I could not look it up.")]);
    const policy = '[[rules]]\nname = "closed"\ntools = ["get_forecast"]\neffect = "deny"\nreason = "the forecast is closed"\n';
    await ask(guard({ model, tools, policy: what.includes("policy") ? policy : undefined, answers: "pass" }));
    assert.equal(ran.length, 0);
    assert.match(output(told[1]), reason);
  });
}

// LANG-3: a person decides, through the SDK's own approval; also in a process that has not seen the call before.
for (const [approved, runs] of [[true, 1], [false, 0]]) {
  test(`a person is asked, and says ${approved ? "yes" : "no"}`, async () => {
    const { model } = scripted([call("send_letter", { to: "Ingrid" }), say("Done.")]);
    const settings = () => guard({ model, tools, policy: LETTERS, answers: "pass" });
    const messages = [{ role: "user", content: "Send Ingrid a letter." }];
    const paused = await generateText({ ...settings(), messages });
    const request = paused.content.find((part) => part.type === "tool-approval-request");
    assert.ok(request, JSON.stringify(paused.content));
    assert.equal(ran.length, 0);
    messages.push(...paused.response.messages, { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }] });
    await generateText({ ...settings(), messages });
    assert.equal(ran.length, runs);
  });
}

// LANG-3: what a person must decide does not run where the SDK was not told to ask.
test("a call under review does not run without the approval settings", async () => {
  const { model } = scripted([call("send_letter", { to: "Ingrid" }), say("Done.")]);
  const { toolApproval, ...rest } = guard({ model, tools, policy: LETTERS, answers: "pass" });
  await generateText({ ...rest, prompt: "Send Ingrid a letter.", stopWhen: stepCountIs(2) });
  assert.ok(toolApproval);
  assert.equal(ran.length, 0);
});

// LANG-3: approvals of the program's own still count.
test("a tool's own approval is asked for", async () => {
  const { model } = scripted([call("get_forecast", { city: "Bergen" }), say("Done.")]);
  const own = { ...tools, get_forecast: { ...tools.get_forecast, needsApproval: true } };
  const paused = await ask(guard({ model, tools: own }));
  assert.ok(paused.content.some((part) => part.type === "tool-approval-request"));
  const denied = await ask(guard({ model: scripted([call("get_forecast", { city: "Bergen" }), say("No.")]).model, tools, toolApproval: { get_forecast: "denied" } }));
  assert.ok(denied.text !== undefined);
  assert.equal(ran.length, 0);
});

// LANG-3: two calls with one id are two calls.
test("a call does not run on the verdict of another with its id", async () => {
  const both = [call("get_forecast", { city: "Bergen", days: 3 }), call("get_forecast", { days: 3 })];
  const model = new MockLanguageModelV4({ doGenerate: async () => ({ content: both, finishReason: { unified: "tool-calls" }, usage: USAGE, warnings: [] }) });
  await generateText({ ...guard({ model, tools }), prompt: ASKED });
  assert.ok(ran.every(([, given]) => given.city === "Bergen"), JSON.stringify(ran));
});

// LANG-3: an id that comes again, in another conversation, does not bring the first call's verdict with it.
test("a call that comes again is judged again", async () => {
  const closed = '[[rules]]\nname = "closed"\ntools = ["get_forecast"]\neffect = "deny"\nreason = "the forecast is closed"\n';
  const described = Object.entries(SCHEMAS).map(([name, { description, schema }]) => ({ name, description, parameters: schema }));
  const guards = [new Guard({ tools: described }), new Guard({ tools: described, policy: closed })];
  const turning = { check: (request) => guards.shift().check(request), verify: (request) => new Guard().verify(request) };
  const made = call("get_forecast", { city: "Bergen", days: 3 });
  const { model, told } = scripted([made, say("Rain."), made, say("I could not look it up.")]);
  const settings = guard({ model, tools, guard: turning, answers: "pass" });
  await ask(settings);
  await ask(settings);
  assert.equal(ran.length, 1);
  assert.match(output(told[3]), /the forecast is closed/);
});

// LANG-3: a refused call of a tool that the program runs itself is marked as denied.
test("a refused call of a tool without execute is denied", async () => {
  const { execute, ...rest } = tools.get_forecast;
  const policy = '[[rules]]\nname = "closed"\ntools = ["get_forecast"]\neffect = "deny"\nreason = "the forecast is closed"\n';
  const { model } = scripted([call("get_forecast", { city: "Bergen", days: 3 }), say("No.")]);
  const done = await generateText({ ...guard({ model, tools: { get_forecast: rest }, policy }), prompt: ASKED });
  assert.ok(execute);
  const denied = done.content.find((part) => part.type === "tool-approval-response");
  assert.equal(denied?.approved, false, JSON.stringify(done.content));
});

// LANG-3: schemas that fill in and convert do not make a call another one.
test("a call that the schema completes runs", async () => {
  const schema = z.object({ city: z.string(), days: z.number().int().default(2), note: z.string().optional().transform((text) => text ?? "none") });
  const filled = { get_forecast: tool({ description: SCHEMAS.get_forecast.description, inputSchema: schema, execute: async (given) => run("get_forecast", given) }) };
  const { model } = scripted([call("get_forecast", { city: "Bergen" }), say("Rain.")]);
  const seen = [];
  await ask(guard({ model, tools: filled, watch: (report) => seen.push(report.constructor.name) }));
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 2, note: "none" }]]);
  assert.equal(seen.filter((name) => name === "Verdict").length, 1);
});

// LANG-3: the model reads a note beside a result that looks wrong, the program the result as it is.
test("a result is verified", async () => {
  const failing = { get_forecast: { ...tools.get_forecast, execute: async () => ({ error: "no such city" }) } };
  const { model, told } = scripted([call("get_forecast", { city: "Bergen" }), say("I could not look it up.")]);
  const done = await ask(guard({ model, tools: failing }));
  assert.match(output(told[1]), /no such city.*This result looks wrong/);
  assert.deepEqual(done.steps[0].toolResults[0].output, { error: "no such city" });
});

// LANG-3: tools that give their result in pieces go on doing so.
test("a tool that yields is verified by its last piece", async () => {
  const execute = async function* () {
    yield { text: "looking" };
    yield { error: "no such city" };
  };
  const { model, told } = scripted([call("get_forecast", { city: "Bergen" }), say("I could not look it up.")]);
  const done = await ask(guard({ model, tools: { get_forecast: { ...tools.get_forecast, execute } } }));
  assert.match(output(told[1]), /This result looks wrong/);
  assert.deepEqual(done.steps[0].toolResults[0].output, { error: "no such city" });
});

// LANG-3: what was said and not done goes back once, and both answers are paid for.
test("an answer is examined", async () => {
  const { model, told } = scripted([say("I have sent the letter to Ingrid."), say("I have not sent it yet.")]);
  const done = await generateText({ ...guard({ model, tools }), prompt: "Send Ingrid a letter." });
  assert.equal(done.text, "I have not sent it yet.");
  assert.match(JSON.stringify(told[1].at(-1)), /There is something wrong with that answer/);
  assert.equal(done.usage.outputTokens, 10);
});

// LANG-3: a streamed answer was read already; it is watched.
test("a streamed answer is watched", async () => {
  const { model } = scripted([say("I have sent the letter to Ingrid.")]);
  const seen = [];
  const done = streamText({ ...guard({ model, tools, watch: (report) => seen.push(report) }), prompt: "Send Ingrid a letter." });
  assert.equal(await done.text, "I have sent the letter to Ingrid.");
  assert.ok(seen.some((report) => report.faults?.length > 0));
});

// LANG-3: what cannot be judged does not run, and the model is told.
test("it fails closed", async (context) => {
  context.mock.method(console, "error", () => undefined);
  const { model, told } = scripted([call("get_forecast", { city: "Bergen" }), say("I could not look it up.")]);
  await ask(guard({ model, tools, guard: broken, answers: "pass" }));
  assert.equal(ran.length, 0);
  assert.match(output(told[1]), /could not be checked/);
});

// LANG-3, CLAIM-2: what another agent returns carries its unverified claims.
test("claims of another agent are marked", async () => {
  const researcher = tool({ description: "Asks the researcher.", inputSchema: jsonSchema({ type: "object", properties: {} }), execute: async () => "Sales rose 25% in March." });
  const { model, told } = scripted([call("researcher", {}), say("Sales rose, but nobody has verified it.")]);
  await ask(guard({ model, tools: { ...tools, researcher }, agents: ["researcher"] }), { prompt: "Ask the researcher how sales are." });
  assert.match(output(told[1]), /countersign: unverified: .*25%/);
});
