// Written by `countersign events types`. Do not edit: a test holds this file against the code.

export type ClaimKind = "percentage" | "currency" | "date" | "citation" | "quantity" | "comparison" | "url" | "version" | "statistic" | (string & {});

export type ClaimStatus = "pending" | "verified" | "disputed" | "unverifiable";

/** A claim where it stands in its message. */
export interface Claim {
  id?: string;
  /** UTF-8 byte offsets. */
  start: number;
  end: number;
  /** UTF-16 offsets, as JavaScript counts. */
  utf16_start: number;
  utf16_end: number;
  text: string;
  kind: ClaimKind;
  type: ClaimKind;
  value?: Record<string, unknown>;
  status: ClaimStatus;
  verified: boolean;
  verify_note: string | null;
  source?: Record<string, unknown>;
}

export interface ClaimUpdate {
  id: string;
  status: ClaimStatus;
  note: string | null;
  source: Record<string, unknown> | null;
}

export interface Meta {
  is_replay: boolean;
  is_realtime: boolean;
  phase: "replay" | "live";
}

export interface Event<Type extends string, Payload> {
  version: number;
  /** `epoch.seq`; null for `reset`, which does not move the cursor. */
  id: string | null;
  session_id: string;
  event_type: Type;
  agent_source: string;
  /** RFC 3339. */
  timestamp: string;
  payload: Payload;
  meta: Meta;
}

export interface MessagePayload {
  content_type: "text" | "markdown";
  /** The message's name. */
  message_id: string;
  /** Who says it. */
  from: string;
  /** To whom. */
  to: string;
  /** The words, untouched. */
  content: string;
  /** Whether a claim in it is pending. */
  needs_verify: boolean;
  /** The claims, in order, without overlaps. */
  claims: Claim[];
  /** `user` or `assistant`, in a turn. */
  role?: string;
  /** What the model wrote, tags included, where it differs. */
  raw?: string;
  /** The messages that a relayed one was made from. */
  derived_from?: unknown[];
  [field: string]: unknown;
}

export interface TextDeltaPayload {
  content_type: "markdown" | "text";
  /** The next piece of text. */
  content: string;
  /** Groups the pieces of one answer. */
  message_id: string;
  [field: string]: unknown;
}

export interface ToolCallPayload {
  content_type: "json";
  /** Names the call; its result is posted with it. */
  call_id: string;
  /** The tool to run. */
  name: string;
  /** The arguments to run it with, repaired. */
  arguments: Record<string, unknown>;
  /** The same as one object. */
  call: Record<string, unknown>;
  /** The verdict in the audit. */
  verdict_id: string;
  /** The verdict, as `countersign check` gives it. */
  verdict: Record<string, unknown>;
  /** Who runs it: `client`. */
  run_by: string;
  /** The review that cleared it. */
  review_id?: string;
  [field: string]: unknown;
}

export interface ToolResultPayload {
  content_type: "json";
  /** The call. */
  call_id: string;
  /** The tool. */
  name: string;
  /** What it gave. */
  content: unknown;
  /** Whether it failed. */
  is_error: boolean;
  /** The report, as `countersign verify` gives it. */
  verification: Record<string, unknown>;
  [field: string]: unknown;
}

export interface VerdictPayload {
  content_type: "json";
  /** The verdict in the audit. */
  verdict_id: string;
  /** The call. */
  call_id: string;
  /** The tool as the model named it. */
  name: string;
  /** approved, caution, requires_review, rejected or validation_failed. */
  status: string;
  /** The verdict, as `countersign check` gives it. */
  verdict: Record<string, unknown>;
  [field: string]: unknown;
}

export interface ReviewRequiredPayload {
  content_type: "json";
  /** The item in the queue. */
  review_id: string;
  /** The call that waits. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The proposed call. */
  call: Record<string, unknown>;
  /** Why it is here. */
  findings: unknown[];
  /** The same in a sentence. */
  explanation: string;
  /** When it is denied, RFC 3339. */
  expires_at: string;
  [field: string]: unknown;
}

export interface ClaimsUpdatedPayload {
  content_type: "claims";
  /** What changed. */
  claims: ClaimUpdate[];
  [field: string]: unknown;
}

export interface ReferencesPayload {
  content_type: "json";
  /** What the model was given. */
  valid: unknown[];
  /** What it was not, each with a reason. */
  invalid: unknown[];
  [field: string]: unknown;
}

export interface PlanPayload {
  content_type: "plan";
  [field: string]: unknown;
}

export interface EvidencePayload {
  content_type: "evidence";
  [field: string]: unknown;
}

export interface CitationPayload {
  content_type: "citation";
  [field: string]: unknown;
}

export interface NotePayload {
  content_type: "json";
  /** Its name in the session. */
  id: string;
  /** What people call it. */
  name: string;
  /** What it says. */
  content: string;
  /** RFC 3339. */
  created_at: string;
  [field: string]: unknown;
}

export interface MaterialPayload {
  content_type: "json";
  /** Its name in the session. */
  id: string;
  /** What people call it. */
  name: string;
  /** What it says. */
  content: string;
  /** RFC 3339. */
  created_at: string;
  [field: string]: unknown;
}

export interface SearchResultsPayload {
  content_type: "search_results";
  [field: string]: unknown;
}

export interface WarningPayload {
  content_type: "json";
  /** In a word. */
  code: string;
  /** For people. */
  message: string;
  /** The call that it is about. */
  call_id?: string;
  /** The tag that it is about. */
  tag?: string;
  [field: string]: unknown;
}

export interface ErrorPayload {
  content_type: "error";
  /** In a word. */
  code: string;
  /** For people. */
  message: string;
  /** Whether the same message may succeed later. */
  retryable: boolean;
  [field: string]: unknown;
}

export interface ResetPayload {
  content_type: "json";
  /** unknown_epoch, past_head or history_lost. */
  reason: string;
  /** The oldest event there is. */
  oldest: string | null;
  /** The newest. */
  newest: string | null;
  [field: string]: unknown;
}

export interface CompletedPayload {
  content_type: "json";
  /** The same word as the event's. */
  status?: string;
  /** Why, in a word. */
  reason?: string;
  /** Why, for people. */
  message?: string;
  [field: string]: unknown;
}

export interface FailedPayload {
  content_type: "json";
  /** The same word as the event's. */
  status?: string;
  /** Why, in a word. */
  reason?: string;
  /** Why, for people. */
  message?: string;
  [field: string]: unknown;
}

export interface StoppedPayload {
  content_type: "json";
  /** The same word as the event's. */
  status?: string;
  /** Why, in a word. */
  reason?: string;
  /** Why, for people. */
  message?: string;
  [field: string]: unknown;
}

export interface LostPayload {
  content_type: "json";
  /** The same word as the event's. */
  status?: string;
  /** Why, in a word. */
  reason?: string;
  /** Why, for people. */
  message?: string;
  [field: string]: unknown;
}

/** An event, told apart by `event_type`. Ignore types that you do not know. */
export type StreamEvent =
  | Event<"message", MessagePayload>
  | Event<"text_delta", TextDeltaPayload>
  | Event<"tool_call", ToolCallPayload>
  | Event<"tool_result", ToolResultPayload>
  | Event<"verdict", VerdictPayload>
  | Event<"review_required", ReviewRequiredPayload>
  | Event<"claims_updated", ClaimsUpdatedPayload>
  | Event<"references", ReferencesPayload>
  | Event<"plan", PlanPayload>
  | Event<"evidence", EvidencePayload>
  | Event<"citation", CitationPayload>
  | Event<"note", NotePayload>
  | Event<"material", MaterialPayload>
  | Event<"search_results", SearchResultsPayload>
  | Event<"warning", WarningPayload>
  | Event<"error", ErrorPayload>
  | Event<"reset", ResetPayload>
  | Event<"completed", CompletedPayload>
  | Event<"failed", FailedPayload>
  | Event<"stopped", StoppedPayload>
  | Event<"lost", LostPayload>;

/** The events that end a turn; `data: [DONE]` ends the stream. */
export type Terminal = Extract<StreamEvent, { event_type: "completed" | "failed" | "stopped" | "lost" }>;
