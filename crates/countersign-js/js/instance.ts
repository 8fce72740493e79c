// Instances of the engine's code. The one thing that the engine asks of its caller are seeds for hash tables.

/** An instance, made at once. Chromium does so on a page's main thread for code up to 8 MB, which the released code is below. */
export function instantiate(code: WebAssembly.Module): WebAssembly.Instance {
  const { imports, bind } = link();
  return bind(new WebAssembly.Instance(code, imports));
}

/** An instance of code of any size. */
export async function instantiateLater(code: WebAssembly.Module): Promise<WebAssembly.Instance> {
  const { imports, bind } = link();
  return bind(await WebAssembly.instantiate(code, imports));
}

function link(): { imports: WebAssembly.Imports; bind: (instance: WebAssembly.Instance) => WebAssembly.Instance } {
  let memory: WebAssembly.Memory;
  const random = (at: number, length: number) => fillRandom(new Uint8Array(memory.buffer, at >>> 0, length >>> 0));
  const bind = (instance: WebAssembly.Instance) => {
    memory = instance.exports["memory"] as WebAssembly.Memory;
    return instance;
  };
  return { imports: { countersign: { random } }, bind };
}

/** Workers give no random numbers before the first request; the seed is a fixed one then. */
function fillRandom(bytes: Uint8Array<ArrayBuffer>): void {
  try {
    crypto.getRandomValues(bytes);
  } catch {
    bytes.fill(0x5a);
  }
}
