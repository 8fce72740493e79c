// The package in a real browser, without a bundler: fetched, compiled, and judging.
import assert from "node:assert/strict";
import { spawnSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { Guard } from "countersign";

const BROWSER = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].find((name) => name && spawnSync(name, ["--version"]).status === 0);
const REQUEST = {
  tools: [{ name: "get_weather", parameters: { type: "object", required: ["city"], properties: { city: { type: "string" } } } }],
  messages: [{ role: "user", content: "What is the weather in Bergen?" }],
  call: { name: "getWeather", arguments: { city: "Bergen" } },
};
const PAGE = `<!doctype html><meta charset="utf-8">
<script type="importmap">{"imports": {"countersign": "/dist/index.js", "#wasm": "/dist/wasm-web.js"}}</script>
<script type="module">
  const judged = import("countersign").then(({ Guard }) => new Guard().check(${JSON.stringify(REQUEST)}).json());
  judged.catch(String).then((said) => fetch("/said", { method: "POST", body: said }));
</script>`;

// LANG-2: the same bytes in a browser.
test("a page judges by itself", { skip: BROWSER === undefined && "there is no Chromium", timeout: 120_000 }, async () => {
  let told;
  const said = new Promise((resolve) => (told = resolve));
  const server = createServer((request, response) => serve(request, response, told));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${process.env.COUNTERSIGN_PLACE}/browser`];
  const browser = spawn(BROWSER, [...options, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
  const gone = new Promise((resolve) => browser.on("close", resolve));
  try {
    assert.equal(await Promise.race([said, gone]), new Guard().check(REQUEST).json());
  } finally {
    browser.kill();
    await gone;
    server.closeAllConnections();
    server.close();
  }
});

async function serve(request, response, told) {
  if (request.method === "POST") {
    let body = "";
    for await (const piece of request) body += piece;
    response.end();
    return told(body);
  }
  if (request.url === "/") return response.setHeader("content-type", "text/html").end(PAGE);
  const type = request.url.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  try {
    response.setHeader("content-type", type).end(readFileSync(new URL(`.${request.url.slice("/dist".length)}`, import.meta.resolve("countersign"))));
  } catch {
    response.writeHead(404).end();
  }
}
