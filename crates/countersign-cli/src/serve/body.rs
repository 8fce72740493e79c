//! Bodies, queries and paths, read into types; what cannot be read is an `ApiError` like any other.
//!
//! A body has a size limit and must keep arriving. One that is too large is read on for a while and thrown away, so that
//! the answer reaches a client that sends before it listens.

use super::error::ApiError;
use super::state::App;
use axum::body::Body;
use axum::body::HttpBody;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use countersign_runtime::store::stored_json::nesting;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let bytes = read_json(request, app.config.limits.body_size).await?;
        parse(&bytes).map(Self)
    }
}

/// A JSON body that may be absent: an empty one is the default.
#[derive(Debug)]
pub(crate) struct MaybeJson<T>(pub T);

impl<T: DeserializeOwned + Default> FromRequest<Arc<App>> for MaybeJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let bytes = read_json(request, app.config.limits.body_size).await?;
        if bytes.trim_ascii().is_empty() { Ok(Self(T::default())) } else { parse(&bytes).map(Self) }
    }
}

/// The query string.
#[derive(Debug)]
pub(crate) struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        read.map(|query| Self(query.0)).map_err(|error| {
            let text = error.body_text();
            let cause = text.split_once(": ").map_or(text.as_str(), |(_, cause)| cause);
            ApiError::bad_request(format!("the query cannot be read: {cause}"), None).with_code("invalid_query")
        })
    }
}

/// The parts of the path that vary.
#[derive(Debug)]
pub(crate) struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        read.map(|path| Self(path.0)).map_err(|_| ApiError::not_found("there is nothing at this path"))
    }
}

/// Reads JSON into a type.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // Read whole first: what is nested too deeply is refused also where nobody asks for that field.
    let body: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| ApiError::bad_request(format!("the body is no JSON that can be read: {error}"), None))?;
    if nesting(&body, DEEPEST) > DEEPEST {
        let message = format!("the body is nested more than {DEEPEST} levels deep; send flatter JSON");
        return Err(ApiError::bad_request(message, None));
    }
    serde_json::from_value(body)
        .map_err(|error| ApiError::bad_request(format!("the body cannot be used: {error}"), None))
}

/// Reads a body that should be JSON, whole.
pub(crate) async fn read_json(request: Request, limit: usize) -> Result<Bytes, ApiError> {
    check_type(request.headers())?;
    read(request, limit).await
}

/// Reads a body, whole.
pub(crate) async fn read(request: Request, limit: usize) -> Result<Bytes, ApiError> {
    let (parts, body) = request.into_parts();
    read_after(&parts.headers, body, limit).await
}

/// Reads a body behind its headers, whole.
pub(crate) async fn read_after(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit as u64) {
        return Err(refuse(body, limit).await);
    }
    let Some(first) = frame(&mut body).await? else { return Ok(Bytes::new()) };
    let mut whole = BytesMut::new();
    let mut next = first;
    let begun = Instant::now();
    loop {
        if whole.len() + next.len() > limit {
            return Err(refuse(body, limit).await);
        }
        // A body that drips in byte by byte holds a place like one that stands still.
        if begun.elapsed() > IDLE && (whole.len() as u64) < begun.elapsed().as_secs() * SLOWEST {
            return Err(ApiError::timed_out("the body arrives too slowly"));
        }
        let more = if body.is_end_stream() { None } else { frame(&mut body).await? };
        match more {
            // Most bodies arrive in one piece, which is then not copied.
            None if whole.is_empty() => return Ok(next),
            None => {
                whole.extend_from_slice(&next);
                return Ok(whole.freeze());
            }
            Some(more) => {
                whole.extend_from_slice(&next);
                next = more;
            }
        }
    }
}

/// The next piece of a body.
async fn frame(body: &mut Body) -> Result<Option<Bytes>, ApiError> {
    loop {
        // What is there already needs no timer, and most bodies arrive with their heads.
        let next = match body.frame().now_or_never() {
            Some(next) => next,
            None => tokio::time::timeout(IDLE, body.frame())
                .await
                .map_err(|_| ApiError::timed_out("the body stopped arriving"))?,
        };
        match next {
            None => return Ok(None),
            Some(Err(_)) => return Err(ApiError::bad_request("the body broke off", None)),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(Some(data)),
                _ => {}
            },
        }
    }
}

/// Reads the rest of a body that is too large, so far as that makes sense.
async fn refuse(mut body: Body, limit: usize) -> ApiError {
    let mut thrown = 0;
    let drain = async {
        while let Ok(Some(data)) = frame(&mut body).await {
            thrown += data.len();
            if thrown > DRAINED {
                break;
            }
        }
    };
    // Who sends for longer than that does not get to read the answer.
    let _ = tokio::time::timeout(LONGEST_DRAIN, drain).await;
    ApiError::too_large(format!("the body is larger than {limit} bytes"))
}

/// Forms and plain text are what simple clients say they send when they send JSON; what is plainly something else is not.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let whole = value.as_bytes();
    if whole == b"application/json" {
        return Ok(());
    }
    let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
    let kind = text.split(';').next().unwrap_or_default().trim();
    let taken = ["", "application/json", "text/json", "text/plain", "application/x-www-form-urlencoded"];
    if taken.contains(&kind) || kind.ends_with("+json") {
        return Ok(());
    }
    Err(ApiError::unsupported(format!("the body must be application/json, not {kind}")))
}

/// How deep a body may be nested: what is stored of it is wrapped, and must be readable.
const DEEPEST: usize = 96;
/// How long a body may stand still.
const IDLE: Duration = Duration::from_secs(20);
/// A body that has taken longer than that must have brought so many bytes a second.
const SLOWEST: u64 = 1024;
/// How much of a body is thrown away.
const DRAINED: usize = 32 * 1024 * 1024;
const LONGEST_DRAIN: Duration = Duration::from_secs(20);
