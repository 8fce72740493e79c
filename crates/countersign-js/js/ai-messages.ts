// The messages of the AI SDK, those of its prompts and those of its language models, in the form of OpenAI's chat API.
import type { ModelMessage } from "ai";
import type { Message } from "./judging.js";

interface Part {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: { value?: unknown; reason?: string };
  approvalId?: string;
  approved?: boolean;
}

interface AnyMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: unknown;
}

/** The conversation; up to the message that makes the call of that id, where one is given. */
export function toMessages(messages: readonly AnyMessage[], id?: string): Message[] {
  const makes = (message: AnyMessage) => message.role === "assistant" && parts(message).some((part) => part.type === "tool-call" && part.toolCallId === id);
  const at = id === undefined ? -1 : messages.findLastIndex(makes);
  return (at < 0 ? messages : messages.slice(0, at)).flatMap(toMessage);
}

/** Whether a person has approved the call of that id. */
export function wasApproved(messages: readonly ModelMessage[], id: string): boolean {
  const all = messages.flatMap(parts);
  const asked = all.filter((part) => part.type === "tool-approval-request" && part.toolCallId === id).map((part) => part.approvalId);
  return all.some((part) => part.type === "tool-approval-response" && part.approved === true && asked.includes(part.approvalId));
}

function toMessage(message: AnyMessage): Message[] {
  if (message.role === "tool") return results(message);
  const content = parts(message).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  if (message.role !== "assistant") return [{ role: message.role, content }];
  const calls = parts(message).filter((part) => part.type === "tool-call");
  const tool_calls = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    type: "function" as const,
    function: { name: toolName ?? "", arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) },
  }));
  // A provider that runs tools itself has their results in its own message.
  return [{ role: "assistant", content, ...(calls.length > 0 ? { tool_calls } : {}) }, ...results(message)];
}

function results(message: AnyMessage): Message[] {
  const found = parts(message).filter((part) => part.type === "tool-result");
  return found.map(({ toolCallId, output }) => {
    const value = output?.value ?? output?.reason ?? "";
    return { role: "tool", content: typeof value === "string" ? value : JSON.stringify(value), tool_call_id: toolCallId };
  });
}

function parts({ content }: AnyMessage): Part[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : ((content as Part[] | undefined) ?? []);
}
