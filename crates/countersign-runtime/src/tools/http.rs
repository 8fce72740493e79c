//! Services over HTTP: one client that goes nowhere by itself, and bodies with an end.

use super::setup::SetupError;
use super::tool::ToolTrouble;
use crate::http;
use std::time::Duration;

/// A client for tools: it follows no redirect, because where a request goes is the operator's word alone, and it does not
/// wait forever for a connection.
pub fn http_client() -> Result<reqwest::Client, SetupError> {
    http::client()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .build()
        .map_err(|error| SetupError(format!("no HTTP client can be made: {error}")))
}

/// The beginning of a body.
pub(super) struct Body {
    /// At most as many bytes as were asked for.
    pub(super) bytes: Vec<u8>,
    /// How many more there were, as far as they were counted.
    pub(super) cut: usize,
}

/// Reads a body and keeps its beginning. What is not kept is counted for a while, and then left.
pub(super) async fn read(mut response: reqwest::Response, most: usize) -> Result<Body, reqwest::Error> {
    let mut body = Body { bytes: Vec::new(), cut: 0 };
    while body.cut < COUNTED {
        let Some(chunk) = response.chunk().await? else { break };
        let room = most.saturating_sub(body.bytes.len()).min(chunk.len());
        body.bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
        body.cut += chunk.len() - room;
    }
    Ok(body)
}

/// What a failed request means for the one who asked. The address may carry a key: it is not told.
pub(super) fn trouble(error: reqwest::Error) -> ToolTrouble {
    let (connecting, building) = (error.is_connect(), error.is_builder());
    let error = error.without_url();
    // The cause says more than the error: `Connection refused` and the like.
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(deeper) = cause {
        words = format!("{words}: {deeper}");
        cause = deeper.source();
    }
    if connecting || building { ToolTrouble::NotRun(words) } else { ToolTrouble::Unknown(words) }
}

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// So many bytes beyond what is kept are counted.
const COUNTED: usize = 8 * 1024 * 1024;
