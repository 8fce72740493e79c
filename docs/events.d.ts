// Written by `countersign events types`. Do not edit: a test holds this file against the code.

/** What a claim is about. */
export type ClaimKind = "percentage" | "currency" | "date" | "citation" | "quantity" | "comparison" | "url" | "version" | "statistic" | (string & {});

/** What became of a claim. */
export type ClaimStatus = "pending" | "verified" | "disputed" | "unverifiable";

/** A claim where it stands in its message. */
export interface Claim {
  /** Its name in a session. */
  id?: string;
  /** UTF-8 byte offsets. */
  start: number;
  end: number;
  /** UTF-16 offsets, as JavaScript counts. */
  utf16_start: number;
  utf16_end: number;
  text: string;
  kind: ClaimKind;
  /** The same as `kind`. */
  type: ClaimKind;
  /** What it says, in one form. */
  value?: Record<string, unknown>;
  language: string;
  status: ClaimStatus;
  verified: boolean;
  verify_note: string | null;
  /** Who settled it. */
  source?: Record<string, unknown>;
}

/** What changed about a claim. */
export interface ClaimUpdate {
  id: string;
  status: ClaimStatus;
  note: string | null;
  source: Record<string, unknown> | null;
}

/** How a call ended. */
export type Status = "approved" | "caution" | "requires_review" | "rejected" | "validation_failed";

/** What to do next. */
export type Action = "proceed" | "proceed_with_caution" | "request_human_review" | "reject_and_retry" | "request_correction";

/** How grave a finding is. */
export type Severity = "info" | "warning" | "error";

/** What a finding is about. */
export type Layer = "tool_name" | "parameter" | "meaning" | "danger" | "context" | "provenance" | "fact" | "capability" | "repeat" | "history" | "result" | "answer";

/** One step of a repair (RFC 6902), on `{name, arguments}`. */
export interface PatchOperation {
  op: "add" | "replace" | "remove" | "move";
  /** A JSON pointer. */
  path: string;
  /** Where a moved value comes from. */
  from?: string;
  /** The new value. */
  value?: unknown;
}

/** A repair, offered or applied. */
export interface Correction {
  /** What the repair does and why. */
  note: string;
  /** Empty where we can only say what to do. */
  patch: PatchOperation[];
  /** Whether the returned call already has it. */
  applied: boolean;
}

/** What is wrong, where, and how to mend it. */
export interface Finding {
  /** Which rule spoke, such as `call.unknown-tool`. */
  code: string;
  layer: Layer;
  severity: Severity;
  /** How sure we are that the finding is right. */
  confidence: number;
  /** Where: a JSON pointer on `{name, arguments}`, or on the result's content. */
  pointer: string;
  /** For people; secrets are redacted. */
  evidence: string;
  correction?: Correction;
}

/** A call, as a model made it or as it may run. */
export interface ToolCall {
  id?: string | null;
  name: string;
  /** An object; else what the model wrote instead, a list or a number too. */
  arguments: Record<string, unknown> | string;
}

/** The verdict on a call. */
export interface Verdict {
  /** The caller's id of the request, given back as it came. */
  id: unknown;
  status: Status;
  action: Action;
  /** The confidence of the checks. */
  score: number;
  /** In the order of the checks. */
  findings: Finding[];
  /** What checks in shadow mode found: without effect. */
  shadow?: Finding[];
  /** The call to run, repaired; null where nothing may run. */
  call: ToolCall | null;
  /** The message for the model, where it should try again. */
  feedback?: string;
  /** For people. */
  explanation: string;
  /** Questions about the world that nobody answered. */
  unanswered?: unknown[];
  /** What a second reader was given and said. */
  readings?: unknown[];
}

/** What the checks of a result said. */
export interface VerificationReport {
  id: unknown;
  /** Whether the result should not be trusted as it stands. */
  is_suspicious: boolean;
  /** Checks passed over total. */
  confidence: number;
  checks_passed: number;
  total_checks: number;
  /** One sentence for each thing that is wrong. */
  concerns: string[];
  /** What to do. */
  recommendations: string[];
  findings: Finding[];
}

/** A signal of the confidence. */
export type SignalName = "model_logprobs" | "token_probability" | "semantic_consistency" | "fact_verification" | "coherence" | "knowledge_grounding";

/** The signals; one without input is null or not there. */
export interface Signals {
  model_logprobs?: number | null;
  token_probability?: number | null;
  semantic_consistency?: number | null;
  fact_verification?: number | null;
  coherence?: number | null;
  knowledge_grounding?: number | null;
}

/** How much each signal counts. */
export interface Weights {
  model_logprobs: number;
  token_probability: number;
  semantic_consistency: number;
  fact_verification: number;
  coherence: number;
  knowledge_grounding: number;
}

/** What the checks of an answer said. */
export interface AnswerReport {
  status: string;
  /** The mean of what is known of the calls, the results and the answer. */
  score: number;
  findings: Finding[];
  /** How sure one can be of the answer itself. */
  confidence: Record<string, unknown>;
  /** How sure the checks were of the calls and their results: `validation`, `verification`, `suspicious`. */
  calls?: Record<string, unknown>;
  /** The claims that nobody has verified, by id. */
  unverified?: string[];
}

/** How far the words beside a call can be trusted. */
export interface Assessment {
  /** Null where no signal had input. */
  overall: number | null;
  signals: Signals;
  weights: Weights;
  /** The signals that had no input and so no say. */
  absent: SignalName[];
}

/** A stop of the line of checks. */
export interface LineStop {
  /** name, arguments, schema, meaning, danger, permission, provenance, …, decision. */
  check: string;
  /** False where the line did not come so far. */
  ran: boolean;
  mode: "enforce" | "advise" | "shadow" | null;
  /** What it said. */
  findings: Finding[];
  /** What it took. */
  microseconds: number | null;
  /** What was decided, at the stop `decision`. */
  status?: Status;
}

/** A call, explained. */
export interface Explained {
  verdict: Verdict;
  /** In the order of the line. */
  line: LineStop[];
}

/** The claims of a text. */
export interface ClaimsReport {
  id: unknown;
  /** The message, untouched. */
  content: string;
  /** Whether a claim in it is not verified. */
  needs_verify: boolean;
  /** In order, without overlaps. */
  claims: Claim[];
}

/** A message for the reader. */
export interface ParsedMessage {
  /** Of a numbered one. */
  number?: number;
  text: string;
}

/** A complete call in what a model wrote. */
export interface ParsedCall {
  id?: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Where it stood, when not in the answer itself. */
  place?: string;
  /** Whether the end of the output closed it. */
  unclosed?: boolean;
}

/** What was mended in what a model wrote. Offsets are UTF-8 bytes. */
export interface Repair {
  code: string;
  at: number;
  end: number;
  /** For people. */
  note: string;
  before: string;
  after: string;
  confidence: number;
}

/** What stayed text, and why. */
export interface Remark {
  code: string;
  at: number;
  /** For people. */
  note: string;
}

/** What a model wrote, read. */
export interface ParseReport {
  id: unknown;
  /** The readable text: each tag replaced by its sentence. */
  text: string;
  /** The text without tags and calls. */
  remaining_text: string;
  messages: ParsedMessage[];
  /** The complete calls, in order. */
  calls: ParsedCall[];
  /** The value of a JSON answer. */
  value?: unknown;
  /** The tags of a tag protocol. */
  tags?: Record<string, unknown>[];
  /** Whether nothing was cut. */
  complete: boolean;
  /** What was begun and not finished; it never runs. */
  unfinished?: unknown[];
  repairs: Repair[];
  /** What the model said to itself. */
  reasoning?: string;
  findings?: Remark[];
}

/** How well a sentence stands in the context. Offsets are UTF-8 bytes. */
export interface SentenceSupport {
  start: number;
  end: number;
  /** 0 unsupported or contradicted, 1 fully supported. */
  support: number;
}

/** The confidence in an answer. */
export interface ScoreReport {
  id: unknown;
  /** The weighted mean of the signals that had input. */
  overall_confidence: number;
  recommendation: "high_confidence" | "medium_confidence" | "low_confidence" | "manual_review";
  signals: Signals;
  absent: SignalName[];
  /** Empty without context. */
  sentences: SentenceSupport[];
  /** Which signals moved the score. */
  rationale: string;
}

/** A finding in the words of a step's report. */
export interface Hallucination {
  is_hallucination: boolean;
  confidence: number;
  /** tool_name, parameter, fact … */
  hallucination_type: string;
  /** What was seen. */
  evidence: string;
  /** What would be right. */
  correction: string | null;
}

/** The call of a step. */
export interface StepValidation {
  /** Whether the call may run. */
  is_valid: boolean;
  confidence: number;
  /** The arguments to run with. */
  validated_params: Record<string, unknown>;
  warnings: string[];
  /** What was corrected, by place. */
  corrections: Record<string, string>;
  /** What the caller should do. */
  suggestion: string | null;
  hallucinations: Hallucination[];
}

/** The result of a step. */
export interface StepVerification {
  is_suspicious: boolean;
  confidence: number;
  checks_passed: number;
  total_checks: number;
  concerns: string[];
  recommendations: string[];
}

/** The answer of a step. */
export interface StepConfidence {
  overall: number;
  recommendation: "high_confidence" | "medium_confidence" | "low_confidence" | "manual_review";
  signals: Signals;
  absent: SignalName[];
  sentences: SentenceSupport[];
  rationale: string;
}

/** The verdict on a step. */
export interface StepReport {
  id: unknown;
  status: Status;
  action: Action;
  /** For people. */
  explanation: string;
  tool_name: string;
  /** The mean of the three confidences. */
  score: number;
  /** Call, result, answer. */
  findings: Finding[];
  /** The message for the model. */
  feedback?: string;
  validation: StepValidation;
  /** Null where the call failed. */
  verification: StepVerification | null;
  /** Null where the call failed. */
  confidence: StepConfidence | null;
  /** Of a call that failed. */
  warnings?: string[];
  /** Of a call that failed. */
  suggestion?: string | null;
  /** What a second reader was given and said. */
  readings?: unknown[];
}

/** What stands in the place of an answer where one of an array could not be read. */
export interface LineError {
  /** What is wrong. */
  error: string;
  /** Which one, from 1. */
  line: number;
  id?: unknown;
}

/** What became of an item. */
export type ReviewState = "pending" | "approved" | "edited" | "rejected" | "expired";

/** What a person has said. */
export interface Decided {
  decision: "approve" | "edit" | "reject";
  /** Who: the key's name, and what they call themselves behind it; without keys the latter alone. */
  reviewer: string | null;
  /** With which key, where there are keys. */
  key: string | null;
  reason: string | null;
  /** The arguments to run, for an edit of a call. */
  arguments: unknown;
  /** What stands in the place of a result or an answer, for an edit of one. */
  content?: unknown;
}

/** What was said before it, shortened. */
export interface ReviewContext {
  /** As the model was sent them. */
  messages?: Record<string, unknown>[];
  user?: unknown;
  /** Why it is here, in a sentence. */
  explanation?: string;
  /** `result` or `answer` where it is about one. */
  kind?: string;
  /** What the tool gave, for a result. */
  result?: unknown;
  /** What speaks against a result. */
  concerns?: string[];
  /** What the checks of a result said. */
  verification?: VerificationReport;
  /** What was asked, for an answer. */
  question?: string;
  /** The answer. */
  answer?: string;
  /** The answer's name in its session. */
  message_id?: string;
  [field: string]: unknown;
}

/** A call, a result or an answer that a person decides on. */
export interface Review {
  review_id: string;
  state: ReviewState;
  session_id: string | null;
  caller: string;
  /** Empty for an answer. */
  tool: string;
  /** The proposed call, or the one that a result answers; empty for an answer. */
  call: ToolCall;
  /** The corrections. */
  patch: Correction[];
  /** Why it is here. */
  findings: Finding[];
  /** What moved the decision. */
  signals: Record<string, unknown>;
  context: ReviewContext;
  /** RFC 3339. */
  created_at: string;
  /** When it is too late, RFC 3339: a call is denied then, what waits is withheld. */
  expires_at: string;
  /** The same in milliseconds since 1970. */
  expires_at_ms: number;
  policy_version: string;
  arguments_digest: string;
  /** Who has it. */
  reserved_by: string | null;
  reserved_key: string | null;
  reserved_until_ms: number | null;
  decided: Decided | null;
  /** Whether the approval was used. */
  used: boolean;
  /** Whether somebody waits for the decision. */
  waits: boolean;
  /** What is decided on. */
  about?: "call" | "result" | "answer";
  /** The call as the model made it. */
  made?: ToolCall | null;
  /** The verdict in the audit. */
  verdict_id?: string | null;
}

/** A place of the conversation that says a value. */
export interface ValuePlace {
  /** Whose words. */
  from: "user" | "result" | "instructions" | "model";
  /** The tool, for a result. */
  tool: string | null;
  /** The index of the message. */
  message: number | null;
  /** The sentence. */
  excerpt: string;
}

/** Where an argument of a call comes from. */
export interface ArgumentSource {
  /** A JSON pointer on `{name, arguments}`. */
  pointer: string;
  /** `writing` is a longer text of the model's own. */
  kind: "value" | "writing";
  /** Empty where nobody said it. */
  found: ValuePlace[];
}

/** The claims of one message of the context. */
export interface MessageClaims {
  /** The index in `context.messages`. */
  message: number;
  /** Offsets into its text. */
  claims: Claim[];
}

/** An item with everything around it. */
export interface ReviewDetail extends Review {
  /** What is decided on. */
  about: "call" | "result" | "answer";
  /** The call as the model made it. */
  made: ToolCall | null;
  /** What the model said beside it. */
  said?: string;
  /** The tool's parameters as a JSON Schema. */
  tool_schema: Record<string, unknown> | null;
  tool_description: string | null;
  context_claims: MessageClaims[];
  assessment: Assessment;
  /** What happens where nobody decides. */
  at_expiry: "denied" | "withheld" | "nothing";
  /** The verdict in the audit. */
  verdict_id: string | null;
  /** Where each argument of a call comes from. */
  sources: ArgumentSource[];
  /** The sentence of a tool result that the call follows. */
  followed: ValuePlace | null;
}

/** An item in a line, with `brief=true`. */
export interface BriefReview {
  review_id: string;
  state: ReviewState;
  about: "call" | "result" | "answer";
  tool: string;
  session_id: string | null;
  /** RFC 3339. */
  created_at: string;
  /** RFC 3339. */
  expires_at: string;
  reserved_by: string | null;
}

/** What waits for people. */
export interface ReviewList {
  reviews: (Review | BriefReview)[];
  /** Rows of the store that cannot be read, by id. */
  unreadable?: string[];
}

/** A verdict in the audit, on a call or on a result. */
export interface StoredVerdict {
  verdict_id: string;
  of: "call" | "result" | "answer";
  /** The same as `of`. */
  kind: "call" | "result" | "answer";
  /** The hosted session. */
  session_id?: string;
  /** The answer that passed through the gateway. */
  answer_id?: string;
  /** The stored request; the verdicts of one answer share it. */
  request_id?: string;
  /** Why the stored row cannot be read; then most fields are absent. */
  unreadable?: string;
  call_id: string | null;
  /** Empty for an answer. */
  tool: string;
  /** Of a call: as the model made it. */
  call?: ToolCall;
  /** Of a call. */
  verdict?: Verdict;
  /** Of a result: trusted, suspicious or error. Of the gateway's calls: what became of it. */
  status?: string;
  /** Of a result: its content, shortened. */
  result?: unknown;
  /** Of a result. */
  verification?: VerificationReport;
  /** Of an answer: its words, shortened. */
  response?: string;
  /** Of an answer. */
  assessment?: AnswerReport;
  policy_version: string;
  /** The caller's key. */
  key: string | null;
  /** RFC 3339. */
  created_at: string;
  /** `gateway`, for what passed through it. */
  source?: string;
  route?: string;
  model?: string | null;
  caller?: string | null;
  /** What the gateway does with calls. */
  mode?: string;
  /** Whether the client got it. */
  released?: boolean;
  /** What became of it; `decided_later` where a person decided after the answer. */
  outcome?: string;
  /** Of a call that waited for a person when it was answered: how its item stands now. */
  review_state?: ReviewState;
  review_id?: string | null;
  /** Who decided on it. */
  reviewer?: string | null;
  /** Whether its arguments are the reviewer's. */
  edited?: boolean;
  /** 0 for the model's own, then its corrections. */
  attempt?: number;
  /** Of one verdict: what was judged. */
  request?: Record<string, unknown>;
  /** Of one call: judged again now; null where the request is gone. */
  line?: LineStop[] | null;
  /** Of one call: whether it came out the same now. */
  line_same?: boolean;
  [field: string]: unknown;
}

/** Verdicts, the newest first. */
export interface VerdictPage {
  verdicts: StoredVerdict[];
  /** Goes on with `after`. */
  next: string | null;
}

/** A check under a policy. */
export interface CheckExplained {
  name: string;
  /** When it looks. */
  stage: "call" | "result" | "answer";
  mode: "enforce" | "advise" | "shadow" | "off";
  /** What it looks for. */
  about: string;
}

/** A rule of a policy. */
export interface RuleExplained {
  name: string;
  /** What it does with a call that it fits. */
  effect: string;
  reason: string;
  /** Its condition. */
  when: string | null;
  tools: string[];
  /** What tools do that it is about. */
  effects: string[];
}

/** Tools with settings of their own. */
export interface ToolExplained {
  names: string;
  level: string | null;
  irreversible: boolean | null;
  /** Modes of their own. */
  checks: Record<string, string>;
}

/** What a policy does. */
export interface PolicyExplained {
  level: string;
  checks: CheckExplained[];
  rules: RuleExplained[];
  tools: ToolExplained[];
  suspicious_results: "pass" | "mark" | "review";
  doubtful_answers: "pass" | "mark" | "correct" | "review";
}

/** Why a policy cannot be used. */
export interface PolicyTrouble {
  message: string;
  /** What to do. */
  help: string | null;
  /** In which line. */
  line: number | null;
}

/** Whether a policy can be used. */
export interface PolicyCheck {
  valid: boolean;
  /** What its version would be. */
  version: string | null;
  explained: PolicyExplained | null;
  error: PolicyTrouble | null;
}

/** A version of the policy that was applied. */
export interface PolicyVersion {
  policy_id: string;
  /** The digest of what it says. */
  version: string;
  author: string | null;
  /** Why it was applied. */
  note: string | null;
  /** The version that it brought back. */
  restores: string | null;
  /** RFC 3339. */
  created_at: string;
  in_force: boolean;
  /** Of one version: its text. */
  toml?: string;
}

/** A policy that is in force now. */
export interface PolicyApplied {
  /** Its version in the list. */
  policy_id: string | null;
  version: string;
}

/** The versions, the newest first. */
export interface PolicyVersions {
  versions: PolicyVersion[];
}

/** A call that another policy decides otherwise. */
export interface ReplayChange {
  verdict_id: string;
  tool: string;
  before: Status;
  after: Status;
  explanation: string;
  findings: Finding[];
  /** RFC 3339. */
  created_at?: string;
  call?: ToolCall;
}

/** A candidate policy over stored calls. */
export interface Replay {
  /** Of the candidate. */
  policy_version: string;
  total: number;
  same: number;
  changed: ReplayChange[];
  /** `before -> after`, counted. */
  changes: Record<string, number>;
}

/** A part of the time. */
export interface StatsBucket {
  /** RFC 3339. */
  from: string;
  to: string;
  calls: number;
  approved: number;
  caution: number;
  requires_review: number;
  rejected: number;
  validation_failed: number;
  repairs: number;
  /** Calls that may run because they were repaired. */
  mended: number;
  results: number;
  /** Results among them. */
  suspicious: number;
}

/** What became of items. */
export interface OutcomeCounts {
  /** By a person. */
  decided: number;
  approved: number;
  edited: number;
  rejected: number;
  expired: number;
}

/** What people said. */
export interface Outcomes extends OutcomeCounts {
  /** Approved unchanged, of those that a check doubted and a person decided. Tools that always ask raise no alarm. */
  false_alarm_rate: number | null;
  /** Of those that a check doubted. */
  doubted: OutcomeCounts;
  /** Of the codes that spoke against them. */
  by_code: Record<string, OutcomeCounts>;
  by_tool: Record<string, OutcomeCounts>;
}

/** How long something took, in milliseconds. */
export interface Latency {
  count: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
}

/** How long a route took, in milliseconds. */
export interface RouteLatency {
  route: string;
  count: number;
  p50_ms: number;
  p95_ms: number;
}

/** How long things took in this process, since its start. */
export interface Latencies {
  /** Judging a call. */
  check: Latency | null;
  /** The busiest first. */
  routes: RouteLatency[];
}

/** Tokens, as upstreams count them. */
export interface TokenCounts {
  /** What models read. */
  input: number;
  /** What they wrote. */
  output: number;
  /** How much of what they read was still in their cache. */
  cached: number;
}

/** What the models have cost in this process, since its start, on the drop-in routes. */
export interface TokenSums extends TokenCounts {
  by_key: Record<string, TokenCounts>;
  by_model: Record<string, TokenCounts>;
  /** The tokens of the answers that called it. */
  by_tool: Record<string, TokenCounts>;
}

/** Turns by their end. */
export interface TurnCounts {
  total: number;
  by_end: Record<string, number>;
}

/** Items by state. */
export interface ReviewCounts {
  total: number;
  by_state: Record<string, number>;
}

/** Claims by kind. */
export interface ClaimCounts {
  total: number;
  by_kind: Record<string, number>;
}

/** Results. */
export interface ResultCounts {
  total: number;
  suspicious: number;
}

/** Answers. */
export interface AnswerCounts {
  total: number;
  doubtful: number;
}

/** What happened in a span of time. */
export interface Stats {
  /** RFC 3339. */
  from: string;
  to: string;
  turns: TurnCounts;
  calls: number;
  /** By status. */
  verdicts: Record<string, number>;
  repairs: number;
  /** Calls that may run because they were repaired. */
  mended: number;
  reviews: ReviewCounts;
  claims: ClaimCounts;
  /** `calls`, `repairs`, `mended` and each status. */
  by_tool: Record<string, Record<string, number>>;
  /** Findings by their code. */
  by_code: Record<string, number>;
  results: ResultCounts;
  answers: AnswerCounts;
  outcomes: Outcomes;
  latency: Latencies;
  /** For operators. */
  tokens: TokenSums | null;
  /** Where `buckets` was asked for. */
  series?: StatsBucket[];
}

/** A call in a history. */
export interface TrafficCall {
  id: string | null;
  name: string;
  /** Shortened. */
  arguments: unknown;
}

/** A result in a history. */
export interface TrafficResult {
  call_id: string | null;
  /** Shortened. */
  content: unknown;
  /** Whether the tool failed. */
  is_error: boolean;
}

/** A message that was new in a request. */
export interface TrafficMessage {
  role: "user" | "assistant" | "tool" | "system";
  /** Shortened. */
  text: string;
  calls: TrafficCall[];
  results: TrafficResult[];
}

/** What the client got, shortened. */
export interface TrafficAnswer {
  /** What the model said. */
  text: string;
  /** In its text; nobody has looked them up. */
  claims: Claim[];
  /** What the client was told about calls that it did not get. */
  note: string;
}

/** A request to the gateway and its answer. */
export interface Exchange {
  /** Its name, and that of its verdicts' answer. */
  answer_id: string;
  conversation_id: string;
  /** RFC 3339. */
  created_at: string;
  /** The caller's key. */
  key: string | null;
  route: "chat" | "responses" | "messages";
  model: string | null;
  /** What the gateway does with calls. */
  mode: string;
  /** The first words of the user. */
  title: string;
  /** What was new in the request. */
  messages: TrafficMessage[];
  /** New messages that are not kept, because there were many. */
  left_out: number;
  /** Whether the same request was made before. */
  repeat: boolean;
  /** How it stands. */
  state: "open" | "answered" | "failed" | "broken" | "unread";
  /** Once it is over. */
  answer?: TrafficAnswer;
  /** Why it failed. */
  reason?: string;
  /** What was decided on its results, calls and answer. */
  verdicts: StoredVerdict[];
  /** What waits for a person in it. */
  reviews: Record<string, unknown>[];
}

/** Exchanges that go on from each other. */
export interface ConversationSummary {
  conversation_id: string;
  /** The first words of the user. */
  title: string;
  /** Of the newest exchange. */
  model: string | null;
  route: string;
  mode: string;
  /** The caller's key. */
  key: string | null;
  /** How the newest exchange stands. */
  state: "open" | "answered" | "failed" | "broken" | "unread";
  /** At most 200 are counted. */
  exchanges: number;
  /** Each once, however often it was tried. */
  calls: number;
  refused: number;
  repaired: number;
  /** Calls that wait for a person. */
  waiting: number;
  /** RFC 3339. */
  created_at: string;
  /** RFC 3339. */
  updated_at: string;
}

/** Conversations, the newest first. */
export interface ConversationPage {
  conversations: ConversationSummary[];
  /** Goes on with `after`. */
  next: string | null;
  /** Whether exchanges are kept at all (`gateway.conversations`). */
  kept: boolean;
}

/** A message of a trace. */
export interface AuditedMessage {
  role: "user" | "assistant" | "tool" | "system";
  /** Shortened. */
  text: string;
  /** Where it is in the file. */
  line: number;
  /** `{id, name, arguments, line}` */
  calls: Record<string, unknown>[];
  results: TrafficResult[];
}

/** A call, a result or an answer of a trace, judged. */
export interface AuditedItem {
  kind: "call" | "result" | "answer";
  line: number;
  tool?: string;
  call_id?: string;
  status: Status;
  excerpt?: string;
  findings: Finding[];
}

/** A conversation of a trace file. */
export interface AuditedConversation {
  id: string | null;
  format: string;
  model: string | null;
  line: number;
  /** The first words of the user. */
  title: string;
  counts: Record<string, number>;
  /** Messages at the beginning that are not shown, because there are many. */
  left_out: number;
  messages: AuditedMessage[];
  /** What was judged. */
  items: AuditedItem[];
  /** What could not be checked, and why. */
  not_checked: Record<string, unknown>[];
}

/** A trace file, judged; nothing of it is stored. */
export interface AuditedFile {
  /** Of all conversations. */
  counts: Record<string, number>;
  /** At most 200. */
  conversations: AuditedConversation[];
  /** Conversations that are counted and not shown. */
  left_out: number;
  /** Lines that could not be read: `{line, reason}`. */
  problems: Record<string, unknown>[];
}

/** A conversation with its newest exchanges, the oldest of them first. */
export interface ConversationDetail extends ConversationSummary {
  list: Exchange[];
  /** Goes on with `after`, to older ones. */
  next: string | null;
}

/** A hosted session; with `detail=true` also what its log says. */
export interface SessionInfo {
  session_id: string;
  agent: string;
  user: string | null;
  model: string | null;
  /** The tools that its client brought. */
  tools: Record<string, unknown>[];
  /** RFC 3339. */
  created_at: string;
  /** Whether a turn is under way. */
  running?: boolean;
  /** Whom the turn that is under way waits for. */
  waits_for?: "person" | "client" | null;
  /** The number of the newest event. */
  events?: number;
  stopped?: boolean;
  /** The beginning of the first message of its user. */
  title?: string | null;
  /** The time of the newest event, RFC 3339. */
  updated_at?: string;
}

/** Sessions, the newest first. */
export interface SessionList {
  sessions: SessionInfo[];
  /** Rows of the store that cannot be read, by id. */
  unreadable?: string[];
}

/** A tool's result was taken. */
export interface Accepted {
  accepted: boolean;
  call_id: string;
}

/** What a relayed message became. */
export interface Relayed {
  message_id: string;
  /** Whether a claim in it is not verified. */
  needs_verify: boolean;
  claims: Claim[];
}

/** How the claims of a session stand. */
export interface ClaimSummary {
  verified: number;
  disputed: number;
  unverifiable: number;
  pending: number;
}

/** What a look-up came to. */
export interface FactReport {
  /** What changed. */
  claims: ClaimUpdate[];
  /** How all claims of the session stand now. */
  summary: ClaimSummary;
  /** What went wrong, and how often. */
  troubles: Record<string, number>;
}

/** One step of the way that a value came. */
export interface LineageStep {
  /** The claim. */
  id: string;
  /** How many links it lies back. */
  back: number;
  message?: string;
  /** Who said it to whom. */
  between?: string[];
  text?: string;
  sentence?: string;
  status: ClaimStatus;
  note?: string;
  /** The claims it hangs on, and how; empty where it begins here. */
  from: unknown[];
}

/** Where a claim came from, the claim itself first. */
export interface Lineage {
  claim_id: string;
  lineage: LineageStep[];
}

/** A note or a material. */
export interface Thing {
  id: string;
  name: string;
  content: string;
  /** RFC 3339. */
  created_at: string;
}

/** The notes of a session. */
export interface NoteList {
  notes: Thing[];
}

/** The materials of a session. */
export interface MaterialList {
  materials: Thing[];
}

/** A file of a session. */
export interface FileInfo {
  file_id: string;
  name: string;
  /** Its media type. */
  type: string;
  /** In bytes. */
  size: number;
  /** RFC 3339. */
  created_at: string;
}

/** The files of a session. */
export interface FileList {
  files: FileInfo[];
}

/** What a key opens. */
export type Scope = "engine" | "sessions" | "review" | "upstream" | "admin";

/** Who is signed in to the console, and what there is. */
export interface ConsoleSession {
  /** Whether keys are wanted. */
  locked: boolean;
  signed_in: boolean;
  key_id: string | null;
  /** The name that stands under decisions made with this key. */
  reviewer: string | null;
  /** What may be used. */
  scopes: Scope[];
  /** Goes into `x-countersign-csrf` with whatever changes something. */
  csrf: string | null;
  /** Whether people can sign in at `/console/oidc`. */
  single_sign_on: boolean;
  /** Of the server. */
  version: string;
  /** Whether the demo model answers. */
  demo: boolean;
  /** The names to choose from. */
  models: string[];
  agents: string[];
  policy_version: string | null;
}

/** The policy in force. */
export interface PolicyText {
  version: string;
  /** As `POST /v1/policy/replay` takes it. */
  toml: string;
  /** Its file, where there is one. */
  path: string | null;
  /** Whether the caller may change it here: an operator may, where no file manages it. */
  editable: boolean;
  explained: PolicyExplained;
  /** Why the newest one is not in force. */
  trouble: string | null;
}

/** A flag that is up. */
export interface StopFlag {
  scope: "all" | "session";
  session_id: string | null;
  /** RFC 3339. */
  since: string;
  /** How often it was raised. */
  epoch: number;
}

/** What is stopped. */
export interface StopState {
  flags: StopFlag[];
  redis_available: boolean;
  /** Whether other nodes see the flags. */
  mode: "shared" | "memory_only";
  /** Whether the flags outlive a restart. */
  durable: boolean;
}

/** How something is. */
export type HealthStatus = "healthy" | "degraded" | "unhealthy";

/** How a layer is. */
export interface HealthLayer {
  status: HealthStatus;
  /** RFC 3339. */
  since?: string;
  note?: string;
  [field: string]: unknown;
}

/** How the server is. */
export interface Health {
  status: HealthStatus;
  version: string;
  layers: Record<string, HealthLayer>;
}

/** What went wrong. */
export interface ApiError {
  /** For people. */
  message: string;
  /** The family of errors. */
  type: string;
  /** The error. */
  code: string;
  /** The field that is wrong, where there is one. */
  param: string | null;
  [field: string]: unknown;
}

/** The body of every error. */
export interface ErrorBody {
  error: ApiError;
}

/** A tool, as OpenAI, Anthropic or MCP write it. */
export interface ToolDefinition {
  name?: string;
  description?: string;
  /** The schema of its arguments, as OpenAI writes it. */
  parameters?: Record<string, unknown>;
  /** The same, as Anthropic writes it; `inputSchema`, as MCP writes it, is read too. */
  input_schema?: Record<string, unknown>;
  /** The schema of what it returns. */
  output_schema?: Record<string, unknown>;
  type?: string;
  /** The tool inside, as OpenAI writes it. */
  function?: Record<string, unknown>;
  [field: string]: unknown;
}

/** A message, as OpenAI or Anthropic write it. */
export interface Message {
  /** user, assistant, system, tool … */
  role: string;
  /** Text, or a list of blocks. */
  content?: unknown;
  tool_calls?: Record<string, unknown>[];
  tool_call_id?: string;
  [field: string]: unknown;
}

/** What a tool returned. */
export interface ToolResult {
  call_id?: string;
  /** Text, JSON, or a list of blocks. */
  content: unknown;
  is_error?: boolean;
  /** Of the tool. */
  name?: string;
}

/** A call to judge; `tool_name` and `tool_input` may stand for `call`. */
export interface CheckRequest {
  /** Given back as it came. */
  id?: unknown;
  /** Without them nothing is known; empty: there are none. */
  tools?: ToolDefinition[];
  /** The conversation so far. */
  messages?: Message[];
  /** The call to judge. */
  call: ToolCall;
  /** Who asks, and what else is known. */
  context?: Record<string, unknown>;
  /** What time it is for whoever asks, RFC 3339. */
  now?: string;
  /** An IANA name or an offset. */
  timezone?: string;
  /** How strictly. */
  level?: "strict" | "moderate" | "lenient";
  /** The language to answer in. */
  language?: "en" | "zh";
}

/** A result to verify, with the call that it answers. */
export interface VerifyRequest {
  /** Given back as it came. */
  id?: unknown;
  tool?: ToolDefinition;
  /** The call that was made. */
  call: ToolCall;
  result: ToolResult;
  /** Earlier `results`, and what else is known. */
  context?: Record<string, unknown>;
  /** What time it is for whoever asks, RFC 3339. */
  now?: string;
  /** An IANA name or an offset. */
  timezone?: string;
  /** How strictly. */
  level?: "high" | "medium" | "low";
  /** The language to answer in. */
  language?: "en" | "zh";
}

/** Facts that were looked up. */
export interface FactCounts {
  verified_count?: number;
  disputed_count?: number;
}

/** An answer to weigh. */
export interface ScoreRequest {
  /** Given back as it came. */
  id?: unknown;
  /** The answer. */
  response: string;
  /** What was asked. */
  question?: string;
  /** What the answer was made from. */
  context?: string | string[];
  /** Of the answer's tokens. */
  logprobs?: number[];
  /** Other answers to the same question. */
  samples?: string[];
  fact_check?: FactCounts;
}

/** A text whose claims are looked for. */
export interface ClaimsRequest {
  /** Given back as it came. */
  id?: unknown;
  text: string;
}

/** What a model wrote: `input`, or its `chunks`. */
export interface ParseRequest {
  /** Given back as it came. */
  id?: unknown;
  /** What the model wrote. */
  input?: string;
  /** The same, in the pieces it came in. */
  chunks?: string[];
  /** How it is read: auto, json, concierge, openai, anthropic, responses, or a format. */
  protocol?: string;
  /** Without them nothing is known; empty: there are none. */
  tools?: ToolDefinition[];
  /** The schema of a JSON answer. */
  schema?: Record<string, unknown>;
  finish_reason?: "stop" | "length" | "cancelled";
  role?: "assistant" | "user";
  /** The language to answer in. */
  language?: "en" | "zh";
}

/** A whole step: the call, what the tool returned, and what the model made of it. */
export interface StepRequest {
  /** Given back as it came. */
  id?: unknown;
  /** Without them nothing is known; empty: there are none. */
  tools?: ToolDefinition[];
  /** The conversation so far. */
  messages?: Message[];
  tool_name: string;
  /** The arguments. */
  tool_input?: unknown;
  /** What the tool returned. */
  tool_output?: unknown;
  /** What the model made of it. */
  model_response?: string;
  /** Of the answer's tokens. */
  logprobs?: number[];
  /** Who asks, and what else is known. */
  context?: Record<string, unknown>;
  /** What time it is for whoever asks, RFC 3339. */
  now?: string;
  /** An IANA name or an offset. */
  timezone?: string;
  /** How strictly the call is judged. */
  validation_level?: "strict" | "moderate" | "lenient";
  /** How strictly the result is verified. */
  verification_level?: "high" | "medium" | "low";
  /** The language to answer in. */
  language?: "en" | "zh";
}

/** What a session is made from. */
export interface NewSession {
  /** concierge where nobody says. */
  agent?: string;
  /** A name, or an object with an `id`. */
  user?: string | Record<string, unknown>;
  model?: string;
  /** Tools that the client runs itself. */
  tools?: ToolDefinition[];
  context?: Record<string, unknown>;
}

/** A note, a material or a file that a message points to. */
export interface Reference {
  type: "note" | "material" | "file";
  id?: string;
  name?: string;
  /** Whose; this session's where it is absent. */
  session_id?: string;
}

/** What a user says. */
export interface NewMessage {
  content: string;
  references?: Reference[];
  /** The ids of files. */
  files?: string[];
}

/** What a tool gave that the client ran. */
export interface BroughtResult {
  call_id: string;
  content: unknown;
  is_error?: boolean;
}

/** A message from one agent to another. */
export interface Relay {
  /** An agent. */
  from: string;
  /** An agent. */
  to: string;
  content: string;
  /** The claims that it was made from, by id. */
  derived_from?: string[];
}

/** A text that the caller vouches for. */
export interface Evidence {
  /** What it is called. */
  place?: string;
  content: unknown;
}

/** What the caller vouches for, and which claims are asked about. */
export interface FactCheckRequest {
  evidence?: Evidence[];
  /** Whether all claims that are not verified are asked about again. */
  again?: boolean;
}

/** A note to keep. */
export interface NewNote {
  name?: string;
  content: string;
}

/** A material to keep. */
export interface NewMaterial {
  /** Its number in the session. */
  id?: string | number;
  name?: string;
  content: string;
}

/** Which sessions. */
export interface StopRequest {
  sessions: "all" | string[];
}

/** Who takes an item, or gives it back. */
export interface Reservation {
  /** A person; needed where there are no keys. */
  reviewer?: string;
}

/** What a person says of an item. */
export interface NewDecision {
  decision: "approve" | "edit" | "reject";
  /** The arguments to run, for an edit of a call. */
  arguments?: Record<string, unknown>;
  /** What stands in the place of a result or an answer, for an edit of one. */
  content?: unknown;
  reason?: string;
  reviewer?: string;
}

/** A policy to check or to put in force. */
export interface PolicyCandidate {
  /** As TOML. */
  policy?: string;
  /** The version to bring back, in place of a text. */
  restores?: string;
  /** Why it is applied. */
  note?: string;
  /** Who applies it, where there are no keys. */
  author?: string;
  /** The version that the writer began from. */
  base?: string;
}

/** A candidate policy, and over which calls. */
export interface ReplayRequest {
  /** As TOML. */
  policy: string;
  /** Only calls of this tool. */
  tool?: string;
  /** How many calls at most. */
  limit?: number;
}

/** A key to sign in to the console with. */
export interface SignIn {
  key: string;
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
  /** Whether a claim in it is not verified: pending, unverifiable or disputed. */
  needs_verify: boolean;
  /** The claims, in order, without overlaps. */
  claims: Claim[];
  /** `user` or `assistant`, in a turn. */
  role?: string;
  /** What the model wrote, tags included, where it differs. */
  raw?: string;
  /** The item in the queue, where a person looks at it and nobody waits. */
  review_id?: string;
  /** Where a person decided on it first: `review_id`, `state`, `reviewer`, `reason`. */
  reviewed?: Record<string, unknown>;
  /** The answer in whose place a reviewer put this one. */
  replaces?: string;
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
  call: ToolCall;
  /** The verdict in the audit. */
  verdict_id: string;
  /** The verdict, as `countersign check` gives it. */
  verdict: Verdict;
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
  verification: VerificationReport;
  /** What the model is told of it, where that is something else. */
  told?: string;
  /** The item in the queue, where a person looks at it. */
  review_id?: string;
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
  /** The call as the model made it. */
  call?: ToolCall;
  /** approved, caution, requires_review, rejected or validation_failed. */
  status: string;
  /** The verdict, as `countersign check` gives it. */
  verdict: Verdict;
  /** How the correction of a refused call ended with this one: `{corrected: true, original, suggestion, attempts}` or `{corrected: false, error, attempts}`. */
  correction?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface ReviewRequiredPayload {
  content_type: "json";
  /** The item in the queue. */
  review_id: string;
  /** What waits: `call`, `result` or `answer`. */
  about: string;
  /** The call that waits, or whose result does. */
  call_id?: string;
  /** Its tool. */
  tool?: string;
  /** The proposed call, or the one that was made. */
  call?: ToolCall;
  /** The answer that waits. */
  message_id?: string;
  /** Why it is here. */
  findings: Finding[];
  /** The same in a sentence. */
  explanation: string;
  /** When it is too late, RFC 3339. */
  expires_at: string;
  [field: string]: unknown;
}

export interface ClaimsUpdatedPayload {
  content_type: "claims";
  /** What changed. */
  claims: ClaimUpdate[];
  /** The messages that changed with them: `message_id`, `needs_verify`, how many claims are `verified`, `disputed`, `unverifiable` and `pending`, and the `assessment` of an answer, weighed again. */
  messages?: unknown[];
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
  /** The item in the queue that it is about. */
  review_id?: string;
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
