// The console against its enemies: schemas, names and numbers that a model, a tool or another reviewer chose, pages beside ours, and
// an upstream that answers with a page (SERVE-1, SERVE-7). What hostile text does on "Live" stands in live.test.mjs.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { closeBrowser, leave, open, overflows, Server, sleep, until, upstream } from "./world.mjs";

/** Characters that nobody sees: bidi marks, characters without width, selectors, tags. */
const UNSEEN = "ab\u202Ecd\u2066ef\u200Bgh\uFE01ij\u{1D173}kl\u180Bmn\u{E0041}op\uFFF0qr";
const SEEN = ["U+202E", "U+2066", "U+200B", "U+FE01", "U+1D173", "U+180B", "U+E0041", "U+FFF0"];
const ENDLESS = "W".repeat(2_000);
const NAMED = { settings: { language: "en", theme: "system", reviewer: "rita" } };

after(closeBrowser);

describe("a hostile tool", () => {
  let server, up, next;
  before(async () => {
    up = await upstream(async function* (request) {
      if (request.messages.at(-1).role === "tool") yield { text: "Done." };
      else yield { call: { name: "send_email", arguments: next } };
    });
    server = await Server.start({ args: ["--upstream-openai", up.url] });
  });
  after(async () => {
    await server.stop();
    up.stop();
  });

  /** A call that waits for a person. */
  async function waiting(properties, given, description = "Sends an email") {
    const known = new Set((await server.ask("/v1/reviews?state=pending")).reviews.map((review) => review.review_id));
    next = given;
    const session = await server.session({ agent: "react", tools: [{ type: "function", function: { name: "send_email", description, parameters: { type: "object", properties } } }] });
    await server.say(session, "Please do.");
    return until(async () => (await server.ask("/v1/reviews?state=pending")).reviews.find((review) => !known.has(review.review_id))?.review_id, "a person is asked");
  }

  const close = (id) => server.ask(`/v1/reviews/${id}/decision`, { decision: "reject" });

  test("its words are shown with nothing hidden, pollute nothing and break nothing", async () => {
    const properties = JSON.parse('{"__proto__": {"type": "object", "properties": {"polluted": {"type": "string"}}}, "constructor": {"type": "string"}}');
    properties.to = { type: "string", format: "__proto__", title: UNSEEN, description: UNSEEN + ENDLESS };
    properties[UNSEEN] = { type: "string", format: "__defineGetter__", enum: [UNSEEN, "b"] };
    const given = `{"to": ${JSON.stringify(UNSEEN)}, ${JSON.stringify(UNSEEN)}: ${JSON.stringify(UNSEEN)}, "__proto__": {"polluted": "yes"}, "constructor": "x"}`;
    const id = await waiting(properties, given, UNSEEN + ENDLESS);
    const page = await open(server, `#/reviews/${id}`);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator(".fields").waitFor();
      assert.equal(await page.evaluate(() => ({}).polluted), undefined);
      assert.equal(await overflows(page), false, `${width} px: the page scrolls sideways`);
      // What the tool says of itself comes with the details, after the item.
      await until(async () => (await page.locator(".review-head").innerText()).includes(SEEN[0]), "the details are shown");
      for (const code of SEEN) assert.ok((await page.locator(".review-head").innerText()).includes(code), code);
      assert.deepEqual(await unseen(page), []);
    }
    await leave(page);
    await close(id);
  });

  test("its pattern does not keep the page busy", async () => {
    const [one, two] = [{ type: "string", pattern: "^((a)|(a))+$" }, { type: "string", pattern: "^\\w*\\w*\\w*\\w*\\w*\\w*!$" }];
    const id = await waiting({ one, two }, { one: "a".repeat(40), two: `${"a".repeat(1_500)}!` });
    const page = await open(server, `#/reviews/${id}`);
    const fields = page.locator(".fields :is(input, textarea)");
    for (const at of [0, 1]) {
      await fields.nth(at).fill(`${"a".repeat(40)}b`, { timeout: 5_000 });
      assert.equal(await Promise.race([page.evaluate(() => "answers"), sleep(5_000)]), "answers");
    }
    await leave(page);
    await close(id);
  });

  test("a number that JavaScript cannot hold is shown and sent back as it was written", async () => {
    const id = await waiting({ account: { type: "integer" }, note: { type: "string" } }, '{"account": 9007199254740993, "note": "rent"}');
    const page = await open(server, `#/reviews/${id}`, NAMED);
    const account = page.locator(".fields").getByLabel(/account/);
    await until(async () => (await account.inputValue()) === "9007199254740993", "the number is shown as it was written");
    assert.doesNotMatch(await page.locator("main").innerText(), /9007199254740992/);
    const sent = page.waitForRequest((request) => request.url().endsWith("/decision"));
    await page.locator(".fields").getByLabel(/note/).fill("the rent");
    await page.locator("[data-action=approve]").click();
    // A page that is left sends at once what waits.
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    assert.match((await sent).postData(), /"account":9007199254740993[,}]/);
    await until(async () => (await server.ask(`/v1/reviews/${id}`)).state === "edited", "the edit is taken");
    await leave(page);
  });

  test("a group shows every argument in whole, and a double click decides one item", async () => {
    const text = { type: "string" };
    const ids = [];
    for (const one of ["one", "two"]) ids.push(await waiting({ text, to: text }, { text: `${one} `.repeat(100), to: "mallory@evil.example" }));
    const page = await open(server, `#/reviews/${ids[0]}`, NAMED);
    await page.getByRole("button", { name: /Select all 2/ }).click();
    for (const shown of await page.locator(".group label .grow > code").allTextContents()) assert.ok(shown.includes("mallory@evil.example"), shown);
    await page.keyboard.press("Escape");
    await page.locator("[data-action=approve]").dblclick();
    await page.locator("[data-way=waiting]").first().waitFor();
    assert.equal(await page.locator("[data-way=waiting]").count(), 1);
    await page.keyboard.press("u");
    await leave(page);
    for (const id of ids) await close(id);
  });

  test("a reviewer's name hides nothing and cannot pass for another version", async () => {
    const id = await waiting({ note: { type: "string" } }, { note: "x" });
    await server.ask(`/v1/reviews/${id}/decision`, { decision: "edit", arguments: { note: "y" }, reviewer: `Corrected${UNSEEN}` });
    const page = await open(server, `#/reviews/${id}`);
    await page.locator(".changes thead th").first().waitFor();
    const heads = await page.locator(".changes thead th").allTextContents();
    assert.equal(new Set(heads).size, heads.length);
    assert.match(heads.at(-1), /^Reviewer: .*U\+202E/);
    assert.deepEqual(await unseen(page), []);
    await leave(page);
  });
});

describe("a hostile message", () => {
  let server;
  before(async () => (server = await Server.start()));
  after(() => server.stop());

  test("Markdown that is nested without end does not take the page with it", async () => {
    const session = await server.session();
    const texts = [">".repeat(20_000), "- ".repeat(10_000), `${"*a ".repeat(1_000)}${"a* ".repeat(1_000)}`];
    for (const text of texts) await server.relay(session, text);
    const page = await open(server, `#/live/${session}`);
    await page.locator("[data-message]").first().waitFor();
    assert.equal(await Promise.race([page.evaluate(() => "answers"), sleep(5_000)]), "answers");
    await leave(page);
  });

  test("a link says where it leads, whatever its words say", async () => {
    const session = await server.session();
    await server.relay(session, "[https://bank.example/](https://evil.example/) and [https://evil.example/a](https://evil.example/b) and [pay](https://bank.example@evil.example/)");
    const page = await open(server, `#/live/${session}`);
    await page.locator(".markdown a").first().waitFor();
    assert.equal(await page.locator(".markdown").innerText(), "https://bank.example/ (evil.example) and https://evil.example/a and pay (evil.example)");
    await leave(page);
  });

  test("an address with dots asks no other path of the server", async () => {
    const page = await open(server, "#/live");
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const place of ["live/..", "live/%2e%2e", "reviews/..", "verdicts/..", "live/."]) {
      await page.goto(`${server.url}/#/${place}`);
      await page.locator("main h1, main h2").first().waitFor();
      await sleep(100);
    }
    assert.deepEqual(asked.filter((path) => /^\/v1\/?(events|stop)?$/.test(path)), []);
    await leave(page);
  });
});

describe("a server with keys", () => {
  const [ONE, TWO] = ["the-first-key-of-these-tests", "the-second-key-of-these-tests"];
  let server, evil, foe;
  before(async () => {
    foe = createServer((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("foe"));
    await new Promise((resolve) => foe.listen(0, "127.0.0.1", resolve));
    // An upstream that answers with a page, and would sign the browser in as somebody else.
    evil = createServer((_request, response) => response.writeHead(200, { "content-type": "text/html", "content-security-policy": "default-src * 'unsafe-inline'", "set-cookie": "countersign_console=ZXZpbA; Path=/" }).end("<title>quiet</title><script>document.title = 'owned'</script>"));
    await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
    server = await Server.start({ key: ONE, env: { COUNTERSIGN_API_KEYS: `${ONE},${TWO}` }, args: ["--upstream-openai", `http://127.0.0.1:${evil.address().port}/v1`] });
  });
  after(async () => {
    await server.stop();
    for (const one of [evil, foe]) {
      one.closeAllConnections();
      one.close();
    }
  });

  async function signIn(page, key) {
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Live", exact: true }).waitFor();
  }

  test("shows nothing of one key to the next, and a window whose key was exchanged can sign out", async () => {
    const page = await open(server, "#/try/claims");
    await signIn(page, ONE);
    await page.locator("textarea").first().fill("What only the first key typed.");
    const other = await page.context().newPage();
    await other.goto(`${server.url}/#/live`);
    await other.getByRole("button", { name: /Sign out/ }).click();
    await signIn(other, TWO);
    // The first window still has the first key's token: it is refused once, and begins anew with what is true now.
    await page.locator("textarea").first().press("Control+Enter");
    await until(async () => (await page.locator("textarea").count()) > 0 && !(await page.locator("textarea").first().inputValue()).includes("first key typed"), "the first key's words are gone");
    await page.getByRole("button", { name: /Sign out/ }).click();
    await page.getByLabel("API key").waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    await leave(page);
  });

  // An upstream's answer stands under our address: it must neither run nor set our cookie.
  test("a page of the upstream does not run as ours", async () => {
    const page = await open(server, "#/live");
    await signIn(page, ONE);
    const before = await page.context().cookies();
    const opened = await page.context().newPage();
    const answer = await opened.goto(`${server.url}/v1/anything`);
    assert.match(answer.headers()["content-security-policy"], /sandbox/);
    assert.equal(answer.headers()["x-content-type-options"], "nosniff");
    assert.equal(await opened.title(), "quiet");
    assert.deepEqual((await page.context().cookies()).map(({ value }) => value), before.map(({ value }) => value));
    await leave(page);
  });

  // A page on another port is of the same site: the browser sends it the cookie, and with what it loads from us.
  test("a page on another port loads nothing with the cookie", async () => {
    const page = await open(server, "#/live");
    await signIn(page, ONE);
    const beside = await page.context().newPage();
    const statuses = [];
    beside.on("response", (response) => response.url().startsWith(server.url) && statuses.push(response.status()));
    await beside.goto(`http://127.0.0.1:${foe.address().port}/`);
    await beside.evaluate(async (url) => {
      await fetch(`${url}/v1/reviews`, { mode: "no-cors", credentials: "include" });
      await fetch(`${url}/v1/stop`, { method: "POST", mode: "no-cors", credentials: "include", body: "{}" });
    }, server.url);
    assert.deepEqual(statuses, [403, 403]);
    await leave(page);
  });
});

/** Where the page holds characters that nobody sees: in text and in what is read out. Fields hold what they hold; a note below tells. */
function unseen(page) {
  return page.evaluate(() => {
    const hidden = /[\u00AD\u180B-\u180F\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0E\uFEFF\uFFF0-\uFFF8\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
      if (element.tagName === "TEXTAREA") continue;
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data);
      const said = ["title", "aria-label", "placeholder", "alt"].map((name) => element.getAttribute(name) ?? "");
      if ([...own, ...said].some((text) => hidden.test(text))) found.push(element.outerHTML.slice(0, 200));
    }
    return found;
  });
}
