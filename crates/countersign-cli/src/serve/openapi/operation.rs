//! A line of the table as an operation of OpenAPI.

use super::SCHEMAS;
use super::routes::{Gives, Route, Takes};
use crate::shapes::Held;
use serde_json::{Map, Value, json};

/// The operation of a route.
pub(super) fn operation(route: &Route) -> Value {
    let placed = route.path.split(['{', '}']).skip(1).step_by(2).map(|name| parameter(name, "path"));
    let parameters: Vec<Value> = placed.chain(route.query.iter().map(|name| parameter(name, "query"))).collect();
    let (status, answer) = answer(route.gives);
    let mut operation = json!({
        "operationId": route.name,
        "tags": [tag(route.path)],
        "summary": route.about,
        "parameters": parameters,
        "responses": {
            status: answer,
            "default": {"description": "What went wrong", "content": json_content(named("ErrorBody"))},
        },
    });
    if let (Some(operation), Some(body)) = (operation.as_object_mut(), body(route.takes)) {
        operation.insert("requestBody".to_owned(), body);
    }
    operation
}

fn tag(path: &str) -> &'static str {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| path.starts_with(beginning));
    match path {
        "/" => "console",
        _ if begins(&["/console"]) => "console",
        _ if begins(&["/v1/chat", "/v1/responses", "/v1/messages", "/v1/models", "/mcp/"]) => "gateway",
        _ if begins(&[
            "/v1/reviews",
            "/review/",
            "/v1/verdicts",
            "/v1/policy",
            "/v1/stats",
            "/v1/conversations",
            "/v1/audit",
        ]) =>
        {
            "reviews"
        }
        _ if begins(&["/v1/sessions", "/v1/stop"]) => "sessions",
        _ if begins(&["/v1/", "/hooks/"]) => "engine",
        _ => "service",
    }
}

fn parameter(name: &str, place: &str) -> Value {
    let kind = match name {
        "limit" | "buckets" => "integer",
        "detail" | "brief" => "boolean",
        _ => "string",
    };
    json!({"name": name, "in": place, "required": place == "path", "schema": {"type": kind}})
}

fn body(takes: Takes) -> Option<Value> {
    let (content, required) = match takes {
        Takes::Nothing => return None,
        Takes::Json(shape) => (json_content(named(shape)), true),
        Takes::MaybeJson(shape) => (json_content(named(shape)), false),
        Takes::OneOrMany(shape) => (json_content(one_or_many(named(shape), named(shape))), true),
        Takes::OthersJson => (json_content(json!({"type": "object"})), true),
        Takes::File => {
            let form = json!({"type": "object", "required": ["file"], "properties": {"file": {"type": "string", "format": "binary"}}});
            (json!({"multipart/form-data": {"schema": form}}), true)
        }
        Takes::Fields(names) => {
            let fields: Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
            let form = json!({"type": "object", "properties": fields});
            (content("application/x-www-form-urlencoded", form), true)
        }
    };
    Some(json!({"required": required, "content": content}))
}

/// The status of an answer when all is well, and the answer.
fn answer(gives: Gives) -> (&'static str, Value) {
    let shown = |about: &str, content: Value| json!({"description": about, "content": content});
    let text = json!({"type": "string"});
    match gives {
        Gives::Json(shape) => ("200", shown("What was asked for", json_content(named(shape)))),
        Gives::Created(shape) => ("201", shown("What was made", json_content(named(shape)))),
        Gives::OneOrMany(shape) => {
            let element = json!({"anyOf": [named(shape), named("LineError")]});
            ("200", shown("The answer, or an array of them", json_content(one_or_many(named(shape), element))))
        }
        Gives::Nothing => ("204", json!({"description": "It is done"})),
        Gives::Elsewhere => ("303", json!({"description": "Another address, where it goes on"})),
        Gives::Events => {
            ("200", shown("Server-sent events; see docs/events.schema.json", content("text/event-stream", text)))
        }
        Gives::Bytes => {
            let bytes = json!({"type": "string", "format": "binary"});
            ("200", shown("The content", content("application/octet-stream", bytes)))
        }
        Gives::Text(kind) => ("200", shown("Text", content(kind, text))),
        Gives::OthersJson => ("200", shown("What was asked for", json_content(json!({"type": "object"})))),
        Gives::OthersEither => {
            let mut both = json_content(json!({"type": "object"}));
            if let Some(both) = both.as_object_mut() {
                both.insert("text/event-stream".to_owned(), json!({ "schema": text }));
            }
            (
                "200",
                shown("The upstream's answer, whole or streamed; its tool calls are checked, mended or refused", both),
            )
        }
    }
}

fn named(shape: &'static str) -> Value {
    SCHEMAS.schema_of(Held::Named(shape))
}

/// One of them, or an array.
fn one_or_many(one: Value, element: Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "items": element}]})
}

fn json_content(schema: Value) -> Value {
    content("application/json", schema)
}

fn content(kind: &str, schema: Value) -> Value {
    Value::Object(Map::from_iter([(kind.to_owned(), json!({ "schema": schema }))]))
}
