//! The routes of sessions and of the gateway for `/openapi.json`, as a table: one line a method. A test holds it
//! against the router. What a drop-in route takes and gives is its maker's to describe, so it is only named here.

use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::{ContentBuilder, OpenApi, PathItem, Ref, Required, ResponseBuilder, ResponsesBuilder};

/// A method of a route.
struct Line {
    method: HttpMethod,
    path: &'static str,
    about: &'static str,
    /// What it takes: nothing, JSON, or a form.
    takes: Takes,
    /// What it answers when all is well.
    gives: Gives,
    /// The parameters of its query.
    query: &'static [&'static str],
}

#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Json,
    Form,
}

#[derive(Clone, Copy)]
enum Gives {
    Json,
    Created,
    Gone,
    Events,
    Bytes,
    /// JSON, or events where the request asks for a stream.
    Either,
}

/// Adds the routes to a description.
pub(crate) fn describe(document: &mut OpenApi) {
    for line in LINES {
        let item = document.paths.paths.entry(line.path.to_owned()).or_default();
        put(item, line.method.clone(), operation(line));
    }
}

fn put(item: &mut PathItem, method: HttpMethod, operation: Operation) {
    match method {
        HttpMethod::Post => item.post = Some(operation),
        HttpMethod::Delete => item.delete = Some(operation),
        _ => item.get = Some(operation),
    }
}

fn operation(line: &Line) -> Operation {
    let responses =
        ResponsesBuilder::new().response(status(line.gives), answer(line.gives)).response("default", error());
    let mut operation =
        OperationBuilder::new().tag(tag(line.path)).summary(Some(line.about)).responses(responses.build());
    for name in line.path.split(['{', '}']).skip(1).step_by(2) {
        operation = operation.parameter(parameter(name, ParameterIn::Path));
    }
    for name in line.query {
        operation = operation.parameter(parameter(name, ParameterIn::Query));
    }
    let body = |kind: &str| RequestBodyBuilder::new().content(kind, ContentBuilder::new().build()).build();
    match line.takes {
        Takes::Nothing => operation,
        Takes::Json => operation.request_body(Some(body("application/json"))),
        Takes::Form => operation.request_body(Some(body("multipart/form-data"))),
    }
    .build()
}

fn tag(path: &str) -> &'static str {
    match path {
        "/v1/chat/completions" | "/v1/responses" | "/v1/messages" | "/v1/models" => "gateway",
        "/v1/explain" => "engine",
        path if AUDIT.iter().any(|beginning| path.starts_with(beginning)) => "reviews",
        _ => "sessions",
    }
}

fn parameter(name: &str, place: ParameterIn) -> Parameter {
    let required = if place == ParameterIn::Path { Required::True } else { Required::False };
    ParameterBuilder::new().name(name).parameter_in(place).required(required).build()
}

fn status(gives: Gives) -> &'static str {
    match gives {
        Gives::Created => "201",
        Gives::Gone => "204",
        Gives::Json | Gives::Events | Gives::Bytes | Gives::Either => "200",
    }
}

fn answer(gives: Gives) -> utoipa::openapi::Response {
    let (about, kind) = match gives {
        Gives::Json => ("What was asked for", "application/json"),
        Gives::Created => ("What was made", "application/json"),
        Gives::Gone => return ResponseBuilder::new().description("It is gone").build(),
        Gives::Events => ("Server-sent events; see docs/events.schema.json", "text/event-stream"),
        Gives::Bytes => ("The content", "application/octet-stream"),
        Gives::Either => return whole_or_streamed(),
    };
    ResponseBuilder::new().description(about).content(kind, ContentBuilder::new().build()).build()
}

fn whole_or_streamed() -> utoipa::openapi::Response {
    let content = || ContentBuilder::new().build();
    ResponseBuilder::new()
        .description("The upstream's answer; its tool calls are checked, mended or refused")
        .content("application/json", content())
        .content("text/event-stream", content())
        .build()
}

fn error() -> utoipa::openapi::Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    ResponseBuilder::new().description("What went wrong").content("application/json", body).build()
}

const fn line(
    method: HttpMethod,
    path: &'static str,
    about: &'static str,
    takes: Takes,
    gives: Gives,
    query: &'static [&'static str],
) -> Line {
    Line { method, path, about, takes, gives, query }
}

/// What is decided by people, and what is written down.
const AUDIT: &[&str] = &["/v1/reviews", "/v1/verdicts", "/v1/policy", "/v1/stats"];

const LINES: &[Line] = &{
    use Gives::{Bytes, Created, Either, Events, Gone, Json as Shown};
    use HttpMethod::{Delete, Get, Post};
    use Takes::{Form, Json, Nothing};
    [
        line(Post, "/v1/chat/completions", "OpenAI chat completions, guarded", Json, Either, &[]),
        line(Post, "/v1/responses", "OpenAI responses, guarded", Json, Either, &[]),
        line(Post, "/v1/messages", "Anthropic messages, guarded", Json, Either, &[]),
        line(Get, "/v1/models", "The upstream's models", Nothing, Shown, &[]),
        line(Post, "/v1/sessions", "Make a session: agent, user, model, tools, context", Json, Created, &[]),
        line(
            Get,
            "/v1/sessions",
            "List sessions, the newest first",
            Nothing,
            Shown,
            &["limit", "after", "user", "detail"],
        ),
        line(Get, "/v1/sessions/{id}", "Look at a session", Nothing, Shown, &[]),
        line(Delete, "/v1/sessions/{id}", "Remove a session with all that belongs to it", Nothing, Gone, &[]),
        line(Post, "/v1/sessions/{id}/messages", "One turn, streamed: content, references, files", Json, Events, &[]),
        line(
            Post,
            "/v1/sessions/{id}/tool_results",
            "Bring a tool's result: call_id, content, is_error",
            Json,
            Shown,
            &[],
        ),
        line(
            Get,
            "/v1/sessions/{id}/events",
            "Resume, replay, follow",
            Nothing,
            Events,
            &["mode", "after", "reader", "follow"],
        ),
        line(Post, "/v1/sessions/{id}/relay", "Pass a message between agents: from, to, content", Json, Shown, &[]),
        line(Post, "/v1/sessions/{id}/factcheck", "Look up the claims that are not verified", Json, Shown, &[]),
        line(Get, "/v1/sessions/{id}/claims/{claim}", "Where a claim came from", Nothing, Shown, &[]),
        line(Get, "/v1/sessions/{id}/notes", "List notes", Nothing, Shown, &[]),
        line(Post, "/v1/sessions/{id}/notes", "Keep a note: name, content", Json, Created, &[]),
        line(Get, "/v1/sessions/{id}/notes/{thing}", "One note", Nothing, Shown, &[]),
        line(Delete, "/v1/sessions/{id}/notes/{thing}", "Remove a note", Nothing, Gone, &[]),
        line(Get, "/v1/sessions/{id}/materials", "List materials", Nothing, Shown, &[]),
        line(Post, "/v1/sessions/{id}/materials", "Keep a material: id, name, content", Json, Created, &[]),
        line(Get, "/v1/sessions/{id}/materials/{thing}", "One material", Nothing, Shown, &[]),
        line(Delete, "/v1/sessions/{id}/materials/{thing}", "Remove a material", Nothing, Gone, &[]),
        line(Get, "/v1/sessions/{id}/files", "List files", Nothing, Shown, &[]),
        line(Post, "/v1/sessions/{id}/files", "Upload a file in the field `file`", Form, Created, &[]),
        line(Get, "/v1/sessions/{id}/files/{file}", "Download a file", Nothing, Bytes, &[]),
        line(Delete, "/v1/sessions/{id}/files/{file}", "Remove a file", Nothing, Gone, &[]),
        line(Get, "/v1/sessions/{id}/stop", "What stops a session", Nothing, Shown, &[]),
        line(Post, "/v1/sessions/{id}/stop", "Stop a session", Nothing, Shown, &[]),
        line(Delete, "/v1/sessions/{id}/stop", "Clear a session's flag", Nothing, Shown, &[]),
        line(Get, "/v1/sessions/{id}/export", "Take a session out: json, jsonl, markdown", Nothing, Bytes, &["format"]),
        line(Get, "/v1/stop", "What is stopped", Nothing, Shown, &[]),
        line(Post, "/v1/stop", "Stop sessions: a list, or \"all\"", Json, Shown, &[]),
        line(Delete, "/v1/stop", "Clear flags: a list, or \"all\"", Json, Shown, &[]),
        line(
            Get,
            "/v1/reviews",
            "What waits for a person",
            Nothing,
            Shown,
            &["state", "tool", "order", "brief", "limit"],
        ),
        line(Get, "/v1/reviews/events", "What waits, and every change", Nothing, Events, &[]),
        line(Get, "/v1/reviews/{id}", "One item", Nothing, Shown, &[]),
        line(Post, "/v1/reviews/{id}/reserve", "Take an item: reviewer", Json, Shown, &[]),
        line(Delete, "/v1/reviews/{id}/reserve", "Give an item back: reviewer", Json, Shown, &[]),
        line(Post, "/v1/reviews/{id}/decision", "Decide: approve, edit or reject", Json, Shown, &[]),
        line(
            Get,
            "/v1/verdicts",
            "The audit of calls and results; calls as lines to judge again",
            Nothing,
            Shown,
            &[
                "of",
                "tool",
                "code",
                "status",
                "key",
                "session_id",
                "answer_id",
                "since",
                "until",
                "q",
                "limit",
                "after",
                "format",
            ],
        ),
        line(Post, "/v1/explain", "A call, judged, with the way through the checks and its costs", Json, Shown, &[]),
        line(Get, "/v1/verdicts/{id}", "One verdict, explained", Nothing, Shown, &[]),
        line(Get, "/v1/policy", "The policy in force, as text", Nothing, Shown, &[]),
        line(Post, "/v1/policy/replay", "A candidate policy over stored calls: policy, tool, limit", Json, Shown, &[]),
        line(Get, "/v1/stats", "What happened in a span of time", Nothing, Shown, &["from", "to", "buckets"]),
    ]
};
