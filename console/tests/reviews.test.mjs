// The screen "Reviews": a person decides (REVIEW-1, REVIEW-2), with one key and with the mouse.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { closeBrowser, leave, open, Server, sleep, TOOLS, until, upstream, violations } from "./world.mjs";

const NAMED = { settings: { language: "en", theme: "system", reviewer: "ann" } };
const OTHER = { settings: { language: "en", theme: "system", reviewer: "bob" } };

after(closeBrowser);

describe("reviews", () => {
  let up, server;
  before(async () => {
    up = await upstream(async function* (request) {
      const last = request.messages.at(-1);
      if (last.role === "tool") yield { text: "The tool has answered, and Ann can read it now." };
      else yield { text: "The market grew by 25% in 2024, so I write to Ann.", call: { name: "send_email", arguments: { to: "ann@example.com", text: last.content, urgent: "true" } } };
    });
    server = await Server.start({ args: ["--upstream-openai", up.url] });
  });
  after(async () => {
    await server.stop();
    up.stop();
  });
  // What an earlier test left waiting is not the next one's business.
  beforeEach(async () => {
    for (const { review_id } of (await server.ask("/v1/reviews?state=pending")).reviews) await server.ask(`/v1/reviews/${review_id}/decision`, { decision: "reject", reviewer: "tests" }).catch(() => undefined);
  });

  /** Makes calls that wait for a person; gives the ids of their items, the oldest first. */
  async function waiting(...texts) {
    const ids = [];
    for (const text of texts) {
      const session = await server.session({ agent: "react", tools: TOOLS });
      await server.say(session, `Write to ann@example.com: ${text}`);
      const event = await until(async () => (await server.events(session)).find(({ event_type }) => event_type === "review_required"), "a person is asked");
      ids.push(event.payload.review_id);
    }
    return ids;
  }

  const state = async (id) => (await server.ask(`/v1/reviews/${id}`)).state;
  const decided = (id, wanted) => until(async () => (await state(id)) === wanted, `${id} is ${wanted}`);
  /** Waits until an item is open: a key that is pressed before it is there decides nothing. */
  const shows = (page, text) => page.locator(".review-side").getByText(text).first().waitFor();
  const item = (page, id) => page.locator(`[data-review="${id}"]`).first();

  // REVIEW-1, REVIEW-2
  test("a approves, j and k move, and the waiting agent goes on", async () => {
    const [one, two] = await waiting("number alpha", "number beta");
    const page = await open(server, "#/reviews", NAMED);
    await item(page, one).click();
    await shows(page, "number alpha");
    await page.keyboard.press("j");
    await until(() => page.url().includes(two), "the second is open");
    await page.keyboard.press("k");
    await until(() => page.url().includes(one), "the first is open");
    await shows(page, "number alpha");
    await page.keyboard.press("a");
    assert.equal(await state(one), "pending", "an approval can be taken back first");
    await decided(one, "approved");
    const review = await server.ask(`/v1/reviews/${one}`);
    assert.equal(review.decided.reviewer, "ann");
    const events = await until(async () => {
      const all = await server.events(review.session_id);
      return all.some(({ event_type }) => event_type === "tool_call") && all;
    }, "the agent goes on");
    assert.equal(events.find(({ event_type }) => event_type === "tool_call").payload.review_id, one);
    await leave(page);
  });

  test("u takes a decision back before it is sent", async () => {
    const [one] = await waiting("undo me");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "undo me");
    await page.keyboard.press("a");
    await page.keyboard.press("u");
    await sleep(6_500);
    assert.equal(await state(one), "pending");
    await leave(page);
  });

  test("leaving the page sends a decision that still waits", async () => {
    const [one] = await waiting("leave me");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "leave me");
    await page.keyboard.press("a");
    assert.equal(await state(one), "pending");
    await page.goto(`${server.url}/console/icon.svg`);
    await decided(one, "approved");
    await leave(page);
  });

  test("r rejects with a reason that the agent is told", async () => {
    const [one] = await waiting("reject me");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "reject me");
    await page.keyboard.press("r");
    const reason = page.locator('input[name="reason"]');
    await reason.fill("not to her");
    await reason.press("Enter");
    await decided(one, "rejected");
    assert.equal((await server.ask(`/v1/reviews/${one}`)).decided.reason, "not to her");
    await leave(page);
  });

  test("e edits in a form from the schema; the three versions are shown; the edit runs", async () => {
    const [one] = await waiting("edit me");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "edit me");
    await page.keyboard.press("e");
    const field = page.getByLabel(/^text/).first();
    await field.fill("edited by a person");
    const heads = await page.locator(".changes thead th").allTextContents();
    assert.equal(heads.filter(Boolean).length, 3, `model, corrected, reviewer: ${heads}`);
    assert.deepEqual(await violations(page), []);
    await page.locator('[data-action="approve"]').click();
    await decided(one, "edited");
    assert.equal((await server.ask(`/v1/reviews/${one}`)).decided.arguments.text, "edited by a person");
    await leave(page);
  });

  test("an edit that fails the checks stays, with its findings", async () => {
    const [one] = await waiting("fail me");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "fail me");
    await page.keyboard.press("e");
    await page.getByLabel(/^to/).first().fill("nobody at nowhere");
    await page.locator('[data-action="approve"]').click();
    await page.locator(".finding-error, [role=alert]").filter({ hasText: /e-?mail/i }).first().waitFor();
    assert.equal(await state(one), "pending");
    assert.equal(await page.getByLabel(/^to/).first().inputValue(), "nobody at nowhere", "what was typed is kept");
    await leave(page);
  });

  // REVIEW-1
  test("two reviewers on one item: a reservation is seen live, and only one decides", async () => {
    const [one] = await waiting("both of us");
    const ann = await open(server, `#/reviews/${one}`, NAMED);
    const bob = await open(server, `#/reviews/${one}`, OTHER);
    await shows(ann, "both of us");
    await shows(bob, "both of us");
    await ann.keyboard.press("s");
    await bob.locator("main").getByText(/ann/).first().waitFor();
    await until(async () => (await server.ask(`/v1/reviews/${one}`)).reserved_by === "ann", "ann has it");
    await bob.keyboard.press("a");
    await sleep(6_000);
    assert.equal(await state(one), "pending", "bob could not decide what ann has");
    await ann.keyboard.press("a");
    await decided(one, "approved");
    await until(async () => (await bob.locator(`[data-review="${one}"][data-state="pending"]`).count()) === 0, "bob sees that it is decided");
    await leave(ann);
    await leave(bob);
  });

  test("signals that are present are shown with their weights, and the countdown with what happens at its end", async () => {
    const [one] = await waiting("signals");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "signals");
    await page.locator("[data-signal]").first().waitFor();
    const text = await page.locator("main").innerText();
    assert.match(text, /1[0-5]:\d\d/, "a countdown");
    assert.match(text, /denied/i);
    const { assessment } = await server.ask(`/v1/reviews/${one}`);
    const present = Object.keys(assessment.signals).filter((name) => assessment.signals[name] !== null);
    assert.ok(present.length > 0 && present.length < 6, JSON.stringify(assessment));
    assert.deepEqual((await page.locator("[data-signal]").evaluateAll((all) => all.map((row) => row.dataset.signal))).sort(), present.sort(), "what is absent is not shown");
    for (const name of present) assert.ok(text.includes(`${Math.round(assessment.weights[name] * 100)} %`), `the weight of ${name}`);
    await leave(page);
  });

  test("identical calls are decided together, each by itself", async () => {
    const ids = await waiting("one of three", "two of three", "three of three");
    const page = await open(server, `#/reviews/${ids[0]}`, NAMED);
    await shows(page, "one of three");
    await page.getByRole("button", { name: /select all 3/i }).click();
    await page.getByRole("button", { name: /approve (all )?3/i }).click();
    for (const id of ids) await decided(id, "approved");
    await leave(page);
  });

  test("? shows the keys; keys do nothing while somebody types", async () => {
    const [one] = await waiting("help");
    const page = await open(server, `#/reviews/${one}`, NAMED);
    await shows(page, "help");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog");
    await help.waitFor();
    for (const key of ["a", "e", "r", "s", "j", "k", "u"]) assert.ok((await help.locator("kbd").allTextContents()).includes(key), key);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    await page.getByLabel(/^text/).first().click();
    await page.keyboard.type("area");
    await sleep(6_000);
    assert.equal(await state(one), "pending");
    await leave(page);
  });

  test("a name is asked for before the first decision where there are no keys", async () => {
    const [one] = await waiting("who are you");
    const page = await open(server, `#/reviews/${one}`);
    await shows(page, "who are you");
    await page.keyboard.press("a");
    const name = page.getByLabel(/your name/i).first();
    await name.fill("carol");
    await name.press("Enter");
    await until(async () => {
      if ((await state(one)) === "approved") return true;
      await page.keyboard.press("a");
      await sleep(6_000);
      return false;
    }, "it is approved", 30_000);
    assert.equal((await server.ask(`/v1/reviews/${one}`)).decided.reviewer, "carol");
    await leave(page);
  });

  test("a new item appears by itself, in Chinese too", async () => {
    const page = await open(server, "#/reviews", { locale: "zh-CN", settings: { language: "zh", theme: "system", reviewer: "安" } });
    await page.locator("main h1, main h2").first().waitFor();
    const [one] = await waiting("appear");
    await item(page, one).waitFor();
    await leave(page);
  });
});

describe("an item that nobody decides", () => {
  // REVIEW-1: expiry is a no.
  test("ends as denied on an open screen", async () => {
    const up = await upstream(async function* (request) {
      if (request.messages.at(-1).role === "tool") yield { text: "Nobody answered." };
      else yield { call: { name: "send_email", arguments: { to: "ann@example.com", text: "hi" } } };
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url, "--set", "sessions.review_expiry=8s"] });
    const session = await server.session({ agent: "react", tools: TOOLS });
    const page = await open(server, "#/reviews", NAMED);
    await page.locator("main h1, main h2").first().waitFor();
    await server.say(session, "Write hi to ann@example.com.");
    await page.locator('[data-review][data-state="pending"]').first().waitFor();
    await until(async () => (await page.locator('[data-review][data-state="pending"]').count()) === 0, "it is no longer pending");
    await leave(page);
    await server.stop();
    up.stop();
  });
});
