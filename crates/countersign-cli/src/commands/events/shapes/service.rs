//! Sessions, the console and the server itself.

use super::Held::{List, Map, Named, Number, Object, OneOf, Text, Truth};
use super::{Field, Form, Shape, TEXT_OR_NULL, TEXTS, always, object, sometimes, words};

pub(super) const SHAPES: &[Shape] = &[
    object("SessionInfo", "A hosted session; with `detail=true` also what its log says.", SESSION),
    words("Scope", "What a key opens.", &["engine", "sessions", "review", "upstream", "admin"]),
    object("ConsoleSession", "Who is signed in to the console, and what there is.", CONSOLE),
    object("PolicyText", "The policy in force.", POLICY),
    object("StopFlag", "A flag that is up.", STOP_FLAG),
    object("StopState", "What is stopped.", STOP_STATE),
    words("HealthStatus", "How something is.", &["healthy", "degraded", "unhealthy"]),
    Shape { name: "HealthLayer", about: "How a layer is.", form: Form::Open(HEALTH_LAYER) },
    object("Health", "How the server is.", HEALTH),
    Shape { name: "ApiError", about: "What went wrong.", form: Form::Open(API_ERROR) },
    object("ErrorBody", "The body of every error.", ERROR_BODY),
];

const SESSION: &[Field] = &[
    always("session_id", Text, ""),
    always("agent", Text, ""),
    always("user", TEXT_OR_NULL, ""),
    always("model", TEXT_OR_NULL, ""),
    always("tools", List(&Object), "The tools that its client brought."),
    always("created_at", Text, "RFC 3339."),
    sometimes("running", Truth, "Whether a turn runs."),
    sometimes("events", Number, "The number of the newest event."),
    sometimes("stopped", Truth, ""),
    sometimes("title", TEXT_OR_NULL, "The beginning of the first message of its user."),
    sometimes("updated_at", Text, "The time of the newest event, RFC 3339."),
];

const CONSOLE: &[Field] = &[
    always("locked", Truth, "Whether keys are wanted."),
    always("signed_in", Truth, ""),
    always("key_id", TEXT_OR_NULL, ""),
    always("reviewer", TEXT_OR_NULL, "The name that stands under decisions made with this key."),
    always("scopes", List(&Named("Scope")), "What may be used."),
    always("csrf", TEXT_OR_NULL, "Goes into `x-countersign-csrf` with whatever changes something."),
    always("version", Text, "Of the server."),
    always("demo", Truth, "Whether the demo model answers."),
    always("models", TEXTS, "The names to choose from."),
    always("agents", TEXTS, ""),
    always("policy_version", TEXT_OR_NULL, ""),
];

const POLICY: &[Field] = &[
    always("version", Text, ""),
    always("toml", Text, "As `POST /v1/policy/replay` takes it."),
    always("path", TEXT_OR_NULL, "Its file, where there is one."),
];

const STOP_FLAG: &[Field] = &[
    always("scope", OneOf(&["all", "session"]), ""),
    always("session_id", TEXT_OR_NULL, ""),
    always("since", Text, "RFC 3339."),
    always("epoch", Number, "How often it was raised."),
];

const STOP_STATE: &[Field] = &[
    always("flags", List(&Named("StopFlag")), ""),
    always("redis_available", Truth, ""),
    always("mode", OneOf(&["shared", "memory_only"]), "Whether other nodes see the flags."),
    always("durable", Truth, "Whether the flags outlive a restart."),
];

const HEALTH_LAYER: &[Field] =
    &[always("status", Named("HealthStatus"), ""), sometimes("since", Text, "RFC 3339."), sometimes("note", Text, "")];

const HEALTH: &[Field] = &[
    always("status", Named("HealthStatus"), ""),
    always("version", Text, ""),
    always("layers", Map(&Named("HealthLayer")), ""),
];

const API_ERROR: &[Field] = &[
    always("message", Text, "For people."),
    always("type", Text, "The family of errors."),
    always("code", Text, "The error."),
    always("param", TEXT_OR_NULL, "The field that is wrong, where there is one."),
];

const ERROR_BODY: &[Field] = &[always("error", Named("ApiError"), "")];
