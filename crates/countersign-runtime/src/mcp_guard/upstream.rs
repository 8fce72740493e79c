//! A server that is a service: one address, reached by streamable HTTP.

use super::lines::LONGEST;
use bytes::Bytes;
use futures_util::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where a service is, and what every request to it carries.
#[derive(Clone)]
pub struct McpUpstream {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
}

impl McpUpstream {
    /// A service. Nothing is sent yet.
    pub fn new(url: &str, headers: &BTreeMap<String, String>) -> Result<Self, String> {
        let parsed = reqwest::Url::parse(url).map_err(|error| format!("{url:?} is no address: {error}"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(format!("{url:?} is no http or https address"));
        }
        let client = crate::http::client()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .build()
            .map_err(|error| format!("no HTTP client can be made: {error}"))?;
        let mut fixed = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| format!("the value of {name} cannot be sent"))?;
            value.set_sensitive(true);
            fixed.insert(name, value);
        }
        Ok(Self { client, url: url.to_owned(), headers: fixed })
    }

    /// Sends a request. What the operator configured wins over what a client brings.
    pub(super) async fn send(
        &self,
        method: Method,
        mut headers: HeaderMap,
        body: Option<String>,
    ) -> Result<Response, String> {
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json, text/event-stream"));
        }
        headers.extend(self.headers.clone());
        let mut request = self.client.request(method, &self.url).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.map_err(told)
    }
}

/// The media type of an answer, in small letters and without its parameters.
pub(super) fn media(headers: &HeaderMap) -> String {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A body, up to the longest message there may be.
pub(super) async fn read_body(response: Response) -> Result<Bytes, String> {
    let (mut body, mut pieces) = (Vec::new(), response.bytes_stream());
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(told)?);
        if body.len() > LONGEST {
            return Err(format!("the answer is longer than {LONGEST} bytes"));
        }
    }
    Ok(body.into())
}

/// What went wrong, without the address, which may carry a key.
pub(super) fn told(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(deeper) = cause {
        words = format!("{words}: {deeper}");
        cause = deeper.source();
    }
    words
}

const CONNECT: Duration = Duration::from_secs(10);
