// Vercel's AI SDK: every tool call checked and mended before the tool runs.
//
//   const result = await generateText({ ...guard({ model, tools }), prompt, stopWhen: stepCountIs(5) });
//
// - A call that may run is mended in the model's output, before the SDK looks for its tool.
// - A refused call is denied with the feedback as its reason (`toolApproval`), or, where the SDK cannot read it either, is an
//   invalid call whose error is the feedback (`repairToolCall`): the model is told either way.
// - A call that needs a person waits for the SDK's own approval (`user-approval`).
// - A result that looks wrong reaches the model with a note; your code sees it as it is.
// - What a tool in `agents` returns, which is another agent's message, reaches the model with its unverified claims.
// - An answer that says what was not done is asked for again once. A streamed answer was read already: it is only watched.
import { asSchema, gateway, wrapLanguageModel } from "ai";
import type { LanguageModel, LanguageModelMiddleware, ModelMessage, ToolApprovalConfiguration, ToolApprovalStatus, ToolCallRepairFunction, ToolSet } from "ai";
import { toMessages, wasApproved } from "./ai-messages.js";
import { guardStream } from "./ai-stream.js";
import { Judging, type JudgingOptions, type Ruling } from "./judging.js";

type Generate = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0];
export type Params = Generate["params"];
type Output = Awaited<ReturnType<Generate["doGenerate"]>>;
export type CallPart = Extract<Output["content"][number], { type: "tool-call" }>;
type Tool = ToolSet[string];
type ApprovalOptions = Parameters<Extract<ToolApprovalConfiguration<ToolSet, unknown>, (...given: never[]) => unknown>>[0];
/** A call as the SDK has read it. */
type ReadCall = Pick<ApprovalOptions["toolCall"], "toolCallId" | "toolName" | "input">;

export interface GuardSettings<TOOLS extends ToolSet> extends JudgingOptions {
  model: LanguageModel;
  tools: TOOLS;
  /** Approvals of your own, for the calls that may run. */
  toolApproval?: ToolApprovalConfiguration<TOOLS, unknown> | undefined;
}

/** What `generateText`, `streamText` and `ToolLoopAgent` take. */
export interface Guarded<TOOLS extends ToolSet> {
  model: LanguageModel;
  tools: TOOLS;
  toolApproval: (options: ApprovalOptions) => Promise<ToolApprovalStatus>;
  repairToolCall: ToolCallRepairFunction<ToolSet>;
}

/** Settings for the SDK whose calls, results and answers are checked. Give them all: what is left out of them is not guarded. */
export function guard<TOOLS extends ToolSet>({ model, tools, toolApproval, ...options }: GuardSettings<TOOLS>): Guarded<TOOLS> {
  const desk = new Desk(tools, new Judging(options));
  const own = toolApproval as ToolApprovalConfiguration<ToolSet, unknown> | undefined;
  return {
    model: wrapLanguageModel({ model: resolve(model), middleware: desk.middleware() }),
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, desk.wrap(name, tool)])) as TOOLS,
    toolApproval: async (asked) => {
      const ruling = await desk.ruling(asked.toolCall, asked.messages);
      if (ruling.kind === "refuse") return { type: "denied", reason: ruling.told };
      return ruling.kind === "review" ? { type: "user-approval", reason: ruling.told } : askOwn(own, tools[asked.toolCall.toolName], asked);
    },
    repairToolCall: async ({ toolCall, messages }) => {
      const ruling = await desk.ruling(toolCall, messages);
      // What the engine lets run and the SDK cannot read is the SDK's to refuse, in its own words.
      if (ruling.kind !== "refuse") return null;
      throw new Error(ruling.told);
    },
  };
}

/** Judges the calls of a model's output when it comes, and remembers what became of each until it runs. */
export class Desk {
  readonly #rulings = new Map<string, { raw: unknown; ruling: Ruling }[]>();
  readonly #notes = new Map<string, string | null>();
  /** The tools as the model was shown them. */
  #shown: unknown[] | undefined;

  constructor(
    readonly tools: ToolSet,
    readonly judging: Judging,
  ) {}

  middleware(): LanguageModelMiddleware {
    return {
      wrapGenerate: async ({ doGenerate, params, model }) => {
        const first = await doGenerate();
        const told = this.examine(params, first.content);
        if (told === null) return this.#mend(params, first);
        const said = first.content.flatMap((part) => (part.type === "text" ? [{ type: "text" as const, text: part.text }] : []));
        const prompt: Params["prompt"] = [...params.prompt, { role: "assistant", content: said }, { role: "user", content: [{ type: "text", text: told }] }];
        const again = await model.doGenerate({ ...params, prompt });
        return this.#mend({ ...params, prompt }, { ...again, usage: add(first.usage, again.usage) });
      },
      wrapStream: async ({ doStream, params }) => {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: stream.pipeThrough(guardStream(this, params)) };
      },
    };
  }

  /** Judges a call where it stands, and mends it where it may run. */
  judge(params: Params, part: CallPart): CallPart {
    if (part.providerExecuted) return part;
    this.#shown = (params.tools ?? []).map((tool) =>
      tool.type === "function" ? { name: tool.name, description: tool.description, parameters: tool.inputSchema } : { name: tool.name, parameters: { type: "object" } },
    );
    const ruling = this.#judge(toMessages(params.prompt), part.toolCallId, part.toolName, part.input);
    if (ruling.kind !== "run") return part;
    // Text that needs no change stays as the model wrote it.
    const input = same(ruling.arguments, readInput(part.input)) ? part.input : JSON.stringify(ruling.arguments);
    return { ...part, toolName: ruling.name, input };
  }

  /** What the model is told where its answer should be another; null where it is none, or all is well. */
  examine(params: Params, content: Output["content"]): string | null {
    if (content.some((part) => part.type === "tool-call")) return null;
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return this.judging.answer(this.#shown, toMessages(params.prompt), text);
  }

  /** What was decided on a call; one that is not known, or with other arguments, is judged again. */
  async ruling(call: ReadCall, messages: readonly ModelMessage[]): Promise<Ruling> {
    // The newest first: where an id comes again, the verdict of another conversation is not this one's.
    for (const { raw, ruling } of [...(this.#rulings.get(call.toolCallId) ?? [])].reverse()) {
      if (call.toolName === ruling.name && (raw === call.input || (await this.#reads(ruling, call.input)))) return ruling;
    }
    this.#shown ??= await describe(this.tools);
    return this.#judge(toMessages(messages, call.toolCallId), call.toolCallId, call.toolName, call.input);
  }

  /** The tool, run only as its call was judged. */
  wrap(name: string, tool: Tool): Tool {
    const { execute, toModelOutput } = tool as { execute?: Execute; toModelOutput?: ToModelOutput };
    if (execute === undefined) return tool;
    const verify = (input: unknown, id: string, output: unknown) => keep(this.#notes, id, this.judging.result(this.#shown, { name, arguments: input }, output));
    const clear = (input: unknown, given: ExecuteOptions) => this.#clear({ toolCallId: given.toolCallId, toolName: name, input }, given.messages);
    const once: Execute = async (input, given) => {
      await clear(input, given);
      const output = await last(execute.call(tool, input, given));
      verify(input, given.toolCallId, output);
      return output;
    };
    const piecewise: Execute = async function* (input, given) {
      await clear(input, given);
      let output: unknown;
      for await (output of execute.call(tool, input, given) as AsyncIterable<unknown>) yield output;
      verify(input, given.toolCallId, output);
    };
    const told: ToModelOutput = async (given) => {
      const output = toModelOutput === undefined ? plain(given.output) : await toModelOutput.call(tool, given);
      const note = this.#notes.has(given.toolCallId) ? this.#notes.get(given.toolCallId) : verify(given.input, given.toolCallId, given.output);
      return note ? withNote(output, note) : output;
    };
    return { ...tool, execute: GENERATOR.test(Object.prototype.toString.call(execute)) ? piecewise : once, toModelOutput: told } as unknown as Tool;
  }

  async #clear(call: ReadCall, messages: readonly ModelMessage[]): Promise<void> {
    const ruling = await this.ruling(call, messages);
    if (ruling.kind === "refuse") throw new Error(ruling.told);
    // The SDK asks a person only where it was given `toolApproval`.
    if (ruling.kind === "review" && !wasApproved(messages, call.toolCallId))
      throw new Error(`The call of \`${call.toolName}\` needs a person's approval and was not made. ${ruling.told}`);
  }

  #mend(params: Params, output: Output): Output {
    return { ...output, content: output.content.map((part) => (part.type === "tool-call" ? this.judge(params, part) : part)) };
  }

  #judge(messages: Parameters<Judging["call"]>[1], id: string, name: string, input: unknown): Ruling {
    const ruling = this.judging.call(this.#shown, messages, { id, name, arguments: readInput(input) });
    keep(this.#rulings, id, [...(this.#rulings.get(id) ?? []), { raw: input, ruling }].slice(-KEPT_OF_AN_ID));
    return ruling;
  }

  /** Whether the SDK reads the arguments of a ruling as this input: its schemas fill in defaults and convert. */
  async #reads(ruling: Ruling, input: unknown): Promise<boolean> {
    if (same(ruling.arguments, input)) return true;
    const tool = this.tools[ruling.name];
    const read = tool === undefined ? undefined : await asSchema(tool.inputSchema).validate?.(readInput(ruling.arguments));
    return read?.success === true && same(read.value, input);
  }
}

interface ExecuteOptions {
  toolCallId: string;
  messages: ModelMessage[];
}
type Execute = (input: unknown, options: ExecuteOptions) => unknown;
type ModelOutput = { type: string; value: unknown };
type ToModelOutput = (given: { toolCallId: string; input: unknown; output: unknown }) => Promise<ModelOutput> | ModelOutput;

/** The approval that a call would have without us. A function in its place hides the tool's own `needsApproval` from the SDK. */
async function askOwn(own: ToolApprovalConfiguration<ToolSet, unknown> | undefined, tool: Tool | undefined, asked: ApprovalOptions): Promise<ToolApprovalStatus> {
  if (typeof own === "function") return own(asked);
  const { toolCallId, toolName, input } = asked.toolCall;
  const toolContext = (asked.toolsContext as Record<string, unknown> | undefined)?.[toolName];
  const options = { toolCallId, messages: asked.messages };
  const status = own?.[toolName];
  if (status !== undefined) return typeof status === "function" ? status(input, { ...options, toolContext, runtimeContext: asked.runtimeContext } as never) : status;
  const needed = (tool as { needsApproval?: unknown } | undefined)?.needsApproval;
  const asks = typeof needed === "function" ? await needed(input, { ...options, context: toolContext }) : needed;
  return asks ? "user-approval" : undefined;
}

/** A model that is given by name is opened as the SDK does it. */
function resolve(model: LanguageModel) {
  if (typeof model !== "string") return model;
  const provider = (globalThis as { AI_SDK_DEFAULT_PROVIDER?: typeof gateway }).AI_SDK_DEFAULT_PROVIDER ?? gateway;
  return provider.languageModel(model);
}

async function describe(tools: ToolSet): Promise<unknown[]> {
  const described = Object.entries(tools).map(async ([name, tool]) => {
    const parameters = tool.inputSchema === undefined ? { type: "object" } : await asSchema(tool.inputSchema).jsonSchema;
    return { name, description: typeof tool.description === "string" ? tool.description : undefined, parameters };
  });
  return Promise.all(described);
}

/** The SDK reads no text as no arguments. */
function readInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

async function last(output: unknown): Promise<unknown> {
  let value = await output;
  if (typeof value === "object" && value !== null && Symbol.asyncIterator in value) for await (value of value as AsyncIterable<unknown>);
  return value;
}

function plain(output: unknown): ModelOutput {
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: JSON.parse(JSON.stringify(output) ?? "null") };
}

function withNote({ type, value }: ModelOutput, note: string): ModelOutput {
  if (type === "content") return { type, value: [...(value as unknown[]), { type: "text", text: note }] };
  if (type === "text" || type === "error-text") return { type, value: `${value}\n\n${note}` };
  return { type: type === "error-json" ? "error-text" : "text", value: `${JSON.stringify(value)}\n\n${note}` };
}

/** Two counts of tokens as one. */
function add<Usage>(first: Usage, second: Usage): Usage {
  if (typeof first === "number" && typeof second === "number") return (first + second) as Usage;
  if (typeof first !== "object" || typeof second !== "object" || first === null || second === null) return second ?? first;
  const names = Object.keys({ ...first, ...second }) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, add(first[name], second[name])])) as Usage;
}

function same(first: unknown, second: unknown): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

function keep<Value>(map: Map<string, Value>, id: string, value: Value): Value {
  map.delete(id);
  map.set(id, value);
  for (const oldest of map.keys()) {
    if (map.size <= KEPT) break;
    map.delete(oldest);
  }
  return value;
}

const GENERATOR = /AsyncGeneratorFunction/;
/** So many calls are remembered between their verdict and their run. */
const KEPT = 4096;
/** Ids may come again, in another run or in the same output. */
const KEPT_OF_AN_ID = 8;
