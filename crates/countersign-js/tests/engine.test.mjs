// The engine in JavaScript: the same bytes as the command line, errors that say where, outputs read while they come.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as countersign from "countersign";
import { EngineError, Guard, Parser, Policy, PolicyError, RequestError } from "countersign";

const ROOT = process.env.COUNTERSIGN_ROOT;
const WEATHER = {
  name: "get_weather",
  description: "Get the weather forecast of a city.",
  parameters: {
    type: "object",
    required: ["city"],
    properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
  },
};
const ASKED = [{ role: "user", content: "What will the weather be in Bergen for the next 3 days?" }];

/** The requests of the conformance cases, by command. */
function requests() {
  const found = { check: [], verify: [], score: [], step: [], parse: [], claims: [] };
  const lines = (folder) => readdirSync(`${ROOT}/conformance/${folder}`).flatMap((file) => readFileSync(`${ROOT}/conformance/${folder}/${file}`, "utf8").split("\n").filter(Boolean));
  for (const line of lines("cases")) {
    const { command, request } = JSON.parse(line);
    if (found[command]) found[command].push(JSON.stringify(request));
  }
  found.check.push(...lines("calls"));
  found.verify.push(...lines("results"));
  found.score.push(...lines("scores"));
  found.claims.push(...lines("claims"));
  found.parse.push(...lines("parse").filter((line) => "input" in JSON.parse(line)));
  return found;
}

/** What a support is made of (`exp`, `ln_1p`) is the platform's: the last digit of a signal may be another one in WebAssembly. */
const rounded = (line) => line.replace(/\d\.\d{13,}/g, (number) => Number(number).toPrecision(12));

// LANG-2: one law. What JavaScript says is byte for byte what the command line says, on every conformance case.
for (const [command, lines] of Object.entries(requests())) {
  test(`${command}: the same bytes as the command line, ${lines.length} times`, () => {
    assert.ok(lines.length > 20, `only ${lines.length} cases of ${command}`);
    const { stdout, stderr } = spawnSync(process.env.COUNTERSIGN_BIN, [command, "--format", "jsonl"], { input: lines.join("\n"), encoding: "utf8", maxBuffer: 1 << 28 });
    const expected = stdout.split("\n").filter(Boolean);
    assert.equal(expected.length, lines.length, stderr);
    const guard = new Guard();
    const same = command === "score" || command === "step" ? rounded : (line) => line;
    lines.forEach((line, at) => {
      if (JSON.parse(expected[at]).error) assert.throws(() => guard[command](line), RequestError, line);
      else assert.equal(same(guard[command](line).json()), same(expected[at]), line);
    });
  });
}

// LANG-2
test("a verdict is an object with members", () => {
  const verdict = new Guard({ tools: [WEATHER] }).check({ call: { name: "getWeather", arguments: '{"city": "Bergen", "days": "3"}' }, messages: ASKED });
  assert.equal(verdict.status, "caution");
  assert.ok(verdict.allowed && !verdict.needsReview);
  assert.deepEqual([verdict.call.name, verdict.call.arguments], ["get_weather", { city: "Bergen", days: 3 }]);
  assert.ok(verdict.findings.length > 0 && verdict.findings.every((found) => found.code && found.evidence));
  assert.deepEqual(JSON.parse(JSON.stringify(verdict)), JSON.parse(verdict.json()));
  const refused = new Guard({ tools: [WEATHER] }).check({ call: { name: "get_weather", arguments: {} } });
  assert.equal(refused.call, null);
  assert.match(refused.feedback, /city/);
});

// LANG-2: an ordinary call passes as it came.
test("a right call is approved", () => {
  const verdict = new Guard({ tools: JSON.stringify([WEATHER]) }).check({ call: { name: "get_weather", arguments: { days: 3, city: "Bergen" } }, messages: ASKED });
  assert.equal(verdict.status, "approved");
  assert.deepEqual(Object.keys(verdict.call.arguments), ["days", "city"]);
});

// LANG-2
test("errors say what was wrong and where", () => {
  assert.throws(() => countersign.check({}), (error) => error instanceof RequestError && error.param === "call" && /needs a `call`/.test(error.message));
  assert.throws(() => countersign.check('{"call":'), /at column 8$/);
  assert.throws(() => countersign.check({ call: { name: "x", arguments: { n: Infinity } } }), /`request` is not JSON: `n` is Infinity/);
  assert.throws(() => countersign.check({ call: { name: "x", arguments: { n: 1n } } }), RequestError);
  assert.throws(() => new Guard({ level: "hard" }), /strict, moderate or lenient/);
  assert.throws(() => new Guard({ tools: "[" }), (error) => error instanceof RequestError && error.param === "tools");
  assert.throws(() => new Policy('[checks]\nschema = "loud"\n'), (error) => error instanceof PolicyError && error.line === 2 && error.column === 10);
});

// LANG-2
test("a policy decides", () => {
  const policy = new Policy('[[rules]]\nname = "closed"\ntools = ["get_weather"]\neffect = "deny"\nreason = "the forecast is closed"\n');
  const verdict = new Guard({ tools: [WEATHER], policy }).check({ call: { name: "get_weather", arguments: { city: "Bergen" } }, messages: ASKED });
  assert.equal(verdict.status, "rejected");
  assert.match(verdict.explanation, /the forecast is closed/);
});

// LANG-2: also where a piece ends in the middle of a character.
test("an output is read while it comes", () => {
  const output = 'Let me look 🔎.<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen",}}</tool_call>';
  const parser = new Parser({ tools: [WEATHER] });
  const events = [];
  for (let at = 0; at < output.length; at++) events.push(...parser.push(output[at]));
  events.push(...parser.finish("stop"));
  assert.deepEqual(events.map((event) => event.type).filter((type) => type.startsWith("call")), ["call_start", "call_end"]);
  const whole = countersign.parse({ input: output, tools: [WEATHER], finish_reason: "stop" });
  assert.equal(parser.reading.json(), whole.json());
  assert.ok(whole.text.includes("🔎"));
  assert.deepEqual(whole.calls[0].arguments, { city: "Bergen" });
  assert.throws(() => parser.push("more"), /finished/);
});

// LANG-2: answers are held against what was done.
test("an answer is examined", () => {
  const guard = new Guard({ tools: [{ name: "send_email", description: "Send an email.", parameters: { type: "object", properties: { to: { type: "string" } } } }] });
  const messages = [{ role: "user", content: "Send the minutes to Ingrid." }];
  assert.ok(guard.answer({ messages, response: "I have sent the email to Ingrid." }).faults.length > 0);
  assert.equal(guard.answer({ messages, response: "" }), null);
});

// LANG-2: hostile input ends in a report or an error, and the next request is judged.
test("nothing that a model writes takes the engine down", () => {
  const guard = new Guard({ tools: [WEATHER] });
  const deep = "[".repeat(100_000);
  for (const input of [deep, `{"a":${deep}`, "<tool_call>".repeat(20_000), "\u0000\ud800", "(".repeat(50_000)]) {
    try {
      guard.parse({ input });
    } catch (error) {
      assert.ok(error instanceof RequestError, String(error));
    }
    try {
      guard.check({ call: { name: "get_weather", arguments: input }, messages: [{ role: "user", content: input }] });
    } catch (error) {
      assert.ok(error instanceof RequestError, String(error));
    }
  }
  assert.equal(guard.check({ call: { name: "get_weather", arguments: { city: "Bergen" } }, messages: ASKED }).status, "approved");
});

// LANG-2: an instance that failed is replaced: the request is not judged, the next one is.
test("a failure of the engine is an error, and the guard goes on", () => {
  const guard = new Guard({ tools: [WEATHER] });
  const parser = guard.parser();
  const request = { call: { name: "get_weather", arguments: { city: "Bergen" } }, messages: ASKED };
  const { set } = Uint8Array.prototype;
  Uint8Array.prototype.set = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  try {
    assert.throws(() => guard.check(request), EngineError);
  } finally {
    Uint8Array.prototype.set = set;
  }
  assert.equal(guard.check(request).status, "approved");
  assert.throws(() => parser.push("x"), EngineError);
});
