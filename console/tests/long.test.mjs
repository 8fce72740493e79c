// Long and fast sessions on the screen "Live": 50 events a second, and 5,000 of them.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { closeBrowser, leave, open, Server, sleep } from "./world.mjs";

after(closeBrowser);

describe("a long session", () => {
  test("50 events a second are shown without dropping one", async () => {
    const server = await Server.start();
    const session = await server.session();
    const page = await open(server, `#/live/${session}`);
    await page.locator('[data-connection="live"]').waitFor();
    const began = Date.now();
    for (let number = 0; number < 250; number += 1) {
      const due = began + number * 20;
      if (due > Date.now()) await sleep(due - Date.now());
      await server.relay(session, `Event number ${number}.`);
    }
    console.log(`# 250 events in ${Date.now() - began} ms`);
    await page.getByText("Event number 249.", { exact: true }).waitFor();
    // What is on the screen is the end of it; the page knows all of them.
    const seen = await page.locator("[data-seq]").evaluateAll((all) => all.map((element) => Number(element.dataset.seq)));
    assert.deepEqual(seen, seen.map((_, at) => seen[0] + at), "dense");
    assert.equal(seen.at(-1), 250);
    await leave(page);
    await server.stop();
  });

  test("5,000 events open quickly and scroll smoothly", async () => {
    const server = await Server.start();
    const session = await server.session();
    for (let sent = 0; sent < 5_000; sent += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => server.relay(session, `Line ${sent + at}: it went on in the north.`)));
    const page = await open(server, "#/live");
    await page.locator(`[data-session="${session}"]`).waitFor();
    const began = Date.now();
    await page.goto(`${server.url}/#/live/${session}`);
    await page.locator('[data-seq="5000"]').waitFor();
    const opened = Date.now() - began;
    const nodes = await page.evaluate(() => document.querySelectorAll("[data-seq]").length);
    assert.ok(nodes < 200, `${nodes} items are in the page: it is not virtualised`);
    const smooth = await scroll(page);
    console.log(`# 5,000 events: open in ${opened} ms, ${nodes} items in the page; scrolling: ${JSON.stringify(smooth)}`);
    assert.ok(smooth.frames >= 40, `only ${smooth.frames} frames in 2 s`);
    assert.ok(smooth.longest < 400, `a task of ${smooth.longest} ms`);
    await leave(page);
    await server.stop();
  });
});

/** Scrolls up and down for two seconds; counts frames and the longest task. */
function scroll(page) {
  return page.evaluate(async () => {
    const all = [...document.querySelectorAll("main *, main")].filter((element) => element.scrollHeight > element.clientHeight + 1_000 && /auto|scroll/.test(getComputedStyle(element).overflowY));
    const box = all[0] ?? document.scrollingElement;
    const tasks = [];
    const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    watch.observe({ type: "longtask" });
    let frames = 0;
    const end = performance.now() + 2_000;
    while (performance.now() < end) {
      box.scrollTop += frames < 60 ? -900 : 900;
      await new Promise(requestAnimationFrame);
      frames += 1;
    }
    watch.disconnect();
    return { frames, tasks: tasks.length, longest: Math.round(Math.max(0, ...tasks)) };
  });
}
