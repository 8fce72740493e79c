//! A server that is a service over HTTP: its answers are read up to a limit, whatever it sends.
//!
//! The transport brings its own client, which does the rest; but that client would read an answer of any length into
//! memory. So the one request that takes such answers is made here.

use super::super::http;
use super::lines::{LONGEST, TOO_LONG};
use super::probe::refusal;
use super::tokens::TokenFile;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream::BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::auth::WWWAuthenticateParams;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A client with an end to every answer.
#[derive(Clone)]
pub(super) struct Web {
    pub(super) client: reqwest::Client,
    pub(super) refusals: Refusals,
}

/// What a server wants of whoever it refused last.
#[derive(Clone, Default)]
pub(super) struct Refusals {
    /// Where the scopes that it wants are noted, for the next sign-in.
    file: Option<TokenFile>,
    last: Arc<Mutex<Option<&'static str>>>,
}

impl Refusals {
    /// Refusals whose scopes are noted in a file.
    pub(super) fn noting(file: TokenFile) -> Self {
        Self { file: Some(file), last: Arc::default() }
    }

    /// Why it refused, where it did.
    pub(super) fn last(&self) -> Option<&'static str> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, why: &'static str) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    /// Keeps the scopes that a challenge names.
    fn want(&self, challenge: &str, url: &reqwest::Url) {
        let Some(scopes) = WWWAuthenticateParams::parse(challenge, url).scope else { return };
        let Some(file) = &self.file else { return };
        let scopes = scopes.split_whitespace().take(MOST_SCOPES).map(str::to_owned).collect();
        if let Err(error) = file.update(|kept| kept.wanted = scopes) {
            tracing::warn!("the scopes that an MCP server wants cannot be noted: {error}");
        }
    }
}

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self.client.post(&*uri).header(ACCEPT, "text/event-stream, application/json");
        for (name, value) in custom_headers {
            if RESERVED.contains(&name.as_str()) {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let attached = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(SESSION, &*session);
        }
        let posted = async {
            let response = request.json(&message).send().await?;
            self.check_refused(&response)?;
            answered(response, &message, attached).await
        };
        match discovery(&message).filter(|_| !attached) {
            Some(id) => discovered(posted, id).await,
            None => posted.await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        self.client
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, LONGEST)
            .await
    }
}

impl Web {
    /// Who asks is not known to the server, or may not ask.
    fn check_refused(&self, response: &Response) -> Result<(), Failure> {
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        match (response.status(), challenge.map(str::to_owned)) {
            (StatusCode::UNAUTHORIZED, Some(why)) => {
                self.refusals.note(SIGN_IN);
                Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(why)))
            }
            (StatusCode::FORBIDDEN, Some(why)) => {
                self.refusals.want(&why, response.url());
                self.refusals.note(MORE_RIGHTS);
                Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(why, None)))
            }
            _ => Ok(()),
        }
    }
}

/// The id of a request that asks which era a server is of.
fn discovery(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)) => {
            Some(request.id.clone())
        }
        _ => None,
    }
}

/// The answer to that request. A server of the older era does not know it: whatever it says or leaves out, the greeting
/// goes on with `initialize`. Only who may not ask, or reaches nobody, is told so.
async fn discovered(
    posted: impl Future<Output = Result<StreamableHttpPostResponse, Failure>>,
    id: RequestId,
) -> Result<StreamableHttpPostResponse, Failure> {
    match tokio::time::timeout(DISCOVERY, posted).await {
        Ok(Ok(StreamableHttpPostResponse::Accepted)) | Err(_) => {
            Ok(StreamableHttpPostResponse::Json(refusal(id), None))
        }
        Ok(Err(failure)) if is_no_answer(&failure) => Ok(StreamableHttpPostResponse::Json(refusal(id), None)),
        Ok(answer) => answer,
    }
}

/// Whether a failed request reached a server that let it ask.
fn is_no_answer(failure: &Failure) -> bool {
    match failure {
        StreamableHttpError::Client(error) => !error.is_connect() && !error.is_builder(),
        StreamableHttpError::HttpStatus(answer) => !matches!(answer.status, 401 | 403),
        StreamableHttpError::UnexpectedContentType(_) => true,
        _ => false,
    }
}

async fn answered(
    response: Response,
    message: &ClientJsonRpcMessage,
    attached: bool,
) -> Result<StreamableHttpPostResponse, Failure> {
    let (status, media) = (response.status(), media(response.headers()));
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && attached {
        return Err(StreamableHttpError::SessionExpired);
    }
    let session = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
    if status.is_success() && media == "text/event-stream" {
        let events = SseStream::from_bytes_stream(ending(response.bytes_stream())).boxed();
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    let retry = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = http::read(response, LONGEST).await?;
    let request = match message {
        JsonRpcMessage::Request(request) => Some((request.id.clone(), &request.request)),
        _ => None,
    };
    if let (Some((id, _)), true) = (&request, body.cut > 0) {
        let why = format!("the answer was longer than {LONGEST} bytes and was left out; ask for less");
        return Ok(StreamableHttpPostResponse::Json(error(TOO_LONG, why, id), session));
    }
    let read: Option<ServerJsonRpcMessage> = serde_json::from_slice(&body.bytes).ok();
    if status.is_success() {
        return match (read, request) {
            (Some(message), _) => Ok(StreamableHttpPostResponse::Json(message, session)),
            // Nobody waits for an answer to it.
            (None, None) => Ok(StreamableHttpPostResponse::Accepted),
            (None, Some(_)) => Err(StreamableHttpError::UnexpectedContentType(Some(media))),
        };
    }
    let rejected = status.is_client_error() && !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    match (read, request) {
        (Some(JsonRpcMessage::Error(told)), Some((id, ClientRequest::DiscoverRequest(_)))) if rejected && !attached => {
            Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(told.error, Some(id)), None))
        }
        (Some(told @ JsonRpcMessage::Error(_)), _) if rejected || status.is_server_error() => {
            Ok(StreamableHttpPostResponse::Json(told, session))
        }
        _ => Err(HttpStatusError::new(status.as_u16(), retry).into()),
    }
}

fn error(code: i32, why: String, id: &RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(code), why, None), Some(id.clone()))
}

fn media(headers: &HeaderMap) -> String {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A stream of events that breaks off where one of them has no end.
fn ending(
    stream: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static {
    let (mut length, mut line, mut before) = (0, 0, 0);
    stream.map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        for byte in &chunk {
            let ends = matches!(byte, b'\n' | b'\r');
            length += 1;
            // The second character of a line end is none of its own.
            if ends && !(before == b'\r' && *byte == b'\n') {
                length = if line == 0 { 0 } else { length };
                line = 0;
            } else if !ends {
                line += 1;
            }
            before = *byte;
        }
        if length > LONGEST {
            return Err(std::io::Error::other(format!("an event is longer than {LONGEST} bytes")));
        }
        Ok(chunk)
    })
}

/// How long a server may think about its era. It runs already, so this is short; the whole greeting has 20 seconds.
const DISCOVERY: Duration = Duration::from_secs(6);
pub(super) const SIGN_IN: &str = "it wants you to sign in";
pub(super) const MORE_RIGHTS: &str = "it wants more rights than were granted: sign in again";
/// More scopes are not noted.
const MOST_SCOPES: usize = 50;
const SESSION: &str = "mcp-session-id";
/// What the transport says itself.
const RESERVED: &[&str] = &["accept", "mcp-session-id", "last-event-id"];

#[cfg(test)]
mod tests {
    use super::*;

    async fn passed(event: &str, times: usize) -> usize {
        let chunk = Bytes::from(event.repeat(1 << 12));
        let chunks = futures_util::stream::repeat_with(move || Ok(chunk.clone())).take(times);
        let passed: Vec<_> = ending(chunks).take_while(|chunk| std::future::ready(chunk.is_ok())).collect().await;
        passed.len()
    }

    // STREAM-6
    #[tokio::test]
    async fn an_event_has_an_end_and_a_stream_need_not() {
        let line = "data: 0123456789012345678901234567890123456789012345678901234";
        for whole in ["\n\n", "\r\n\r\n", "\r\r"] {
            assert_eq!(passed(&format!("{line}{whole}"), 100).await, 100, "{whole:?}");
        }
        for torn in ["\n", "\r\n", "\r", ""] {
            let passed = passed(&format!("{line}{torn}"), 100).await;
            assert!((30..40).contains(&passed), "{torn:?}: {passed}");
        }
    }
}
