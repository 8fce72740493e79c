// The engine's code in a browser: fetched from beside this file, which bundlers see and copy.
import { instantiate, instantiateLater } from "./instance.js";

const response = await fetch(new URL("./countersign.wasm", import.meta.url));
if (!response.ok) throw new Error(`countersign.wasm could not be fetched: ${response.status} ${response.statusText}`);

// A server that does not know the type of the file is no reason to fail.
const typed = response.headers.get("content-type")?.startsWith("application/wasm");
const code = await (typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
let first: WebAssembly.Instance | undefined = await instantiateLater(code);

export function create(): WebAssembly.Instance {
  const instance = first ?? instantiate(code);
  first = undefined;
  return instance;
}
