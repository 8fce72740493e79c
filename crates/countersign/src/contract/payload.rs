//! What the payload of each event holds, as a table: the JSON Schema and the TypeScript types are written from it, and
//! tests hold real events against it.

use super::{ContentType, EventType};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A string.
    Text,
    /// A string or null.
    TextOrNull,
    /// True or false.
    Truth,
    /// Anything.
    Anything,
    /// An object.
    Object,
    /// A list of anything.
    List,
    /// A list of claims.
    Claims,
    /// A list of changes of claims.
    ClaimUpdates,
    /// A verdict on a call.
    Verdict,
    /// A report on a result.
    Verification,
    /// A call.
    Call,
    /// A list of findings.
    Findings,
}

/// Whether a field is always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    Always,
    /// Only where there is something to say.
    Sometimes,
}

/// A field of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadField {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// Whether it is always there.
    pub presence: Presence,
    /// What it says.
    pub about: &'static str,
}

/// What the payload of an event holds.
#[derive(Debug, Clone, Copy)]
pub struct PayloadShape {
    /// Which content types it may have.
    pub content: &'static [ContentType],
    /// Its fields, beside `content_type`.
    pub fields: &'static [PayloadField],
}

/// The payload of an event.
pub const fn payload_of(event: EventType) -> PayloadShape {
    match event {
        EventType::Message => shape(&[ContentType::Text, ContentType::Markdown], MESSAGE),
        EventType::TextDelta => shape(&[ContentType::Markdown, ContentType::Text], TEXT_DELTA),
        EventType::ToolCall => shape(JSON, TOOL_CALL),
        EventType::ToolResult => shape(JSON, TOOL_RESULT),
        EventType::Verdict => shape(JSON, VERDICT),
        EventType::ReviewRequired => shape(JSON, REVIEW_REQUIRED),
        EventType::ClaimsUpdated => shape(&[ContentType::Claims], CLAIMS_UPDATED),
        EventType::References => shape(JSON, REFERENCES),
        EventType::Note | EventType::Material => shape(JSON, THING),
        EventType::Warning => shape(JSON, WARNING),
        EventType::Error => shape(&[ContentType::Error], ERROR),
        EventType::Reset => shape(JSON, RESET),
        EventType::Completed | EventType::Failed | EventType::Stopped | EventType::Lost => shape(JSON, TERMINAL),
        EventType::Plan => shape(&[ContentType::Plan], &[]),
        EventType::Evidence => shape(&[ContentType::Evidence], &[]),
        EventType::Citation => shape(&[ContentType::Citation], &[]),
        EventType::SearchResults => shape(&[ContentType::SearchResults], &[]),
    }
}

const fn shape(content: &'static [ContentType], fields: &'static [PayloadField]) -> PayloadShape {
    PayloadShape { content, fields }
}

const fn always(name: &'static str, holds: Holds, about: &'static str) -> PayloadField {
    PayloadField { name, holds, presence: Presence::Always, about }
}

const fn sometimes(name: &'static str, holds: Holds, about: &'static str) -> PayloadField {
    PayloadField { name, holds, presence: Presence::Sometimes, about }
}

const JSON: &[ContentType] = &[ContentType::Json];

const MESSAGE: &[PayloadField] = &[
    always("message_id", Holds::Text, "The message's name."),
    always("from", Holds::Text, "Who says it."),
    always("to", Holds::Text, "To whom."),
    always("content", Holds::Text, "The words, untouched."),
    always("needs_verify", Holds::Truth, "Whether a claim in it is not verified: pending, unverifiable or disputed."),
    always("claims", Holds::Claims, "The claims, in order, without overlaps."),
    sometimes("role", Holds::Text, "`user` or `assistant`, in a turn."),
    sometimes("raw", Holds::Text, "What the model wrote, tags included, where it differs."),
    sometimes("review_id", Holds::Text, "The item in the queue, where a person looks at it and nobody waits."),
    sometimes(
        "reviewed",
        Holds::Object,
        "Where a person decided on it first: `review_id`, `state`, `reviewer`, `reason`.",
    ),
    sometimes("replaces", Holds::Text, "The answer in whose place a reviewer put this one."),
    sometimes("derived_from", Holds::List, "The messages that a relayed one was made from."),
];
const TEXT_DELTA: &[PayloadField] = &[
    always("content", Holds::Text, "The next piece of text."),
    always("message_id", Holds::Text, "Groups the pieces of one answer."),
];
const TOOL_CALL: &[PayloadField] = &[
    always("call_id", Holds::Text, "Names the call; its result is posted with it."),
    always("name", Holds::Text, "The tool to run."),
    always("arguments", Holds::Object, "The arguments to run it with, repaired."),
    always("call", Holds::Call, "The same as one object."),
    always("verdict_id", Holds::Text, "The verdict in the audit."),
    always("verdict", Holds::Verdict, "The verdict, as `countersign check` gives it."),
    always("run_by", Holds::Text, "Who runs it: `client`."),
    sometimes("review_id", Holds::Text, "The review that cleared it."),
];
const TOOL_RESULT: &[PayloadField] = &[
    always("call_id", Holds::Text, "The call."),
    always("name", Holds::Text, "The tool."),
    always("content", Holds::Anything, "What it gave."),
    always("is_error", Holds::Truth, "Whether it failed."),
    always("verification", Holds::Verification, "The report, as `countersign verify` gives it."),
    sometimes("told", Holds::Text, "What the model is told of it, where that is something else."),
    sometimes("review_id", Holds::Text, "The item in the queue, where a person looks at it."),
];
const VERDICT: &[PayloadField] = &[
    always("verdict_id", Holds::Text, "The verdict in the audit."),
    always("call_id", Holds::Text, "The call."),
    always("name", Holds::Text, "The tool as the model named it."),
    sometimes("call", Holds::Call, "The call as the model made it."),
    always("status", Holds::Text, "approved, caution, requires_review, rejected or validation_failed."),
    always("verdict", Holds::Verdict, "The verdict, as `countersign check` gives it."),
    sometimes(
        "correction",
        Holds::Object,
        "How the correction of a refused call ended with this one: `{corrected: true, original, suggestion, attempts}` or `{corrected: false, error, attempts}`.",
    ),
];
const REVIEW_REQUIRED: &[PayloadField] = &[
    always("review_id", Holds::Text, "The item in the queue."),
    always("about", Holds::Text, "What waits: `call`, `result` or `answer`."),
    sometimes("call_id", Holds::Text, "The call that waits, or whose result does."),
    sometimes("tool", Holds::Text, "Its tool."),
    sometimes("call", Holds::Call, "The proposed call, or the one that was made."),
    sometimes("message_id", Holds::Text, "The answer that waits."),
    always("findings", Holds::Findings, "Why it is here."),
    always("explanation", Holds::Text, "The same in a sentence."),
    always("expires_at", Holds::Text, "When it is too late, RFC 3339."),
];
const CLAIMS_UPDATED: &[PayloadField] = &[
    always("claims", Holds::ClaimUpdates, "What changed."),
    sometimes(
        "messages",
        Holds::List,
        "The messages that changed with them: `message_id`, `needs_verify`, how many claims are `verified`, `disputed`, `unverifiable` and `pending`, and the `assessment` of an answer, weighed again.",
    ),
];
const REFERENCES: &[PayloadField] = &[
    always("valid", Holds::List, "What the model was given."),
    always("invalid", Holds::List, "What it was not, each with a reason."),
];
const THING: &[PayloadField] = &[
    always("id", Holds::Text, "Its name in the session."),
    always("name", Holds::Text, "What people call it."),
    always("content", Holds::Text, "What it says."),
    always("created_at", Holds::Text, "RFC 3339."),
];
const WARNING: &[PayloadField] = &[
    always("code", Holds::Text, "In a word."),
    always("message", Holds::Text, "For people."),
    sometimes("call_id", Holds::Text, "The call that it is about."),
    sometimes("tag", Holds::Text, "The tag that it is about."),
    sometimes("review_id", Holds::Text, "The item in the queue that it is about."),
];
const ERROR: &[PayloadField] = &[
    always("code", Holds::Text, "In a word."),
    always("message", Holds::Text, "For people."),
    always("retryable", Holds::Truth, "Whether the same message may succeed later."),
];
const RESET: &[PayloadField] = &[
    always("reason", Holds::Text, "unknown_epoch, past_head or history_lost."),
    always("oldest", Holds::TextOrNull, "The oldest event there is."),
    always("newest", Holds::TextOrNull, "The newest."),
];
const TERMINAL: &[PayloadField] = &[
    sometimes("status", Holds::Text, "The same word as the event's."),
    sometimes("reason", Holds::Text, "Why, in a word."),
    sometimes("message", Holds::Text, "Why, for people."),
];
