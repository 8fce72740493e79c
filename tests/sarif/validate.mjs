// node validate.mjs FOLDER FILE: a SARIF log against the 2.1.0 schema that FOLDER's validator brings; prints what is wrong and leaves with 1.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, file] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const Ajv = require("ajv/dist/2020.js").default;
const formats = require("ajv-formats").default;
const read = (path) => JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));

const schema = read(join(folder, "node_modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json"));
const ajv = new Ajv({ strict: false, allErrors: true });
formats(ajv);
const valid = ajv.compile(schema);
const log = read(file);
if (!valid(log)) {
    for (const error of valid.errors.slice(0, 10)) console.error(`${error.instancePath}: ${error.message}`);
    process.exit(1);
}
console.log(log.runs.reduce((sum, run) => sum + run.results.length, 0));
