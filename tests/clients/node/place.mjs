// Where the Node tests find the gateway and the scripted upstream, and the two tools that the scripted model knows.
import { readFileSync } from "node:fs";
import { test } from "node:test";

export const UPSTREAM = process.env.COUNTERSIGN_TEST_UPSTREAM;
export const GATEWAY = process.env.COUNTERSIGN_TEST_GATEWAY ?? "";
export const PLACE = GATEWAY || UPSTREAM;
export const PROMPT = "What is the weather in Paris and in Oslo, in celsius? And what is 10 plus 32?";
export const EXPECTED = JSON.parse(readFileSync(new URL("./expected.json", import.meta.url)));

const LIMIT = { timeout: 30_000 };
let number = 0;

/** A name of its own for a scenario's model, so that its requests can be told apart. */
export const model = (scenario) => `${scenario}.js${process.pid}n${++number}`;

/** A test that runs with and without the gateway. */
export const everywhere = (name, body) => test(name, LIMIT, body);

/** A test that shows what the gateway does; left out with DIRECT=1. */
export const guarded = (name, body) => GATEWAY && test(name, LIMIT, body);

export const broken = (lane) =>
  Object.keys(EXPECTED).filter((name) => {
    const where = EXPECTED[name].broken ?? "";
    return where === "everywhere" || where.split(" ").includes(lane);
  });

/** What reached the upstream under this model's name. */
export async function seen(name) {
  const answer = await fetch(`${UPSTREAM}/control/requests?model=${name}`);
  return answer.json();
}

export async function closedWithin(name, milliseconds) {
  const until = Date.now() + milliseconds;
  while (Date.now() < until) {
    const last = (await seen(name)).at(-1);
    if (last.closed_after) return !last.finished;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

export const SCHEMAS = {
  get_weather: {
    description: "The weather in a city.",
    schema: {
      type: "object",
      properties: { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
      required: ["city", "unit"],
      additionalProperties: false,
    },
  },
  add_numbers: {
    description: "Adds two numbers.",
    schema: {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
  },
};

/** Runs a tool as careless agents do: whatever is wrong with the call is an exception here. */
export function run(name, given) {
  if (name === "get_weather" && given.city && given.unit) return `18 degrees ${given.unit} in ${given.city}`;
  if (name === "add_numbers" && Number.isInteger(given.a + given.b)) return `the sum is ${given.a + given.b}`;
  throw new Error(`cannot run ${name} with ${JSON.stringify(given)}`);
}
