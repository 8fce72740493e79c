// One process of the comparison: a producer, or a reader of a stream that exists. Says in one line how its reading ended.
import { createClient } from "redis";
import { createResumableStreamContext } from "resumable-stream/redis";

const [role, id, fault, limit] = process.argv.slice(2);
const url = process.env.REDIS_URL;
const clients = [createClient({ url }), createClient({ url })];
await Promise.all(clients.map((client) => client.connect()));
const context = createResumableStreamContext({ waitUntil: () => {}, publisher: clients[0], subscriber: clients[1] });
process.on("unhandledRejection", () => {});

const source = () => {
  let piece = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      piece += 1;
      if (fault === "error" && piece === 60) controller.error(new Error("the upstream broke"));
      else if (piece === 120) controller.close();
      else controller.enqueue(`piece ${piece}\n`);
    },
  });
};

const say = (how, read) => {
  console.log(JSON.stringify({ role, how, read }));
  process.exit(0);
};
let read = 0;
setTimeout(() => say("never settled", read), Number(limit));
try {
  const stream = role === "producer" ? await context.resumableStream(id, source) : await context.resumeExistingStream(id);
  if (!stream) say(stream === null ? "told: done" : "told: unknown", 0);
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    read += value.length;
    if (read === value.length) console.log(JSON.stringify({ role, how: "first" }));
  }
  say("ended", read);
} catch (error) {
  say(`error: ${error.message}`, read);
}
