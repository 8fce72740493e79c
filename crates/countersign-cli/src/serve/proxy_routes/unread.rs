//! Routes whose answers nobody reads here: they get no tools, so that no call can come back unchecked.
//!
//! Which of an upstream's routes answer with tool calls is for the upstream to say, and it may know one route by several
//! names. So what is refused is told by what goes there: a body that declares tools, and a path that ends as a guarded
//! one does. Everything else passes as it came.

use crate::config::OtherRoutes;
use crate::serve::body;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_ENCODING;
use bytes::BytesMut;
use countersign::contract::Mode;
use countersign_runtime::gateway::transport::OutBody;
use futures_util::{StreamExt, stream};
use memchr::memmem;
use serde_json::Value;

/// The body as it goes to a route that is not guarded; an error where what comes back could be a call.
pub(super) async fn prepare_body(
    app: &App,
    caller: &Caller,
    meaning: &str,
    request: Request,
) -> Result<OutBody, ApiError> {
    if !is_guarding(app, caller) || COUNTING.contains(&meaning) {
        return Ok(OutBody::stream(request.into_body()));
    }
    if MODEL_ROUTES.iter().any(|route| meaning.ends_with(route)) {
        return Err(refuse(meaning, "it ends as a guarded route does"));
    }
    let is_coded = request.headers().get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    let (parts, body) = request.into_parts();
    let mut pieces = body.into_data_stream();
    let mut begin = BytesMut::new();
    while begins_with(&begin).is_none()
        && let Some(piece) = pieces.next().await
    {
        let piece = piece.map_err(|error| ApiError::bad_request(format!("the body broke off: {error}"), None))?;
        begin.extend_from_slice(&piece);
    }
    let begin = begin.freeze();
    let first = begins_with(&begin);
    if is_coded && first.is_some() {
        return Err(refuse(meaning, "its body is compressed and cannot be read here"));
    }
    let whole = stream::once(async move { Ok(begin) }).chain(pieces);
    if !matches!(first, Some(b'{' | b'[')) {
        return Ok(OutBody::stream(Body::from_stream(whole)));
    }
    let request = Request::from_parts(parts, Body::from_stream(whole));
    let bytes = body::read(request, app.config.limits.body_size).await?;
    if may_declare_tools(&bytes) {
        return Err(refuse(meaning, "its body declares tools"));
    }
    Ok(OutBody::stream(Body::from(bytes)))
}

/// Whether calls are held for this caller at all.
fn is_guarding(app: &App, caller: &Caller) -> bool {
    let settings = &app.config.gateway;
    let by_key = caller.key_id.as_deref().and_then(|id| settings.keys.get(id));
    by_key.copied().unwrap_or(settings.mode) == Mode::Enforce && settings.other_routes == OtherRoutes::Refuse
}

fn refuse(meaning: &str, why: &str) -> ApiError {
    let message = format!(
        "{meaning} is not guarded and {why}: use /v1/chat/completions, /v1/responses or /v1/messages, or set `gateway.other_routes` to `pass`"
    );
    ApiError::forbidden(message).with_code("unguarded_route")
}

/// The first byte of a body that says something.
fn begins_with(body: &[u8]) -> Option<u8> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.iter().find(|byte| !byte.is_ascii_whitespace()).copied()
}

/// Whether a JSON body declares tools somewhere, or cannot be read although it may.
fn may_declare_tools(body: &[u8]) -> bool {
    // A name that is written with escapes has a backslash before a `u`.
    let may = ["tools", "functions", "\\u"].iter().any(|word| memmem::find(body, word.as_bytes()).is_some());
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    may && serde_json::from_slice(body).map_or(true, |body: Value| declares_tools(&body))
}

fn declares_tools(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| match value {
            Value::Array(tools) if ["tools", "functions"].contains(&name.as_str()) => !tools.is_empty(),
            value => declares_tools(value),
        }),
        Value::Array(items) => items.iter().any(declares_tools),
        _ => false,
    }
}

/// Routes that take tools and answer with a number.
const COUNTING: &[&str] = &["/v1/messages/count_tokens", "/v1/responses/input_tokens"];
/// How the paths end under which upstreams answer as models.
const MODEL_ROUTES: &[&str] = &["/chat/completions", "/responses"];

#[cfg(test)]
mod tests {
    use super::*;

    // CALL-11: tools are seen wherever they stand; words about tools are no tools.
    #[test]
    fn declared_tools_are_seen() {
        for body in [
            r#"{"tools": [{"name": "a"}]}"#,
            r#"{"functions": [{}]}"#,
            r#"{"requests": [{"params": {"tools": [1]}}]}"#,
            r#"{"t\u006fols": [{}]}"#,
            "\u{feff}{\"tools\": [{}]}",
            r#"{"tools": [{}]"#,
            r#"{"tools": [], "tools": [{}]}"#,
        ] {
            assert!(may_declare_tools(body.as_bytes()), "{body}");
        }
        for body in [
            r#"{"input": "the tools"}"#,
            r#"{"tools": []}"#,
            r#"{"tools": null, "tool_choice": "none"}"#,
            r#"{"input": "caf\u00e9"}"#,
            r#"{"tools": "none"}"#,
            r#"[1, 2]"#,
        ] {
            assert!(!may_declare_tools(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn a_body_is_known_by_its_beginning() {
        for (body, first) in
            [("", None), (" \n", None), (" {", Some(b'{')), ("\u{feff}[", Some(b'[')), ("--x", Some(b'-'))]
        {
            assert_eq!(begins_with(body.as_bytes()), first, "{body}");
        }
    }
}
