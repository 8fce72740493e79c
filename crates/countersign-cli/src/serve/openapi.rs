//! The description of all routes, made from the code that answers them.

use super::console::{files, session};
use super::engine_routes as engine;
use super::error::{ErrorBody, ErrorFields};
use super::native;
use super::service_routes as service;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::sync::LazyLock;
use utoipa::OpenApi;

/// `GET /openapi.json`: this description.
#[utoipa::path(get, path = "/openapi.json", tag = "service", responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
pub(super) async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

/// All routes. The routes of the sessions and of the gateway are merged in here.
pub(super) fn description() -> utoipa::openapi::OpenApi {
    let mut document = Described::openapi();
    native::describe(&mut document);
    document
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Checks what language models want to do, what their tools return and what they say.",
    ),
    paths(
        engine::check,
        engine::verify,
        engine::score,
        engine::claims,
        engine::parse,
        engine::step,
        service::livez,
        service::readyz,
        service::health,
        service::metrics,
        document,
        files::index,
        files::file,
        session::look,
        session::sign_in,
        session::sign_out,
    ),
    components(schemas(ErrorBody, ErrorFields)),
    tags(
        (name = "engine", description = "The engine: one object or an array; the answers of the command line, byte for byte"),
        (name = "gateway", description = "Drop-in routes: a client's own dialect, its tool calls checked on the way"),
        (name = "sessions", description = "Hosted conversations: turns, streams, the brake, what belongs to a session"),
        (name = "reviews", description = "What waits for people, and the audit"),
        (name = "service", description = "The server itself"),
        (name = "console", description = "The page for people, and signing in to it"),
    )
)]
struct Described;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&DOCUMENT);
}

static DOCUMENT: LazyLock<String> =
    LazyLock::new(|| description().to_json().unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}")));
