//! Who searches the web.

use super::checks::{Invalid, MOMENT, Valid, address, choice, span};
use super::raw_agents::RawSearch;
use super::sources::{Hidden, count, filled, headers};
use std::time::Duration;

/// Who searches the web.
#[derive(Debug, Clone)]
pub struct WebSearch {
    /// Where.
    pub url: String,
    /// How it is asked, and how its answers are read.
    pub kind: SearchKind,
    /// What is sent with each request.
    pub headers: Hidden,
    /// How many results are kept.
    pub limit: usize,
    /// How long a search may take.
    pub timeout: Duration,
}

/// How a search is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchKind {
    /// As SearXNG wants it.
    Searxng,
    /// As was written.
    Generic(Mapping),
}

/// How any other service is asked, and where its answers have what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// With which method.
    pub method: Method,
    /// The parameter (GET) or field (POST) of the query.
    pub query: String,
    /// The list of results, a JSON pointer; empty for the whole answer.
    pub results: String,
    /// In one result: the title.
    pub title: String,
    /// The link.
    pub link: String,
    /// The text.
    pub content: String,
    /// The picture.
    pub icon: String,
    /// The date.
    pub publish_date: String,
}

/// With which method a search is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The query stands in the address.
    Get,
    /// The query stands in a JSON body.
    Post,
}

/// Checks what was written.
pub(super) fn of(raw: RawSearch) -> Valid<Option<WebSearch>> {
    let Some(url) = raw.url.clone() else {
        if raw == RawSearch::default() {
            return Ok(None);
        }
        let message = "it has no `url`, so nothing is searched".to_owned();
        let help = "such as url = \"http://127.0.0.1:8888/search\"".to_owned();
        return Err(Invalid { path: "search".into(), message, help: Some(help) });
    };
    // Checked only: what stands behind the last slash may matter.
    address("search.url", Some(url.clone()))?;
    let kind = match raw.kind.as_deref() {
        None | Some("searxng") => {
            only_generic(&raw)?;
            SearchKind::Searxng
        }
        Some("generic") => SearchKind::Generic(mapping(&raw)?),
        Some(other) => return Err(choice("search.kind", other, "`searxng` or `generic`")),
    };
    Ok(Some(WebSearch {
        url,
        kind,
        headers: headers("search", raw.headers, raw.header_env)?,
        limit: count("search.limit", raw.limit, 10, MOST_RESULTS)?,
        timeout: span("search.timeout", raw.timeout.as_deref().unwrap_or("10s"), MOMENT)?,
    }))
}

/// What only a generic search can use.
fn only_generic(raw: &RawSearch) -> Valid<()> {
    let parts = [
        ("search.method", &raw.method),
        ("search.query", &raw.query),
        ("search.results", &raw.results),
        ("search.title", &raw.title),
        ("search.link", &raw.link),
        ("search.content", &raw.content),
        ("search.icon", &raw.icon),
        ("search.publish_date", &raw.publish_date),
    ];
    match parts.into_iter().find(|(_, written)| written.is_some()) {
        None => Ok(()),
        Some((path, _)) => Err(Invalid {
            path: path.into(),
            message: "a `searxng` search is asked in one way only".to_owned(),
            help: Some("write kind = \"generic\", or take it out".to_owned()),
        }),
    }
}

fn mapping(raw: &RawSearch) -> Valid<Mapping> {
    let method = match raw.method.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("GET") => Method::Get,
        Some("POST") => Method::Post,
        Some(_) => return Err(choice("search.method", raw.method.as_deref().unwrap_or_default(), "`GET` or `POST`")),
    };
    let query = raw.query.clone().unwrap_or_else(|| "query".to_owned());
    filled("search.query", &query)?;
    Ok(Mapping {
        method,
        query,
        results: pointer("search.results", raw.results.as_deref(), "")?,
        title: pointer("search.title", raw.title.as_deref(), "/title")?,
        link: pointer("search.link", raw.link.as_deref(), "/link")?,
        content: pointer("search.content", raw.content.as_deref(), "/content")?,
        icon: pointer("search.icon", raw.icon.as_deref(), "/icon")?,
        publish_date: pointer("search.publish_date", raw.publish_date.as_deref(), "/publish_date")?,
    })
}

fn pointer(path: &'static str, written: Option<&str>, usual: &str) -> Valid<String> {
    let text = written.unwrap_or(usual);
    if text.is_empty() || text.starts_with('/') {
        return Ok(text.to_owned());
    }
    let message = format!("`{text}` is no JSON pointer");
    Err(Invalid { path: path.into(), message, help: Some(format!("write it with a slash: `/{text}`")) })
}

const MOST_RESULTS: usize = 100;
