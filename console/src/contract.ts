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

// ---- The shapes of the native routes (this file is replaced by what `countersign events types` writes). ----

export type Status = "approved" | "caution" | "requires_review" | "rejected" | "validation_failed";
export type Action = "proceed" | "proceed_with_caution" | "request_human_review" | "reject_and_retry" | "request_correction";
export type Severity = "error" | "warning" | "info";
export type Layer = "tool_name" | "parameter" | "meaning" | "danger" | "context" | "provenance" | "fact" | "capability" | "repeat" | "history" | (string & {});

export interface PatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}

export interface Correction {
  note: string;
  patch: PatchOperation[];
  applied: boolean;
}

export interface Finding {
  code: string;
  layer: Layer;
  severity: Severity;
  confidence: number;
  pointer: string;
  evidence: string;
  correction?: Correction | null;
}

export interface ToolCall {
  id?: string | null;
  name: string;
  arguments: Record<string, unknown> | string;
}

export interface Verdict {
  id: unknown;
  status: Status;
  action: Action;
  score: number;
  findings: Finding[];
  shadow?: Finding[];
  call: ToolCall | null;
  feedback?: string;
  explanation: string;
  unanswered?: unknown[];
}

export interface VerificationReport {
  is_suspicious: boolean;
  confidence: number;
  checks_passed: number;
  total_checks: number;
  concerns: string[];
  recommendations: string[];
  findings: Finding[];
}

export interface Signals {
  model_logprobs: number | null;
  token_probability: number | null;
  semantic_consistency: number | null;
  fact_verification: number | null;
  coherence: number | null;
  knowledge_grounding: number | null;
}

export interface Assessment {
  overall: number | null;
  signals: Signals;
  weights: Signals;
  absent: string[];
}

export interface LineStop {
  check: string;
  ran: boolean;
  mode: "enforce" | "advise" | "shadow" | null;
  findings: Finding[];
  microseconds: number | null;
  status?: Status;
}

export interface Explained {
  verdict: Verdict;
  line: LineStop[];
}

export interface SessionInfo {
  session_id: string;
  agent: string;
  user: string | null;
  model: string | null;
  tools: unknown[];
  created_at: string;
  running?: boolean;
  events?: number;
  stopped?: boolean;
  title?: string | null;
  updated_at?: string;
}

export type ReviewState = "pending" | "approved" | "edited" | "rejected" | "expired";

export interface Review {
  review_id: string;
  state: ReviewState;
  session_id: string | null;
  caller: string;
  tool: string;
  call: ToolCall;
  patch: Correction[];
  findings: Finding[];
  signals: Record<string, unknown>;
  context: Record<string, unknown>;
  created_at: string;
  expires_at: string;
  expires_at_ms: number;
  policy_version: string;
  arguments_digest: string;
  reserved_by: string | null;
  reserved_until_ms: number | null;
  decided: { decision: "approve" | "edit" | "reject"; reviewer: string | null; key: string | null; reason: string | null; arguments: unknown } | null;
  used: boolean;
  about?: "call" | "result";
  made?: ToolCall | null;
  verdict_id?: string | null;
}

export interface ReviewDetail extends Review {
  about: "call" | "result";
  made: ToolCall | null;
  tool_schema: Record<string, unknown> | null;
  tool_description: string | null;
  context_claims: { message: number; claims: Claim[] }[];
  assessment: Assessment;
  at_expiry: "denied";
  verdict_id: string | null;
}

export interface StoredVerdict {
  verdict_id: string;
  of: "call" | "result";
  session_id?: string | null;
  answer_id?: string | null;
  call_id: string | null;
  tool: string;
  call?: ToolCall;
  status?: string;
  verdict?: Verdict;
  result?: unknown;
  verification?: VerificationReport;
  policy_version: string;
  key: string | null;
  created_at: string;
  request?: Record<string, unknown>;
  line?: LineStop[] | null;
  line_same?: boolean;
  [field: string]: unknown;
}

export interface VerdictPage {
  verdicts: StoredVerdict[];
  next: string | null;
}

export interface StatsBucket {
  from: string;
  to: string;
  calls: number;
  approved: number;
  caution: number;
  requires_review: number;
  rejected: number;
  validation_failed: number;
  repairs: number;
  results: number;
  suspicious: number;
}

export interface Stats {
  from: string;
  to: string;
  turns: { total: number; by_end: Record<string, number> };
  calls: number;
  verdicts: Record<string, number>;
  repairs: number;
  reviews: { total: number; by_state: Record<string, number> };
  claims: { total: number; by_kind: Record<string, number> };
  by_tool: Record<string, Record<string, number>>;
  series?: StatsBucket[];
  by_code: Record<string, number>;
  results: { total: number; suspicious: number };
  outcomes: {
    decided: number;
    approved: number;
    edited: number;
    rejected: number;
    expired: number;
    false_alarm_rate: number | null;
    by_tool: Record<string, { decided: number; approved: number; edited: number; rejected: number; expired: number }>;
  };
  latency: {
    check: { count: number; p50_ms: number; p95_ms: number; p99_ms: number } | null;
    routes: { route: string; count: number; p50_ms: number; p95_ms: number }[];
  };
}

export interface Replay {
  policy_version: string;
  total: number;
  same: number;
  changed: { verdict_id: string; tool: string; before: Status; after: Status; explanation: string; findings: Finding[]; created_at?: string; call?: ToolCall }[];
  changes: Record<string, number>;
}

export interface ConsoleSession {
  locked: boolean;
  signed_in: boolean;
  key_id: string | null;
  scopes: ("engine" | "sessions" | "review" | "admin")[];
  csrf: string | null;
  version: string;
  demo: boolean;
  models: string[];
  agents: string[];
  policy_version: string | null;
}

export interface ClaimsReport {
  id: unknown;
  content: string;
  needs_verify: boolean;
  claims: Claim[];
}

export interface ParseReport {
  id: unknown;
  text: string;
  remaining_text: string;
  messages: { number?: number; text: string }[];
  calls: ToolCall[];
  value?: unknown;
  tags?: Record<string, unknown>[];
  complete: boolean;
  unfinished?: unknown[];
  repairs: { code: string; at: number; note: string }[];
}

export interface ScoreReport {
  id: unknown;
  overall_confidence: number;
  recommendation: string;
  signals: Signals;
  absent: string[];
  sentences: { start: number; end: number; support: number }[];
  rationale: string;
}

export interface StopState {
  flags: unknown[];
  redis_available: boolean;
  mode: "shared" | "memory_only";
}

export interface Health {
  status: "healthy" | "degraded" | "unhealthy";
  layers: Record<string, { status: "healthy" | "degraded" | "unhealthy"; [field: string]: unknown }>;
}

export interface ApiError {
  message: string;
  type: string;
  code: string | null;
  param: string | null;
}
