// What this screen asks of a session.
import { ask, send } from "../../api";
import type { SessionInfo } from "../../contract";
import { parseJson } from "../../exact";

export interface NewSession {
  agent: string;
  model: string | null;
  user: string | null;
  tools: readonly unknown[];
}

export async function createSession({ agent, model, user, tools }: NewSession): Promise<SessionInfo> {
  const body: Record<string, unknown> = { agent };
  if (model !== null) body["model"] = model;
  if (user !== null) body["user"] = user;
  if (tools.length > 0) body["tools"] = tools;
  return ask<SessionInfo>("/v1/sessions", { method: "POST", body });
}

/** Opens a turn. Its own stream is left at once: a reader that leaves never ends the turn, and the session is followed anyway. */
export async function say(session: string, content: string, files: readonly string[] = []): Promise<void> {
  const body = files.length > 0 ? { content, files } : { content };
  const response = await send(path(session, "messages"), { method: "POST", body });
  await response.body?.cancel().catch(() => undefined);
}

export function deleteSession(session: string): Promise<unknown> {
  return ask(path(session), { method: "DELETE" });
}

export function stopSession(session: string): Promise<unknown> {
  return ask(path(session, "stop"), { method: "POST", body: {} });
}

export function clearStop(session: string): Promise<unknown> {
  return ask(path(session, "stop"), { method: "DELETE" });
}

export interface Checked {
  summary: { verified: number; disputed: number; unverifiable: number; pending: number };
}

/** All claims that are not verified are asked about, also those that were looked up before. */
export function checkFacts(session: string): Promise<Checked> {
  return ask<Checked>(path(session, "factcheck"), { method: "POST", body: { again: true } });
}

/** Text that is JSON is sent as that, any other as a string. */
export function bringResult(session: string, callId: string, text: string, isError: boolean): Promise<unknown> {
  let content: unknown = text;
  try {
    content = parseJson(text);
  } catch {
    // Tools may answer in plain words.
  }
  return ask(path(session, "tool_results"), { method: "POST", body: { call_id: callId, content, is_error: isError } });
}

export interface Uploaded {
  file_id: string;
  name: string;
  type: string;
  size: number;
}

export function upload(session: string, file: File): Promise<Uploaded> {
  const form = new FormData();
  form.set("file", file);
  return ask<Uploaded>(path(session, "files"), { method: "POST", form });
}

export function removeFile(session: string, file: string): Promise<unknown> {
  return ask(path(session, `files/${encodeURIComponent(file)}`), { method: "DELETE" });
}

export function path(session: string, rest?: string): string {
  const base = `/v1/sessions/${encodeURIComponent(session)}`;
  return rest === undefined ? base : `${base}/${rest}`;
}
