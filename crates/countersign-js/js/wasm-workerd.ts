// The engine's code in Cloudflare's workers, which may not compile at run time: the bundler hands over a module.
// @ts-ignore: only this bundler knows what the import is.
import code from "./countersign.wasm";
import { instantiate } from "./instance.js";

export const create = (): WebAssembly.Instance => instantiate(code);
