// What a verdict costs beside the two validators that most programs have: zod and ajv, in one run, on one call. They check the schema; a
// verdict also looks at the name, the meaning, dangers, permissions and where each value comes from. Run it where tools/test-npm has
// installed the package: PROFILE=release tools/test-npm, then `node speed.mjs` in the folder of its tests.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Ajv } from "ajv";
import { Guard } from "countersign";
import { z } from "zod";

const SCHEMA = {
  type: "object",
  required: ["restaurant", "guests", "date"],
  additionalProperties: false,
  properties: { restaurant: { type: "string" }, guests: { type: "integer", minimum: 1, maximum: 12 }, date: { type: "string" } },
};
const ASKED = [{ role: "user", content: "Reserve a table for 4 at Nordlys on 2031-05-02." }];
const RIGHT = { restaurant: "Nordlys", guests: 4, date: "2031-05-02" };

const guard = new Guard({ tools: [{ name: "reserve_table", description: "Reserve a table in a restaurant.", parameters: SCHEMA }] });
const ajv = new Ajv().compile(SCHEMA);
const zod = z.strictObject({ restaurant: z.string(), guests: z.int().min(1).max(12), date: z.string() });
const text = JSON.stringify(RIGHT);
const ways = {
  "countersign check, a right call": () => guard.check({ call: { name: "reserve_table", arguments: text }, messages: ASKED }).allowed,
  "countersign check, a call to mend": () => guard.check({ call: { name: "reserveTable", arguments: { ...RIGHT, guests: "4" } }, messages: ASKED }).allowed,
  "countersign verify": () => guard.verify({ call: { name: "reserve_table", arguments: RIGHT }, result: { content: { reserved: true } } }).status !== 0,
  "ajv, compiled": () => ajv(JSON.parse(text)),
  zod: () => zod.safeParse(JSON.parse(text)).success,
};

const rounds = Number(process.argv[2] ?? 5);
const best = Object.fromEntries(Object.keys(ways).map((name) => [name, Infinity]));
/** Time of the processor in microseconds: a busy machine makes us wait, but not work more. */
const spent = () => Object.values(process.cpuUsage()).reduce((sum, part) => sum + part);
// In turns, and the best of them: a busy machine slows all of them alike.
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    const times = name.startsWith("countersign") ? 2_000 : 200_000;
    const begin = spent();
    for (let at = 0; at < times; at++) if (!way()) throw new Error(name);
    best[name] = Math.min(best[name], (spent() - begin) / times);
  }
}
for (const [name, microseconds] of Object.entries(best)) console.log(`${name}: ${microseconds.toFixed(2)} µs`);
const wasm = readFileSync(new URL(import.meta.resolve("countersign/countersign.wasm")));
console.log(`countersign.wasm: ${wasm.length} bytes, ${gzipSync(wasm, { level: 9 }).length} packed`);
