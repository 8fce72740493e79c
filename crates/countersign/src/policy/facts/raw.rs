//! The `[facts]` tables as a person writes them. Unknown keys are refused; nothing is looked up or checked here.

use super::{Elsewhere, Unanswered};
use serde::Deserialize;

/// The `[facts]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawFacts {
    /// What becomes of a call whose fact nobody could check: `warn` (default) or `refuse`.
    pub unanswered: Option<Unanswered>,
    /// API endpoints that exist.
    pub endpoints: Vec<RawEndpoints>,
    /// Permissions that people hold.
    pub permissions: Vec<RawPermissions>,
    /// Records that exist.
    pub records: Vec<RawRecords>,
    /// Questions for checkers of your own.
    pub custom: Vec<RawCustom>,
}

/// One `[[facts.endpoints]]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawEndpoints {
    /// A name for reports.
    pub name: String,
    /// Name patterns of the tools that call it. Without any, only endpoints written in answers are checked.
    pub tools: Vec<String>,
    /// The arguments that hold an endpoint; the first of `url`, `endpoint` and `path` where absent.
    pub argument: Option<OneOrMore>,
    /// The known endpoints: `https://example.com/api/v1`, `/users/{id}`, `GET /users`.
    pub known: Vec<String>,
    /// An OpenAPI document, JSON or YAML.
    pub openapi: Option<String>,
    /// What becomes of a URL at a host that the source does not know: `refuse` (default) or `ignore`.
    pub elsewhere: Elsewhere,
    /// How long the source may take.
    pub deadline_ms: Option<u64>,
    /// How long its answers are kept.
    pub cache_s: Option<u64>,
    /// `warn` or `refuse`.
    pub unanswered: Option<Unanswered>,
}

/// One `[[facts.permissions]]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawPermissions {
    /// A name for reports.
    pub name: String,
    /// A JSON file: `{"alice": ["delete:database"]}`.
    pub file: Option<String>,
    /// An address with `{user}` in it that answers with a list of permissions.
    pub url: Option<String>,
    /// How long the source may take.
    pub deadline_ms: Option<u64>,
    /// How long its answers are kept; not at all where absent.
    pub cache_s: Option<u64>,
    /// `warn` or `refuse`.
    pub unanswered: Option<Unanswered>,
}

/// One `[[facts.records]]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawRecords {
    /// A name for reports.
    pub name: String,
    /// Name patterns of the tools; all where absent.
    pub tools: Vec<String>,
    /// The arguments that hold the value to look up.
    pub argument: Option<OneOrMore>,
    /// A CSV file with a header line.
    pub csv: Option<String>,
    /// The column of the CSV file that holds the values.
    pub column: Option<String>,
    /// A JSON file.
    pub json: Option<String>,
    /// Where in the JSON file the list (or the object whose keys are the values) stands, as a JSON pointer.
    pub pointer: Option<String>,
    /// The field of each listed object that holds the value.
    pub field: Option<String>,
    /// A SQLite file.
    pub sqlite: Option<String>,
    /// The query, with `?1` for the value; a row means that the record exists.
    pub query: Option<String>,
    /// An address with `{value}` in it: 200 means that the record exists, 404 that it does not.
    pub url: Option<String>,
    /// How long the source may take.
    pub deadline_ms: Option<u64>,
    /// How long its answers are kept.
    pub cache_s: Option<u64>,
    /// `warn` or `refuse`.
    pub unanswered: Option<Unanswered>,
}

/// One `[[facts.custom]]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawCustom {
    /// The name that the checker is registered under.
    pub name: String,
    /// Name patterns of the tools; all where absent.
    pub tools: Vec<String>,
    /// The arguments that are asked about.
    pub argument: Option<OneOrMore>,
    /// What is asked, with `{value}`, `{tool}` and the names of other arguments in braces.
    pub question: String,
    /// How long the source may take.
    pub deadline_ms: Option<u64>,
    /// How long its answers are kept.
    pub cache_s: Option<u64>,
    /// `warn` or `refuse`.
    pub unanswered: Option<Unanswered>,
}

/// One name or several.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum OneOrMore {
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}
