// The TypeScript client in front of a guarded server on pipes.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [countersign, ...server] = process.argv.slice(2);
const client = new Client({ name: "t", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: countersign, args: ["mcp", "--no-pins", "--", ...server] }));
const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === "echo"));
const call = (name, args) => client.callTool({ name, arguments: args });
assert.equal((await call("echo", { message: "hi" })).content[0].text, "Echo: hi");
assert.match((await call("get-sum", { a: "2", b: 40 })).content[0].text, /42/);
const refused = await call("get-sum", { a: 2 });
assert.ok(refused.isError && refused.content[0].text.includes("`b`"));
const progress = [];
await client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 1, steps: 2 } }, undefined, { onprogress: (step) => progress.push(step) });
assert.ok(progress.length > 0);
assert.ok((await client.listPrompts()).prompts.length > 0);
await client.close();
