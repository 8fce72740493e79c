// The engine's code in Node, Deno and Bun: read and compiled at once.
import { readFileSync } from "node:fs";
import { instantiate } from "./instance.js";

const code = new WebAssembly.Module(readFileSync(new URL("./countersign.wasm", import.meta.url)));

export const create = (): WebAssembly.Instance => instantiate(code);
