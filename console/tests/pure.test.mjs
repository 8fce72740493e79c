// What needs no browser: server-sent events in any split, a follower that never gives an event twice or out of order whatever the
// network does (STREAM-3), differences between versions of a call.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

let vite;
before(async () => {
  vite = await createServer({ root: fileURLToPath(new URL("..", import.meta.url)), server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom", logLevel: "error", optimizeDeps: { noDiscovery: true, include: [] } });
});
after(() => vite.close());

describe("server-sent events", () => {
  const text = ": heartbeat\n\nid: 1.1\nevent: message\ndata: {\"a\":\"字😀\"}\n\ndata: one\r\ndata: two\r\n\r\nevent: x\rdata:  spaced\r\rdata: [DONE]\n\nid: 9\n\n";
  const wanted = [
    { event: "message", data: '{"a":"字😀"}', id: "1.1" },
    { event: "message", data: "one\ntwo", id: null },
    { event: "x", data: " spaced", id: null },
    { event: "message", data: "[DONE]", id: null },
  ];

  test("give the same frames in any split of the bytes", async () => {
    const { frames } = await vite.ssrLoadModule("/src/stream/sse.ts");
    const bytes = new TextEncoder().encode(text);
    const cuts = [...Array(bytes.length).keys()].map((at) => [at]);
    for (let seed = 1; seed <= 100; seed += 1) cuts.push(Array.from({ length: 8 }, (_, at) => (seed * 7919 * (at + 3)) % bytes.length).sort((one, two) => one - two));
    cuts.push([...Array(bytes.length).keys()]);
    for (const places of cuts) {
      const pieces = [...places, bytes.length].map((end, at) => bytes.slice(at === 0 ? 0 : places[at - 1], end));
      const found = [];
      for await (const frame of frames(stream(pieces))) found.push(frame);
      assert.deepEqual(found, wanted, `cut at ${places}`);
    }
  });
});

describe("a follower", () => {
  const event = (seq, epoch = 1) => `id: ${epoch}.${seq}\nevent: message\ndata: ${JSON.stringify({ id: `${epoch}.${seq}`, event_type: "message", payload: { seq } })}\n\n`;
  const reset = 'event: reset\ndata: {"id":null,"event_type":"reset","payload":{}}\n\n';

  /** Follows through scripted answers; gives what was shown at the end and the addresses that were asked. */
  async function followed(answers, enough) {
    const asked = [];
    const shown = [];
    globalThis.document = { visibilityState: "visible" };
    globalThis.requestAnimationFrame = (run) => setTimeout(run, 1);
    globalThis.addEventListener ??= () => undefined;
    globalThis.removeEventListener ??= () => undefined;
    globalThis.fetch = async (path) => {
      asked.push(path);
      const answer = answers[asked.length - 1] ?? "";
      if (answer === "away") throw new TypeError("no network");
      if (typeof answer === "number") return new Response(JSON.stringify({ error: { message: "no" } }), { status: answer });
      return new Response(stream([new TextEncoder().encode(answer)]), { status: 200 });
    };
    const { follow } = await vite.ssrLoadModule("/src/stream/follow.ts");
    const states = [];
    let end;
    await new Promise((resolve) => {
      end = follow("ses_1", {
        events: (events, fresh) => {
          if (fresh) shown.length = 0;
          shown.push(...events.map(({ id }) => id));
          if (enough(shown)) resolve();
        },
        connection: (connection) => {
          states.push(connection.state);
          if (connection.state === "over") resolve();
        },
      });
      setTimeout(resolve, 8_000).unref();
    });
    // A follower that went on would take the next one's answers.
    end();
    return { asked, shown, states };
  }

  // STREAM-3
  test("goes on behind the last event, skips what it has, and never leaves a hole", async () => {
    const { asked, shown } = await followed([event(1) + event(2), "away", event(2) + event(2) + event(3) + event(1), event(5), event(4, 2) + event(5, 2)], (seen) => seen.length >= 5);
    assert.deepEqual(shown, ["1.1", "1.2", "1.3", "2.4", "2.5"]);
    assert.match(asked[1], /after=1\.2/);
    assert.match(asked[3], /after=1\.3$/);
    assert.match(asked[4], /after=1\.3$/, "the hole before 1.5 was not accepted");
  });

  test("begins anew after a reset, and where its place was trimmed", async () => {
    const one = await followed([event(1) + event(2), reset + event(1, 2) + event(2, 2)], (seen) => seen[0] === "2.1" && seen.length === 2);
    assert.deepEqual(one.shown, ["2.1", "2.2"]);
    const two = await followed([event(1), 410, event(7) + event(8)], (seen) => seen.includes("1.8"));
    assert.deepEqual(two.shown, ["1.7", "1.8"]);
    assert.doesNotMatch(two.asked[2], /after/);
  });

  test("gives up where the session is gone", async () => {
    const { states } = await followed([404], () => false);
    assert.deepEqual(states.at(-1), "over");
  });
});

describe("versions of a call", () => {
  test("are compared field by field", async () => {
    const { rows, same } = await vite.ssrLoadModule("/src/parts/changes.ts");
    const made = { name: "getWeather", arguments: { days: "3", deep: { a: 1, "b/c": [1, 2] }, empty: {} } };
    const run = { name: "get_weather", arguments: { days: 3, deep: { "b/c": [1, 2], a: 1 } } };
    assert.deepEqual(
      rows([made, run]).filter((row) => row.differs).map((row) => [row.pointer, ...row.values]),
      [["/name", "getWeather", "get_weather"], ["/arguments/days", "3", 3], ["/arguments/empty", {}, undefined]],
    );
    assert.ok(rows([made, run]).some((row) => row.pointer === "/arguments/deep/b~1c" && !row.differs));
    assert.ok(same({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }) && !same({ a: 1 }, { a: 1, b: undefined }) && !same(0, "0") && !same([], {}));
    assert.deepEqual(rows([{ __proto__: null, constructor: 1 }, {}]).map((row) => row.pointer), [""]);
  });
});

describe("hidden characters", () => {
  test("are found, and what belongs to a sign is left alone", async () => {
    const { visible } = await vite.ssrLoadModule("/src/text/visible.tsx");
    assert.equal(visible("a\u202Eb\u200Bc\u0007\u{E0041}\uFEFF"), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩⟨U+E0041⟩⟨U+FEFF⟩");
    for (const text of ["👩‍👩‍👧 ⚠️ 👍🏽", "line\nbreak\tand 字", "café é"]) assert.equal(visible(text), text);
    assert.equal(visible("a\u200Db"), "a⟨U+200D⟩b");
  });
});

function stream(pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
      controller.close();
    },
  });
}
