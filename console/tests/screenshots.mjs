// Makes docs/screens: every screen with something on it, light and dark, English and Chinese, wide and small.
// Run by `make screenshots`; look at what it made.
import { mkdirSync } from "node:fs";
import { closeBrowser, open, Server, TOOLS, until, sleep, upstream } from "./world.mjs";

const OUT = new URL("../../docs/screens/", import.meta.url).pathname;
mkdirSync(OUT, { recursive: true });

const up = await upstream(async function* (request) {
  const last = request.messages.at(-1);
  if (last.role === "tool") {
    yield { text: "According to the 2024 Demo Institute report, the market grew by **25%** to $3.5 billion.\n\n- Oslo: 3 °C, rain\n- Bergen: 6 °C\n" };
  } else if (/mail/i.test(last.content)) {
    yield { text: "I will write to her now.", call: { name: "send_email", arguments: { to: "ann@example.com", text: "The market grew by 25% in 2024.", urgent: "true" } } };
  } else if (/delete/i.test(last.content)) {
    yield { call: { name: "delete_files", arguments: { path: "../../etc/passwd" } } };
  } else {
    yield { text: "Let me look.", call: { name: "getWeather", arguments: { city: "Oslo", days: "3" } } };
  }
});
const server = await Server.start({ args: ["--upstream-openai", up.url] });
const demo = await Server.start();

// The first check of a process builds its tables; the pictures are of those that follow.
for (let round = 0; round < 3; round += 1) await demo.ask("/v1/explain", { tools: TOOLS, call: { name: "getWeather", arguments: { city: "Oslo", days: "3" } }, messages: [{ role: "user", content: "The weather in Oslo for 3 days?" }] });

const live = await conversation();
await people();
await traffic();

const review = (await server.ask("/v1/reviews?state=pending")).reviews[0].review_id;
const verdict = (await server.ask("/v1/verdicts")).verdicts.find(({ verdict: { status } }) => status === "caution").verdict_id;
const shots = [
  ["live", server, `#/live/${live}`],
  ["reviews", server, `#/reviews/${review}`],
  ["verdicts", server, "#/verdicts"],
  ["verdict", server, `#/verdicts/${verdict}`],
  ["policy", server, "#/policy/change"],
  ["overview", server, "#/overview"],
  ["try", demo, "#/try"],
  ["try-call", demo, "#/try/call"],
];
const looks = [
  ["", { colorScheme: "light" }],
  ["-dark", { colorScheme: "dark" }],
  ["-zh", { colorScheme: "light", locale: "zh-CN" }],
  ["-360", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
];
const only = process.argv.slice(2);
for (const [name, at, hash] of shots.filter(([name]) => only.length === 0 || only.includes(name))) {
  for (const [look, options] of looks) {
    const page = await open(at, hash, options);
    await page.locator("main h1, main h2").first().waitFor();
    await sleep(1_200);
    await page.screenshot({ path: `${OUT}${name}${look}.png` });
    await page.context().close();
  }
}
await closeBrowser();
await server.stop();
await demo.stop();
up.stop();

async function conversation() {
  const session = await server.session({ agent: "react", tools: TOOLS });
  await server.say(session, "How will the weather be in Oslo, and how did the market do?");
  const call = await until(async () => (await server.events(session)).find(({ event_type }) => event_type === "tool_call"), "a call");
  await server.ask(`/v1/sessions/${session}/tool_results`, { call_id: call.payload.call_id, content: { city: "Oslo", days: [{ temperature: 3, sky: "rain" }] } });
  await until(async () => (await server.events(session)).some(({ event_type }) => event_type === "completed"), "the end");
  await server.ask(`/v1/sessions/${session}/factcheck`, { evidence: [{ place: "annual-report.pdf", content: "In 2024 the market grew by 25%." }] });
  return session;
}

async function people() {
  for (const text of ["Mail Ann how the market did.", "Mail Ann the figures again.", "Mail Ann the weather."]) {
    const session = await server.session({ agent: "react", tools: TOOLS });
    await server.say(session, text);
    await until(async () => (await server.events(session)).some(({ event_type }) => event_type === "review_required"), "a person is asked");
  }
}

async function traffic() {
  for (let round = 0; round < 6; round += 1) {
    for (const content of ["How will the weather be in Oslo?", "Please delete the old files."]) {
      await server.ask("/v1/chat/completions", { model: "scripted", messages: [{ role: "user", content: `${content} (${round})` }], tools: TOOLS });
    }
  }
}
