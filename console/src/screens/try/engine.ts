// What a workbench asks the server, and what comes back. Nothing here is canned: every answer on the screen went through `run`.
import { ask, Refused, send } from "../../api";
import type { Claim, ClaimsReport, Explained, ParseReport, ScoreReport, StoredVerdict, ToolCall, Verdict, VerificationReport } from "../../contract";
import { parseJson } from "../../exact";
import { isObject } from "../../parts/changes";
import { KINDS, type FieldName, type Fields, type Topic } from "./topics";

/** A request, ready to be sent or copied. */
export interface Prepared {
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

export type Answer =
  | { of: "call"; verdict: Verdict; line: Explained["line"] | null; made: ToolCall | null }
  | { of: "output"; report: ReadOutput; input: string }
  | { of: "claims"; report: ClaimsReport }
  | { of: "answer"; report: ScoreReport & { weights?: ScoreReport["signals"] }; response: string }
  | { of: "result"; report: VerificationReport; result: unknown }
  | { of: "gateway"; message: Message; ids: string[]; verdicts: GatewayVerdict[] | null };

/** A report of the parser; repairs say where they begin and end, what stood there and what took its place. */
export type ReadOutput = Omit<ParseReport, "repairs"> & { repairs: (ParseReport["repairs"][number] & { end?: number; before?: string; after?: string })[] };

/** A verdict of the gateway says which attempt it was and what became of the call. */
type GatewayRecord = StoredVerdict & { attempt?: number; outcome?: string };

/** One call of one attempt, with everything that became of it: sent back first, refused in the end. */
export type GatewayVerdict = GatewayRecord & { outcomes: string[] };

/** What a client of the gateway gets. */
export interface Message {
  content: string | null;
  calls: ToolCall[];
  finish: string;
  claims: Claim[];
  marked: boolean;
}

export interface Made {
  request: Prepared;
  answer: Answer;
  /** The answer as it came. */
  body: unknown;
  /** What the server measured. */
  milliseconds: number | null;
  /** The fields it was made from. */
  from: Fields;
}

/** The request of a workbench. Throws where a field that must be JSON is none. */
export function prepare(topic: Topic, fields: Fields, language: string): Prepared {
  const has = (name: FieldName) => (fields[name] ?? "").trim() !== "";
  const value = (name: FieldName): unknown => (KINDS[name] === "json" ? parseJson(fields[name] ?? "null") : fields[name]);
  const body: Record<string, unknown> = {};
  const take = (name: FieldName, as: string = name) => {
    if (has(name)) body[as] = value(name);
  };
  const headers: Record<string, string> = {};
  switch (topic) {
    case "call":
    case "danger":
    case "provenance":
      for (const name of ["tools", "messages", "call", "context"] as const) take(name);
      return { path: explains ? "/v1/explain" : "/v1/check", body: { ...body, language }, headers };
    case "output":
      for (const name of ["input", "tools", "schema"] as const) take(name);
      if (has("protocol") && fields.protocol !== "auto") take("protocol");
      return { path: "/v1/parse", body, headers };
    case "claims":
      take("text");
      return { path: "/v1/claims", body, headers };
    case "answer":
      take("question");
      take("response");
      if (has("passages")) body.context = (fields.passages ?? "").split(/\n\s*\n/).map((passage) => passage.trim());
      for (const name of ["samples", "logprobs", "fact_check"] as const) take(name);
      return { path: "/v1/score", body, headers };
    case "result":
      take("tool");
      take("call");
      if (has("result")) body.result = paired(value("result"), body.call);
      take("messages");
      return { path: "/v1/verify", body: { ...body, language }, headers };
    case "gateway":
      take("model");
      body.messages = [{ role: "user", content: fields.message ?? "" }];
      take("tools");
      if (has("caller")) headers["countersign-context"] = ascii(JSON.stringify(value("caller")));
      if (!has("tools")) headers.countersign = "claims";
      return { path: "/v1/chat/completions", body, headers };
  }
}

/** Sends it, and reads what came back. */
export async function run(topic: Topic, fields: Fields, language: string, signal: AbortSignal): Promise<Made> {
  const request = prepare(topic, fields, language);
  try {
    const response = await send(request.path, { method: "POST", body: request.body, headers: request.headers, signal });
    const measured = Number(response.headers.get("x-process-time") ?? Number.NaN) * 1000;
    const body = parseJson(await response.text());
    const answer = await read(topic, request, body, response.headers, signal);
    return { request, answer, body, milliseconds: Number.isFinite(measured) ? measured : null, from: fields };
  } catch (error) {
    if (error instanceof Refused && error.status === 404 && request.path === "/v1/explain") {
      // A server that does not explain still checks.
      explains = false;
      return run(topic, fields, language, signal);
    }
    throw error;
  }
}

let explains = true;

async function read(topic: Topic, request: Prepared, body: unknown, headers: Headers, signal: AbortSignal): Promise<Answer> {
  switch (topic) {
    case "call":
    case "danger":
    case "provenance": {
      const made = isObject(request.body.call) ? (request.body.call as unknown as ToolCall) : null;
      const explained = isObject(body) && "verdict" in body ? (body as unknown as Explained) : { verdict: body as Verdict, line: null };
      return { of: "call", ...explained, made };
    }
    case "output":
      return { of: "output", report: body as ReadOutput, input: String(request.body.input ?? "") };
    case "claims":
      return { of: "claims", report: body as ClaimsReport };
    case "answer":
      return { of: "answer", report: body as ScoreReport, response: String(request.body.response ?? "") };
    case "result":
      return { of: "result", report: body as VerificationReport, result: isObject(request.body.result) ? request.body.result.content : request.body.result };
    case "gateway":
      return gateway(body, headers, signal);
  }
}

async function gateway(body: unknown, headers: Headers, signal: AbortSignal): Promise<Answer> {
  const several = (headers.get("countersign-verdicts") ?? "").split(",").map((one) => one.trim().split(" ")[0] ?? "");
  const ids = [...new Set([...several, headers.get("countersign-verdict") ?? ""])].filter((id) => id !== "");
  const verdicts = await recorded(ids[0], signal).catch((error: unknown) => {
    // Without the scope to read the audit, the answer itself must do.
    if (error instanceof Refused) return null;
    throw error;
  });
  return { of: "gateway", message: messageOf(body), ids, verdicts };
}

/** Everything that was decided on the way to one answer, first attempt first. */
async function recorded(id: string | undefined, signal: AbortSignal): Promise<GatewayVerdict[]> {
  if (id === undefined) return [];
  const one = await ask<GatewayRecord>(`/v1/verdicts/${encodeURIComponent(id)}`, { signal });
  if (!one.answer_id) return inOrder([one]);
  const page = await ask<{ verdicts: GatewayRecord[] }>(`/v1/verdicts?answer_id=${encodeURIComponent(one.answer_id)}&limit=20`, { signal });
  return inOrder(page.verdicts.reverse());
}

/** Attempts in their order; in each what was passed on first, and a call that was recorded twice once. */
function inOrder(records: readonly GatewayRecord[]): GatewayVerdict[] {
  const rank = (record: GatewayRecord) => (record.attempt ?? 0) * 10 + (record.outcome === "released" ? 0 : record.outcome === "sent_back" ? 1 : 2);
  const calls = new Map<string, GatewayVerdict>();
  for (const record of [...records].sort((one, two) => rank(one) - rank(two))) {
    const key = `${record.attempt ?? 0} ${record.call_id}`;
    calls.set(key, { ...record, outcomes: [...(calls.get(key)?.outcomes ?? []), record.outcome ?? ""] });
  }
  return [...calls.values()];
}

function messageOf(body: unknown): Message {
  const answer = body as {
    choices?: { message?: { content?: string | null; tool_calls?: { id?: string; function?: { name?: string; arguments?: string } }[] }; finish_reason?: string }[];
    countersign?: { claims?: Claim[] };
  };
  const choice = answer.choices?.[0];
  const calls = (choice?.message?.tool_calls ?? []).map((call) => ({ name: call.function?.name ?? "", arguments: opened(call.function?.arguments ?? "") }));
  return { content: choice?.message?.content ?? null, calls, finish: choice?.finish_reason ?? "", claims: answer.countersign?.claims ?? [], marked: answer.countersign !== undefined };
}

/** Arguments that travel as text, as the object they are. */
export function opened(text: string | Record<string, unknown>): ToolCall["arguments"] {
  if (typeof text !== "string") return text;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** Headers hold ASCII only; JSON can say everything in it. */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A bare content is a result of the call beside it. */
function paired(result: unknown, call: unknown): unknown {
  if (isObject(result) && "content" in result) return result;
  return isObject(call) && typeof call.id === "string" ? { call_id: call.id, content: result } : { content: result };
}
