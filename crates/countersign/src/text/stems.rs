//! Word stems and word lists: which forms are one word, which words carry nothing, which are opposites.
//!
//! Light on purpose: it cuts number, tense and manner, and leaves everything else alone. Both sides of a comparison are cut
//! alike, so a stem need not be a word, only steady.

use super::rows::rows;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

/// A key under which a word is found.
pub type Key = u64;

/// The key of a word in its stem.
pub fn key(stem: &str) -> Key {
    let mut hasher = FxHasher::default();
    stem.hash(&mut hasher);
    hasher.finish()
}

/// An English word without the endings of number, tense and manner. `city` and `cities` meet in `citi`.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let endings: &[(&str, usize)] = match word.as_bytes().last() {
        Some(b'g') => &[("ing", 3)],
        Some(b'd') => &[("ied", 2), ("ed", 2)],
        Some(b'y') => &[("ingly", 5), ("edly", 4), ("ly", 2)],
        Some(b's') => &[("ings", 4), ("ies", 2), ("es", 2), ("s", 1)],
        _ => &[],
    };
    let cut = endings.iter().find_map(|(end, cut)| {
        let base = word.strip_suffix(end)?;
        let plural = *end != "s" || !base.ends_with(['s', 'u', 'i']);
        let least = if matches!(*end, "s" | "es") { 2 } else { 3 };
        let whole = base.len() >= least && plural && base.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        word.get(..word.len() - cut).filter(|_| whole)
    });
    let single = cut_last(cut.unwrap_or(word));
    match single.strip_suffix('y').filter(|rest| rest.len() > 2) {
        Some(rest) => Cow::Owned(format!("{rest}i")),
        None => Cow::Borrowed(single),
    }
}

/// A stem without a doubled consonant, and without the last `e` that an ending takes away: `stopp`, `mak(e)`.
fn cut_last(base: &str) -> &str {
    let single = match base.as_bytes() {
        [.., a, b] if a == b && !matches!(a, b's' | b'l' | b'e' | b'o') => base.get(..base.len() - 1).unwrap_or(base),
        _ => base,
    };
    single.strip_suffix('e').filter(|stem| stem.len() >= 3).unwrap_or(single)
}

/// The beginning of a stem: `train`, `trainer` and `training` share it, though they are not one word.
pub fn kin(word: &str) -> String {
    let stem = stem(word);
    stem.get(..5).unwrap_or(&stem).to_owned()
}

/// The stem of the word that a word is a form of: irregular forms and synonyms are folded too.
pub fn root(word: &str) -> Cow<'_, str> {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let stem = stem(IRREGULAR.get(word).unwrap_or(&word));
    SYNONYMS.get(&stem).map_or(stem, |synonym| Cow::Borrowed(synonym.as_ref()))
}

/// Whether a word carries no matter of its own.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// Whether a word is so common that finding it tells little.
pub fn is_common(key: Key) -> bool {
    COMMON.contains(&key)
}

/// The opposites of a key.
pub fn opposites(key: Key) -> &'static [Key] {
    ANTONYMS.get(&key).map_or(&[], Vec::as_slice)
}

/// The past forms of a verb that no rule gives.
pub(crate) fn irregular_pasts(verb: &str) -> &'static [&'static str] {
    PASTS.0.get(verb).map_or(&[], Vec::as_slice)
}

/// Whether a word is a past form that no rule gives.
pub(crate) fn is_irregular_past(word: &str) -> bool {
    PASTS.1.contains(word)
}

/// Words with their irregular pasts and their other forms.
fn irregular() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("data/irregular.tsv").lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t');
        Some((cells.next()?, cells.next()?, cells.next()?))
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&PASTS);
    LazyLock::force(&STOP);
    LazyLock::force(&IRREGULAR);
    LazyLock::force(&SYNONYMS);
    LazyLock::force(&COMMON);
    LazyLock::force(&ANTONYMS);
}

/// The irregular past forms by their verbs, and all of them.
type Pasts = (FxHashMap<&'static str, Vec<&'static str>>, FxHashSet<&'static str>);

static PASTS: LazyLock<Pasts> = LazyLock::new(|| {
    let (mut verbs, mut all) = Pasts::default();
    for (verb, past, _) in irregular() {
        for past in past.split('|').filter(|past| !past.is_empty()) {
            verbs.entry(verb).or_default().push(past);
            all.insert(past);
        }
    }
    (verbs, all)
});

static STOP: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| rows(include_str!("data/stop_words.txt")).flat_map(str::split_whitespace).collect());

static IRREGULAR: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let forms =
        irregular().flat_map(|(word, past, other)| past.split('|').chain(other.split('|')).map(move |f| (f, word)));
    forms.filter(|(form, _)| !form.is_empty()).collect()
});

/// The stem of each synonym, with the stem that stands for all of its row.
static SYNONYMS: LazyLock<FxHashMap<Cow<'static, str>, Cow<'static, str>>> = LazyLock::new(|| {
    let mut map = FxHashMap::default();
    for row in rows(include_str!("data/synonyms.txt")) {
        let mut words = row.split(' ').map(stem);
        let first = words.next().unwrap_or_default();
        map.extend(words.map(|word| (word, first.clone())));
    }
    map
});

static COMMON: LazyLock<FxHashSet<Key>> = LazyLock::new(|| {
    rows(include_str!("data/common_words.txt")).flat_map(str::split_whitespace).map(|word| key(&root(word))).collect()
});

static ANTONYMS: LazyLock<FxHashMap<Key, Vec<Key>>> = LazyLock::new(|| {
    let mut map: FxHashMap<Key, Vec<Key>> = FxHashMap::default();
    for (a, b) in rows(include_str!("data/antonyms.txt")).filter_map(|row| row.split_once(' ')) {
        let (a, b) = (key(&root(a)), key(&root(b)));
        map.entry(a).or_default().push(b);
        map.entry(b).or_default().push(a);
    }
    map
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_meet() {
        // CALL-8
        for (a, b) in [
            ("snow", "snowing"),
            ("article", "articles"),
            ("make", "making"),
            ("stop", "stopped"),
            ("city", "cities"),
            ("movie", "movies"),
            ("day", "days"),
            ("clear", "cleared"),
            ("won", "winning"),
            ("reduce", "reduced"),
            ("firms", "company"),
            ("workers", "employee"),
        ] {
            assert_eq!(root(a), root(b), "{a} {b}");
        }
        assert_ne!(root("united"), root("university"));
        assert_ne!(root("new"), root("news"));
        assert_eq!(stem("class"), "class");
    }

    #[test]
    fn the_irregular_words_are_a_sound_table() {
        for line in include_str!("data/irregular.tsv").lines() {
            assert_eq!(line.split('\t').count(), 3, "{line}");
        }
        assert!(
            irregular_pasts("take").contains(&"taken")
                && is_irregular_past("taken")
                && root("found") == root("founder")
        );
    }
}
