// The client against a real server on a free port of loopback: the engine's routes, a turn, a stream that breaks, stop, reviews.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer, connect } from "node:net";
import { after, before, test } from "node:test";
import { Guard } from "countersign";
import { Client, isTerminal, Refused } from "countersign/client";

let server;
let url;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, COUNTERSIGN_DATA_DIR: ":memory:" };
  server = spawn(process.env.COUNTERSIGN_BIN, ["serve", "--listen", `127.0.0.1:${port}`], { env, stdio: ["ignore", "pipe", "pipe"], cwd: process.env.COUNTERSIGN_PLACE });
  let said = "";
  server.stdout.on("data", (data) => (said += data));
  server.stderr.on("data", (data) => (said += data));
  for (let tries = 0; tries < 300; tries++) {
    if (await fetch(`${url}/readyz`).then((answer) => answer.ok, () => false)) return;
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server did not start: ${said}`);
});

after(() => server?.kill());

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function all(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

// LANG-2: the server's verdict is the engine's.
test("the routes of the engine", async () => {
  const client = new Client({ url });
  const request = {
    tools: [{ name: "get_weather", parameters: { type: "object", required: ["city"], properties: { city: { type: "string" } } } }],
    messages: [{ role: "user", content: "What is the weather in Bergen?" }],
    call: { name: "getWeather", arguments: { city: "Bergen" } },
  };
  assert.deepEqual(await client.check(request), JSON.parse(new Guard().check(request).json()));
  assert.ok((await client.claims({ text: "Sales grew by 25% in 2024." })).claims.length > 0);
  await assert.rejects(client.check({}), (error) => error instanceof Refused && error.status === 400);
  await assert.rejects(new Client({ url: "http://127.0.0.1:9" }).check(request), (error) => error.code === "unreachable");
});

// LANG-2
test("a turn ends with one terminal event, and is read again from its beginning", async () => {
  const client = new Client({ url });
  const session = await client.openSession({ agent: "concierge", user: "ann" });
  const events = await all(client.say(session, "How did the market do?"));
  assert.equal(events.filter(isTerminal).length, 1);
  assert.ok(isTerminal(events.at(-1)));
  const again = await all(client.events(session));
  assert.deepEqual(again.map((event) => event.id), events.map((event) => event.id));
  const rest = await all(client.events(session, { after: events[1].id }));
  assert.deepEqual(rest.map((event) => event.id), events.slice(2).map((event) => event.id));
});

/** A line to the server that is cut after so many bytes, as often as `cuts` says. */
async function cutter(bytes, cuts) {
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), "127.0.0.1");
    let left = bytes;
    client.pipe(upstream);
    upstream.on("data", (data) => {
      if (cuts.left > 0 && (left -= data.length) < 0) {
        cuts.left -= 1;
        client.destroy();
        upstream.destroy();
      } else client.write(data);
    });
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

// LANG-2: a stream that breaks is taken up again by Last-Event-ID: no event is missed and none comes twice.
test("a stream that breaks is taken up again", async () => {
  const client = new Client({ url });
  const session = await client.openSession({ agent: "concierge", user: "ann" });
  const cuts = { left: 3 };
  const proxy = await cutter(2_000, cuts);
  try {
    const broken = new Client({ url: `http://127.0.0.1:${proxy.address().port}` });
    const events = await all(broken.say(session, "How did the market do?"));
    assert.ok(cuts.left < 3, "the line was never cut");
    const whole = await all(client.events(session));
    assert.deepEqual(events.map((event) => event.id), whole.map((event) => event.id));
    assert.ok(isTerminal(events.at(-1)));
  } finally {
    proxy.close();
  }
});

// LANG-2
test("a session is stopped and goes on", async () => {
  const client = new Client({ url });
  const session = await client.openSession({ agent: "concierge", user: "ann" });
  const state = await client.stop(session);
  assert.ok(state.flags.some((flag) => flag.session_id === session));
  const events = await all(client.say(session, "How did the market do?"));
  assert.equal(events.at(-1).event_type, "stopped");
  const cleared = await client.resume(session);
  assert.ok(!cleared.flags.some((flag) => flag.session_id === session));
});

// LANG-2: what needs a person waits in the queue; a decision lets the turn go on.
test("a person decides", async () => {
  const client = new Client({ url });
  const parameters = { type: "object", properties: { to: { type: "string" }, text: { type: "string" } }, required: ["to", "text"] };
  const session = await client.openSession({ agent: "react", model: "demo-clean", tools: [{ type: "function", function: { name: "send_email", parameters } }] });
  for await (const event of client.say(session, "Send an email to ann@example.com: hi")) {
    if (event.event_type !== "review_required") continue;
    const [item] = (await client.reviews()).filter((review) => review.session_id === session);
    assert.equal(item.tool, "send_email");
    await client.decide(item.review_id, { decision: "reject", reason: "not today" });
    break;
  }
  const [decided] = (await client.reviews({ state: "rejected" })).filter((review) => review.session_id === session);
  assert.equal(decided.decided?.reason ?? decided.decision?.reason, "not today");
});
