// LangChain 1 and LangGraph: every tool call checked and mended before it runs.
//
//   const agent = createAgent({ model, tools, middleware: [countersign()] });
//
// - A call that may run is run as the verdict has it: names and arguments mended where that is certain.
// - A refused call becomes a `ToolMessage` with status `error`, so that the model can correct it.
// - A call that needs a person pauses the graph (`interrupt`), in the form of LangChain's own `humanInTheLoopMiddleware`:
//   resume with `new Command({ resume: { decisions: [{ type: "approve" }] } })`. Without a checkpointer there is nobody to
//   ask, LangGraph throws, and nothing runs.
// - A result that looks wrong reaches the model with a note.
// - An answer that says what was not done is sent back once.
// - What the other `agents` say, as a tool or as messages under their name, reaches the model with its unverified claims.
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { interrupt, type Command } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware, type ToolCallRequest } from "langchain";
import { Judging, type JudgingOptions, type Message, type Ruling } from "./judging.js";

type Tool = ToolCallRequest["tool"];
type Call = ToolCallRequest["toolCall"];

/** Checks the calls, results and answers of an agent. */
export function countersign(options: JudgingOptions = {}): AgentMiddleware {
  const judging = new Judging(options);
  // The agent's tools, as the model was shown them.
  let shown: unknown[] | undefined;
  let byName = new Map<string, Tool>();

  return createMiddleware({
    name: SENDER,

    wrapModelCall: (request, handler) => {
      shown = request.tools.map(describe);
      byName = new Map(request.tools.map((tool) => [nameOf(tool), tool as Tool]));
      const mark = (message: BaseMessage) => markClaims(judging, shown, message);
      return handler(judging.agents.size === 0 ? request : { ...request, messages: request.messages.map(mark) });
    },

    wrapToolCall: async (request, handler) => {
      const made = request.toolCall;
      const said = toMessages(before(request.state.messages, made.id));
      // A graph that is resumed in another process has not asked its model yet: the call's own tool is what is known then.
      const tools = shown ?? (request.tool === undefined ? [] : [describe(request.tool)]);
      const ruling = judging.call(tools, said, { id: made.id, name: made.name, arguments: made.args });
      const refused = ruling.kind === "review" ? askPerson(made, ruling) : ruling.kind === "refuse" ? refuse(made, ruling.told) : null;
      if (refused !== null) return refused;
      const toolCall = { ...made, name: ruling.name, args: ruling.arguments as Call["args"] };
      const result = await handler({ ...request, toolCall, tool: ruling.name === made.name ? request.tool : byName.get(ruling.name) });
      return verify(judging, tools, toolCall, result);
    },

    afterModel: {
      canJumpTo: ["model"],
      hook: ({ messages }) => {
        const last = messages.at(-1);
        if (!AIMessage.isInstance(last) || last.tool_calls?.length || wasAskedAgain(messages)) return undefined;
        const told = judging.answer(shown, toMessages(messages.slice(0, -1)), last.text);
        return told === null ? undefined : { messages: [new HumanMessage({ content: told, name: SENDER })], jumpTo: "model" as const };
      },
    },
  });
}

/** Pauses until a person has decided: null where they said yes. */
function askPerson(made: Call, ruling: Ruling): ToolMessage | null {
  const actionRequests = [{ name: ruling.name, args: ruling.arguments, description: ruling.told }];
  const reviewConfigs = [{ actionName: ruling.name, allowedDecisions: ["approve", "reject"] }];
  const answer = interrupt({ actionRequests, reviewConfigs }) as { decisions?: { type?: string; message?: string }[] } | undefined;
  const decision = Array.isArray(answer?.decisions) ? answer.decisions[0] : undefined;
  if (decision?.type === "approve") return null;
  const why = decision?.message ? `: ${decision.message}` : "";
  return refuse(made, `A person refused this call of \`${made.name}\`${why}. Do not try it again.`);
}

function refuse(made: Call, told: string): ToolMessage {
  return new ToolMessage({ content: told, name: made.name, tool_call_id: made.id ?? "", status: "error" });
}

function verify(judging: Judging, tools: unknown[], call: Call, result: ToolMessage | Command): ToolMessage | Command {
  if (!ToolMessage.isInstance(result)) return result;
  const note = judging.result(tools, { name: call.name, arguments: call.args }, result.text, result.status === "error");
  if (note === null) return result;
  const { tool_call_id, name, status, artifact, id } = result;
  return new ToolMessage({ content: `${result.text}\n\n${note}`, tool_call_id, name, status, artifact, id });
}

/** What another agent wrote, with its unverified claims beside it. */
function markClaims(judging: Judging, tools: unknown[] | undefined, message: BaseMessage): BaseMessage {
  if (!AIMessage.isInstance(message) || message.name === undefined || !judging.agents.has(message.name)) return message;
  const note = judging.message(tools, message.text);
  if (note === null) return message;
  const { id, name, tool_calls = [] } = message;
  return new AIMessage({ content: `${message.text}\n\n${note}`, name, tool_calls, ...(id === undefined ? {} : { id }) });
}

/** The conversation up to the message that makes this call. */
function before(messages: readonly BaseMessage[], id: string | undefined): readonly BaseMessage[] {
  const at = messages.findLastIndex((message) => AIMessage.isInstance(message) && message.tool_calls?.some((call) => call.id === id));
  return at < 0 ? messages : messages.slice(0, at);
}

/** Whether the model was already asked again since a person spoke: once is enough. */
function wasAskedAgain(messages: readonly BaseMessage[]): boolean {
  return messages.findLast((message) => HumanMessage.isInstance(message))?.name === SENDER;
}

function toMessages(messages: readonly BaseMessage[]): Message[] {
  return messages.map((message) => {
    if (ToolMessage.isInstance(message)) return { role: "tool", content: message.text, tool_call_id: message.tool_call_id };
    if (!AIMessage.isInstance(message)) return { role: message.type === "system" ? "system" : "user", content: message.text };
    const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({ id, type: "function" as const, function: { name, arguments: JSON.stringify(args) } }));
    return { role: "assistant", content: message.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  });
}

function describe(tool: unknown): unknown {
  return convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
}

function nameOf(tool: unknown): string {
  return String((tool as { name?: unknown }).name ?? "");
}

/** Whose words the correction of an answer is. */
const SENDER = "countersign";
