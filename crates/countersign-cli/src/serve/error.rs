//! The only place where errors become HTTP: one body, always with the same four keys.
//!
//! What a client may see and what the log may see are two strings: `inside` never leaves the house.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use countersign_runtime::gateway::wire::{Fault, Wire};
use countersign_runtime::review::ReviewError;
use countersign_runtime::sessions::SessionError;
use countersign_runtime::store::StoreError;
use countersign_runtime::stream::{BadCursor, WriteError};
use serde_json::{Value, json};
use std::time::Duration;

/// A request that is not answered as it wished.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    param: Option<String>,
    retry_after: Option<Duration>,
    /// For the log alone.
    inside: Option<String>,
    /// More fields of the error, such as the oldest event that is kept.
    details: Vec<(&'static str, Value)>,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, code, message, param: None, retry_after: None, inside: None, details: Vec::new() }
    }

    /// 400: the request cannot be understood; `param` names the field that is wrong.
    pub(crate) fn bad_request<'a>(message: impl Into<String>, param: impl Into<Option<&'a str>>) -> Self {
        let error = Self::new(StatusCode::BAD_REQUEST, "invalid_request", message);
        Self { param: param.into().map(str::to_owned), ..error }
    }

    /// 401: no key, or one that nobody knows.
    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message)
    }

    /// 403: known, but not allowed.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// 403: a key that is valid, but not made for this.
    pub(crate) fn out_of_scope(path: &str, scope: &str) -> Self {
        Self::forbidden(format!("this key does not open {path}: it needs the scope `{scope}`"))
            .with_code("insufficient_scope")
    }

    /// 404: there is no such thing.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// 405: there is such a path, but not for this method. The router adds `Allow`.
    pub(crate) fn method_not_allowed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
    }

    /// 408: the request did not arrive in time.
    pub(crate) fn timed_out(message: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", message)
    }

    /// 409: it does not fit the state that things are in.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// 410: it was there once.
    pub(crate) fn gone(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "gone", message)
    }

    /// 413: too large.
    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// 415: a kind of body that is not taken.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    /// 422: understood, and not acceptable.
    pub(crate) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", message)
    }

    /// 429: too often; the time is rounded up to whole seconds.
    pub(crate) fn limited(retry_after: Duration) -> Self {
        let message = format!("too many requests; try again in {} s", whole_seconds(retry_after));
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded", message);
        Self { retry_after: Some(retry_after), ..error }
    }

    /// 500: our fault. The client is told no more than that; `inside` goes to the log.
    pub(crate) fn internal(inside: impl Into<String>) -> Self {
        let message = "something went wrong on our side; the log has the details under the request id";
        let error = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message);
        Self { inside: Some(inside.into()), ..error }
    }

    /// 503: not now; try again after this time.
    pub(crate) fn unavailable(message: impl Into<String>, retry_after: Duration) -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message);
        Self { retry_after: Some(retry_after), ..error }
    }

    /// Another machine-readable word than the status has by default.
    pub(crate) fn with_code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    /// The field that is wrong.
    pub(crate) fn with_param(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// What the log may know and the client may not.
    pub(crate) fn with_inside(self, inside: impl Into<String>) -> Self {
        Self { inside: Some(inside.into()), ..self }
    }

    /// One more field in the error.
    pub(crate) fn with_detail(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((name, value.into()));
        self
    }

    /// The same for the drop-in routes, which say it in their client's dialect.
    pub(crate) fn into_fault(self) -> Fault {
        let retry_after = self.retry_after.map(whole_seconds);
        Fault { retry_after, ..Fault::new(self.status.as_u16(), self.code, self.message) }
    }

    /// The answer on a path: Anthropic's clients read errors in another form.
    pub(crate) fn on(self, path: &str) -> Response {
        if is_messages(path) { render_fault(Wire::Messages, &self.into_fault()) } else { self.into_response() }
    }

    /// Its body.
    pub(crate) fn body(&self) -> Value {
        let kind = kind(self.status);
        let mut error = json!({"message": self.message, "type": kind, "code": self.code, "param": self.param});
        if let Some(fields) = error.as_object_mut() {
            fields.extend(self.details.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        json!({ "error": error })
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let message = match &error {
            StoreError::Full { .. } => "there is no room left on the disk; what was sent is not kept",
            StoreError::Away { .. } => "the store cannot be reached right now; what was sent is not kept",
            _ => return Self::internal(error.to_string()),
        };
        Self::unavailable(message, Duration::from_secs(2)).with_code("store_away").with_inside(error.to_string())
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Busy | WriteError::Elsewhere(_) => {
                Self::conflict("a turn is running in this session; wait for its end or stop it")
            }
            WriteError::Fenced => Self::conflict(error.to_string()),
            WriteError::Store(error) => error.into(),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Missing { .. } => Self::not_found(error.to_string()),
            SessionError::Foreign { .. } => Self::forbidden(error.to_string()),
            SessionError::Unusable { field, message } => Self::bad_request(message, field),
            SessionError::Changed { .. } => Self::conflict(error.to_string()),
            SessionError::Write(error) => error.into(),
            SessionError::Store(error) => error.into(),
            SessionError::Ending => Self::unavailable(error.to_string(), Duration::from_secs(5)),
            SessionError::Names(_) => Self::internal(error.to_string()),
        }
    }
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Missing(_) => Self::not_found(error.to_string()),
            ReviewError::Unfit(_) => Self::bad_request(error.to_string(), "content"),
            ReviewError::Over(_) | ReviewError::Reserved(_) | ReviewError::Raced => Self::conflict(error.to_string()),
            ReviewError::Store(error) => error.into(),
            ReviewError::Names(_) => Self::internal(error.to_string()),
        }
    }
}

impl From<BadCursor> for ApiError {
    fn from(error: BadCursor) -> Self {
        match error {
            BadCursor::Store(error) => error.into(),
            BadCursor::Trimmed { oldest } => {
                let message = "the events after this cursor are not kept any more; read from the oldest on";
                Self::gone(message)
                    .with_code("trimmed")
                    .with_detail("oldest", json!(oldest))
                    .with_detail("oldest_id", json!(oldest))
            }
        }
    }
}

/// What went wrong inside, for the line in the log; the response carries it as an extension, never on the wire.
#[derive(Debug, Clone)]
pub(crate) struct Inside(pub String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body().to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"countersign\""));
        }
        if let Some(inside) = self.inside {
            response.extensions_mut().insert(Inside(inside));
        }
        response
    }
}

/// A fault in the words of a dialect.
pub(crate) fn render_fault(wire: Wire, fault: &Fault) -> Response {
    let status = StatusCode::from_u16(fault.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut response = (status, fault.body(wire).to_string()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(wait) = fault.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
    }
    response
}

/// Whether a path belongs to Anthropic's API.
pub(crate) fn is_messages(path: &str) -> bool {
    path == "/v1/messages" || path.starts_with("/v1/messages/")
}

/// The `type` of an error, in the words that clients of model APIs know.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::CONFLICT => "conflict_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        StatusCode::SERVICE_UNAVAILABLE => "service_unavailable_error",
        status if status.is_server_error() => "api_error",
        _ => "invalid_request_error",
    }
}

/// Rounded up: whoever comes back after that time is not turned away for a fraction of a second.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_the_four_keys_and_the_inside_stays_inside() {
        let all = [
            ApiError::bad_request("x", "call"),
            ApiError::unauthorized("x"),
            ApiError::internal("the password is hunter2"),
            ApiError::limited(Duration::from_millis(1)),
            ApiError::gone("x").with_detail("oldest", "1.4"),
        ];
        for error in all {
            let body = error.body();
            let fields = body["error"].as_object().unwrap();
            for key in ["message", "type", "code", "param"] {
                assert!(fields.contains_key(key), "{key} of {body}");
            }
            assert!(!body.to_string().contains("hunter2"));
        }
    }

    // SERVE-1: the time is honest, and a whole number.
    #[test]
    fn waiting_times_are_rounded_up() {
        for (wait, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (59_999, 60)] {
            assert_eq!(whole_seconds(Duration::from_millis(wait)), seconds);
        }
    }
}
