//! Every route, as a table: one line a method. A test holds it against the router. What a drop-in route takes and gives is
//! its maker's to describe, so it is only named here.

/// A method of a route.
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What a generated function is called.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) takes: Takes,
    /// What it answers when all is well.
    pub(super) gives: Gives,
    /// The parameters of its query.
    pub(super) query: &'static [&'static str],
}

/// What a route takes; shapes by their names.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    Nothing,
    Json(&'static str),
    /// A body that may be left out.
    MaybeJson(&'static str),
    /// One object, or an array of them.
    OneOrMany(&'static str),
    /// JSON that others describe.
    OthersJson,
    /// A file in a form.
    File,
    /// The fields of a page's form.
    Fields(&'static [&'static str]),
}

/// What a route answers; shapes by their names.
#[derive(Clone, Copy)]
pub(super) enum Gives {
    Json(&'static str),
    Created(&'static str),
    /// One object, or an array of them in which some may be errors.
    OneOrMany(&'static str),
    Nothing,
    /// Another address.
    Elsewhere,
    Events,
    Bytes,
    /// Text of a media type.
    Text(&'static str),
    /// JSON that others describe.
    OthersJson,
    /// The same, or events where the request asks for a stream.
    OthersEither,
}

const fn route(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    about: &'static str,
    takes: Takes,
    gives: Gives,
    query: &'static [&'static str],
) -> Route {
    Route { method, path, name, about, takes, gives, query }
}

#[rustfmt::skip] // One line a method.
pub(super) const ROUTES: &[Route] = &[
    route("post", "/v1/check", "check", "A tool call, before it runs", Takes::OneOrMany("CheckRequest"), Gives::OneOrMany("Verdict"), &[]),
    route("post", "/v1/verify", "verify", "What a tool returned", Takes::OneOrMany("VerifyRequest"), Gives::OneOrMany("VerificationReport"), &[]),
    route("post", "/v1/score", "score", "How far an answer can be trusted", Takes::OneOrMany("ScoreRequest"), Gives::OneOrMany("ScoreReport"), &[]),
    route("post", "/v1/claims", "claims", "What a message claims and nobody has verified", Takes::OneOrMany("ClaimsRequest"), Gives::OneOrMany("ClaimsReport"), &[]),
    route("post", "/v1/parse", "parse", "What a model really wrote", Takes::OneOrMany("ParseRequest"), Gives::OneOrMany("ParseReport"), &[]),
    route("post", "/v1/step", "step", "A whole agent step", Takes::OneOrMany("StepRequest"), Gives::OneOrMany("StepReport"), &[]),
    route("post", "/v1/chat/completions", "chat_completions", "OpenAI chat completions, guarded", Takes::OthersJson, Gives::OthersEither, &[]),
    route("post", "/v1/responses", "responses", "OpenAI responses, guarded", Takes::OthersJson, Gives::OthersEither, &[]),
    route("post", "/v1/messages", "messages", "Anthropic messages, guarded", Takes::OthersJson, Gives::OthersEither, &[]),
    route("get", "/v1/models", "models", "The upstream's models", Takes::Nothing, Gives::OthersJson, &[]),
    route("post", "/v1/sessions", "create_session", "Make a session: agent, user, model, tools, context", Takes::Json("NewSession"), Gives::Created("SessionInfo"), &[]),
    route("get", "/v1/sessions", "list_sessions", "List sessions, the newest first", Takes::Nothing, Gives::Json("SessionList"), &["limit", "after", "user", "detail"]),
    route("post", "/v1/sessions/import", "import_session", "Take in a session that was exported", Takes::OthersJson, Gives::OthersJson, &[]),
    route("get", "/v1/sessions/{id}", "get_session", "Look at a session", Takes::Nothing, Gives::Json("SessionInfo"), &[]),
    route("delete", "/v1/sessions/{id}", "remove_session", "Remove a session with all that belongs to it", Takes::Nothing, Gives::Nothing, &[]),
    route("post", "/v1/sessions/{id}/messages", "say", "One turn, streamed: content, references, files", Takes::Json("NewMessage"), Gives::Events, &[]),
    route("post", "/v1/sessions/{id}/tool_results", "bring_tool_result", "Bring a tool's result: call_id, content, is_error", Takes::Json("BroughtResult"), Gives::Json("Accepted"), &[]),
    route("get", "/v1/sessions/{id}/events", "session_events", "Resume, replay, follow", Takes::Nothing, Gives::Events, &["mode", "after", "reader", "follow"]),
    route("post", "/v1/sessions/{id}/relay", "relay", "Pass a message between agents: from, to, content", Takes::Json("Relay"), Gives::Json("Relayed"), &[]),
    route("post", "/v1/sessions/{id}/factcheck", "fact_check", "Look up the claims that are not verified", Takes::MaybeJson("FactCheckRequest"), Gives::Json("FactReport"), &[]),
    route("get", "/v1/sessions/{id}/claims/{claim}", "trace_claim", "Where a claim came from", Takes::Nothing, Gives::Json("Lineage"), &[]),
    route("get", "/v1/sessions/{id}/notes", "list_notes", "List notes", Takes::Nothing, Gives::Json("NoteList"), &[]),
    route("post", "/v1/sessions/{id}/notes", "add_note", "Keep a note: name, content", Takes::Json("NewNote"), Gives::Created("Thing"), &[]),
    route("get", "/v1/sessions/{id}/notes/{thing}", "get_note", "One note", Takes::Nothing, Gives::Json("Thing"), &[]),
    route("delete", "/v1/sessions/{id}/notes/{thing}", "remove_note", "Remove a note", Takes::Nothing, Gives::Nothing, &[]),
    route("get", "/v1/sessions/{id}/materials", "list_materials", "List materials", Takes::Nothing, Gives::Json("MaterialList"), &[]),
    route("post", "/v1/sessions/{id}/materials", "add_material", "Keep a material: id, name, content", Takes::Json("NewMaterial"), Gives::Created("Thing"), &[]),
    route("get", "/v1/sessions/{id}/materials/{thing}", "get_material", "One material", Takes::Nothing, Gives::Json("Thing"), &[]),
    route("delete", "/v1/sessions/{id}/materials/{thing}", "remove_material", "Remove a material", Takes::Nothing, Gives::Nothing, &[]),
    route("get", "/v1/sessions/{id}/files", "list_files", "List files", Takes::Nothing, Gives::Json("FileList"), &[]),
    route("post", "/v1/sessions/{id}/files", "upload_file", "Upload a file in the field `file`", Takes::File, Gives::Created("FileInfo"), &[]),
    route("get", "/v1/sessions/{id}/files/{file}", "download_file", "Download a file", Takes::Nothing, Gives::Bytes, &[]),
    route("delete", "/v1/sessions/{id}/files/{file}", "remove_file", "Remove a file", Takes::Nothing, Gives::Nothing, &[]),
    route("get", "/v1/sessions/{id}/stop", "session_stop_state", "What stops a session", Takes::Nothing, Gives::Json("StopState"), &[]),
    route("post", "/v1/sessions/{id}/stop", "stop_session", "Stop a session", Takes::Nothing, Gives::Json("StopState"), &[]),
    route("delete", "/v1/sessions/{id}/stop", "clear_session_stop", "Clear a session's flag", Takes::Nothing, Gives::Json("StopState"), &[]),
    route("get", "/v1/sessions/{id}/export", "export_session", "Take a session out: json, jsonl, markdown", Takes::Nothing, Gives::Bytes, &["format", "files"]),
    route("get", "/v1/stop", "stop_state", "What is stopped", Takes::Nothing, Gives::Json("StopState"), &[]),
    route("post", "/v1/stop", "stop", "Stop sessions: a list, or \"all\"", Takes::Json("StopRequest"), Gives::Json("StopState"), &[]),
    route("delete", "/v1/stop", "clear_stop", "Clear flags: a list, or \"all\"", Takes::Json("StopRequest"), Gives::Json("StopState"), &[]),
    route("get", "/v1/reviews", "list_reviews", "What waits for a person", Takes::Nothing, Gives::Json("ReviewList"), &["state", "tool", "order", "brief", "limit"]),
    route("get", "/v1/reviews/events", "review_events", "What waits, and every change", Takes::Nothing, Gives::Events, &[]),
    route("get", "/v1/reviews/{id}", "get_review", "One item", Takes::Nothing, Gives::Json("ReviewDetail"), &["language"]),
    route("post", "/v1/reviews/{id}/reserve", "reserve_review", "Take an item: reviewer", Takes::Json("Reservation"), Gives::Json("Review"), &[]),
    route("delete", "/v1/reviews/{id}/reserve", "give_back_review", "Give an item back: reviewer", Takes::MaybeJson("Reservation"), Gives::Json("Review"), &[]),
    route("post", "/v1/reviews/{id}/decision", "decide_review", "Decide: approve, edit or reject", Takes::Json("NewDecision"), Gives::Json("Review"), &[]),
    route("get", "/review/{link}", "open_review_link", "The page of a link that was sent to a reviewer; decides nothing", Takes::Nothing, Gives::Text("text/html"), &[]),
    route("post", "/review/{link}", "decide_by_link", "Decide on that page", Takes::Fields(&["token", "decision", "reason", "confirm"]), Gives::Text("text/html"), &[]),
    route("get", "/v1/verdicts", "list_verdicts", "The audit of calls and results; calls as lines to judge again", Takes::Nothing, Gives::Json("VerdictPage"), &["of", "tool", "code", "status", "key", "session_id", "answer_id", "since", "until", "q", "limit", "after", "format"]),
    route("post", "/v1/explain", "explain", "A call, judged, with the way through the checks and its costs", Takes::Json("CheckRequest"), Gives::Json("Explained"), &[]),
    route("get", "/v1/verdicts/{id}", "get_verdict", "One verdict, explained", Takes::Nothing, Gives::Json("StoredVerdict"), &[]),
    route("get", "/v1/conversations", "list_conversations", "What the gateway carried, as conversations, the newest first", Takes::Nothing, Gives::Json("ConversationPage"), &["limit", "after", "q"]),
    route("get", "/v1/conversations/{id}", "get_conversation", "One conversation with its exchanges", Takes::Nothing, Gives::Json("ConversationDetail"), &["limit", "after"]),
    route("post", "/v1/audit", "audit_file", "A file of recorded traces, judged; nothing is stored", Takes::OthersJson, Gives::Json("AuditedFile"), &[]),
    route("get", "/v1/policy", "get_policy", "The policy in force, as text and explained", Takes::Nothing, Gives::Json("PolicyText"), &[]),
    route("post", "/v1/policy", "apply_policy", "Put a policy in force: policy or restores, note, base", Takes::Json("PolicyCandidate"), Gives::Json("PolicyApplied"), &[]),
    route("post", "/v1/policy/check", "check_policy", "Whether a policy can be used, and what it would do: policy", Takes::Json("PolicyCandidate"), Gives::Json("PolicyCheck"), &[]),
    route("get", "/v1/policy/versions", "list_policy_versions", "The versions that were applied", Takes::Nothing, Gives::Json("PolicyVersions"), &[]),
    route("get", "/v1/policy/versions/{id}", "get_policy_version", "One version, with its text", Takes::Nothing, Gives::Json("PolicyVersion"), &[]),
    route("post", "/v1/policy/replay", "replay_policy", "A candidate policy over stored calls: policy, tool, limit", Takes::Json("ReplayRequest"), Gives::Json("Replay"), &[]),
    route("get", "/v1/stats", "stats", "What happened in a span of time", Takes::Nothing, Gives::Json("Stats"), &["from", "to", "buckets"]),
    route("post", "/hooks/claude-code", "hook_claude_code", "An event of a coding session; the agent's own answer, empty where there is nothing to say", Takes::OthersJson, Gives::OthersJson, &[]),
    route("post", "/mcp/{name}", "mcp_post", "An MCP server of the configuration, guarded: one JSON-RPC message, or its stream", Takes::OthersJson, Gives::OthersEither, &[]),
    route("get", "/mcp/{name}", "mcp_get", "An MCP server of the configuration, guarded: one JSON-RPC message, or its stream", Takes::Nothing, Gives::OthersEither, &[]),
    route("delete", "/mcp/{name}", "mcp_delete", "An MCP server of the configuration, guarded: one JSON-RPC message, or its stream", Takes::Nothing, Gives::OthersJson, &[]),
    route("get", "/livez", "livez", "The process runs", Takes::Nothing, Gives::OthersJson, &[]),
    route("get", "/readyz", "readyz", "It has started; 503 where it has not, or ends", Takes::Nothing, Gives::OthersJson, &[]),
    route("get", "/health", "health", "How each layer is", Takes::Nothing, Gives::Json("Health"), &[]),
    route("get", "/metrics", "metrics", "What is counted, for Prometheus", Takes::Nothing, Gives::Text("text/plain"), &[]),
    route("get", "/openapi.json", "openapi", "This description", Takes::Nothing, Gives::OthersJson, &[]),
    route("get", "/", "console", "The console", Takes::Nothing, Gives::Text("text/html"), &[]),
    route("get", "/console/{file}", "console_file", "A built file of the console", Takes::Nothing, Gives::Bytes, &[]),
    route("get", "/console/session", "console_session", "Who is signed in, and what there is", Takes::Nothing, Gives::Json("ConsoleSession"), &[]),
    route("post", "/console/session", "sign_in", "Sign in; the cookie is set", Takes::Json("SignIn"), Gives::Json("ConsoleSession"), &[]),
    route("delete", "/console/session", "sign_out", "Sign out; the cookie is cleared", Takes::Nothing, Gives::Nothing, &[]),
    route("get", "/console/oidc", "sign_in_elsewhere", "Sign in with the identity provider: off to it", Takes::Nothing, Gives::Elsewhere, &[]),
    route("get", "/console/oidc/callback", "signed_in_elsewhere", "Back from the identity provider, to the page", Takes::Nothing, Gives::Elsewhere, &["code", "state", "iss", "error"]),
];
