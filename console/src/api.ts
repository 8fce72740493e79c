// The server, as the console asks it. The key is in a cookie that no script can read; what changes something carries a token
// that only this page was given.
import type { ApiError, ConsoleSession } from "./contract";
import { parseJson } from "./exact";

/** The server said no, or could not be reached (`status` 0). */
export class Refused extends Error {
  override name = "Refused";
  readonly status: number;
  readonly code: string | null;
  readonly body: unknown;

  constructor(status: number, message: string, code: string | null, body: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

let token: string | null = null;
const waiting = new Set<() => void>();

/** Is told when the server no longer knows who we are. */
export function onSignedOut(listen: () => void): () => void {
  waiting.add(listen);
  return () => waiting.delete(listen);
}

export async function consoleSession(): Promise<ConsoleSession> {
  const session = await ask<ConsoleSession>("/console/session");
  token = session.csrf;
  return session;
}

export async function signIn(key: string): Promise<ConsoleSession> {
  const session = await ask<ConsoleSession>("/console/session", { method: "POST", body: { key } });
  token = session.csrf;
  return session;
}

export async function signOut(): Promise<void> {
  const leave = () => ask("/console/session", { method: "DELETE" });
  // Somebody else may have signed in beside us: then our token is that of another key.
  await leave().catch(async (error: unknown) => {
    if (!(error instanceof Refused && error.code === "csrf")) throw error;
    await consoleSession();
    await leave();
  });
  token = null;
  for (const listen of waiting) listen();
}

export interface Asked {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is: a form with a file. */
  form?: FormData;
  /** Sent as it is: lines of JSON. */
  raw?: string;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Goes on after the page was left. */
  keepalive?: boolean;
}

/** Asks, and gives the answer's JSON. */
export async function ask<Answer = unknown>(path: string, asked: Asked = {}): Promise<Answer> {
  const response = await send(path, asked);
  if (response.status === 204) return undefined as Answer;
  const text = await response.text();
  return (text === "" ? undefined : parseJson(text)) as Answer;
}

/** Asks, and gives the answer as it comes. Throws `Refused` where the server says no. */
export async function send(path: string, asked: Asked = {}): Promise<Response> {
  const headers: Record<string, string> = { ...asked.headers };
  if (asked.body !== undefined) headers["content-type"] = "application/json";
  if (asked.raw !== undefined) headers["content-type"] = "application/x-ndjson";
  if (token !== null && (asked.method ?? "GET") !== "GET") headers["x-countersign-csrf"] = token;
  let response: Response;
  try {
    response = await fetch(path, {
      method: asked.method ?? "GET",
      headers,
      body: asked.form ?? asked.raw ?? (asked.body === undefined ? null : JSON.stringify(asked.body)),
      signal: asked.signal ?? null,
      keepalive: asked.keepalive ?? false,
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refused(0, "the server cannot be reached", "unreachable", null);
  }
  if (response.ok) return response;
  throw await refusal(response, path);
}

async function refusal(response: Response, path: string): Promise<Refused> {
  const text = await response.text().catch(() => "");
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not one of our own errors: the status must do.
  }
  const error = (body as { error?: Partial<ApiError> } | null)?.error;
  // A token that no longer fits means that another key was signed in, in another window.
  if ((response.status === 401 || error?.code === "csrf") && path !== "/console/session") for (const listen of waiting) listen();
  return new Refused(response.status, error?.message ?? `${response.status} ${response.statusText}`, error?.code ?? null, body);
}

/** An error for people. */
export function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
