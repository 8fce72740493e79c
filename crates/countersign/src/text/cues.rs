//! Lists of words that tell how something is meant: all of them, only this, no longer that.
//!
//! `data/cues.tsv` holds them, one list a line, English and Chinese. English words count where they stand whole, Chinese ones
//! anywhere, because a Chinese text has no visible word borders.

use super::phrases::stands_free;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// One list of words.
#[derive(Debug)]
pub(crate) struct Cue {
    /// The English words.
    pub english: Vec<&'static str>,
    /// The Chinese words.
    pub chinese: Vec<&'static str>,
    /// The letters of each English word: a text without one of them does not have the word.
    letters: Vec<Letters>,
}

/// Which letters of ASCII a text has, two and more of them in one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letters(u32);

impl Letters {
    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31)))
    }

    fn has_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Cue {
    /// The list of a name; a name that is not known gives an empty one.
    pub(crate) fn named(name: &str) -> &'static Self {
        static NONE: Cue = Cue { english: Vec::new(), chinese: Vec::new(), letters: Vec::new() };
        TABLE.get(name).unwrap_or(&NONE)
    }

    /// Whether any of the words stands in a text in lower case.
    pub(crate) fn stands_in(&self, lower: &str) -> bool {
        self.find_in(lower).is_some()
    }

    /// The first word of the list that stands in a text, and where.
    pub(crate) fn find_in(&self, lower: &str) -> Option<(&'static str, usize)> {
        self.places_in(lower).next()
    }

    /// The words of the list that stand in a text, each with its first place, in the order of the list.
    pub(crate) fn places_in(&self, lower: &str) -> impl Iterator<Item = (&'static str, usize)> {
        let own = Letters::of(lower);
        let could = self.english.iter().zip(&self.letters).filter(move |(_, letters)| own.has_all(**letters));
        let english = could.filter_map(move |(word, _)| find_word(lower, word).map(|at| (*word, at)));
        let chinese = if lower.is_ascii() { &[] } else { self.chinese.as_slice() };
        let find = move |word: &str| memchr::memmem::find(lower.as_bytes(), word.as_bytes());
        english.chain(chinese.iter().filter_map(move |word| find(word).map(|at| (*word, at))))
    }

    /// Whether a text ends with one of the words.
    pub(crate) fn ends(&self, lower: &str) -> bool {
        let text = lower.trim_end();
        let whole = |word: &&&str| text.ends_with(**word) && stands_free(text, &(text.len() - word.len()..text.len()));
        self.english.iter().any(|word| whole(&word)) || self.chinese.iter().any(|word| text.ends_with(word))
    }

    /// Whether a word is one of the English words.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.english.contains(&word)
    }
}

/// Where a word stands whole.
fn find_word(lower: &str, word: &str) -> Option<usize> {
    let places = memchr::memmem::find_iter(lower.as_bytes(), word.as_bytes());
    places.into_iter().find(|at| stands_free(lower, &(*at..at + word.len())))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&TABLE);
}

static TABLE: LazyLock<FxHashMap<&'static str, Cue>> = LazyLock::new(|| {
    let cell = |cell: Option<&'static str>| -> Vec<&'static str> {
        cell.unwrap_or_default().split('|').filter(|word| !word.is_empty()).collect()
    };
    DATA.lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let (name, english, chinese) = (cells.next()?, cell(cells.next()), cell(cells.next()));
            let letters = english.iter().map(|word| Letters::of(word)).collect();
            Some((name, Cue { english, chinese, letters }))
        })
        .collect()
});

const DATA: &str = include_str!("data/cues.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        // MEANING-1
        let rows: Vec<Vec<&str>> = DATA.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(rows[0], ["cue", "english", "chinese"]);
        assert_eq!(TABLE.len() + 1, rows.len(), "names are unique");
        for row in rows.iter().skip(1) {
            assert_eq!(row.len(), 3, "{}", row[0]);
            assert!(row[1].is_ascii() && row[1] == row[1].to_lowercase(), "{}", row[0]);
            for cell in row.iter().skip(1) {
                let words: Vec<&str> = cell.split('|').collect();
                assert_eq!(words.len(), words.iter().collect::<std::collections::HashSet<_>>().len(), "{}", row[0]);
            }
        }
    }

    #[test]
    fn english_stands_whole_and_chinese_anywhere() {
        // MEANING-1
        let all = Cue::named("all-of-them");
        assert!(all.stands_in("cancel all of it") && all.stands_in("把票都退了"));
        assert!(!all.stands_in("call anna") && !Cue::named("no such list").stands_in("all"));
        assert!(Cue::named("left-out").ends("the flat without ") && !Cue::named("left-out").ends("casino"));
    }
}
