//! Keys as they are written in the configuration: a plain word, or `NAME:SCOPE+SCOPE=SECRET`.
//!
//! The longer form is told by its shape: a name, a colon, words in small letters, an equals sign. A key of that shape with a
//! scope that does not exist is an error and never a plain key: a misspelt scope must not become another right.

use super::checks::{Invalid, Valid};
use super::secret::Secret;
use crate::args::KeyScope;
use clap::ValueEnum;
use std::collections::BTreeSet;

/// A key of the configuration.
#[derive(Debug, Clone)]
pub(crate) struct ApiKey {
    /// What it is called, where it has a name.
    pub name: Option<String>,
    /// What it opens.
    pub scopes: Vec<KeyScope>,
    /// The key itself.
    pub secret: Secret,
}

impl ApiKey {
    /// Reads one.
    pub(super) fn read(text: &str) -> Valid<Self> {
        if text.trim().is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid("a key must be visible ASCII without blanks".to_owned()));
        }
        let (head, secret) = text.split_once('=').map_or((text, None), |(head, secret)| (head, Some(secret)));
        match (split_name(head), secret) {
            (Some((name, scopes)), Some(secret)) => Self::read_scoped(head, name, scopes, secret),
            (Some((_, scopes)), None) if read_scopes(scopes).is_some() => {
                Err(invalid(format!("`{head}` names a scope, but no secret follows")))
            }
            _ => Ok(Self { name: None, scopes: PLAIN.to_vec(), secret: Secret::new(text) }),
        }
    }

    fn read_scoped(head: &str, name: &str, scopes: &str, secret: &str) -> Valid<Self> {
        if name.is_empty() {
            return Err(invalid(format!("`{head}` has no name before its colon")));
        }
        let Some(scopes) = read_scopes(scopes) else {
            return Err(invalid(format!("`{head}` has a scope that does not exist")));
        };
        if secret.is_empty() {
            return Err(invalid(format!("`{head}` has no secret after its equals sign")));
        }
        Ok(Self { name: Some(name.to_owned()), scopes, secret: Secret::new(secret) })
    }

    /// Why somebody else could guess it, where they could.
    pub(crate) fn weakness(&self) -> Option<&'static str> {
        weakness(self.secret.expose())
    }
}

/// The name and the scopes, where what is before an equals sign has that shape.
fn split_name(head: &str) -> Option<(&str, &str)> {
    let (name, scopes) = head.split_once(':')?;
    scopes.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'+').then_some((name, scopes))
}

fn read_scopes(words: &str) -> Option<Vec<KeyScope>> {
    words.split('+').map(|word| KeyScope::from_str(word, false).ok()).collect()
}

fn weakness(secret: &str) -> Option<&'static str> {
    let distinct = secret.bytes().collect::<BTreeSet<u8>>().len();
    let small = secret.to_ascii_lowercase();
    let pairs = small.bytes().zip(small.bytes().skip(1));
    let beside = pairs.filter(|(one, two)| are_neighbours(*one, *two)).count();
    let own = PLACEHOLDERS.iter().fold(small.clone(), |left, word| left.replace(word, ""));
    let own = own.bytes().filter(u8::is_ascii_alphanumeric).count();
    if secret.len() < SHORTEST {
        Some("is shorter than 16 characters")
    } else if distinct < FEWEST {
        Some("has fewer than 8 different characters")
    } else if beside * 3 >= secret.len() * 2 {
        Some("is a row of neighbouring letters or digits")
    } else if own < FEWEST {
        Some("is made of words that are guessed first")
    } else {
        None
    }
}

/// Whether two characters follow each other in the alphabet, among the digits or on a keyboard.
fn are_neighbours(one: u8, two: u8) -> bool {
    let on_keyboard = |row: &&[u8]| row.windows(2).any(|pair| pair == [one, two] || pair == [two, one]);
    one.is_ascii_alphanumeric()
        && two.is_ascii_alphanumeric()
        && (one.abs_diff(two) <= 1 || ROWS.iter().any(|row| on_keyboard(&&**row)))
}

fn invalid(message: String) -> Invalid {
    let help =
        "write a plain key, or NAME:SCOPE+SCOPE=SECRET with scopes of engine, sessions, review, upstream and admin";
    Invalid { path: "access.api_keys".into(), message, help: Some(help.to_owned()) }
}

/// What a plain key opens.
const PLAIN: [KeyScope; 3] = [KeyScope::Engine, KeyScope::Sessions, KeyScope::Upstream];
/// Keys below this length can be guessed.
const SHORTEST: usize = 16;
/// So many characters must tell a key from others.
const FEWEST: usize = 8;
const ROWS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
/// What is in examples and is left there.
const PLACEHOLDERS: [&str; 12] = [
    "countersign",
    "password",
    "changeme",
    "example",
    "default",
    "secret",
    "change",
    "admin",
    "token",
    "test",
    "api",
    "key",
];

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1: a plain key stays what it was; the longer form cannot be mistaken for one.
    #[test]
    fn keys_are_plain_or_carry_scopes() {
        let key = ApiKey::read("ci:engine+review=a=b:c").unwrap();
        assert_eq!((key.name.as_deref(), key.secret.expose()), (Some("ci"), "a=b:c"));
        assert_eq!(key.scopes, [KeyScope::Engine, KeyScope::Review]);
        for plain in ["a", "aGVsbG8=", "a:b", "x=y", "http://x=1", "a:b:c=d", "cs_1:2=", "A:B=C"] {
            let key = ApiKey::read(plain).unwrap();
            assert_eq!((key.name, key.secret.expose()), (None, plain));
            assert_eq!(key.scopes, PLAIN);
        }
        for wrong in ["", "a b", "ci:engin=x", "ci:=x", "ci:engine+=x", ":review=x", "ci:review=", "ci:review", "ä"] {
            let error = ApiKey::read(wrong).unwrap_err();
            assert!(!error.message.contains("=x"), "{}", error.message);
        }
    }

    // SERVE-1: what can be guessed is known; what a machine made, or a person thought about, is not.
    #[test]
    fn weak_keys_are_known() {
        for weak in [
            "secret",
            "0123456789abcdef",
            "qwertyuiopasdfgh",
            "aaaaaaaabbbbbbbb",
            "my-secret-api-key",
            "test-token-default-123",
        ] {
            assert!(weakness(weak).is_some(), "{weak}");
        }
        for good in [
            "correct-horse-battery-staple",
            "8f14e45fceea167a5a36dedd4bea2543",
            "a-key-of-the-tests-that-nobody-guesses",
        ] {
            assert_eq!(weakness(good), None, "{good}");
        }
    }

    // SERVE-1: no key that `countersign keys create` makes is called weak.
    #[test]
    fn law_random_keys_are_strong() {
        for _ in 0..2000 {
            let mut random = [0_u8; 16];
            getrandom::fill(&mut random).unwrap();
            let word: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(weakness(&word), None, "{word}");
        }
    }
}
