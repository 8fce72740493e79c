//! `/openapi.json`: every route, what it takes and what it answers.
//!
//! The routes are a table that a test holds against the router; the schemas are the tables of `shapes`, which tests hold
//! against real requests and answers, and a client that is generated from this document calls the server in another test.

/// Every route, one line a method.
mod routes;
/// A line of the table as an operation.
mod operation;

use crate::shapes::Place;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// `GET /openapi.json`: this description.
pub(super) async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

/// All routes.
pub(super) fn description() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(route.method.to_owned(), operation::operation(route));
        }
    }
    let tags: Vec<Value> = TAGS.iter().map(|(name, about)| json!({"name": name, "description": about})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Countersign",
            "description": "Checks what language models want to do, what their tools return and what they say.",
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
            "version": env!("CARGO_PKG_VERSION"),
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS.schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "A key of `[[keys]]`"}},
        },
        // A server without keys takes requests without one.
        "security": [{}, {"key": []}],
        "tags": tags,
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&DOCUMENT);
}

static DOCUMENT: LazyLock<String> = LazyLock::new(|| description().to_string());

const SCHEMAS: Place = Place("#/components/schemas/");

const TAGS: &[(&str, &str)] = &[
    ("engine", "The engine: one object or an array; the answers of the command line, byte for byte"),
    ("gateway", "Drop-in routes: a client's own dialect, its tool calls checked on the way"),
    ("sessions", "Hosted conversations: turns, streams, the brake, what belongs to a session"),
    ("reviews", "What waits for people, and the audit"),
    ("service", "The server itself"),
    ("console", "The page for people, and signing in to it"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn each<'v>(value: &'v Value, see: &mut dyn FnMut(&'v Value)) {
        see(value);
        match value {
            Value::Object(fields) => fields.values().for_each(|field| each(field, see)),
            Value::Array(items) => items.iter().for_each(|item| each(item, see)),
            _ => {}
        }
    }

    // LANG-4: every body has a schema, and every reference leads somewhere.
    #[test]
    fn every_body_has_a_schema() {
        let document = description();
        let (mut bodies, mut references) = (0, 0);
        each(&document["paths"], &mut |value| {
            for body in value.get("content").and_then(Value::as_object).into_iter().flat_map(Map::values) {
                assert!(body["schema"].as_object().is_some_and(|schema| !schema.is_empty()), "{value}");
                bodies += 1;
            }
        });
        each(&document, &mut |value| {
            if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
                let place = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
                references += 1;
            }
        });
        assert!(bodies > 80 && references > 150, "{bodies} {references}");
    }

    // LANG-4: generated functions are named after the operations, so each has a name of its own.
    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let mut names: Vec<_> = routes::ROUTES.iter().map(|route| route.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
