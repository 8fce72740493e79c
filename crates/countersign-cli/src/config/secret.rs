//! A word that must not be shown: it has no `Display`, and `Debug` hides it.

use std::fmt;

/// A key, a token, or an address with a password in it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Hides a word.
    pub(crate) fn new(word: impl Into<String>) -> Self {
        Self(word.into())
    }

    /// The word itself, for the one place that needs it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}
