//! What the operator says of an HTTP service.

use super::super::tool::Limits;
use serde_json::Value;
use std::collections::BTreeMap;

/// An HTTP service with an OpenAPI document.
#[derive(Clone, PartialEq)]
pub struct OpenApiOptions {
    /// What the operator calls it; its tools come from `openapi:NAME`.
    pub name: String,
    /// The document, version 2 or 3.
    pub document: Value,
    /// Where the service is, where that is not what the document says.
    pub base: Option<String>,
    /// The operations that are offered, by their ids, with `*` for anything. None for all.
    pub operations: Vec<String>,
    /// What is before the names of its tools.
    pub prefix: String,
    /// What every request carries.
    pub headers: BTreeMap<String, String>,
    /// The operations that only read beside GET and HEAD, by the word of the operator, with `*` for anything.
    pub reads: Vec<String>,
    /// How long a call may take, and how much of its result is kept.
    pub limits: Limits,
    /// How many calls run at once; at least one.
    pub parallel: usize,
}

impl OpenApiOptions {
    /// A service with the usual prefix, all its operations, and the usual limits.
    pub fn new(name: impl Into<String>, document: Value) -> Self {
        let name = name.into();
        let prefix = format!("{name}__");
        let (operations, reads, headers, limits) = (Vec::new(), Vec::new(), BTreeMap::new(), Limits::default());
        Self { name, document, base: None, operations, prefix, headers, reads, limits, parallel: PARALLEL }
    }
}

/// Headers carry secrets: they are never printed.
impl std::fmt::Debug for OpenApiOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OpenApiOptions").field("name", &self.name).field("base", &self.base).finish_non_exhaustive()
    }
}

/// How many calls run at once where nobody says.
const PARALLEL: usize = 4;
