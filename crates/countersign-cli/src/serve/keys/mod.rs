//! API keys: made once, shown once, kept as digests.
//!
//! `key` is a key and what it opens, `source` is where keys are kept (a small file in the data directory, or the shared
//! record of several nodes), `remembered` is that there were any, and `ring` is what a running server knows of them. It never
//! fails open: where the keys cannot be read, known keys keep working for a while, unknown ones are refused.

/// A key and what it opens.
mod key;
/// Where keys are kept.
mod source;
/// That a server had keys.
mod remembered;
/// What a running server knows of the keys.
mod ring;

pub(crate) use key::{Key, Scope, configured_keys, make};
pub(crate) use remembered::Remembered;
pub(crate) use ring::{Caller, KeyRing, Refusal};
pub(crate) use source::{FileKeys, KeySource, RecordKeys};

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    ring::build_tables();
}
