// The server, as a program asks it: the engine's routes, sessions with their event stream, reviews and the stop switch.
//
//   const client = new Client({ url: "http://127.0.0.1:7420", key });
//   const session = await client.openSession({ agent: "concierge" });
//   for await (const event of client.say(session, "How did the market do?")) show(event);
//
// A stream that breaks is taken up again by its last id: no event is missed and none comes twice. This file needs `fetch` and
// nothing else; it does not load the engine.
import type { ApiError, ClaimsReport, ParseReport, Review, ScoreReport, SessionInfo, StopState, StreamEvent, Verdict, VerificationReport } from "./contract.js";
import { frames } from "./sse.js";

export type * from "./contract.js";

/** The server said no, or could not be reached (`status` 0). */
export class Refused extends Error {
  override name = "Refused";
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

export interface ClientOptions {
  /** Where the server is. */
  url?: string | undefined;
  /** One of its keys, where it wants one. */
  key?: string | undefined;
  fetch?: typeof fetch | undefined;
}

export interface StreamOptions {
  /** The last event that was seen, to go on after it. */
  after?: string | null | undefined;
  signal?: AbortSignal | undefined;
  /** How often a broken stream is taken up again without an event between; 8 where nothing is said. */
  retries?: number | undefined;
}

export interface FollowOptions extends StreamOptions {
  /** `hybrid`: what was missed, then live. `replay`: what exists now. `none`: only what comes. */
  mode?: "hybrid" | "replay" | "none" | undefined;
  /** Stays open between turns. */
  follow?: boolean | undefined;
}

export interface Decision {
  decision: "approve" | "edit" | "reject";
  reason?: string | undefined;
  /** The arguments to run, for an edit of a call. */
  arguments?: unknown;
  /** What stands in the place of a result or an answer. */
  content?: unknown;
  reviewer?: string | undefined;
}

export class Client {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #fetch: typeof fetch;

  constructor({ url = "http://127.0.0.1:7420", key, fetch: own }: ClientOptions = {}) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#fetch = own ?? ((...asked) => fetch(...asked));
  }

  check = (request: unknown): Promise<Verdict> => this.post("/v1/check", request);
  verify = (request: unknown): Promise<VerificationReport> => this.post("/v1/verify", request);
  score = (request: unknown): Promise<ScoreReport> => this.post("/v1/score", request);
  step = (request: unknown): Promise<Record<string, unknown>> => this.post("/v1/step", request);
  parse = (request: unknown): Promise<ParseReport> => this.post("/v1/parse", request);
  claims = (request: unknown): Promise<ClaimsReport> => this.post("/v1/claims", request);

  /** Opens a session: `agent`, and `user`, `model`, `tools` as they are known. */
  async openSession(about: { agent: string; [field: string]: unknown }): Promise<string> {
    return (await this.post<SessionInfo>("/v1/sessions", about)).session_id;
  }

  /** Says something, and gives the events of the turn until it ends. The turn goes on where the reader leaves. */
  async *say(session: string, content: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
    const asked = { method: "POST", body: JSON.stringify({ content }), signal: options.signal ?? null };
    let after = options.after ?? null;
    try {
      for await (const event of this.#read(await this.#send(`${path(session)}/messages`, asked))) {
        after = event.id ?? after;
        yield event;
        if (isTerminal(event)) return;
      }
    } catch (error) {
      // A message that was refused is not sent again; a stream that broke is read on.
      if (error instanceof Refused || options.signal?.aborted || after === null) throw error;
    }
    yield* this.events(session, { ...options, after });
  }

  /** The events of a session, taken up again where the connection breaks. Ends with the turn, or, with `follow`, when the reader leaves. */
  async *events(session: string, { after, signal, retries = 8, mode = "hybrid", follow = false }: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    let last = after ?? null;
    for (let failures = 0; ; ) {
      try {
        const headers: Record<string, string> = last === null ? {} : { "last-event-id": last };
        const response = await this.#send(`${path(session)}/events?mode=${mode}${follow ? "&follow=true" : ""}`, { headers, signal: signal ?? null });
        for await (const event of this.#read(response)) {
          failures = 0;
          // The server does not know our place: everything comes again, and the reader is told.
          last = event.event_type === "reset" ? null : (event.id ?? last);
          yield event;
        }
        return;
      } catch (error) {
        // What the server refuses for good is not asked again.
        const refused = error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 429;
        if (refused || signal?.aborted || failures >= retries) throw error;
        await sleep(Math.min(SHORTEST_PAUSE * 2 ** failures, LONGEST_PAUSE) * (0.75 + Math.random() / 2), signal);
        failures += 1;
      }
    }
  }

  /** Stops a session, or all of them. */
  stop(session?: string): Promise<StopState> {
    return session === undefined ? this.post("/v1/stop", { sessions: "all" }) : this.post(`${path(session)}/stop`, {});
  }

  /** Lets a session go on that was stopped, or all of them. */
  resume(session?: string): Promise<StopState> {
    return this.ask("/v1/stop", { method: "DELETE", body: JSON.stringify({ sessions: session === undefined ? "all" : [session] }) });
  }

  /** What waits for a person, or another state of the queue. */
  async reviews(choose: { state?: string; tool?: string } = { state: "pending" }): Promise<Review[]> {
    const found = await this.ask<Review[] | { reviews: Review[] }>(`/v1/reviews?${new URLSearchParams(choose as Record<string, string>)}`);
    return Array.isArray(found) ? found : found.reviews;
  }

  /** Decides on an item. */
  decide(review: string, decision: Decision): Promise<unknown> {
    return this.post(`/v1/reviews/${encodeURIComponent(review)}/decision`, decision);
  }

  post<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.ask(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  }

  /** Asks any route, and gives the answer's JSON. */
  async ask<Answer>(path: string, asked: RequestInit = {}): Promise<Answer> {
    const text = await (await this.#send(path, asked)).text();
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  async #send(path: string, asked: RequestInit): Promise<Response> {
    const headers = new Headers(asked.headers);
    if (asked.body !== undefined) headers.set("content-type", "application/json");
    if (this.#key !== undefined) headers.set("authorization", `Bearer ${this.#key}`);
    let response: Response;
    try {
      response = await this.#fetch(this.#url + path, { ...asked, headers });
    } catch (error) {
      if (asked.signal?.aborted) throw error;
      throw new Refused(0, `${this.#url} cannot be reached`, "unreachable");
    }
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    const body = readJson(text) as { error?: Partial<ApiError> } | null;
    throw new Refused(response.status, body?.error?.message ?? `${response.status} ${response.statusText}`, body?.error?.code ?? null, body);
  }

  /** The events of a response. One that ends without `[DONE]` was cut. */
  async *#read(response: Response): AsyncGenerator<StreamEvent> {
    if (response.body === null) throw new Error("the answer has no body");
    for await (const data of frames(response.body)) {
      if (data === "[DONE]") return;
      yield JSON.parse(data) as StreamEvent;
    }
    throw new Error("the stream was cut");
  }
}

/** Whether an event ends its turn. */
export function isTerminal(event: StreamEvent): boolean {
  return ["completed", "failed", "stopped", "lost"].includes(event.event_type);
}

function path(session: string): string {
  return `/v1/sessions/${encodeURIComponent(session)}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;
