// What the tests of the frameworks share: one place with two tools, and what was run there.
export const ran = [];

export const SCHEMAS = {
  get_forecast: {
    description: "Get the weather forecast of a city for a number of days.",
    schema: { type: "object", required: ["city"], properties: { city: { type: "string" }, days: { type: "integer" } }, additionalProperties: false },
  },
  send_letter: { description: "Send a letter to somebody.", schema: { type: "object", required: ["to"], properties: { to: { type: "string" } }, additionalProperties: false } },
};

export function run(name, given) {
  ran.push([name, given]);
  return name === "get_forecast" ? { city: given.city, text: "rain, 9 degrees" } : { sent: true };
}

export const ASKED = "What will the weather be in Bergen for the next 3 days?";
export const LETTERS = '[[rules]]\nname = "letters"\ntools = ["send_letter"]\neffect = "review"\nreason = "letters are read first"\n';

/** A guard that cannot judge. */
export const broken = {
  check() {
    throw new Error("out of order");
  },
};
