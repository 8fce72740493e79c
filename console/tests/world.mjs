// What every browser test stands on: a real server on a free loopback port with its own data, a scripted upstream where a test
// needs words of its own, and a real Chromium that is watched: no request may leave our origin, nothing may break the
// Content-Security-Policy, and no script may fail unseen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const PROGRAM = process.env.COUNTERSIGN_BIN ?? new URL("../../target/debug/countersign", import.meta.url).pathname;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Slow machines get more patience; a wait that succeeds costs nothing. */
export const PATIENCE = Number(process.env.PATIENCE ?? 20_000);

/** A server that can be killed and started again at the same address. */
export class Server {
  constructor(options = {}) {
    this.options = options;
    this.data = mkdtempSync(join(tmpdir(), "countersign-console-"));
    this.log = "";
  }

  static async start(options) {
    const server = new Server(options);
    server.port = await freePort();
    await server.up();
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async up() {
    const { args = [], env = {} } = this.options;
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_(?!BIN)|OPENAI_|ANTHROPIC_)/.test(name)));
    this.child = spawn(PROGRAM, ["serve", "--listen", `127.0.0.1:${this.port}`, "--data-dir", this.data, ...args], { env: { ...clean, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.gone = gone;
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", (text) => (this.log = (this.log + text).slice(-200_000)));
    await until(async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok, "the server is ready", 60_000);
  }

  /** Dies as in a power cut. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.gone;
  }

  async stop() {
    this.child.kill("SIGKILL");
    await this.gone;
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Asks the server without a browser. */
  async ask(path, body, method = body === undefined ? "GET" : "POST") {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    if (this.options.key) headers.authorization = `Bearer ${this.options.key}`;
    const response = await fetch(this.url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text.startsWith("{") ? JSON.parse(text) : text;
  }

  async session(wish = {}) {
    return (await this.ask("/v1/sessions", { agent: "concierge", user: "ann", ...wish })).session_id;
  }

  relay(session, content, from = "writer", to = "editor") {
    return this.ask(`/v1/sessions/${session}/relay`, { from, to, content });
  }

  /** Says something without reading the answer: the turn goes on by itself. */
  async say(session, content) {
    const response = await fetch(`${this.url}/v1/sessions/${session}/messages`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ content }) });
    if (!response.ok) assert.fail(await response.text());
    await response.body.cancel();
  }

  /** The events of a session as the log has them. */
  async events(session) {
    const text = await this.ask(`/v1/sessions/${session}/events?mode=replay`);
    return text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)));
  }
}

/** An upstream whose answers a test writes: `answer(request)` gives pieces of text and calls, each with an optional pause before it. */
export async function upstream(answer) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", async () => {
      if (request.url.endsWith("/models")) return response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta, finish = null) => response.write(`data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
      let calls = 0;
      for await (const piece of answer(JSON.parse(body))) {
        if (piece.pause) await sleep(piece.pause);
        if (response.destroyed) return;
        if (piece.text !== undefined) chunk({ role: "assistant", content: piece.text });
        if (piece.call) chunk({ role: "assistant", tool_calls: [{ index: calls++, id: `call_${Math.random().toString(36).slice(2)}`, type: "function", function: { name: piece.call.name, arguments: typeof piece.call.arguments === "string" ? piece.call.arguments : JSON.stringify(piece.call.arguments) } }] });
      }
      chunk({}, calls > 0 ? "tool_calls" : "stop");
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => (server.closeAllConnections(), server.close()) };
}

let browser;

/** One browser for all tests of a file. */
async function theBrowser() {
  assert.ok(existsSync(CHROMIUM), `there is no Chromium at ${CHROMIUM}; set CHROMIUM, or run tools/test-console`);
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

/** A page of its own (own cookies, own storage), watched. `watched.check()` fails where something was wrong. */
export async function open(server, hash = "#/", options = {}) {
  const { settings, ...rest } = options;
  const context = await (await theBrowser()).newContext({ locale: "en-GB", viewport: { width: 1280, height: 860 }, ...rest });
  if (settings) await context.addInitScript((kept) => localStorage.setItem("countersign.console", kept), JSON.stringify(settings));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) wrong.push(`a request left our origin: ${request.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(`a script failed: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    wrong.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted ?Type|TrustedHTML/i.test(text)) wrong.push(text);
    // What the network or the server refused is part of some tests; what React complains of is a fault.
    else if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(text)) wrong.push(text);
  });
  page.wrong = wrong;
  await page.goto(`${server.url}/${hash}`);
  return page;
}

/** Leaves a page, and fails where anything was wrong with it. */
export async function leave(page) {
  const wrong = [...page.wrong];
  await page.context().close();
  assert.deepEqual(wrong, []);
}

/** What axe says is serious or worse. */
export async function violations(page) {
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated by the browser's own debugger, not by the page: the page's policy stays as it is.
  await page.evaluate(source);
  const found = await page.evaluate(async () => {
    const report = await globalThis.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    return report.violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`) }));
  });
  return found.filter(({ impact }) => impact === "serious" || impact === "critical");
}

/** Whether the page itself scrolls sideways. */
export function overflows(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
}

export async function until(done, what, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await done();
    if (answer) return answer;
    if (Date.now() > end) assert.fail(`waited ${patience} ms in vain until ${what}`);
    await sleep(50);
  }
}

export function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Tools that a test's session brings. */
export const TOOLS = [
  tool("get_weather", "Weather of a city for some days", { city: { type: "string", description: "The city" }, days: { type: "integer", minimum: 1, maximum: 14 } }, ["city"]),
  tool("send_email", "Sends an email", { to: { type: "string", format: "email" }, text: { type: "string" }, urgent: { type: "boolean" } }, ["to", "text"]),
];

function tool(name, description, properties, required) {
  return { type: "function", function: { name, description, parameters: { type: "object", properties, required } } };
}
