// The screens "Verdicts", "Overview" and "Try it": what was decided and why, what it adds up to, and the tour.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeBrowser, leave, open, overflows, Server, TOOLS, until, upstream, violations } from "./world.mjs";

describe("the audit", () => {
  let server;
  before(async () => {
    server = await Server.start();
    for (const model of ["demo-types", "demo-types", "demo-name", "demo-unknown-tool", "demo-clean"]) {
      await server.ask("/v1/chat/completions", { model, messages: [{ role: "user", content: "What is the weather in Oslo for 3 days?" }], tools: TOOLS });
    }
    await until(async () => (await server.ask("/v1/verdicts")).verdicts.length >= 4, "verdicts are written");
  });
  after(async () => {
    await closeBrowser();
    await server.stop();
  });

  test("verdicts are searched by tool, status and code", async () => {
    const page = await open(server, "#/verdicts");
    await page.locator("[data-verdict]").first().waitFor();
    const all = await page.locator("[data-verdict]").count();
    const { verdicts } = await server.ask("/v1/verdicts");
    assert.equal(all, verdicts.length);
    const refused = verdicts.filter(({ verdict }) => verdict.status === "validation_failed").length;
    assert.ok(refused > 0 && refused < all);
    await page.getByLabel(/status/i).first().selectOption("validation_failed");
    await until(async () => (await page.locator("[data-verdict]").count()) === refused, "only refused calls are listed");
    await leave(page);
  });

  test("one verdict is a picture of the line, with what each check said and cost", async () => {
    const { verdicts } = await server.ask("/v1/verdicts");
    const repaired = verdicts.find(({ verdict }) => verdict.status === "caution");
    const page = await open(server, `#/verdicts/${repaired.verdict_id}`);
    await page.locator("[data-stop]").first().waitFor();
    const { line } = await server.ask(`/v1/verdicts/${repaired.verdict_id}`);
    assert.deepEqual(await page.locator("[data-stop]").evaluateAll((all) => all.map((element) => element.dataset.stop)), line.map(({ check }) => check));
    assert.match(await page.locator("main").innerText(), /µs/);
    const finding = repaired.verdict.findings[0];
    await page.getByText(finding.code).first().waitFor();
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1));
    await leave(page);
  });

  test("a check that the console does not know is shown by its name", async () => {
    const { verdicts } = await server.ask("/v1/verdicts");
    const told = await server.ask(`/v1/verdicts/${verdicts[0].verdict_id}`);
    const page = await open(server, "#/overview");
    await page.route(`**/v1/verdicts/${told.verdict_id}`, (route) => route.fulfill({ json: { ...told, line: [{ ...told.line[0], check: "weather-sense" }, ...told.line] } }));
    await page.goto(`${server.url}/#/verdicts/${told.verdict_id}`);
    await page.locator('[data-stop="weather-sense"] button').click();
    await page.locator("#stop-said h3", { hasText: "weather-sense" }).waitFor();
    await leave(page);
  });

  test("a verdict whose request is gone shows its findings, and what became of the call in words", async () => {
    const { verdicts } = await server.ask("/v1/verdicts");
    const { request, ...told } = await server.ask(`/v1/verdicts/${verdicts.find(({ verdict }) => verdict.status === "caution").verdict_id}`);
    const page = await open(server, "#/overview");
    await page.route(`**/v1/verdicts/${told.verdict_id}`, (route) => route.fulfill({ json: { ...told, line: null, line_same: undefined, outcome: "repeated" } }));
    await page.goto(`${server.url}/#/verdicts/${told.verdict_id}`);
    await page.locator(`[data-code="${told.verdict.findings[0].code}"]`).waitFor();
    assert.equal(await page.locator("[data-stop]").count(), 0);
    await page.getByText("a repeat, not passed on again").waitFor();
    await leave(page);
  });

  test("a policy is replayed over stored calls before it is in force", async () => {
    const page = await open(server, "#/policy/change");
    const policy = page.getByRole("textbox").first();
    await until(async () => (await policy.inputValue()).length > 0, "the policy in force is shown");
    await policy.fill('level = "strict"');
    await page.getByRole("button", { name: /replay/i }).last().click();
    await page.getByText(/caution → |caution -> /).first().waitFor();
    await policy.fill("level = 7 7");
    await page.getByRole("button", { name: /replay/i }).last().click();
    await page.getByText(/the policy cannot be used/).first().waitFor();
    // What is wrong is told while it is written, with its line.
    await page.getByText(/^Line 1:/).first().waitFor();
    assert.deepEqual(await violations(page), []);
    await leave(page);
  });

  // SERVE-7: the same cards as live, and nothing of the file is kept.
  test("a trace file is dropped, judged and shown like a live conversation, and stored nowhere", async () => {
    const before = (await server.ask("/v1/verdicts?of=all")).verdicts.length;
    const page = await open(server, "#/verdicts");
    await page.getByRole("link", { name: "Open a trace file" }).click();
    await page.locator('input[type="file"]').setInputFiles(new URL("../../examples/audit/support.jsonl", import.meta.url).pathname);
    await page.getByText(/4 conversations, 3 calls; 2 refused/).waitFor();
    await page.locator('[data-trace] [data-call][data-status="validation_failed"]').first().waitFor();
    await page.locator('[data-trace] [data-code="call.missing-field"]').first().waitFor();
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await overflows(page), false);
    await leave(page);
    assert.equal((await server.ask("/v1/verdicts?of=all")).verdicts.length, before);
  });

  test("the overview adds up", async () => {
    const stats = await server.ask("/v1/stats");
    const page = await open(server, "#/overview");
    const figure = (name) => page.locator(`[data-figure="${name}"]`).first();
    await figure("calls").waitFor();
    await until(async () => (await figure("calls").innerText()).includes(String(stats.calls)), "calls are counted");
    assert.ok((await figure("refused").innerText()).includes(String(stats.verdicts.validation_failed ?? 0)));
    await page.getByText("get_weather").first().waitFor();
    await page.locator("canvas, svg").first().waitFor();
    await page.getByRole("button", { name: /table/i }).first().click();
    await page.locator("main table").first().waitFor();
    for (const layer of ["disk", "store", "upstream", "config"]) await page.getByText(layer, { exact: false }).first().waitFor();
    assert.deepEqual(await violations(page), []);
    await leave(page);
  });
});

describe("answers in the audit", () => {
  const said = "I have sent the email to Ann.";
  let server, up;
  before(async () => {
    up = await upstream(async function* () {
      yield { text: said };
    });
    server = await Server.start({ args: ["--upstream-openai", up.url] });
    const call = { id: "c1", type: "function", function: { name: "send_email", arguments: '{"to":"ann@example.com","text":"report"}' } };
    const messages = [
      { role: "user", content: "Send the report to ann@example.com please." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: '{"status":"failed","error":"550 mailbox unavailable"}' },
    ];
    await server.ask("/v1/chat/completions", { model: "scripted", messages, tools: TOOLS, stream: true });
    await until(async () => (await server.ask("/v1/verdicts?of=answer")).verdicts.length === 1, "the answer is recorded");
  });
  after(async () => {
    await closeBrowser();
    await server.stop();
    up.stop();
  });

  // RESOLVE-3
  test("a doubtful answer is listed by its words, counted, and explained on its own page", async () => {
    const [answer] = (await server.ask("/v1/verdicts?of=answer")).verdicts;
    const page = await open(server, "#/verdicts");
    await page.locator("[data-verdict]").nth(1).waitFor();
    await page.getByLabel("Kind").selectOption("answer");
    await until(async () => (await page.locator("[data-verdict]").count()) === 1, "only the answer is listed");
    const row = page.locator(`[data-verdict="${answer.verdict_id}"]`);
    assert.match(await row.innerText(), /answer\b.*I have sent the email to Ann\./s);
    assert.deepEqual(await violations(page), []);
    await row.getByRole("link").first().click();
    await page.locator("h1", { hasText: "Answer" }).locator(`[data-status="${answer.status}"]`).waitFor();
    await page.getByText(said).first().waitFor();
    await page.locator('[data-code="answer.not-done"]').waitFor();
    const signals = answer.assessment.confidence.signals;
    assert.equal(await page.locator("[data-signal]:not([data-absent])").count(), Object.keys(signals).length);
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await overflows(page), false);
    await page.goto(`${server.url}/#/overview`);
    await until(async () => (await page.locator('[data-figure="doubtful"]').innerText()) === "1", "it is counted");
    await leave(page);
  });
});

describe("try it", () => {
  let server;
  before(async () => {
    server = await Server.start();
  });
  after(async () => {
    await closeBrowser();
    await server.stop();
  });

  // SERVE-7
  test("a first visit lands on the tour, and every stop shows a real answer", async () => {
    const page = await open(server, "#/");
    await until(() => page.url().includes("#/try"), "the tour is open");
    await page.locator("main h1").first().waitFor();
    for (const topic of ["call", "danger", "provenance", "output", "claims", "answer", "result", "gateway"]) {
      await page.goto(`${server.url}/#/try/${topic}`);
      const asked = page.waitForResponse((response) => /\/v1\//.test(response.url()) && response.request().method() === "POST");
      const button = page.getByRole("button", { name: /^(check|run|parse|find|score|verify|send|try|judge|ask|examine|mark|read)/i }).and(page.locator("main button")).first();
      await button.click();
      assert.equal((await asked).status(), 200, topic);
    }
    await leave(page);
  });

  test("broken JSON is told with its place", async () => {
    const page = await open(server, "#/try/call");
    const field = page.locator("main textarea").first();
    await field.fill('{"a": ]');
    await page.locator("main").getByText(/line 1/i).first().waitFor();
    await leave(page);
  });

  test("claims are marked in a pasted text", async () => {
    const page = await open(server, "#/try/claims");
    const field = page.locator('textarea[name="text"]');
    await field.fill("Revenue grew by 12.5% to $4 million.");
    await field.press("Control+Enter");
    await page.locator("[data-claim]", { hasText: "12.5%" }).first().waitFor();
    await leave(page);
  });
});
