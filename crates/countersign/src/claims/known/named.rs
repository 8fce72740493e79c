//! What is known by its name: links, versions, cited sources, comparisons in words.

use crate::contract::{Claim, ClaimKind};
use crate::text::rows::rows;
use crate::text::stems::{Key, is_stop, key, root};
use crate::text::words::terms;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// A name, as keys of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    kind: Kind,
    /// The keys of its telling parts, in order.
    pub keys: Vec<Key>,
    /// Whose version it is.
    product: Option<Key>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Url,
    Version,
    Source,
    Words,
}

impl Name {
    /// The name that a claim gives.
    pub fn of(claim: &Claim) -> Self {
        let of = claim.value.as_ref().and_then(|value| value.of.as_deref());
        match claim.kind {
            ClaimKind::Url => Self { kind: Kind::Url, keys: vec![key(&normal_url(&claim.text))], product: None },
            ClaimKind::Version => {
                let product = of.and_then(product).map(|product| key(&product));
                Self { kind: Kind::Version, keys: vec![key(&version_number(&claim.text))], product }
            }
            ClaimKind::Citation => Self { kind: Kind::Source, keys: source(of.unwrap_or(&claim.text)), product: None },
            _ => {
                let mut words: Vec<Key> = terms(&claim.text).iter().map(|word| key(&root(word))).collect();
                words.truncate(MOST_WORDS);
                Self { kind: Kind::Words, keys: words, product: None }
            }
        }
    }

    /// Whether it names what another name names.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let open = self.product.is_none() || other.product.is_none() || self.product == other.product;
        let shared = self.keys.iter().filter(|key| other.keys.contains(key)).count();
        let fewer = self.keys.len().min(other.keys.len());
        self.kind == other.kind
            && open
            && fewer > 0
            && match self.kind {
                Kind::Source => shared * 5 >= fewer * 3,
                _ => self.keys == other.keys,
            }
    }

    /// How telling it is.
    pub(super) fn rarity(&self) -> u8 {
        match self.kind {
            Kind::Url => 4,
            Kind::Version => 3,
            Kind::Source => 2 + u8::from(self.keys.len() > 1),
            Kind::Words => 1,
        }
    }
}

/// A link without what does not change where it leads: scheme, `www.`, the case of the host, fragment, last slash.
pub(crate) fn normal_url(url: &str) -> String {
    let url = url.trim().trim_end_matches(['.', ',', ';', ')', '。', '，']);
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or(rest);
    let (host, path) = rest.find(['/', '?']).and_then(|at| rest.split_at_checked(at)).unwrap_or((rest, ""));
    let host = host.to_lowercase();
    format!("{}{}", host.trim_start_matches("www."), path.trim_end_matches('/'))
}

/// The number of a version: `v3.12.1-beta` is `3.12.1-beta`.
fn version_number(text: &str) -> String {
    let digits = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let word = text.split_whitespace().rfind(digits).unwrap_or(text);
    let from = word.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    word.get(from..).unwrap_or(word).trim_end_matches(['.', ',']).to_lowercase()
}

/// Whose version it is: the words without a number, in lower case.
pub(crate) fn product(of: &str) -> Option<String> {
    let numbered = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = of.split_whitespace().filter(|word| !numbered(word)).collect();
    let named = words.iter().any(|word| !matches!(word.to_lowercase().as_str(), "version" | "v" | "release" | "版本"));
    named.then(|| words.join(" ").to_lowercase())
}

/// The telling words of a cited source.
fn source(text: &str) -> Vec<Key> {
    let empty = |word: &str| {
        let number = word.chars().all(|c| c.is_ascii_digit());
        number || is_stop(word) || REPORTING.contains(word) || REPORTING.contains(root(word).as_ref())
    };
    let words = terms(text);
    let telling: Vec<Key> = words.iter().filter(|word| !empty(word)).map(|word| key(&root(word))).collect();
    // "[12]" and the like are told by their number alone.
    let all = || words.iter().map(|word| key(word)).collect();
    let mut keys: Vec<Key> = if telling.is_empty() { all() } else { telling };
    keys.truncate(MOST_WORDS);
    keys
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&REPORTING);
}

static REPORTING: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| rows(include_str!("../data/reporting.txt")).flat_map(str::split_whitespace).collect());

const MOST_WORDS: usize = 12;
