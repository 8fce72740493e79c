// The stops of the tour, and what each workbench takes.

export const TOPICS = ["call", "danger", "provenance", "output", "claims", "answer", "result", "gateway"] as const;

export type Topic = (typeof TOPICS)[number];

export function isTopic(word: string | null): word is Topic {
  return word !== null && (TOPICS as readonly string[]).includes(word);
}

export type FieldName =
  | "call"
  | "tools"
  | "messages"
  | "context"
  | "input"
  | "protocol"
  | "schema"
  | "text"
  | "question"
  | "passages"
  | "response"
  | "samples"
  | "logprobs"
  | "fact_check"
  | "tool"
  | "result"
  | "model"
  | "message"
  | "caller";

/** What a person has typed, field by field. An empty field is absent. */
export type Fields = Partial<Record<FieldName, string>>;

export type FieldKind = "json" | "text" | "protocol" | "model";

export const KINDS: Record<FieldName, FieldKind> = {
  call: "json",
  tools: "json",
  messages: "json",
  context: "json",
  input: "text",
  protocol: "protocol",
  schema: "json",
  text: "text",
  question: "text",
  passages: "text",
  response: "text",
  samples: "json",
  logprobs: "json",
  fact_check: "json",
  tool: "json",
  result: "json",
  model: "model",
  message: "text",
  caller: "json",
};

/** The fields of each workbench: what is the point of it, and what is folded away under it. */
export const BENCH: Record<Topic, { shown: readonly FieldName[]; folded: readonly FieldName[] }> = {
  call: { shown: ["call"], folded: ["tools", "messages", "context"] },
  danger: { shown: ["call", "context"], folded: ["tools", "messages"] },
  provenance: { shown: ["messages", "call"], folded: ["tools", "context"] },
  output: { shown: ["input"], folded: ["tools", "schema", "protocol"] },
  claims: { shown: ["text"], folded: [] },
  answer: { shown: ["question", "passages", "response"], folded: ["samples", "logprobs", "fact_check"] },
  result: { shown: ["call", "result"], folded: ["tool", "messages"] },
  gateway: { shown: ["message", "model"], folded: ["tools", "caller"] },
};

/** How a model's output may be written; `auto` finds out. */
export const PROTOCOLS = ["auto", "json", "concierge", "openai", "anthropic", "responses"] as const;
