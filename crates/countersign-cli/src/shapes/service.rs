//! Sessions, the console and the server itself.

use super::Held::{Anything, List, Map, Named, Number, Object, OneOf, OrNull, Text, Truth};
use super::{Field, Form, Shape, TEXT_OR_NULL, TEXTS, always, object, sometimes, words};

pub(super) const SHAPES: &[Shape] = &[
    object("SessionInfo", "A hosted session; with `detail=true` also what its log says.", SESSION),
    object("SessionList", "Sessions, the newest first.", SESSION_LIST),
    object("Accepted", "A tool's result was taken.", ACCEPTED),
    object("Relayed", "What a relayed message became.", RELAYED),
    object("ClaimSummary", "How the claims of a session stand.", CLAIM_SUMMARY),
    object("FactReport", "What a look-up came to.", FACT_REPORT),
    object("LineageStep", "One step of the way that a value came.", LINEAGE_STEP),
    object("Lineage", "Where a claim came from, the claim itself first.", LINEAGE),
    object("Thing", "A note or a material.", THING),
    object("NoteList", "The notes of a session.", &[always("notes", List(&Named("Thing")), "")]),
    object("MaterialList", "The materials of a session.", &[always("materials", List(&Named("Thing")), "")]),
    object("FileInfo", "A file of a session.", FILE),
    object("FileList", "The files of a session.", &[always("files", List(&Named("FileInfo")), "")]),
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
    sometimes("running", Truth, "Whether a turn is under way."),
    sometimes("waits_for", OrNull(&OneOf(&["person", "client"])), "Whom the turn that is under way waits for."),
    sometimes("events", Number, "The number of the newest event."),
    sometimes("stopped", Truth, ""),
    sometimes("title", TEXT_OR_NULL, "The beginning of the first message of its user."),
    sometimes("updated_at", Text, "The time of the newest event, RFC 3339."),
];

const SESSION_LIST: &[Field] = &[
    always("sessions", List(&Named("SessionInfo")), ""),
    sometimes("unreadable", TEXTS, "Rows of the store that cannot be read, by id."),
];

const ACCEPTED: &[Field] = &[always("accepted", Truth, ""), always("call_id", Text, "")];

const RELAYED: &[Field] = &[
    always("message_id", Text, ""),
    always("needs_verify", Truth, "Whether a claim in it is not verified."),
    always("claims", List(&Named("Claim")), ""),
];

const CLAIM_SUMMARY: &[Field] = &[
    always("verified", Number, ""),
    always("disputed", Number, ""),
    always("unverifiable", Number, ""),
    always("pending", Number, ""),
];

const FACT_REPORT: &[Field] = &[
    always("claims", List(&Named("ClaimUpdate")), "What changed."),
    always("summary", Named("ClaimSummary"), "How all claims of the session stand now."),
    always("troubles", Map(&Number), "What went wrong, and how often."),
];

const LINEAGE_STEP: &[Field] = &[
    always("id", Text, "The claim."),
    always("back", Number, "How many links it lies back."),
    sometimes("message", Text, ""),
    sometimes("between", TEXTS, "Who said it to whom."),
    sometimes("text", Text, ""),
    sometimes("sentence", Text, ""),
    always("status", Named("ClaimStatus"), ""),
    sometimes("note", Text, ""),
    always("from", List(&Anything), "The claims it hangs on, and how; empty where it begins here."),
];

const LINEAGE: &[Field] = &[always("claim_id", Text, ""), always("lineage", List(&Named("LineageStep")), "")];

const THING: &[Field] = &[
    always("id", Text, ""),
    always("name", Text, ""),
    always("content", Text, ""),
    always("created_at", Text, "RFC 3339."),
];

const FILE: &[Field] = &[
    always("file_id", Text, ""),
    always("name", Text, ""),
    always("type", Text, "Its media type."),
    always("size", Number, "In bytes."),
    always("created_at", Text, "RFC 3339."),
];

const CONSOLE: &[Field] = &[
    always("locked", Truth, "Whether keys are wanted."),
    always("signed_in", Truth, ""),
    always("key_id", TEXT_OR_NULL, ""),
    always("reviewer", TEXT_OR_NULL, "The name that stands under decisions made with this key."),
    always("scopes", List(&Named("Scope")), "What may be used."),
    always("csrf", TEXT_OR_NULL, "Goes into `x-countersign-csrf` with whatever changes something."),
    always("single_sign_on", Truth, "Whether people can sign in at `/console/oidc`."),
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
    always("editable", Truth, "Whether the caller may change it here: an operator may, where no file manages it."),
    always("explained", Named("PolicyExplained"), ""),
    always("trouble", TEXT_OR_NULL, "Why the newest one is not in force."),
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
