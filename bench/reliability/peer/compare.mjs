// The two faults that every stream meets, put to resumable-stream: the upstream breaks, and the producer dies. Six readers
// each: the producer's own (where it lives), followers that came before the fault, and resumers that came after it.
import { spawn } from "node:child_process";
import { once } from "node:events";

const LIMIT = 10_000;
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
const start = (role, id, fault) => {
  const child = spawn(process.execPath, ["node.mjs", role, id, fault, String(LIMIT)], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = [];
  child.stdout.on("data", (bytes) => lines.push(...String(bytes).trim().split("\n").map((line) => JSON.parse(line))));
  const ended = once(child, "exit").then(() => lines.find((line) => line.how !== "first") ?? { role, how: "killed" });
  return { child, ended, first: async () => { while (!lines.length) await wait(10); } };
};

console.log("| fault | reader | how it ended | after ms |\n|---|---|---|---|");
for (const fault of ["error", "death"]) {
  const id = `${fault}-${process.pid}`;
  const producer = start("producer", id, fault);
  await producer.first();
  const early = [start("follower", id, fault), start("follower", id, fault), start("follower", id, fault)];
  await Promise.all(early.map((reader) => reader.first()));
  if (fault === "death") producer.child.kill("SIGKILL");
  else await wait(1500);
  const late = [start("resumer", id, fault), start("resumer", id, fault)];
  const since = Date.now();
  const readers = [...(fault === "death" ? [] : [producer]), ...early, ...late];
  await Promise.all(readers.map(async (reader) => {
    const { role, how } = await reader.ended;
    console.log(`| ${fault === "death" ? "producer killed -9" : "upstream error"} | ${role} | ${how} | ${Date.now() - since} |`);
  }));
}
process.exit(0);
