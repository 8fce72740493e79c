//! Who searches the web.

use super::checks::{Invalid, MOMENT, Valid, address, choice, span};
use super::raw_agents::RawSearch;
use super::sources::{check_filled, count, headers};
use countersign_runtime::tools::{SearchKind, SearchMethod, SearchOptions};

/// Checks what was written.
pub(super) fn of(raw: RawSearch) -> Valid<Option<SearchOptions>> {
    let Some(url) = raw.url.clone() else {
        if raw == RawSearch::default() {
            return Ok(None);
        }
        let message = "it has no `url`, so nothing is searched".to_owned();
        let help = "such as url = \"http://127.0.0.1:8888/search\"".to_owned();
        return Err(Invalid { path: "search".into(), message, help: Some(help) });
    };
    // Checked only: what follows the last slash may matter.
    address("search.url", Some(url.clone()))?;
    let kind = match raw.kind.as_deref() {
        None | Some("searxng") => {
            only_generic(&raw)?;
            SearchKind::Searxng
        }
        Some("generic") => generic(&raw)?,
        Some(other) => return Err(choice("search.kind", other, "`searxng` or `generic`")),
    };
    Ok(Some(SearchOptions {
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

fn generic(raw: &RawSearch) -> Valid<SearchKind> {
    let method = match raw.method.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("GET") => SearchMethod::Get,
        Some("POST") => SearchMethod::Post,
        Some(_) => return Err(choice("search.method", raw.method.as_deref().unwrap_or_default(), "`GET` or `POST`")),
    };
    let query = raw.query.clone().unwrap_or_else(|| "query".to_owned());
    check_filled("search.query", &query)?;
    Ok(SearchKind::Generic {
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
