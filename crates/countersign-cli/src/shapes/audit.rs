//! The audit, and what is counted from it.

use super::Held::{Anything, List, Map, Named, Number, Object, OneOf, OrNull, Text, Truth};
use super::{Field, Form, NUMBER_OR_NULL, Shape, TEXT_OR_NULL, always, object, sometimes};

pub(super) const SHAPES: &[Shape] = &[
    Shape {
        name: "StoredVerdict",
        about: "A verdict in the audit, on a call or on a result.",
        form: Form::Open(STORED),
    },
    object("VerdictPage", "Verdicts, the newest first.", PAGE),
    object("CheckExplained", "A check under a policy.", CHECK),
    object("RuleExplained", "A rule of a policy.", RULE),
    object("ToolExplained", "Tools with settings of their own.", TOOL),
    object("PolicyExplained", "What a policy does.", EXPLAINED),
    object("PolicyTrouble", "Why a policy cannot be used.", TROUBLE),
    object("PolicyCheck", "Whether a policy can be used.", POLICY_CHECK),
    object("PolicyVersion", "A version of the policy that was applied.", VERSION),
    object("PolicyApplied", "A policy that is in force now.", APPLIED),
    object(
        "PolicyVersions",
        "The versions, the newest first.",
        &[always("versions", List(&Named("PolicyVersion")), "")],
    ),
    object("ReplayChange", "A call that another policy decides otherwise.", CHANGE),
    object("Replay", "A candidate policy over stored calls.", REPLAY),
    object("StatsBucket", "A part of the time.", BUCKET),
    object("OutcomeCounts", "What became of items.", COUNTS),
    Shape { name: "Outcomes", about: "What people said.", form: Form::Extends("OutcomeCounts", OUTCOMES) },
    object("Latency", "How long something took, in milliseconds.", LATENCY),
    object("RouteLatency", "How long a route took, in milliseconds.", ROUTE),
    object("Latencies", "How long things took in this process, since its start.", LATENCIES),
    object("TokenCounts", "Tokens, as upstreams count them.", TOKENS),
    Shape {
        name: "TokenSums",
        about: "What the models have cost in this process, since its start, on the drop-in routes.",
        form: Form::Extends("TokenCounts", TOKEN_SUMS),
    },
    object("TurnCounts", "Turns by their end.", &[always("total", Number, ""), always("by_end", Map(&Number), "")]),
    object("ReviewCounts", "Items by state.", &[always("total", Number, ""), always("by_state", Map(&Number), "")]),
    object("ClaimCounts", "Claims by kind.", &[always("total", Number, ""), always("by_kind", Map(&Number), "")]),
    object("ResultCounts", "Results.", &[always("total", Number, ""), always("suspicious", Number, "")]),
    object("AnswerCounts", "Answers.", &[always("total", Number, ""), always("doubtful", Number, "")]),
    object("Stats", "What happened in a span of time.", STATS),
];

const STORED: &[Field] = &[
    always("verdict_id", Text, ""),
    always("of", OneOf(&["call", "result", "answer"]), ""),
    always("kind", OneOf(&["call", "result", "answer"]), "The same as `of`."),
    sometimes("session_id", Text, "The hosted session."),
    sometimes("answer_id", Text, "The answer that passed through the gateway."),
    sometimes("request_id", Text, "The stored request; the verdicts of one answer share it."),
    sometimes("unreadable", Text, "Why the stored row cannot be read; then most fields are absent."),
    always("call_id", TEXT_OR_NULL, ""),
    always("tool", Text, "Empty for an answer."),
    sometimes("call", Named("ToolCall"), "Of a call: as the model made it."),
    sometimes("verdict", Named("Verdict"), "Of a call."),
    sometimes("status", Text, "Of a result: trusted, suspicious or error. Of the gateway's calls: what became of it."),
    sometimes("result", Anything, "Of a result: its content, shortened."),
    sometimes("verification", Named("VerificationReport"), "Of a result."),
    sometimes("response", Text, "Of an answer: its words, shortened."),
    sometimes("assessment", Named("AnswerReport"), "Of an answer."),
    always("policy_version", Text, ""),
    always("key", TEXT_OR_NULL, "The caller's key."),
    always("created_at", Text, "RFC 3339."),
    sometimes("source", Text, "`gateway`, for what passed through it."),
    sometimes("route", Text, ""),
    sometimes("model", TEXT_OR_NULL, ""),
    sometimes("caller", TEXT_OR_NULL, ""),
    sometimes("mode", Text, "What the gateway does with calls."),
    sometimes("released", Truth, "Whether the client got it."),
    sometimes("outcome", Text, "What became of it; `decided_later` where a person decided after the answer."),
    sometimes(
        "review_state",
        Named("ReviewState"),
        "Of a call that waited for a person when it was answered: how its item stands now.",
    ),
    sometimes("review_id", TEXT_OR_NULL, ""),
    sometimes("reviewer", TEXT_OR_NULL, "Who decided on it."),
    sometimes("edited", Truth, "Whether its arguments are the reviewer's."),
    sometimes("attempt", Number, "0 for the model's own, then its corrections."),
    sometimes("request", Object, "Of one verdict: what was judged."),
    sometimes(
        "line",
        OrNull(&List(&Named("LineStop"))),
        "Of one call: judged again now; null where the request is gone.",
    ),
    sometimes("line_same", Truth, "Of one call: whether it came out the same now."),
];

const PAGE: &[Field] =
    &[always("verdicts", List(&Named("StoredVerdict")), ""), always("next", TEXT_OR_NULL, "Goes on with `after`.")];

const MODE: super::Held = OneOf(&["enforce", "advise", "shadow", "off"]);

const CHECK: &[Field] = &[
    always("name", Text, ""),
    always("stage", OneOf(&["call", "result", "answer"]), "When it looks."),
    always("mode", MODE, ""),
    always("about", Text, "What it looks for."),
];

const RULE: &[Field] = &[
    always("name", Text, ""),
    always("effect", Text, "What it does with a call that it fits."),
    always("reason", Text, ""),
    always("when", TEXT_OR_NULL, "Its condition."),
    always("tools", List(&Text), ""),
    always("effects", List(&Text), "What tools do that it is about."),
];

const TOOL: &[Field] = &[
    always("names", Text, ""),
    always("level", TEXT_OR_NULL, ""),
    always("irreversible", OrNull(&Truth), ""),
    always("checks", Map(&Text), "Modes of their own."),
];

const EXPLAINED: &[Field] = &[
    always("level", Text, ""),
    always("checks", List(&Named("CheckExplained")), ""),
    always("rules", List(&Named("RuleExplained")), ""),
    always("tools", List(&Named("ToolExplained")), ""),
    always("suspicious_results", OneOf(&["pass", "mark", "review"]), ""),
    always("doubtful_answers", OneOf(&["pass", "mark", "correct", "review"]), ""),
];

const TROUBLE: &[Field] = &[
    always("message", Text, ""),
    always("help", TEXT_OR_NULL, "What to do."),
    always("line", NUMBER_OR_NULL, "In which line."),
];

const POLICY_CHECK: &[Field] = &[
    always("valid", Truth, ""),
    always("version", TEXT_OR_NULL, "What its version would be."),
    always("explained", OrNull(&Named("PolicyExplained")), ""),
    always("error", OrNull(&Named("PolicyTrouble")), ""),
];

const APPLIED: &[Field] = &[always("policy_id", TEXT_OR_NULL, "Its version in the list."), always("version", Text, "")];

const VERSION: &[Field] = &[
    always("policy_id", Text, ""),
    always("version", Text, "The digest of what it says."),
    always("author", TEXT_OR_NULL, ""),
    always("note", TEXT_OR_NULL, "Why it was applied."),
    always("restores", TEXT_OR_NULL, "The version that it brought back."),
    always("created_at", Text, "RFC 3339."),
    always("in_force", Truth, ""),
    sometimes("toml", Text, "Of one version: its text."),
];

const CHANGE: &[Field] = &[
    always("verdict_id", Text, ""),
    always("tool", Text, ""),
    always("before", Named("Status"), ""),
    always("after", Named("Status"), ""),
    always("explanation", Text, ""),
    always("findings", List(&Named("Finding")), ""),
    sometimes("created_at", Text, "RFC 3339."),
    sometimes("call", Named("ToolCall"), ""),
];

const REPLAY: &[Field] = &[
    always("policy_version", Text, "Of the candidate."),
    always("total", Number, ""),
    always("same", Number, ""),
    always("changed", List(&Named("ReplayChange")), ""),
    always("changes", Map(&Number), "`before -> after`, counted."),
];

const BUCKET: &[Field] = &[
    always("from", Text, "RFC 3339."),
    always("to", Text, ""),
    always("calls", Number, ""),
    always("approved", Number, ""),
    always("caution", Number, ""),
    always("requires_review", Number, ""),
    always("rejected", Number, ""),
    always("validation_failed", Number, ""),
    always("repairs", Number, ""),
    always("mended", Number, "Calls that may run because they were repaired."),
    always("results", Number, ""),
    always("suspicious", Number, "Results among them."),
];

const COUNTS: &[Field] = &[
    always("decided", Number, "By a person."),
    always("approved", Number, ""),
    always("edited", Number, ""),
    always("rejected", Number, ""),
    always("expired", Number, ""),
];

const OUTCOMES: &[Field] = &[
    always(
        "false_alarm_rate",
        NUMBER_OR_NULL,
        "Approved unchanged, of those that a check doubted and a person decided. Tools that always ask raise no alarm.",
    ),
    always("doubted", Named("OutcomeCounts"), "Of those that a check doubted."),
    always("by_code", Map(&Named("OutcomeCounts")), "Of the codes that spoke against them."),
    always("by_tool", Map(&Named("OutcomeCounts")), ""),
];

const LATENCY: &[Field] = &[
    always("count", Number, ""),
    always("p50_ms", Number, ""),
    always("p95_ms", Number, ""),
    always("p99_ms", Number, ""),
];

const ROUTE: &[Field] = &[
    always("route", Text, ""),
    always("count", Number, ""),
    always("p50_ms", Number, ""),
    always("p95_ms", Number, ""),
];

const LATENCIES: &[Field] = &[
    always("check", OrNull(&Named("Latency")), "Judging a call."),
    always("routes", List(&Named("RouteLatency")), "The busiest first."),
];

const TOKENS: &[Field] = &[
    always("input", Number, "What models read."),
    always("output", Number, "What they wrote."),
    always("cached", Number, "How much of what they read was still in their cache."),
];

const TOKEN_SUMS: &[Field] = &[
    always("by_key", Map(&Named("TokenCounts")), ""),
    always("by_model", Map(&Named("TokenCounts")), ""),
    always("by_tool", Map(&Named("TokenCounts")), "The tokens of the answers that called it."),
];

const STATS: &[Field] = &[
    always("from", Text, "RFC 3339."),
    always("to", Text, ""),
    always("turns", Named("TurnCounts"), ""),
    always("calls", Number, ""),
    always("verdicts", Map(&Number), "By status."),
    always("repairs", Number, ""),
    always("mended", Number, "Calls that may run because they were repaired."),
    always("reviews", Named("ReviewCounts"), ""),
    always("claims", Named("ClaimCounts"), ""),
    always("by_tool", Map(&Map(&Number)), "`calls`, `repairs`, `mended` and each status."),
    always("by_code", Map(&Number), "Findings by their code."),
    always("results", Named("ResultCounts"), ""),
    always("answers", Named("AnswerCounts"), ""),
    always("outcomes", Named("Outcomes"), ""),
    always("latency", Named("Latencies"), ""),
    always("tokens", OrNull(&Named("TokenSums")), "For operators."),
    sometimes("series", List(&Named("StatsBucket")), "Where `buckets` was asked for."),
];
