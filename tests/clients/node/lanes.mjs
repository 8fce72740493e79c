// The official npm SDKs behind one small surface: a lane is one SDK, one dialect, streamed or whole. It mends nothing.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { PROMPT, SCHEMAS } from "./place.mjs";

const read = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const tools = (shape) => Object.entries(SCHEMAS).map(([name, about]) => shape(name, about));

const openai = (base, more = {}) => new OpenAI({ baseURL: `${base}/v1`, apiKey: "test-key", maxRetries: 0, timeout: 20_000, ...more });

const anthropic = (base, more = {}) => new Anthropic({ baseURL: base, apiKey: "test-key", maxRetries: 0, timeout: 20_000, ...more });

const begin = () => [{ role: "user", content: PROMPT }];

const chat = (kind) => ({
  name: `chat-${kind}`,
  kind,
  client: openai,
  begin,
  async ask(client, model, history) {
    const shape = (name, { description, schema }) => ({ type: "function", function: { name, description, parameters: schema } });
    const about = { model, messages: history, tools: tools(shape) };
    const answer =
      kind === "whole"
        ? await client.chat.completions.create(about)
        : await client.chat.completions.stream({ ...about, stream_options: { include_usage: true } }).finalChatCompletion();
    const { message, finish_reason } = answer.choices[0];
    const calls = (message.tool_calls ?? []).map((call) => [call.id, call.function.name, read(call.function.arguments)]);
    const turn = { role: "assistant", content: message.content };
    if (calls.length)
      turn.tool_calls = calls.map(([id, name, given]) => ({ id, type: "function", function: { name, arguments: JSON.stringify(given) } }));
    const usage = [answer.usage.prompt_tokens, answer.usage.completion_tokens];
    return { text: message.content ?? "", calls, finish: finish_reason, usage, turn: [turn] };
  },
  results: (results) => results.map(([id, content]) => ({ role: "tool", tool_call_id: id, content })),
  async *texts(client, model, signal) {
    const stream = await client.chat.completions.create({ model, messages: begin(), stream: true }, { signal });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) yield chunk.choices[0].delta.content;
  },
});

const responses = (kind) => ({
  name: `responses-${kind}`,
  kind,
  client: openai,
  begin,
  async ask(client, model, history) {
    const shape = (name, { description, schema }) => ({ type: "function", name, description, parameters: schema, strict: true });
    const about = { model, input: history, tools: tools(shape) };
    let answer;
    if (kind === "whole") answer = await client.responses.create(about);
    else {
      const stream = client.responses.stream(about);
      for await (const event of stream) if (event.type === "error") throw new Error(event.message);
      answer = await stream.finalResponse();
    }
    const calls = answer.output.filter((item) => item.type === "function_call").map((item) => [item.call_id, item.name, read(item.arguments)]);
    const turn = answer.output.map(({ parsed_arguments, status, ...item }) => item);
    const said = answer.output.filter((item) => item.type === "message").flatMap((item) => item.content);
    const text = said.map((part) => part.text ?? "").join("");
    return { text, calls, finish: answer.status, usage: [answer.usage.input_tokens, answer.usage.output_tokens], turn };
  },
  results: (results) => results.map(([id, output]) => ({ type: "function_call_output", call_id: id, output })),
  async *texts(client, model, signal) {
    const stream = await client.responses.create({ model, input: PROMPT, stream: true }, { signal });
    for await (const event of stream) {
      if (event.type === "error") throw new Error(event.message);
      if (event.type === "response.output_text.delta") yield event.delta;
    }
  },
});

const messages = (kind) => ({
  name: `messages-${kind}`,
  kind,
  client: anthropic,
  begin,
  async ask(client, model, history) {
    const shape = (name, { description, schema }) => ({ name, description, input_schema: schema });
    const about = { model, max_tokens: 500, messages: history, tools: tools(shape) };
    const answer = kind === "whole" ? await client.messages.create(about) : await client.messages.stream(about).finalMessage();
    const calls = answer.content.filter((block) => block.type === "tool_use").map((block) => [block.id, block.name, block.input]);
    const text = answer.content.map((block) => block.text ?? "").join("");
    const keys = { text: ["type", "text"], tool_use: ["type", "id", "name", "input"] };
    const content = answer.content.map((block) => Object.fromEntries(keys[block.type].map((key) => [key, block[key]])));
    const usage = [answer.usage.input_tokens, answer.usage.output_tokens];
    return { text, calls, finish: answer.stop_reason, usage, turn: [{ role: "assistant", content }] };
  },
  results: (results) => [
    { role: "user", content: results.map(([id, content]) => ({ type: "tool_result", tool_use_id: id, content })) },
  ],
  async *texts(client, model, signal) {
    const stream = await client.messages.create({ model, max_tokens: 500, messages: begin(), stream: true }, { signal });
    for await (const event of stream) if (event.delta?.type === "text_delta") yield event.delta.text;
  },
});

export const LANES = [chat, responses, messages].flatMap((kind) => [kind("whole"), kind("stream")]);
