//! Web search by an HTTP endpoint of the operator's choice: SearXNG, or any that answers in JSON.
//!
//! Whatever the endpoint says comes out as the same five fields, without markup and without control characters. It is
//! never asked twice for one search, and it never decides where a request goes: redirects are not followed.

/// What the operator says of the endpoint.
mod options;
/// Words of strangers, made plain.
mod plain;
/// An answer, read.
mod reading;
/// The endpoint, asked.
mod endpoint;
/// The tool over it.
mod offered;

pub use endpoint::WebSearch;
pub use offered::search_tool;
pub use options::{SearchKind, SearchMethod, SearchOptions};
