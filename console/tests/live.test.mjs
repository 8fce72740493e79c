// The screen "Live": claims on the screen (CLAIM-5, CLAIM-4), a stream that is taken up again by itself (STREAM-3), hostile text,
// long and fast sessions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeBrowser, leave, open, Server, sleep, TOOLS, until, upstream, violations } from "./world.mjs";

const BADGE = "⚠️ Verify Pending";
const TITLES = { "en-GB": "This message contains unverified factual claims", "zh-CN": "此消息包含未验证的事实声明" };
const UNVERIFIED = { "en-GB": "Unverified: 25%", "zh-CN": "未验证: 25%" };

after(closeBrowser);

describe("claims", () => {
  let server;
  before(async () => {
    server = await Server.start();
  });
  after(() => server.stop());

  for (const locale of ["en-GB", "zh-CN"]) {
    // CLAIM-5: seed case T40.
    test(`T40: the badge and the underlined claim, ${locale}`, async () => {
      const session = await server.session();
      const said = await server.relay(session, "The market grew by 25% in 2024.");
      const page = await open(server, `#/live/${session}`, { locale });
      const bubble = page.locator(`[data-message="${said.message_id}"]`);
      const badge = bubble.locator(".verify-badge");
      await badge.waitFor();
      assert.equal((await badge.textContent()).trim(), BADGE);
      assert.equal(await badge.getAttribute("title"), TITLES[locale]);
      const [box, place] = [await bubble.boundingBox(), await badge.boundingBox()];
      assert.ok(place.x + place.width / 2 > box.x + box.width / 2 && place.y < box.y + 48, "the badge is at the top right");
      const ground = await badge.evaluate((element) => getComputedStyle(element).backgroundColor.match(/\d+/g).map(Number));
      assert.ok(ground[0] > 200 && ground[1] > 180 && ground[2] < ground[0], `the badge is yellow: ${ground}`);

      const claim = bubble.locator("[data-claim]", { hasText: "25%" });
      assert.equal((await claim.textContent()).trim(), "25%", "the claim is marked where it stands, and nothing else");
      const line = await claim.evaluate((element) => [getComputedStyle(element).textDecorationLine, getComputedStyle(element).textDecorationStyle]);
      assert.deepEqual(line, ["underline", "wavy"]);
      assert.ok((await claim.getAttribute("title")).startsWith(UNVERIFIED[locale]));
      assert.ok((await bubble.innerText()).includes("The market grew by 25% in 2024."), "the words are untouched");

      // With the keyboard: state, source and path.
      await claim.focus();
      await page.keyboard.press("Enter");
      await bubble.locator(".claim-card").getByText(/Source|来源/).waitFor();
      await page.keyboard.press("Escape");
      await leave(page);
    });
  }

  // CLAIM-5
  test("a message without claims has neither badge nor mark", async () => {
    const session = await server.session();
    const plain = await server.relay(session, "Hello, how are you?");
    const marked = await server.relay(session, "The market grew by 25% in 2024.");
    const page = await open(server, `#/live/${session}`);
    await page.locator(`[data-message="${marked.message_id}"] .verify-badge`).waitFor();
    const bubble = page.locator(`[data-message="${plain.message_id}"]`);
    assert.ok((await bubble.innerText()).includes("Hello, how are you?"));
    assert.deepEqual([await bubble.locator(".verify-badge").count(), await bubble.locator("[data-claim]").count()], [0, 0]);
    await leave(page);
  });

  // CLAIM-4, CLAIM-5
  test("claims change their state on an open screen, and each state looks different without colour", async () => {
    const session = await server.session();
    const { message_id } = await server.relay(session, "Sales rose by 25% and costs fell by 40% in the north.");
    const page = await open(server, `#/live/${session}`);
    const bubble = page.locator(`[data-message="${message_id}"]`);
    await bubble.locator(".verify-badge").waitFor();
    const loads = await page.evaluate(() => performance.timeOrigin);
    await server.ask(`/v1/sessions/${session}/factcheck`, { evidence: [{ place: "annual report", content: "Sales rose by 25%. Costs fell by 30% in the north." }] });
    await bubble.locator('[data-claim][data-status="verified"]').waitFor();
    const states = await bubble.locator("[data-claim]").evaluateAll((all) => all.map((element) => ({ status: element.dataset.status, style: getComputedStyle(element).textDecorationStyle, sign: getComputedStyle(element, "::after").content, title: element.title })));
    assert.equal(await page.evaluate(() => performance.timeOrigin), loads, "the page was not loaded again");
    const verified = states.find(({ status }) => status === "verified");
    assert.match(verified.title, /^Verified: 25%/);
    assert.match(verified.title, /annual report/);
    const other = states.find(({ status }) => status !== "verified");
    assert.notDeepEqual([verified.style, verified.sign], [other.style, other.sign]);
    await until(async () => (await bubble.locator('[data-claim][data-status="pending"]').count()) === 0, "no claim is pending");
    assert.equal(await bubble.locator(".verify-badge").count(), 1, "a disputed claim keeps the badge");
    await server.ask(`/v1/sessions/${session}/factcheck`, { again: true, evidence: [{ place: "correction", content: "Costs fell by 40% in the north." }] });
    await until(async () => (await bubble.locator(".verify-badge").count()) === 0, "the badge is gone");
    await leave(page);
  });

  // CLAIM-2, CLAIM-5: a fruitless look keeps the badge; pending and unverifiable are told apart without colour.
  test("what nobody could verify keeps its badge and says so", async () => {
    const quiet = await Server.start({ args: ["--set", "factcheck.automatic=false"] });
    const session = await quiet.session();
    const { message_id } = await quiet.relay(session, "2024年市场增长25%");
    const page = await open(quiet, `#/live/${session}`);
    const bubble = page.locator(`[data-message="${message_id}"]`);
    const look = () => bubble.locator("[data-claim]", { hasText: "25%" }).evaluate((element) => ({ sign: getComputedStyle(element, "::after").content, title: element.title }));
    await bubble.locator('[data-claim][data-status="pending"]').first().waitFor();
    const pending = await look();
    await page.getByRole("button", { name: "Check facts" }).click();
    await bubble.locator('[data-claim][data-status="unverifiable"]').first().waitFor();
    const unverifiable = await look();
    assert.notEqual(pending.sign, unverifiable.sign);
    assert.notEqual(pending.title, unverifiable.title);
    assert.equal(await bubble.locator(".verify-badge").count(), 1, "the badge stays");
    await quiet.ask(`/v1/sessions/${session}/factcheck`, { evidence: [{ place: "bulletin", content: "2024年市场增长25%。" }] });
    await until(async () => (await bubble.locator(".verify-badge").count()) === 0, "the badge is gone");
    await leave(page);
    await quiet.stop();
  });

  test("a claim's path through agents is shown", async () => {
    const session = await server.session();
    await server.relay(session, "The market grew by 25% in 2024.", "researcher", "writer");
    const { message_id } = await server.relay(session, "We learn that the market grew by 25% in 2024.", "writer", "editor");
    const page = await open(server, `#/live/${session}`);
    const claim = page.locator(`[data-message="${message_id}"] [data-claim]`, { hasText: "25%" });
    await claim.click();
    await page.locator(".claim-card").getByText("researcher → writer").waitFor();
    assert.deepEqual(await violations(page), []);
    await leave(page);
  });

  test("claims stand where they are in Markdown: lists, bold words, entities", async () => {
    const up = await upstream(async function* () {
      yield { text: "## Result\n\n- Sales &amp; costs: **grew by 25%** in *2024*\n- `code` and $3.5 billion\n" };
    });
    const own = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await own.session();
    await own.say(session, "Tell me.");
    const page = await open(own, `#/live/${session}`);
    await page.locator("[data-claim]", { hasText: "$3.5 billion" }).waitFor();
    const marked = await page.locator("[data-claim]").allTextContents();
    assert.ok(marked.some((text) => text.trim() === "25%"), String(marked));
    assert.ok(marked.every((text) => !/grew|Sales|code/.test(text)), String(marked));
    await leave(page);
    await own.stop();
    up.stop();
  });
});

describe("a stream", () => {
  // STREAM-3: in order, once, over a server that dies.
  test("goes on over a killed and restarted server, with nothing twice and nothing out of order", async () => {
    const up = await upstream(async function* () {
      for (let word = 0; word < 80; word += 1) yield { text: `word${word} `, pause: 50 };
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await server.session();
    await server.relay(session, "Before the turn.");
    const page = await open(server, `#/live/${session}`);
    await page.locator('[data-connection="live"]').waitFor();
    await server.say(session, "Go on.");
    await page.getByText("word5 ").waitFor();
    await server.kill();
    await page.locator('[data-connection="waiting"], [data-connection="connecting"]').first().waitFor();
    await sleep(500);
    await server.up();
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator("main").getByText(/lost/i).first().waitFor();
    await server.relay(session, "After the restart.");
    await page.getByText("After the restart.", { exact: true }).waitFor();
    const seen = await page.locator("[data-seq]").evaluateAll((all) => all.map((element) => Number(element.dataset.seq)));
    assert.deepEqual(seen, [...new Set(seen)].sort((one, two) => one - two), "each once and in order");
    const text = (await page.locator("[data-seq]").allInnerTexts()).join("\n");
    for (const once of ["Before the turn.", "Go on.", "After the restart."]) assert.equal(text.split(once).length, 2, `${once} stands once`);
    const words = text.match(/word\d+/g);
    assert.deepEqual(words, [...new Set(words)], "no word twice");
    const logged = (await server.events(session)).filter(({ event_type }) => event_type === "text_delta").map(({ payload }) => payload.content);
    assert.equal(words.length, logged.join("").match(/word\d+/g).length, "every word that the log has is on the screen");
    await leave(page);
    await server.stop();
    up.stop();
  });

  test("is stopped with one button, and the flag can be cleared", async () => {
    const up = await upstream(async function* () {
      for (let word = 0; word < 400; word += 1) yield { text: `word${word} `, pause: 50 };
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await server.session();
    const page = await open(server, `#/live/${session}`);
    const composer = page.getByRole("textbox").last();
    await composer.fill("Tell me everything.");
    await composer.press("Enter");
    await page.getByText("word3 ").waitFor();
    await page.getByRole("button", { name: /^Stop/ }).click();
    await until(async () => (await server.events(session)).at(-1).event_type === "stopped", "the turn has stopped");
    await page.getByRole("button", { name: /Clear the stop/ }).click();
    await until(async () => (await server.ask(`/v1/sessions/${session}/stop`)).flags.length === 0, "the flag is cleared");
    await leave(page);
    await server.stop();
    up.stop();
  });
});

describe("hostile text", () => {
  const HOSTILE = [
    "<script>window.owned = 1</script>",
    "<img src=x onerror=\"window.owned = 1\">",
    "<svg onload=\"window.owned = 1\"></svg>",
    "[click](javascript:window.owned=1)",
    "[click](data:text/html,<script>window.owned=1</script>)",
    "![picture](http://127.0.0.1:9/pixel.png)",
    "<iframe srcdoc=\"<script>parent.owned = 1</script>\"></iframe>",
    "<a href=\"javascript:window.owned=1\">a</a>",
    "{{constructor.constructor('window.owned=1')()}}",
    "safe\u202Etxt.exe and zero\u200Bwidth and \u0007bell and \u001B[31mred",
  ];

  test("is shown, not run: from a model, an agent, a tool's name, arguments, results, titles", async () => {
    const up = await upstream(async function* (request) {
      if (request.messages.at(-1).role === "tool" || !request.tools?.length) for (const text of HOSTILE) yield { text: `${text}\n\n` };
      else {
        yield { call: { name: "get_weather", arguments: { city: HOSTILE.join(" "), days: "3" } } };
        yield { call: { name: "get_weather", arguments: { city: "Oslo" } } };
      }
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await server.session({ agent: "react", user: HOSTILE[1], tools: TOOLS });
    await server.say(session, HOSTILE.join("\n"));
    for (const text of HOSTILE) await server.relay(session, text, HOSTILE[0], HOSTILE[1]);
    const page = await open(server, `#/live/${session}`);
    const call = await until(async () => (await server.events(session)).find(({ event_type, payload }) => event_type === "tool_call" && payload.arguments.city === "Oslo"), "the harmless call is made");
    for (const { payload } of (await server.events(session)).filter(({ event_type }) => event_type === "tool_call")) await server.ask(`/v1/sessions/${session}/tool_results`, { call_id: payload.call_id, content: HOSTILE });
    await page.locator(`[data-call="${call.payload.call_id}"]`).getByText("window.owned").first().waitFor();
    await until(async () => (await server.events(session)).at(-1).event_type !== "text_delta" && (await server.events(session)).some(({ event_type }) => event_type === "completed"), "the turn has ended");
    await page.getByText("<script>window.owned = 1</script>").first().waitFor();
    await page.getByText("U+202E").first().waitFor();
    for (const hash of ["#/live", "#/reviews", "#/verdicts", "#/overview"]) {
      await page.goto(`${server.url}/${hash}`);
      await page.locator("main h1, main h2").first().waitFor();
      await sleep(300);
    }
    assert.equal(await page.evaluate(() => globalThis.owned), undefined);
    assert.equal(await page.locator("main script, main iframe, main img[src^=http], a[href^=javascript], a[href^=data]").count(), 0);
    await leave(page);
    await server.stop();
    up.stop();
  });
});

describe("tools and files", () => {
  test("a repaired call shows what was and what became of it; its result is brought; files are taken and refused", async () => {
    const up = await upstream(async function* (request) {
      if (request.messages.at(-1).role === "tool") yield { text: "It will be 3 degrees." };
      else yield { call: { name: "getWeather", arguments: { city: "Oslo", days: "3" } } };
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await server.session({ agent: "react", tools: TOOLS });
    const page = await open(server, `#/live/${session}`);
    await page.locator('input[type="file"]').setInputFiles({ name: "evil.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ nothing") });
    await page.getByText(/programs and scripts are not taken/).first().waitFor();
    await page.locator('input[type="file"]').setInputFiles({ name: "figures.txt", mimeType: "text/plain", buffer: Buffer.from("Sales rose by 25%.") });
    await page.getByText("figures.txt").first().waitFor();
    const composer = page.getByRole("textbox").last();
    await composer.fill("How will the weather be in Oslo?");
    await composer.press("Enter");
    const card = page.locator("[data-call]").first();
    await card.getByText("get_weather").first().waitFor();
    assert.equal(await card.getAttribute("data-status"), "caution");
    await card.getByText("getWeather").first().waitFor();
    await card.locator(".changes").first().waitFor();
    const { payload } = await until(async () => (await server.events(session)).find(({ event_type }) => event_type === "tool_call"), "the call is made");
    await server.ask(`/v1/sessions/${session}/tool_results`, { call_id: payload.call_id, content: { temperature: 3 } });
    await page.getByText("It will be 3 degrees.").first().waitFor();
    const files = await server.ask(`/v1/sessions/${session}/files`);
    assert.equal(files.files.length, 1);
    assert.deepEqual(await violations(page), []);
    await leave(page);
    await server.stop();
    up.stop();
  });

  test("a plan and its evidence are shown (ReWOO)", async () => {
    const up = await upstream(async function* (request) {
      const asked = JSON.stringify(request.messages);
      if (/#E1\s*=|Evidence|evidence/.test(asked) && /E2/.test(asked)) yield { text: "You have written nothing down yet [#E1]." };
      else yield { text: "Plan: See which notes there are.\n#E1 = list_notes[{}]\nPlan: See which materials there are.\n#E2 = list_materials[{}]\n" };
    });
    const server = await Server.start({ args: ["--upstream-openai", up.url] });
    const session = await server.session({ agent: "rewoo" });
    const page = await open(server, `#/live/${session}`);
    await page.locator('[data-connection="live"]').waitFor();
    await server.say(session, "Which notes do I have?");
    const events = await until(async () => {
      const all = await server.events(session);
      return all.some(({ event_type }) => ["completed", "failed"].includes(event_type)) && all;
    }, "the turn has ended");
    const kinds = new Set(events.map(({ event_type }) => event_type));
    assert.ok(kinds.has("plan") && kinds.has("evidence"), [...kinds].join(" "));
    await page.getByText("See which notes there are.").first().waitFor();
    await page.getByText("list_notes").first().waitFor();
    assert.deepEqual(await violations(page), []);
    await leave(page);
    await server.stop();
    up.stop();
  });
});
