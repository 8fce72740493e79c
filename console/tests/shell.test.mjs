// The frame of the console: what it weighs, how fast it is there, what it lets in, languages, colours, small windows, keys (SERVE-7).
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { closeBrowser, leave, open, overflows, Server, TOOLS, until, violations } from "./world.mjs";

const SCREENS = ["live", "reviews", "verdicts", "policy", "overview", "try"];
const DIST = new URL("../dist/", import.meta.url);

describe("the frame", () => {
  let server, session;
  before(async () => {
    server = await Server.start();
    await fill(server);
    session = (await server.ask("/v1/sessions")).sessions[0].session_id;
  });
  after(async () => {
    await closeBrowser();
    await server.stop();
  });

  test("all scripts together are under 200 KB, compressed", () => {
    const scripts = readdirSync(DIST).filter((name) => name.endsWith(".js"));
    const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, DIST)), { level: 9 }).length, 0);
    console.log(`# ${scripts.length} scripts, ${bytes} bytes compressed`);
    assert.ok(bytes < 200_000, `${bytes} bytes`);
  });

  // SERVE-7
  test("the first useful paint comes within a second", async () => {
    const times = [];
    for (let round = 0; round < 3; round += 1) {
      const page = await open(server, "#/live");
      await page.locator(`[data-session="${session}"]`).first().waitFor();
      times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity));
      await leave(page);
    }
    console.log(`# first contentful paint: ${times.map(Math.round).join(", ")} ms`);
    assert.ok(Math.min(...times) < 1_000, String(times));
  });

  test("every answer of the console carries a strict policy", async () => {
    for (const path of ["/", "/console/console.js"]) {
      const response = await fetch(server.url + path);
      const policy = response.headers.get("content-security-policy");
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /script-src 'self'(;|$)/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    }
  });

  for (const screen of SCREENS) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${screen}: no serious violation of WCAG AA, ${colorScheme}`, async () => {
        const page = await open(server, `#/${screen}`, { colorScheme });
        await settled(page);
        assert.deepEqual(await violations(page), []);
        await leave(page);
      });
    }

    test(`${screen}: works at 360 px, in both languages`, async () => {
      for (const locale of ["en-GB", "zh-CN"]) {
        const page = await open(server, `#/${screen}`, { locale, viewport: { width: 360, height: 740 } });
        await settled(page);
        assert.equal(await overflows(page), false, `${screen} ${locale} scrolls sideways`);
        await leave(page);
      }
    });

    test(`${screen}: every control has a name and can be reached with the keyboard`, async () => {
      const page = await open(server, `#/${screen}`);
      await settled(page);
      const missed = await reach(page);
      assert.deepEqual(missed, []);
      await leave(page);
    });
  }

  test("a conversation: no serious violation, light and dark, and at 360 px", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(server, `#/live/${session}`, { colorScheme });
      await page.locator("[data-seq]").first().waitFor();
      assert.deepEqual(await violations(page), []);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.equal(await overflows(page), false);
      await leave(page);
    }
  });

  test("the language of the browser is the default, and can be switched for good", async () => {
    const page = await open(server, "#/live", { locale: "zh-CN" });
    await page.getByRole("link", { name: "实时" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
    await page.getByLabel("语言").selectOption("en");
    await page.getByRole("link", { name: "Live", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Live", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
    await leave(page);
  });

  test("nothing on a Chinese page is left in English", async () => {
    for (const screen of SCREENS) {
      const page = await open(server, `#/${screen}`, { locale: "zh-CN" });
      await settled(page);
      const left = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, button, label > span, th")].map((element) => element.textContent.trim()).filter((text) => /^[A-Z][a-z]+( [a-z]+)+$/.test(text)));
      assert.deepEqual(left, [], screen);
      await leave(page);
    }
  });

  test("colours follow the system, and can be switched for good", async () => {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const page = await open(server, "#/live", { colorScheme: "light" });
    await settled(page);
    const light = await ground(page);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await ground(page);
    assert.notEqual(light, dark);
    await page.getByLabel("Colours").selectOption("light");
    assert.equal(await ground(page), light);
    await page.reload();
    await settled(page);
    assert.equal(await ground(page), light);
    await leave(page);
  });

  test("an unknown address and an unknown item are told, not blank", async () => {
    const page = await open(server, "#/live/ses_nowhere");
    await page.getByText(/there is no|not found/i).first().waitFor();
    await page.goto(`${server.url}/#/nonsense`);
    await page.locator("main h1, main h2").first().waitFor();
    await leave(page);
  });
});

describe("a server with keys", () => {
  const KEY = "a-key-of-the-tests-that-nobody-guesses";
  let server;
  before(async () => {
    server = await Server.start({ key: KEY, env: { COUNTERSIGN_API_KEYS: KEY } });
  });
  after(async () => {
    await closeBrowser();
    await server.stop();
  });

  // SERVE-1
  test("wants one, refuses a wrong one, and keeps the right one where no script can read it", async () => {
    const page = await open(server);
    const field = page.getByLabel("API key");
    await field.fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("not valid").waitFor();
    assert.deepEqual(await violations(page), []);
    await field.fill(KEY);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Live", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.cookie), "");
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!kept.includes(KEY));
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/"]);
    await leave(page);
  });

  test("takes no order from the cookie alone", async () => {
    const page = await signedIn(server, KEY);
    const status = await page.evaluate(async () => (await fetch("/v1/sessions", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).status);
    assert.equal(status, 403);
    // The page itself may: it has the token.
    await page.goto(`${server.url}/#/live`);
    const reading = await page.evaluate(async () => (await fetch("/v1/sessions")).status);
    assert.equal(reading, 200);
    await leave(page);
  });

  test("signing out ends it", async () => {
    const page = await signedIn(server, KEY);
    await page.getByRole("button", { name: /Sign out/ }).click();
    await page.getByLabel("API key").waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    await leave(page);
  });

  test("says nothing to a stranger", async () => {
    const answer = await (await fetch(`${server.url}/console/session`)).json();
    assert.deepEqual([answer.signed_in, answer.scopes, answer.agents ?? []], [false, [], []]);
    assert.ok(!server.log.includes(KEY), "the key is in the log");
  });
});

async function signedIn(server, key) {
  const page = await open(server, "#/live");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Live", exact: true }).waitFor();
  return page;
}

/** Waits until a screen has said something of its own. */
async function settled(page) {
  await page.locator("main h1, main h2").first().waitFor();
  await until(() => page.evaluate(() => !/Loading…|加载中…/.test(document.querySelector("main")?.textContent ?? "")), "the screen has loaded");
}

/** Goes through the page with Tab, and gives the controls that were never reached or have no name. */
async function reach(page) {
  await page.evaluate(() => {
    document.body.focus();
    globalThis.reached = new Set();
    document.addEventListener("focusin", (event) => globalThis.reached.add(event.target));
  });
  // A screen may begin somewhere in its middle: the round is complete when its end was passed twice.
  for (let step = 0, ends = 0; step < 300 && ends < 2; step += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement === document.body)) ends += 1;
  }
  return page.evaluate(() => {
    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button]")];
    // One radio of a group is reached, and what is not shown or disabled is not.
    const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0 && element.type !== "radio" && !element.closest("[inert]");
    return controls.filter((element) => shown(element) && !globalThis.reached.has(element)).map((element) => element.outerHTML.slice(0, 160));
  });
}

/** Some of everything, so that no screen is empty. */
async function fill(server) {
  const session = await server.session();
  await server.say(session, "How did the market do?");
  for (const model of ["demo-types", "demo-name", "demo-unknown-tool", "demo-clean"]) {
    await server.ask("/v1/chat/completions", { model, messages: [{ role: "user", content: "What is the weather in Oslo for 3 days?" }], tools: TOOLS });
  }
  const waits = await server.session({ agent: "react", tools: TOOLS, model: "demo-clean" });
  await server.say(waits, "Send an email to ann@example.com that says hello.");
}
