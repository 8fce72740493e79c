//! Regular expressions of this part. Each is a constant, so a test of its user shows one that does not compile.

use regex::Regex;
use std::sync::LazyLock;

/// Compiles a constant pattern; one that does not compile matches nothing.
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).unwrap_or_else(|_| NOTHING.clone())
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NOTHING);
}

#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static NOTHING: LazyLock<Regex> = LazyLock::new(|| Regex::new("[^\\s\\S]").unwrap());
