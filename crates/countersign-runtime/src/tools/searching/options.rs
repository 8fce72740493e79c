//! What the operator says of a search endpoint.

use std::collections::BTreeMap;
use std::time::Duration;

/// An HTTP endpoint that searches.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Its address.
    pub url: String,
    /// How it is asked, and how its answers are read.
    pub kind: SearchKind,
    /// What every request carries.
    pub headers: BTreeMap<String, String>,
    /// How many results are kept.
    pub limit: usize,
    /// How long a search may take.
    pub timeout: Duration,
}

/// How a search endpoint is asked, and how its answers are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchKind {
    /// As SearXNG does it: `GET url?q=…&format=json`.
    Searxng,
    /// As the operator says: JSON pointers into the answer.
    Generic {
        /// Whether the query goes in the address or in the body.
        method: SearchMethod,
        /// The query parameter, or the field of the JSON body, that the query goes into.
        query: String,
        /// Where the list of results is.
        results: String,
        /// Where the title is in a result.
        title: String,
        /// Where its address is.
        link: String,
        /// Where its text is.
        content: String,
        /// Where the address of a small picture is; empty for nowhere.
        icon: String,
        /// Where the date of its publication is; empty for nowhere.
        publish_date: String,
    },
}

/// Where a query goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// Into the address.
    #[default]
    Get,
    /// Into a JSON body.
    Post,
}

impl SearchOptions {
    /// An endpoint with the usual limits.
    pub fn new(url: impl Into<String>, kind: SearchKind) -> Self {
        Self { url: url.into(), kind, headers: BTreeMap::new(), limit: LIMIT, timeout: TIMEOUT }
    }
}

/// Headers and addresses carry secrets: they are never printed.
impl std::fmt::Debug for SearchOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SearchOptions").field("kind", &self.kind).field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// How many results are kept where nobody says.
const LIMIT: usize = 10;
/// How long a search may take where nobody says.
const TIMEOUT: Duration = Duration::from_secs(10);
