//! The search endpoint, asked: one request with a deadline, and an answer that is read up to a limit.

use super::super::http;
use super::super::search::{Found, Search};
use super::super::setup::SetupError;
use super::super::tool::{ToolContext, ToolTrouble};
use super::options::{SearchKind, SearchMethod, SearchOptions};
use super::reading::results;
use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Searches by an HTTP endpoint.
pub struct WebSearch {
    options: SearchOptions,
    url: reqwest::Url,
    headers: HeaderMap,
    client: reqwest::Client,
}

impl WebSearch {
    /// A search by an endpoint. The client should be that of `http_client`, which follows no redirects.
    pub fn new(options: SearchOptions, client: reqwest::Client) -> Result<Arc<Self>, SetupError> {
        let wrong = |what: String| SetupError(format!("search: {what}"));
        let url = reqwest::Url::parse(&options.url).map_err(|error| wrong(format!("`url` is no address: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(format!("`url` must begin with http:// or https://, not {}:", url.scheme())));
        }
        if let SearchKind::Generic { query, results, title, link, content, icon, publish_date, .. } = &options.kind {
            if query.is_empty() {
                return Err(wrong("`query` must name the parameter that the query goes into".to_owned()));
            }
            let places = [("results", results), ("title", title), ("link", link), ("content", content)];
            for (name, place) in places.into_iter().chain([("icon", icon), ("publish_date", publish_date)]) {
                if !place.is_empty() && !place.starts_with('/') {
                    return Err(wrong(format!(
                        "`{name}` must be a JSON pointer such as \"/data/items\", not {place:?}"
                    )));
                }
            }
        }
        let headers = headers(&options).map_err(wrong)?;
        Ok(Arc::new(Self { options, url, headers, client }))
    }

    async fn ask(&self, query: &str) -> Result<Vec<Found>, ToolTrouble> {
        let response = self.request(query).send().await.map_err(http::trouble)?;
        let status = response.status();
        let body = http::read(response, MOST).await.map_err(http::trouble)?;
        let failed = |why: String| ToolTrouble::Failed(format!("the search endpoint cannot be used: {why}"));
        if !status.is_success() {
            let hint = match (&self.options.kind, status.as_u16()) {
                (SearchKind::Searxng, 403) => " (does its settings.yml list json under search.formats?)",
                _ => "",
            };
            return Err(failed(format!("it answered {status}{hint}")));
        }
        if body.cut > 0 {
            return Err(failed(format!("its answer is larger than {MOST} bytes")));
        }
        let answer: Value =
            serde_json::from_slice(&body.bytes).map_err(|error| failed(format!("its answer is no JSON: {error}")))?;
        results(&self.options.kind, &answer, self.options.limit).map_err(failed)
    }

    fn request(&self, query: &str) -> reqwest::RequestBuilder {
        let mut url = self.url.clone();
        let query: String = query.chars().take(LONGEST_QUERY).collect();
        match &self.options.kind {
            SearchKind::Searxng => {
                url.query_pairs_mut().append_pair("q", &query).append_pair("format", "json");
            }
            SearchKind::Generic { method: SearchMethod::Get, query: name, .. } => {
                url.query_pairs_mut().append_pair(name, &query);
            }
            SearchKind::Generic { method: SearchMethod::Post, query: name, .. } => {
                let body = Map::from_iter([(name.clone(), Value::from(query))]);
                return self.client.post(url).headers(self.headers.clone()).json(&body);
            }
        }
        self.client.get(url).headers(self.headers.clone())
    }
}

#[async_trait]
impl Search for WebSearch {
    async fn search(&self, query: &str, _place: &ToolContext) -> Result<Vec<Found>, ToolTrouble> {
        let seconds = self.options.timeout.as_secs_f64();
        match tokio::time::timeout(self.options.timeout, self.ask(query)).await {
            Ok(found) => found,
            Err(_) => Err(ToolTrouble::Failed(format!("the search endpoint gave no answer in {seconds} s"))),
        }
    }
}

fn headers(options: &SearchOptions) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(reqwest::header::ACCEPT, HeaderValue::from_static("application/json"));
    for (name, value) in &options.headers {
        let key = HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
        let mut value =
            HeaderValue::try_from(value).map_err(|_| format!("the value of the header {name:?} cannot be sent"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// How large an answer may be.
const MOST: usize = 2 * 1024 * 1024;
/// How long a query may be, in characters.
const LONGEST_QUERY: usize = 1_000;
