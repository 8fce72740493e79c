// A streamed output of the AI SDK: calls are held until they are whole and judged, everything else flows.
import type { LanguageModelMiddleware } from "ai";
import type { Desk, Params } from "./ai.js";

type Stream = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>["stream"];
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never;
type Input = Extract<StreamPart, { type: "tool-input-start" | "tool-input-delta" | "tool-input-end" }>;

/** Judges the calls of a stream. The name and the arguments of a call come mended, its arguments in one piece. */
export function guardStream(desk: Desk, params: Params): TransformStream<StreamPart, StreamPart> {
  const held = new Map<string, Input[]>();
  let text = "";
  let called = false;
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "tool-input-start" && !part.providerExecuted) held.set(part.id, [part]);
      else if (isInput(part) && held.has(part.id)) held.get(part.id)?.push(part);
      else if (part.type === "tool-call") {
        called = true;
        const judged = desk.judge(params, part);
        for (const input of rewrite(held.get(part.toolCallId) ?? [], judged.toolName, judged.input)) controller.enqueue(input);
        held.delete(part.toolCallId);
        controller.enqueue(judged);
      } else {
        if (part.type === "text-delta") text += part.delta;
        // What was read cannot be unsaid: a streamed answer is only watched.
        if (part.type === "finish" && !called) desk.examine(params, [{ type: "text", text }]);
        controller.enqueue(part);
      }
    },
    // A call that was begun and never made stays what it is.
    flush(controller) {
      for (const input of [...held.values()].flat()) controller.enqueue(input);
    },
  });
}

function rewrite(inputs: Input[], toolName: string, input: string): Input[] {
  const [start] = inputs;
  if (start?.type !== "tool-input-start") return [];
  return [{ ...start, toolName }, { type: "tool-input-delta", id: start.id, delta: input }, { type: "tool-input-end", id: start.id }];
}

function isInput(part: StreamPart): part is Input {
  return part.type === "tool-input-start" || part.type === "tool-input-delta" || part.type === "tool-input-end";
}
