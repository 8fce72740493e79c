// LangChain's own agent with a scripted model: what runs, what the model is told, what a person is asked.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { countersign } from "countersign/langchain";
import { createAgent, createMiddleware, fakeModel, tool } from "langchain";
import { ASKED, broken, LETTERS, ran, run, SCHEMAS } from "./place.mjs";

const tools = Object.entries(SCHEMAS).map(([name, { description, schema }]) => tool((given) => JSON.stringify(run(name, given)), { name, description, schema }));
const call = (name, args, id = "call_1") => new AIMessage({ content: "", tool_calls: [{ name, args, id, type: "tool_call" }] });
const asked = (text = ASKED) => ({ messages: [new HumanMessage(text)] });

function agent(says, options = {}, checkpointer = undefined) {
  let model = fakeModel();
  for (const said of says) model = model.respond(said);
  return createAgent({ model, tools, middleware: [countersign(options)], checkpointer });
}

beforeEach(() => ran.splice(0));

// LANG-3: a wrong name and a wrong type are mended before the tool runs.
test("a call is mended", async () => {
  const done = await agent([call("getForecast", { city: "Bergen", days: "3" }), new AIMessage("Rain, 9 degrees in Bergen.")]).invoke(asked());
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 3 }]]);
  assert.equal(done.messages.at(-1).text, "Rain, 9 degrees in Bergen.");
});

// LANG-3: the model is told what is wrong, and corrects it.
test("a refused call goes back", async () => {
  const says = [call("get_forecast", { days: 3 }), call("get_forecast", { city: "Bergen", days: 3 }, "call_2"), new AIMessage("Rain.")];
  const done = await agent(says).invoke(asked());
  const told = done.messages.find((message) => ToolMessage.isInstance(message));
  assert.equal(told.status, "error");
  assert.match(told.text, /city/);
  assert.deepEqual(ran, [["get_forecast", { city: "Bergen", days: 3 }]]);
});

// LANG-3: a person decides, through the graph's own pause.
for (const [decision, runs] of [["approve", 1], ["reject", 0]]) {
  test(`a person is asked, and says ${decision}`, async () => {
    const graph = agent([call("send_letter", { to: "Ingrid" }), new AIMessage("Done.")], { policy: LETTERS, answers: "pass" }, new MemorySaver());
    const config = { configurable: { thread_id: "1" } };
    const paused = await graph.invoke(asked("Send Ingrid a letter."), config);
    assert.equal(paused.__interrupt__[0].value.actionRequests[0].name, "send_letter");
    assert.equal(ran.length, 0);
    await graph.invoke(new Command({ resume: { decisions: [{ type: decision }] } }), config);
    assert.equal(ran.length, runs);
  });
}

// LANG-3: a graph that is resumed in another process judges the call as the first one did.
test("a resumed call is judged the same way", async () => {
  const checkpointer = new MemorySaver();
  const config = { configurable: { thread_id: "1" } };
  const seen = [];
  const options = { policy: LETTERS, answers: "pass", watch: (report) => report.status && seen.push(report.json()) };
  const says = [call("send_letter", { to: "Ingrid" })];
  await agent(says, options, checkpointer).invoke(asked("Send Ingrid a letter."), config);
  await agent([new AIMessage("Done.")], options, checkpointer).invoke(new Command({ resume: { decisions: [{ type: "reject" }] } }), config);
  assert.equal(ran.length, 0);
  assert.equal(seen.length, 2);
  assert.equal(seen[0], seen[1]);
});

// LANG-3: without somebody to ask nothing runs.
test("without a checkpointer a call under review does not run", async () => {
  await agent([call("send_letter", { to: "Ingrid" }), new AIMessage("Done.")], { policy: LETTERS, answers: "pass" }).invoke(asked("Send Ingrid a letter.")).catch(() => undefined);
  assert.equal(ran.length, 0);
});

// LANG-3: a result that looks wrong reaches the model with a note.
test("a result is verified", async () => {
  const failing = tool(() => '{"error": "no such city"}', { name: "get_forecast", description: SCHEMAS.get_forecast.description, schema: SCHEMAS.get_forecast.schema });
  const model = fakeModel().respond(call("get_forecast", { city: "Bergen" })).respond(new AIMessage("I could not look it up."));
  const done = await createAgent({ model, tools: [failing], middleware: [countersign()] }).invoke(asked());
  assert.match(done.messages.find((message) => ToolMessage.isInstance(message)).text, /no such city.*This result looks wrong/s);
});

// LANG-3: what was said and not done goes back once.
test("an answer is examined", async () => {
  const says = [new AIMessage("I have sent the letter to Ingrid."), new AIMessage("I have not sent it yet.")];
  const done = await agent(says).invoke(asked("Send Ingrid a letter."));
  assert.deepEqual(done.messages.filter((message) => HumanMessage.isInstance(message)).map((message) => message.name), [undefined, "countersign"]);
  assert.equal(done.messages.at(-1).text, "I have not sent it yet.");
});

// LANG-3: what cannot be judged does not run, and the model is told.
test("it fails closed", async (context) => {
  context.mock.method(console, "error", () => undefined);
  const done = await agent([call("get_forecast", { city: "Bergen" }), new AIMessage("I could not look it up.")], { guard: broken, answers: "pass" }).invoke(asked());
  const told = done.messages.find((message) => ToolMessage.isInstance(message));
  assert.equal(ran.length, 0);
  assert.equal(told.status, "error");
  assert.match(told.text, /could not be checked/);
});

// LANG-3, CLAIM-2: what another agent wrote, under its name or as a tool, carries its unverified claims.
test("claims of another agent are marked", async () => {
  const report = new AIMessage({ content: "Sales rose 25% in March.", name: "researcher" });
  const told = [];
  const watching = createMiddleware({ name: "watching", wrapModelCall: (request, handler) => (told.push(...request.messages.map((message) => message.text)), handler(request)) });
  const graph = createAgent({ model: fakeModel().respond(new AIMessage("I see.")), tools, middleware: [countersign({ agents: ["researcher"] }), watching] });
  await graph.invoke({ messages: [new HumanMessage("How are sales?"), report, new HumanMessage("And now?")] });
  assert.match(told[1], /25%.*\n\n\[countersign: unverified: .*25%/s);
  assert.equal(told[0], "How are sales?");

  const researcher = tool(() => "Sales rose 25% in March.", { name: "researcher", description: "Asks the researcher.", schema: { type: "object", properties: {} } });
  const says = [call("researcher", {}), new AIMessage("Sales rose, but nobody has verified it.")];
  let model = fakeModel();
  for (const said of says) model = model.respond(said);
  const done = await createAgent({ model, tools: [...tools, researcher], middleware: [countersign({ agents: ["researcher"] })] }).invoke(asked("Ask the researcher how sales are."));
  assert.match(done.messages.find((message) => ToolMessage.isInstance(message)).text, /countersign: unverified: .*25%/);
});
