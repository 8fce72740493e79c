//! A key and what it opens. Only its SHA-256 is kept: 32 random bytes cannot be guessed from it, so no slow hash is needed.

use crate::args::KeyScope;
use crate::config::{ApiKey, Config};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a key opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// The engine's routes and the drop-in routes.
    Engine,
    /// Sessions and the brake.
    Sessions,
    /// Deciding on calls of other keys.
    Review,
    /// The upstream's other routes, with the operator's key.
    Upstream,
    /// Everything.
    Admin,
}

impl From<KeyScope> for Scope {
    fn from(written: KeyScope) -> Self {
        match written {
            KeyScope::Engine => Self::Engine,
            KeyScope::Sessions => Self::Sessions,
            KeyScope::Review => Self::Review,
            KeyScope::Upstream => Self::Upstream,
            KeyScope::Admin => Self::Admin,
        }
    }
}

impl Scope {
    /// The word on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Sessions => "sessions",
            Self::Review => "review",
            Self::Upstream => "upstream",
            Self::Admin => "admin",
        }
    }
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    /// Its name for logs and lists: `key_` and the beginning of its digest.
    pub id: String,
    /// What it is for.
    #[serde(default)]
    pub name: String,
    /// The SHA-256 of the key, in hexadecimal digits.
    pub sha256: String,
    /// What it opens.
    pub scopes: Vec<Scope>,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it was made useless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl Key {
    /// The record of a key that somebody chose.
    pub(crate) fn of(word: &str, name: &str, scopes: Vec<Scope>, now: &str) -> Self {
        let sha256 = hexadecimal(&digest(word));
        let id = format!("key_{}", sha256.get(..8).unwrap_or_default());
        Self { id, name: name.to_owned(), sha256, scopes, created_at: now.to_owned(), revoked_at: None }
    }

    /// Its digest as bytes; `None` where the record is damaged.
    pub(crate) fn digest(&self) -> Option<[u8; 32]> {
        let mut digest = [0; 32];
        if self.sha256.len() != 64 || !self.sha256.is_ascii() {
            return None;
        }
        for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(self.sha256.get(at..at + 2)?, 16).ok()?;
        }
        Some(digest)
    }
}

/// Makes a new key: the word to hand out, and the record to keep.
pub(crate) fn make(name: &str, scopes: Vec<Scope>, now: &str) -> Result<(String, Key), getrandom::Error> {
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    let word = format!("cs_{}", hexadecimal(&random));
    let key = Key::of(&word, name, scopes, now);
    Ok((word, key))
}

/// The keys that are written in the configuration.
pub(crate) fn configured_keys(config: &Config) -> Vec<Key> {
    let of = |key: &ApiKey| {
        let scopes = key.scopes.iter().copied().map(Scope::from).collect();
        Key::of(key.secret.expose(), key.name.as_deref().unwrap_or_default(), scopes, "")
    };
    config.access.api_keys.iter().map(of).collect()
}

/// The digest of a key.
pub(super) fn digest(word: &str) -> [u8; 32] {
    Sha256::digest(word.as_bytes()).into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn a_key_is_random_and_only_its_digest_is_kept() {
        let (one, key) = make("ci", vec![Scope::Engine], "2026-11-15T00:00:00Z").unwrap();
        let (two, _) = make("ci", vec![Scope::Engine], "2026-11-15T00:00:00Z").unwrap();
        assert!(one.starts_with("cs_") && one.len() == 67 && one != two);
        let kept = serde_json::to_string(&key).unwrap();
        assert!(!kept.contains(one.trim_start_matches("cs_")), "{kept}");
        assert_eq!(key.digest(), Some(digest(&one)));
        assert_eq!(Key { sha256: "zz".repeat(32), ..key }.digest(), None);
    }
}
