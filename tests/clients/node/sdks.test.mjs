// The openai and @anthropic-ai/sdk packages: calls, agent loops, refusals, streams, errors, retries, cancellation.
import assert from "node:assert/strict";
import { LANES } from "./lanes.mjs";
import { broken, closedWithin, everywhere, EXPECTED, guarded, model, PLACE, run, seen, UPSTREAM } from "./place.mjs";

const wanted = (outcome) => outcome.calls.map(([, name, given]) => [name, given]);

/** The plainest agent loop: run what is asked for, give back the results, until there is an answer. */
async function agent(lane, client, name) {
  let history = lane.begin();
  const ran = [];
  for (let turn = 0; turn < 4; turn++) {
    const outcome = await lane.ask(client, name, history);
    if (!outcome.calls.length) return { ran, text: outcome.text };
    const results = outcome.calls.map(([id, called, given]) => [id, run(called, given)]);
    ran.push(...wanted(outcome));
    history = [...history, ...outcome.turn, ...lane.results(results)];
  }
  throw new Error("no answer after four turns");
}

const STATUSES = {
  "bad-request": [400, "BadRequestError", "context_length_exceeded"],
  "no-key": [401, "AuthenticationError", "invalid_api_key"],
  limited: [429, "RateLimitError", "rate_limit_exceeded"],
  "broken-server": [500, "InternalServerError", "server_error"],
  overloaded: [529, /InternalServerError|OverloadedError/, "overloaded"],
};

for (const lane of LANES) {
  const client = lane.client(PLACE);
  const direct = lane.client(UPSTREAM);

  // SERVE-6: sound calls pass as they are, and the loop ends with the final answer.
  for (const scenario of ["one-call", "text-then-call", "parallel-calls"])
    everywhere(`${lane.name}: ${scenario} runs`, async () => {
      const { ran, text } = await agent(lane, client, model(scenario));
      assert.deepEqual(ran, EXPECTED[scenario].calls);
      assert.match(text, /^Done: /);
    });

  for (const scenario of broken(lane.name)) {
    // This SDK takes the last id and name where the Python one glues them together.
    const unharmed = scenario === "deltas-repeated";

    // SERVE-6, PARSE-3, CALL-10: what the model got wrong is mended on the way.
    guarded(`${lane.name}: ${scenario} is mended`, async () => {
      const name = model(scenario);
      const { ran, text } = await agent(lane, client, name);
      assert.deepEqual(ran, EXPECTED[scenario].calls);
      assert.match(text, /^Done: /);
      assert.equal((await seen(name)).length, (EXPECTED[scenario].attempts ?? 1) + 1);
    });

    // The same, straight from the model.
    if (unharmed) continue;
    everywhere(`${lane.name}: ${scenario} stays broken without the gateway`, async () => {
      const outcome = await lane.ask(direct, model(scenario), lane.begin()).catch((error) => {
        assert.doesNotMatch(error.constructor.name, /Connection/);
      });
      if (outcome) assert.notDeepEqual(wanted(outcome), EXPECTED[scenario].calls);
    });
  }

  // CALL-10: a refused call is a readable text.
  guarded(`${lane.name}: a refused call is readable text`, async () => {
    const outcome = await lane.ask(client, model("stubborn"), lane.begin());
    assert.deepEqual(outcome.calls, []);
    assert.match(outcome.text, /get_weather/);
    assert.match(outcome.text, /unit/);
    assert.ok(["stop", "end_turn", "completed"].includes(outcome.finish), outcome.finish);
  });

  // CALL-11: one refusal does not drop its siblings.
  guarded(`${lane.name}: a good call beside a refused one is delivered`, async () => {
    const outcome = await lane.ask(client, model("stubborn-beside-good"), lane.begin());
    assert.deepEqual(wanted(outcome), [["add_numbers", { a: 10, b: 32 }]]);
    assert.match(outcome.text, /get_weather/);
  });

  // CALL-10: usage adds up over the attempts.
  guarded(`${lane.name}: usage adds up over corrections`, async () => {
    const outcome = await lane.ask(client, model("missing-field"), lane.begin());
    assert.deepEqual(outcome.usage, [22, 14]);
  });

  // SERVE-6: a cut answer is an error, never a call, never a silent end.
  guarded(`${lane.name}: a cut answer is an error`, async () => {
    const name = model("cut-stream");
    const error = await lane.ask(client, name, lane.begin()).then(() => undefined, (raised) => raised);
    assert.ok(error, "a cut answer was taken for a whole one");
    assert.equal((await seen(name)).length, 1, "the answer that was cut came from the upstream");
    if (lane.kind === "whole") assert.equal(error.status, 502);
  });

  // SERVE-6: typed errors with status, code and request id.
  for (const [scenario, [status, kind, code]] of Object.entries(STATUSES))
    everywhere(`${lane.name}: ${scenario} keeps its type`, async () => {
      const name = model(scenario);
      const error = await lane.ask(client, name, lane.begin()).catch((raised) => raised);
      assert.match(error.constructor.name, new RegExp(kind));
      assert.equal(error.status, status);
      assert.match(error.requestID ?? error.request_id, /^req_/);
      if (!lane.name.startsWith("messages")) assert.equal(error.code, code);
      assert.equal((await seen(name)).length, 1);
    });

  // SERVE-6: 429 with `retry-after-ms` reaches the client, and its own retry succeeds.
  everywhere(`${lane.name}: the client's own retry`, async () => {
    const name = model("limited-once");
    const outcome = await lane.ask(lane.client(PLACE, { maxRetries: 1 }), name, lane.begin());
    assert.equal(outcome.text, "Better now.");
    assert.equal((await seen(name)).length, 2);
  });

  if (lane.kind === "stream") streamed(lane, client);
}

function streamed(lane, client) {
  // SERVE-6: text arrives while the upstream still writes.
  everywhere(`${lane.name}: text arrives piece by piece`, async () => {
    const arrived = [];
    for await (const piece of lane.texts(client, model("clean-text"))) arrived.push([performance.now(), piece]);
    assert.equal(arrived.map(([, piece]) => piece).join(""), "Rain falls on the plain and stays there for a week.");
    assert.ok(arrived.length >= 8);
    assert.ok(arrived.at(-1)[0] - arrived[0][0] > 250);
  });

  // SERVE-6: an error in the stream is raised, after the text before it.
  everywhere(`${lane.name}: an error in the stream is raised`, async () => {
    let arrived = "";
    await assert.rejects(async () => {
      for await (const piece of lane.texts(client, model("error-in-stream"))) arrived += piece;
    }, /the model broke/);
    assert.equal(arrived, "Rain falls on ");
  });

  // SERVE-6: a client that goes away ends the upstream's work.
  everywhere(`${lane.name}: leaving ends the upstream request`, async () => {
    const name = model("slow-drip");
    const leaving = new AbortController();
    try {
      for await (const _ of lane.texts(client, name, leaving.signal)) leaving.abort();
    } catch (error) {
      assert.match(`${error.constructor.name} ${error.name} ${error.message}`, /abort/i);
    }
    assert.ok(await closedWithin(name, 2000));
  });
}
