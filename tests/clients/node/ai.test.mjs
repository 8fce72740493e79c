// The `ai` package with its OpenAI-compatible, OpenAI and Anthropic providers: whole agent loops, streams, errors, aborting.
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { closedWithin, everywhere, EXPECTED, guarded, model, PLACE, PROMPT, run, SCHEMAS, seen, UPSTREAM } from "./place.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

const PROVIDERS = {
  compatible: (base) => createOpenAICompatible({ name: "tests", baseURL: `${base}/v1`, apiKey: "test-key", includeUsage: true }),
  responses: (base) => createOpenAI({ baseURL: `${base}/v1`, apiKey: "test-key" }).responses,
  messages: (base) => createAnthropic({ baseURL: `${base}/v1`, apiKey: "test-key" }),
};
const MENDED = ["misspelt-name", "number-as-text", "broken-json", "missing-field", "one-of-two-missing", "call-as-text"];
const CHAT_MENDED = ["deltas-no-index", "deltas-from-one", "deltas-repeated"];

/** The package's own loop, with tools that remember what they were asked to do. */
async function agent(provider, base, name, way, ran = []) {
  const made = ([called, { description, schema }]) => {
    const execute = async (given) => {
      ran.push([called, given]);
      return run(called, given);
    };
    return [called, tool({ description, inputSchema: jsonSchema(schema), execute })];
  };
  const tools = Object.fromEntries(Object.entries(SCHEMAS).map(made));
  const about = { model: PROVIDERS[provider](base)(name), tools, prompt: PROMPT, stopWhen: stepCountIs(4), maxRetries: 0 };
  if (way === "whole") return { ran, text: (await generateText(about)).text };
  let failed;
  const result = streamText({ ...about, onError: ({ error }) => (failed ??= error) });
  await result.consumeStream({ onError: (error) => (failed ??= error) });
  if (failed) throw failed;
  return { ran, text: await result.text };
}

const order = (ran) => ran.map((call) => JSON.stringify(call)).sort();

for (const provider of Object.keys(PROVIDERS))
  for (const way of ["whole", "stream"]) {
    const lane = `ai ${provider} ${way}`;

    // SERVE-6: the loop runs the tools and ends with the final answer.
    for (const scenario of ["one-call", "text-then-call", "parallel-calls"])
      everywhere(`${lane}: ${scenario} runs`, async () => {
        const { ran, text } = await agent(provider, PLACE, model(scenario), way);
        assert.deepEqual(order(ran), order(EXPECTED[scenario].calls));
        assert.match(text, /Done: .*degrees/);
      });

    // SERVE-6, PARSE-3, CALL-10: broken calls are mended before the package sees them.
    for (const scenario of [...MENDED, ...(provider === "compatible" && way === "stream" ? CHAT_MENDED : [])])
      guarded(`${lane}: ${scenario} is mended`, async () => {
        const name = model(scenario);
        const { ran, text } = await agent(provider, PLACE, name, way);
        assert.deepEqual(order(ran), order(EXPECTED[scenario].calls));
        assert.match(text, /Done: /);
        assert.equal((await seen(name)).length, (EXPECTED[scenario].attempts ?? 1) + 1);
      });

    // The same, straight from the model: the tool does not run.
    everywhere(`${lane}: a misspelt name runs nothing without the gateway`, async () => {
      const name = model("misspelt-name");
      const ran = [];
      await agent(provider, UPSTREAM, name, way, ran).catch(() => {});
      assert.deepEqual(ran, []);
      assert.ok((await seen(name))[0].finished);
    });

    // CALL-10: a refused call is a readable text.
    guarded(`${lane}: a refused call is readable text`, async () => {
      const { ran, text } = await agent(provider, PLACE, model("stubborn"), way);
      assert.deepEqual(ran, []);
      assert.match(text, /get_weather/);
      assert.match(text, /unit/);
    });

    // SERVE-6: a cut answer is an error, and nothing runs.
    guarded(`${lane}: a cut answer is an error`, async () => {
      const name = model("cut-stream");
      const ran = [];
      const error = await agent(provider, PLACE, name, way, ran).then(() => undefined, (raised) => raised);
      assert.ok(error, "a cut answer was taken for a whole one");
      assert.deepEqual(ran, []);
      assert.equal((await seen(name)).length, 1, "the answer that was cut came from the upstream");
      if (way === "whole") assert.equal(error.statusCode, 502);
    });

    // SERVE-6: errors keep status and headers.
    for (const [scenario, status] of [["bad-request", 400], ["limited", 429], ["overloaded", 529]])
      everywhere(`${lane}: ${scenario} keeps its status`, async () => {
        const error = await agent(provider, PLACE, model(scenario), way).catch((raised) => raised);
        assert.ok(APICallError.isInstance(error), String(error));
        assert.equal(error.statusCode, status);
        assert.match(error.responseHeaders["x-request-id"], /^req_/);
      });
  }

for (const provider of Object.keys(PROVIDERS)) {
  const ask = (scenario, more = {}) => streamText({ model: PROVIDERS[provider](PLACE)(scenario), prompt: PROMPT, maxRetries: 0, onError: () => {}, ...more });

  // SERVE-6: text arrives while the upstream still writes.
  everywhere(`ai ${provider}: text arrives piece by piece`, async () => {
    const arrived = [];
    for await (const piece of ask(model("clean-text")).textStream) arrived.push([performance.now(), piece]);
    assert.equal(arrived.map(([, piece]) => piece).join(""), "Rain falls on the plain and stays there for a week.");
    assert.ok(arrived.at(-1)[0] - arrived[0][0] > 250);
  });

  // SERVE-6: the package's own retry.
  everywhere(`ai ${provider}: its own retry`, async () => {
    const name = model("limited-once");
    const answer = await generateText({ model: PROVIDERS[provider](PLACE)(name), prompt: PROMPT, maxRetries: 1 });
    assert.equal(answer.text, "Better now.");
    assert.equal((await seen(name)).length, 2);
  });

  // SERVE-6: aborting ends the upstream's work.
  everywhere(`ai ${provider}: aborting ends the upstream request`, async () => {
    const name = model("slow-drip");
    const leaving = new AbortController();
    try {
      for await (const _ of ask(name, { abortSignal: leaving.signal }).textStream) leaving.abort();
    } catch (error) {
      assert.match(`${error.name} ${error.message}`, /abort/i);
    }
    assert.ok(await closedWithin(name, 2000));
  });
}
