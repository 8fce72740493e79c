// The messages before a call, whichever dialect they came in.
import { isObject } from "../../parts/changes";
import type { Review } from "../../contract";

export interface Message {
  role: string;
  /** What was said in words; null where there is nothing but structure. */
  text: string | null;
  calls: { name: string; arguments: unknown }[];
  /** What is neither. */
  rest: unknown;
}

export function messagesOf(review: Review): Message[] {
  const messages = review.context.messages;
  return Array.isArray(messages) ? messages.map(read) : [];
}

/** The user's last words: what was asked. */
export function lastQuestion(review: Review): string | null {
  return messagesOf(review).findLast((message) => message.role === "user" && message.text)?.text ?? null;
}

function read(message: unknown): Message {
  if (!isObject(message)) return { role: "other", text: typeof message === "string" ? message : null, calls: [], rest: typeof message === "string" ? undefined : message };
  const role = typeof message.role === "string" ? message.role : roleOf(message.type);
  const { content } = message;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const text = typeof content === "string" ? content : textOf(parts);
  const output = message.output ?? parts.find((part) => part.type === "tool_result")?.content;
  const calls = [...callsOf(message.tool_calls), ...callsOf(parts.filter((part) => part.type === "tool_use")), ...(message.type === "function_call" ? callsOf([message]) : [])];
  const nothing = text === null && calls.length === 0;
  return { role: output !== undefined && text === null ? "tool" : role, text: text ?? (typeof output === "string" ? output : null), calls, rest: nothing ? (typeof output === "string" ? undefined : (output ?? content ?? message)) : undefined };
}

function textOf(parts: Record<string, unknown>[]): string | null {
  const texts = parts.map((part) => part.text).filter((text) => typeof text === "string");
  return texts.length > 0 ? texts.join("\n") : null;
}

function callsOf(calls: unknown): Message["calls"] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call) => {
    const made = isObject(call.function) ? call.function : call;
    return { name: String(made.name ?? ""), arguments: made.arguments ?? made.input };
  });
}

function roleOf(type: unknown): string {
  return type === "function_call" ? "assistant" : type === "function_call_output" ? "tool" : "other";
}
