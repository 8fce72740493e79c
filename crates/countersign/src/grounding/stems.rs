//! Word stems and word lists: which forms are one word, which words carry nothing, which are opposites.
//!
//! Light on purpose: it folds number, tense and the commonest irregular forms, and leaves everything else alone.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

/// A key under which a word is found.
pub type Key = u64;

/// The stem of an English word: endings of number, tense and manner cut, irregular forms and synonyms folded.
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let stem = cut(IRREGULAR.get(word).unwrap_or(&word));
    SYNONYMS.get(&stem).cloned().unwrap_or(stem)
}

/// Whether a word is so common that finding it tells little.
pub fn is_common(key: Key) -> bool {
    COMMON.contains(&key)
}

/// The opposites of a key.
pub fn opposites(key: Key) -> &'static [Key] {
    ANTONYMS.get(&key).map_or(&[], Vec::as_slice)
}

/// The key of a word in its stem.
pub fn key(stem: &str) -> Key {
    let mut hasher = FxHasher::default();
    stem.hash(&mut hasher);
    hasher.finish()
}

fn cut(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word.to_owned();
    }
    let ends = ["ingly", "edly", "ings", "ing", "ied", "ies", "ed", "ly", "es", "s"];
    let kept = ends.iter().find_map(|end| {
        let base = word.strip_suffix(end)?;
        let vowel = base.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        let plural = *end != "s" || !base.ends_with(['s', 'u', 'i']);
        let short = if matches!(*end, "s" | "es") { 2 } else { 3 };
        (base.len() >= short && vowel && plural).then_some((base, *end))
    });
    let (base, end) = kept.unwrap_or((word, ""));
    let mut stem = base.to_owned();
    if matches!(end, "ied" | "ies") {
        stem.push('i');
    }
    let mut last = stem.chars().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && !matches!(a, 's' | 'l' | 'e' | 'o')
    {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

/// Whether a word carries no matter of its own.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&STOP);
    LazyLock::force(&IRREGULAR);
    LazyLock::force(&SYNONYMS);
    LazyLock::force(&COMMON);
    LazyLock::force(&ANTONYMS);
}

static STOP: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| rows(include_str!("data/stop_words.txt")).flat_map(str::split_whitespace).collect());

static IRREGULAR: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| rows(include_str!("data/irregular.txt")).filter_map(|row| row.split_once(' ')).collect());

/// The stem of each synonym, with the stem that stands for all of its row.
static SYNONYMS: LazyLock<FxHashMap<String, String>> = LazyLock::new(|| {
    let mut map = FxHashMap::default();
    for row in rows(include_str!("data/synonyms.txt")) {
        let mut words = row.split(' ').map(cut);
        let first = words.next().unwrap_or_default();
        map.extend(words.map(|word| (word, first.clone())));
    }
    map
});

static COMMON: LazyLock<FxHashSet<Key>> = LazyLock::new(|| {
    rows(include_str!("data/common_words.txt")).flat_map(str::split_whitespace).map(|word| key(&stem(word))).collect()
});

static ANTONYMS: LazyLock<FxHashMap<Key, Vec<Key>>> = LazyLock::new(|| {
    let mut map: FxHashMap<Key, Vec<Key>> = FxHashMap::default();
    for (a, b) in rows(include_str!("data/antonyms.txt")).filter_map(|row| row.split_once(' ')) {
        let (a, b) = (key(&stem(a)), key(&stem(b)));
        map.entry(a).or_default().push(b);
        map.entry(b).or_default().push(a);
    }
    map
});

/// The rows of a data file, without comments.
pub fn rows(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_meet() {
        for (a, b) in [
            ("snow", "snowing"),
            ("article", "articles"),
            ("make", "making"),
            ("stop", "stopped"),
            ("city", "cities"),
            ("clear", "cleared"),
            ("won", "winning"),
            ("reduce", "reduced"),
            ("firms", "company"),
            ("workers", "employee"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_ne!(stem("united"), stem("university"));
        assert_ne!(stem("new"), stem("news"));
    }
}
