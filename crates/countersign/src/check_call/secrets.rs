//! Secrets by their shape: keys of clouds and services, tokens, private keys, passwords in URLs.
//!
//! Every layer that quotes a value asks `redact` first, so that no secret reaches an evidence, a feedback or a
//! log. A redacted secret keeps its first four characters, enough to know which one it was.

use aho_corasick::AhoCorasick;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// A secret in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like: `GitHub token`.
    pub kind: &'static str,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

/// The text with every secret cut to its first four characters. Borrowed where there is none.
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in found {
        let Some(before) = text.get(from..secret.range.start) else { continue };
        out.push_str(before);
        out.extend(text.get(secret.range.clone()).unwrap_or_default().chars().take(SHOWN));
        out.push('…');
        from = secret.range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// The secrets in a text, from left to right, none inside another.
pub fn find(text: &str) -> Vec<Secret> {
    if text.len() < SHORTEST {
        return Vec::new();
    }
    let Some(starts) = STARTS.automaton.as_ref() else { return Vec::new() };
    let mut found: Vec<Secret> = Vec::new();
    let (mut stretch, mut vain) = (0, 0);
    for start in starts.find_iter(text) {
        // Beginnings that lead nowhere, one after the other, are made to cost: a stretch gets so many looks and no more.
        if start.start() >= stretch {
            (stretch, vain) = (start.start() + LONGEST, 0);
        }
        if vain >= MAX_VAIN {
            continue;
        }
        let Some(kind) = STARTS.kinds.get(start.pattern().as_usize()) else { continue };
        if found.last().is_some_and(|last| start.start() < last.range.end) {
            continue;
        }
        let secret = kind.read(text, start.start(), start.end());
        vain += usize::from(secret.is_none());
        found.extend(secret);
    }
    found
}

struct Starts {
    automaton: Option<AhoCorasick>,
    kinds: Vec<Shape>,
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    kind: &'static str,
    /// How many characters must follow the beginning.
    least: usize,
    body: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters, digits, `_`, `-`, `.`.
    Token,
    /// Capital letters and digits, exactly as many as the least.
    Capitals,
    /// Three parts with two full stops.
    Jwt,
    /// A block that ends with `-----END`.
    Block,
    /// `user:password@` after `://`.
    Login,
}

impl Shape {
    fn read(&self, text: &str, start: usize, end: usize) -> Option<Secret> {
        let before = text.get(..start)?.chars().next_back();
        let inside = before.is_some_and(|c| c.is_ascii_alphanumeric());
        let rest = window(text.get(end..)?, LONGEST);
        let length = match self.body {
            Body::Block => return self.block(text, start, window(rest, 64)),
            Body::Login => return self.login(rest, end),
            _ if inside => return None,
            Body::Capitals => rest.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count(),
            Body::Token | Body::Jwt => {
                let run = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b)).count();
                rest.get(..run)?.trim_end_matches('.').len()
            }
        };
        let body = rest.get(..length)?;
        let long = if self.body == Body::Capitals { length == self.least } else { length >= self.least };
        let parts = self.body != Body::Jwt || body.bytes().filter(|b| *b == b'.').count() == 2;
        (long && parts && !is_made_up(body)).then(|| Secret { kind: self.kind, range: start..end + length })
    }

    fn block(&self, text: &str, start: usize, rest: &str) -> Option<Secret> {
        let head = rest.split("-----").next()?;
        if !head.ends_with("PRIVATE KEY") && !head.ends_with("PRIVATE KEY BLOCK") {
            return None;
        }
        let end = text.get(start..)?.find("-----END").map_or(text.len(), |end| start + end);
        Some(Secret { kind: self.kind, range: start..end })
    }

    fn login(&self, rest: &str, end: usize) -> Option<Secret> {
        let authority = rest.split(['/', '?', '#', ' ', '\n', '"', '\'']).next()?;
        let (user, password) = authority.rsplit_once('@')?.0.split_once(':')?;
        let vague = password.len() < 3 || password.starts_with(['$', '<', '{', '*', '%', '[']);
        let start = end + user.len() + 1;
        let common = ["password", "pass", "xxx", "changeme", "secret"].contains(&password);
        (!vague && !common && !is_made_up(password))
            .then(|| Secret { kind: self.kind, range: start..start + password.len() })
    }
}

/// The beginning of a text, at most so many bytes: no key is longer, and no text is scanned again for each beginning.
fn window(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Whether a key is only a stand-in: few different characters, or words that say so.
fn is_made_up(body: &str) -> bool {
    let mut seen = [false; 128];
    for byte in body.bytes() {
        if let Some(place) = seen.get_mut(usize::from(byte)) {
            *place = true;
        }
    }
    let different = seen.iter().filter(|seen| **seen).count();
    let lower = body.to_ascii_lowercase();
    // Every key that we know has digits; a name such as `sk-learn-contrib-extras` has none.
    let digits = body.bytes().any(|byte| byte.is_ascii_digit());
    let says = ["example", "your", "xxxx", "placeholder", "redacted", "dummy"].iter().any(|word| lower.contains(word));
    says || (body.len() >= 12 && (different < 6 || !digits))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&STARTS);
}

static STARTS: LazyLock<Starts> = LazyLock::new(|| {
    let mut begins = Vec::new();
    let mut kinds = Vec::new();
    for line in SECRETS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let mut fields = line.split('\t');
        let (Some(begin), Some(body), Some(least), Some(kind)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let body = match body {
            "capitals" => Body::Capitals,
            "jwt" => Body::Jwt,
            "block" => Body::Block,
            "login" => Body::Login,
            _ => Body::Token,
        };
        begins.push(begin);
        kinds.push(Shape { kind, least: least.parse().unwrap_or(usize::MAX), body });
    }
    let build =
        aho_corasick::AhoCorasickBuilder::new().match_kind(aho_corasick::MatchKind::LeftmostLongest).build(begins);
    Starts { automaton: build.ok(), kinds }
});

const SECRETS: &str = include_str!("data/secrets.txt");
const SHORTEST: usize = 12;
const LONGEST: usize = 4096;
const MAX_VAIN: usize = 32;
const SHOWN: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_and_cut() {
        // CALL-6
        let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
        let text = format!("use {key} now");
        assert_eq!(redact(&text), "use ghp_… now");
        assert_eq!(find(&text)[0].kind, "GitHub token");
        let aws = format!("AKIA{}", "Q3EGRZ7T5UJ2K4LM");
        assert_eq!(redact(&aws), "AKIA…");
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
        assert_eq!(redact(jwt), "eyJh…");
        let block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----";
        assert!(!redact(block).contains("MIIEow"));
        assert_eq!(redact("postgres://app:s3cr3tPw@db/main"), "postgres://app:s3cr…@db/main");
    }

    #[test]
    fn what_only_looks_alike_stays() {
        // CALL-6
        for text in [
            "sk-learn is a library for people",
            "AKIAshort",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-your-api-key-goes-here-please-now-thanks",
            "-----BEGIN CERTIFICATE-----\nabc",
            "https://user@example.com/x",
            "postgres://app:$PASSWORD@db/main",
            "task-1234567890abcdefghij1234567890",
            "",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
