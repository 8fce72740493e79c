//! What the server's routes take. What is left out is as if it were null; fields that nobody knows are skipped.

use super::Held::{AnyOf, Anything, List, Named, Number, Object, OneOf, Text, Truth};
use super::{Field, Form, Shape, TEXTS, always, object, sometimes};

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "ToolDefinition", about: "A tool, as OpenAI, Anthropic or MCP write it.", form: Form::Open(TOOL) },
    Shape { name: "Message", about: "A message, as OpenAI or Anthropic write it.", form: Form::Open(MESSAGE) },
    object("ToolResult", "What a tool returned.", TOOL_RESULT),
    object("CheckRequest", "A call to judge; `tool_name` and `tool_input` may stand for `call`.", CHECK),
    object("VerifyRequest", "A result to verify, with the call that it answers.", VERIFY),
    object("FactCounts", "Facts that were looked up.", FACT_COUNTS),
    object("ScoreRequest", "An answer to weigh.", SCORE),
    object("ClaimsRequest", "A text whose claims are looked for.", CLAIMS),
    object("ParseRequest", "What a model wrote: `input`, or its `chunks`.", PARSE),
    object("StepRequest", "A whole step: the call, what the tool returned, and what the model made of it.", STEP),
    object("NewSession", "What a session is made from.", NEW_SESSION),
    object("Reference", "A note, a material or a file that a message points to.", REFERENCE),
    object("NewMessage", "What a user says.", NEW_MESSAGE),
    object("BroughtResult", "What a tool gave that the client ran.", BROUGHT),
    object("Relay", "A message from one agent to another.", RELAY),
    object("Evidence", "A text that the caller vouches for.", EVIDENCE),
    object("FactCheckRequest", "What the caller vouches for, and which claims are asked about.", FACT_CHECK),
    object("NewNote", "A note to keep.", NEW_NOTE),
    object("NewMaterial", "A material to keep.", NEW_MATERIAL),
    object("StopRequest", "Which sessions.", STOP),
    object("Reservation", "Who takes an item, or gives it back.", RESERVATION),
    object("NewDecision", "What a person says of an item.", DECISION),
    object("PolicyCandidate", "A policy to check or to put in force.", CANDIDATE),
    object("ReplayRequest", "A candidate policy, and over which calls.", REPLAY),
    object("SignIn", "A key to sign in to the console with.", SIGN_IN),
];

const TOOL: &[Field] = &[
    sometimes("name", Text, ""),
    sometimes("description", Text, ""),
    sometimes("parameters", Object, "The schema of its arguments, as OpenAI writes it."),
    sometimes(
        "input_schema",
        Object,
        "The same, as Anthropic writes it; `inputSchema`, as MCP writes it, is read too.",
    ),
    sometimes("output_schema", Object, "The schema of what it returns."),
    sometimes("type", Text, ""),
    sometimes("function", Object, "The tool inside, as OpenAI writes it."),
];

const MESSAGE: &[Field] = &[
    always("role", Text, "user, assistant, system, tool …"),
    sometimes("content", Anything, "Text, or a list of blocks."),
    sometimes("tool_calls", List(&Object), ""),
    sometimes("tool_call_id", Text, ""),
];

const TOOL_RESULT: &[Field] = &[
    sometimes("call_id", Text, ""),
    always("content", Anything, "Text, JSON, or a list of blocks."),
    sometimes("is_error", Truth, ""),
    sometimes("name", Text, "Of the tool."),
];

const TOOLS: Field =
    sometimes("tools", List(&Named("ToolDefinition")), "Without them nothing is known; empty: there are none.");
const MESSAGES: Field = sometimes("messages", List(&Named("Message")), "The conversation so far.");
const ID: Field = sometimes("id", Anything, "Given back as it came.");
const CONTEXT: Field = sometimes("context", Object, "Who asks, and what else is known.");
const LANGUAGE: Field = sometimes("language", OneOf(&["en", "zh"]), "The language to answer in.");
const NOW: Field = sometimes("now", Text, "What time it is for whoever asks, RFC 3339.");
const TIMEZONE: Field = sometimes("timezone", Text, "An IANA name or an offset.");
const LEVEL: super::Held = OneOf(&["strict", "moderate", "lenient"]);
const VERIFICATION_LEVEL: super::Held = OneOf(&["high", "medium", "low"]);
const LOGPROBS: Field = sometimes("logprobs", List(&Number), "Of the answer's tokens.");

const CHECK: &[Field] = &[
    ID,
    TOOLS,
    MESSAGES,
    always("call", Named("ToolCall"), "The call to judge."),
    CONTEXT,
    NOW,
    TIMEZONE,
    sometimes("level", LEVEL, "How strictly."),
    LANGUAGE,
];

const VERIFY: &[Field] = &[
    ID,
    sometimes("tool", Named("ToolDefinition"), ""),
    always("call", Named("ToolCall"), "The call that was made."),
    always("result", Named("ToolResult"), ""),
    sometimes("context", Object, "Earlier `results`, and what else is known."),
    NOW,
    TIMEZONE,
    sometimes("level", VERIFICATION_LEVEL, "How strictly."),
    LANGUAGE,
];

const FACT_COUNTS: &[Field] = &[sometimes("verified_count", Number, ""), sometimes("disputed_count", Number, "")];

const SCORE: &[Field] = &[
    ID,
    always("response", Text, "The answer."),
    sometimes("question", Text, "What was asked."),
    sometimes("context", AnyOf(&[Text, TEXTS]), "What the answer was made from."),
    LOGPROBS,
    sometimes("samples", TEXTS, "Other answers to the same question."),
    sometimes("fact_check", Named("FactCounts"), ""),
];

const CLAIMS: &[Field] = &[ID, always("text", Text, "")];

const PARSE: &[Field] = &[
    ID,
    sometimes("input", Text, "What the model wrote."),
    sometimes("chunks", TEXTS, "The same, in the pieces it came in."),
    sometimes("protocol", Text, "How it is read: auto, json, concierge, openai, anthropic, responses, or a format."),
    TOOLS,
    sometimes("schema", Object, "The schema of a JSON answer."),
    sometimes("finish_reason", OneOf(&["stop", "length", "cancelled"]), ""),
    sometimes("role", OneOf(&["assistant", "user"]), ""),
    LANGUAGE,
];

const STEP: &[Field] = &[
    ID,
    TOOLS,
    MESSAGES,
    always("tool_name", Text, ""),
    sometimes("tool_input", Anything, "The arguments."),
    sometimes("tool_output", Anything, "What the tool returned."),
    sometimes("model_response", Text, "What the model made of it."),
    LOGPROBS,
    CONTEXT,
    NOW,
    TIMEZONE,
    sometimes("validation_level", LEVEL, "How strictly the call is judged."),
    sometimes("verification_level", VERIFICATION_LEVEL, "How strictly the result is verified."),
    LANGUAGE,
];

const NEW_SESSION: &[Field] = &[
    sometimes("agent", Text, "concierge where nobody says."),
    sometimes("user", AnyOf(&[Text, Object]), "A name, or an object with an `id`."),
    sometimes("model", Text, ""),
    sometimes("tools", List(&Named("ToolDefinition")), "Tools that the client runs itself."),
    sometimes("context", Object, ""),
];

const REFERENCE: &[Field] = &[
    always("type", OneOf(&["note", "material", "file"]), ""),
    sometimes("id", Text, ""),
    sometimes("name", Text, ""),
    sometimes("session_id", Text, "Whose; this session's where it is absent."),
];

const NEW_MESSAGE: &[Field] = &[
    always("content", Text, ""),
    sometimes("references", List(&Named("Reference")), ""),
    sometimes("files", TEXTS, "The ids of files."),
];

const BROUGHT: &[Field] =
    &[always("call_id", Text, ""), always("content", Anything, ""), sometimes("is_error", Truth, "")];

const RELAY: &[Field] = &[
    always("from", Text, "An agent."),
    always("to", Text, "An agent."),
    always("content", Text, ""),
    sometimes("derived_from", TEXTS, "The claims that it was made from, by id."),
];

const EVIDENCE: &[Field] = &[sometimes("place", Text, "What it is called."), always("content", Anything, "")];

const FACT_CHECK: &[Field] = &[
    sometimes("evidence", List(&Named("Evidence")), ""),
    sometimes("again", Truth, "Whether all claims that are not verified are asked about again."),
];

const NEW_NOTE: &[Field] = &[sometimes("name", Text, ""), always("content", Text, "")];

const NEW_MATERIAL: &[Field] = &[
    sometimes("id", AnyOf(&[Text, Number]), "Its number in the session."),
    sometimes("name", Text, ""),
    always("content", Text, ""),
];

const STOP: &[Field] = &[always("sessions", AnyOf(&[OneOf(&["all"]), TEXTS]), "")];

const RESERVATION: &[Field] = &[sometimes("reviewer", Text, "A person; needed where there are no keys.")];

const DECISION: &[Field] = &[
    always("decision", OneOf(&["approve", "edit", "reject"]), ""),
    sometimes("arguments", Object, "The arguments to run, for an edit of a call."),
    sometimes("content", Anything, "What stands in the place of a result or an answer, for an edit of one."),
    sometimes("reason", Text, ""),
    sometimes("reviewer", Text, ""),
];

const REPLAY: &[Field] = &[
    always("policy", Text, "As TOML."),
    sometimes("tool", Text, "Only calls of this tool."),
    sometimes("limit", Number, "How many calls at most."),
];

const CANDIDATE: &[Field] = &[
    sometimes("policy", Text, "As TOML."),
    sometimes("restores", Text, "The version to bring back, in place of a text."),
    sometimes("note", Text, "Why it is applied."),
    sometimes("author", Text, "Who applies it, where there are no keys."),
    sometimes("base", Text, "The version that the writer began from."),
];

const SIGN_IN: &[Field] = &[always("key", Text, "")];
