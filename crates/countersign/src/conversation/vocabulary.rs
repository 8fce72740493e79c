//! The words that tell what is asked for, and the words that tell what a tool is for.
//!
//! Words are compared by the beginning of their stem, so that `book`, `booking` and `bookings` are one. Words that
//! stand in every request and every description say nothing and are left out.

use super::tokens::{Run, runs};
use crate::contract::language::is_han;
use crate::text::lists::word_list;
use crate::text::rows::rows;
use crate::text::stems;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// A set of telling words.
#[derive(Debug, Default, Clone)]
pub struct Vocabulary {
    words: FxHashSet<u64>,
}

impl Vocabulary {
    /// The telling words of a folded text.
    pub fn of(folded: &str) -> Self {
        let mut vocabulary = Self::default();
        for run in runs(folded) {
            match run {
                Run::Latin(word) => vocabulary.add(word),
                Run::Han(pair) if pair.chars().count() == 2 && !EMPTY_WORDS.contains(pair) => {
                    vocabulary.words.insert(stems::key(pair));
                }
                _ => {}
            }
        }
        vocabulary
    }

    /// Adds a folded word, where it tells anything.
    pub fn add(&mut self, word: &str) {
        self.words.extend(key(word));
    }

    /// The keys of the words.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.words.iter().copied()
    }

    /// How many telling words there are.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Whether a key is among them.
    pub fn has(&self, key: u64) -> bool {
        self.words.contains(&key)
    }

    /// Whether any telling word is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.keys().any(|key| other.has(key))
    }
}

/// The fields of life that some words belong to: `rain` and `weather` share one.
#[derive(Debug, Default, Clone, Copy)]
pub struct Topics(u64);

impl Topics {
    /// The fields of the words of a vocabulary.
    pub fn of(vocabulary: &Vocabulary) -> Self {
        let shared = vocabulary.keys().filter_map(|key| TOPICS.get(&key));
        Self(shared.fold(0, |all, topics| all | topics))
    }

    /// The fields of both.
    pub fn with(&self, other: &Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any field is in both.
    pub fn meet(&self, other: &Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&TOPICS);
    LazyLock::force(&ENGLISH_WORDS);
    LazyLock::force(&EMPTY_WORDS);
}

static TOPICS: LazyLock<FxHashMap<u64, u64>> = LazyLock::new(|| {
    let mut topics = FxHashMap::default();
    // One bit a field; the list is kept within them by a test.
    for (at, line) in rows(include_str!("data/topics.txt")).enumerate().take(64) {
        let words = line.split('|').flat_map(|word| Vocabulary::of(word).words);
        words.for_each(|key| *topics.entry(key).or_default() |= 1 << at);
    }
    topics
});

/// What a folded word is compared by; `None` where it tells nothing.
pub fn key(word: &str) -> Option<u64> {
    if word.len() < 2 || EMPTY_WORDS.contains(word) {
        return None;
    }
    Some(stems::key(&stems::kin(word)))
}

/// The language of a request, as far as it can be compared with an English or Chinese description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoken {
    /// English: some of its small words are there.
    English,
    /// Chinese.
    Chinese,
    /// Something else, or too little to tell.
    Unknown,
}

impl Spoken {
    /// Reads the language of a folded text.
    pub fn of(folded: &str) -> Self {
        let (mut han, mut latin, mut other) = (0usize, 0usize, 0usize);
        for c in folded.chars() {
            match c {
                _ if is_han(c) => han += 1,
                'a'..='z' => latin += 1,
                _ if c.is_alphabetic() => other += 1,
                _ => {}
            }
        }
        if han * 3 > latin + other {
            return Self::Chinese;
        }
        let small = folded.split(|c: char| !c.is_ascii_alphabetic()).any(|word| ENGLISH_WORDS.contains(word));
        if small && other * 20 < latin && han * 8 < latin { Self::English } else { Self::Unknown }
    }
}

static ENGLISH_WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| ENGLISH.iter().copied().collect());
static EMPTY_WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| EMPTY.iter().chain(EMPTY_PAIRS).copied().collect());

const ENGLISH: &[&str] = word_list!("conversation", "vocabulary/english");

const EMPTY: &[&str] = word_list!("conversation", "vocabulary/empty");

const EMPTY_PAIRS: &[&str] = word_list!("conversation", "vocabulary/empty-pairs");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_meet_descriptions() {
        let asked = Vocabulary::of("please book me two flights");
        assert!(asked.meets(&Vocabulary::of("this tool returns flight bookings")));
        assert!(!asked.meets(&Vocabulary::of("returns the value of a user")));
        assert!(Vocabulary::of("查一下北京天气").meets(&Vocabulary::of("获取天气")));
    }

    #[test]
    fn fields_of_life_meet() {
        // CALL-8
        let topics = |text: &str| Topics::of(&Vocabulary::of(text));
        assert!(topics("will it rain in Oslo").meet(&topics("get the current weather")));
        assert!(!topics("will it rain in Oslo").meet(&topics("delete a file")));
        assert!(rows(include_str!("data/topics.txt")).count() <= 64);
    }

    #[test]
    fn only_known_languages_are_compared() {
        assert_eq!(Spoken::of("what is the time"), Spoken::English);
        assert_eq!(Spoken::of("现在几点 now"), Spoken::Chinese);
        assert_eq!(Spoken::of("quiero reservar un vuelo"), Spoken::Unknown);
        assert_eq!(Spoken::of("привет is"), Spoken::Unknown);
    }
}
