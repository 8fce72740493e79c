//! Regular expressions of this part. Each is a constant, so a test of its user shows one that does not compile.

use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Compiles a constant pattern; one that does not compile matches nothing.
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(source).unwrap_or_else(|_| NOTHING.clone())
}

/// The same for one with long runs of letters of any script: with the usual room it would be matched in the slowest way.
pub(crate) fn wide_pattern(source: &str) -> Regex {
    RegexBuilder::new(source).dfa_size_limit(WIDE).build().unwrap_or_else(|_| NOTHING.clone())
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NOTHING);
}

/// Bytes that a matching machine may grow to.
const WIDE: usize = 16 << 20;
#[expect(clippy::unwrap_used, reason = "a constant pattern")]
static NOTHING: LazyLock<Regex> = LazyLock::new(|| Regex::new("[^\\s\\S]").unwrap());
