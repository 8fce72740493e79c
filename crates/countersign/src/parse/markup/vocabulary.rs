//! A closed list of names, and which of them a written name means.
//!
//! First exactly, then without regard to case, width and separators, then with a typing mistake or two. Two names that
//! are equally near are none, and what is an ordinary HTML element is never taken for a misspelt name.

use super::characters::is_invisible;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use strsim::osa_distance;

/// One name of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The name.
    pub name: String,
    /// Other spellings of it.
    pub aliases: Vec<String>,
    /// Its place in the list.
    pub at: usize,
}

/// What a written name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved<'v> {
    /// It is written as it is.
    Exact(&'v Entry),
    /// Case, width or separators differ, or it is another spelling that the list names.
    Folded(&'v Entry),
    /// It is misspelt by so many letters, and nothing else is as near.
    Misspelt(&'v Entry, usize),
    /// Two names are equally near.
    Ambiguous,
    /// It is none of them.
    Unknown,
}

/// A closed list of names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    entries: Vec<Entry>,
    exact: FxHashMap<String, usize>,
    /// Folded spellings; none where two names fold alike.
    folded: FxHashMap<String, Option<usize>>,
    /// The folded spellings for a search by likeness.
    spellings: Vec<Spelling>,
}

#[derive(Debug, Clone)]
struct Spelling {
    folded: String,
    first: char,
    letters: usize,
    set: u64,
    at: usize,
}

impl Vocabulary {
    /// A list of names with their other spellings.
    pub(crate) fn new<N: Into<String>, A: Into<Vec<String>>>(names: impl IntoIterator<Item = (N, A)>) -> Self {
        let mut list = Self::default();
        for (at, (name, aliases)) in names.into_iter().enumerate() {
            let entry = Entry { name: name.into(), aliases: aliases.into(), at };
            list.exact.entry(entry.name.clone()).or_insert(at);
            for spelling in std::iter::once(&entry.name).chain(&entry.aliases) {
                list.add_spelling(fold_name(spelling), at);
            }
            list.entries.push(entry);
        }
        list
    }

    /// A list of names.
    #[cfg(test)]
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::new(names.into_iter().map(|name| (name, Vec::new())))
    }

    /// Which name is meant.
    pub(crate) fn resolve(&self, written: &str) -> Resolved<'_> {
        if let Some(entry) = self.resolve_exactly(written) {
            return Resolved::Exact(entry);
        }
        let folded = fold_name(written);
        match self.resolve_folded(&folded) {
            Resolved::Unknown => self.nearest(&folded),
            resolved => resolved,
        }
    }

    /// Which name is meant, if it is not misspelt.
    pub(crate) fn resolve_spelling(&self, written: &str) -> Resolved<'_> {
        if let Some(entry) = self.resolve_exactly(written) {
            return Resolved::Exact(entry);
        }
        self.resolve_folded(&fold_name(written))
    }

    fn resolve_folded(&self, folded: &str) -> Resolved<'_> {
        match self.folded.get(folded) {
            Some(Some(at)) => self.entries.get(*at).map_or(Resolved::Unknown, Resolved::Folded),
            Some(None) => Resolved::Ambiguous,
            None => Resolved::Unknown,
        }
    }

    /// The name that is written like this.
    pub(crate) fn resolve_exactly(&self, written: &str) -> Option<&Entry> {
        self.exact.get(written).and_then(|at| self.entries.get(*at))
    }

    /// Whether a name of the list begins like this. For a tag that is cut off by the end of the output.
    pub(crate) fn begins_like(&self, written: &str) -> bool {
        let folded = fold_name(written);
        !folded.is_empty() && self.spellings.iter().any(|spelling| spelling.folded.starts_with(&folded))
    }

    fn add_spelling(&mut self, folded: String, at: usize) {
        let known = self.folded.entry(folded.clone()).or_insert(Some(at));
        if *known != Some(at) {
            *known = None;
        }
        let (letters, set) = (folded.chars().count(), letter_set(&folded));
        let Some(first) = folded.chars().next() else { return };
        self.spellings.push(Spelling { folded, first, letters, set, at });
    }

    /// The one name within reach of a misspelling.
    fn nearest(&self, folded: &str) -> Resolved<'_> {
        let letters = folded.chars().count();
        if ORDINARY.contains(folded) || letters > MOST_LETTERS {
            return Resolved::Unknown;
        }
        if let Some(Some(at)) = self.folded.get(&without_doubles(folded))
            && let Some(entry) = self.entries.get(*at)
        {
            return Resolved::Misspelt(entry, 1);
        }
        let set = letter_set(folded);
        let mut best: Option<(usize, usize)> = None;
        let mut tied = false;
        for spelling in &self.spellings {
            let allowed = mistakes_allowed(spelling.letters);
            if allowed == 0 || spelling.letters.abs_diff(letters) > allowed || differ(spelling.set, set) > 2 * allowed {
                continue;
            }
            let distance = osa_distance(&spelling.folded, folded);
            match best {
                _ if distance > allowed => {}
                // Nobody misses the first letter and another one besides: `research` is no `web_search`.
                _ if distance > 1 && !folded.starts_with(spelling.first) => {}
                Some((at, least)) if distance == least => tied |= at != spelling.at,
                Some((_, least)) if distance > least => {}
                _ => {
                    best = Some((spelling.at, distance));
                    tied = false;
                }
            }
        }
        match best.and_then(|(at, distance)| Some((self.entries.get(at)?, distance))) {
            Some(_) if tied => Resolved::Ambiguous,
            Some((entry, distance)) => Resolved::Misspelt(entry, distance),
            None => Resolved::Unknown,
        }
    }
}

impl<'v> Resolved<'v> {
    /// The name that is meant, if there is one.
    pub(crate) fn entry(self) -> Option<&'v Entry> {
        match self {
            Self::Exact(entry) | Self::Folded(entry) | Self::Misspelt(entry, _) => Some(entry),
            Self::Ambiguous | Self::Unknown => None,
        }
    }
}

/// A name with each letter that is twice in a row written once: `idd` is a slip for `id`.
fn without_doubles(folded: &str) -> String {
    let mut single = String::with_capacity(folded.len());
    for c in folded.chars() {
        if !single.ends_with(c) {
            single.push(c);
        }
    }
    single
}

/// A name in small half-width letters, without separators and invisible characters.
pub(crate) fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    if name.is_ascii() {
        let letters = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'));
        letters.for_each(|c| folded.push(c.to_ascii_lowercase()));
        return folded;
    }
    for c in name.chars().filter(|c| !c.is_whitespace() && !is_invisible(*c)) {
        let c = match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            _ => c,
        };
        if !matches!(c, '_' | '-') {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// A name and the number at its end: `confirm2`, `confirm_2`, `confirm-02`. Without a number the name is whole.
pub(crate) fn split_number(name: &str) -> (&str, Option<u64>) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.get(stem.len()..).unwrap_or_default();
    match digits.parse() {
        Ok(number) => (stem.trim_end_matches(['_', '-', '.', ':', '#', ' ']), Some(number)),
        Err(_) => (name, None),
    }
}

/// How many letters may be wrong in a name of so many: none in a short one, where other words are near.
fn mistakes_allowed(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=5 => 1,
        6..=14 => 2,
        _ => 3,
    }
}

/// Which letters occur, for a quick look at whether two names can be near.
fn letter_set(name: &str) -> u64 {
    name.chars().fold(0, |set, c| set | 1 << (u32::from(c) % 64))
}

/// In how many letters two sets differ: one mistake changes at most two.
fn differ(one: u64, other: u64) -> usize {
    (one ^ other).count_ones() as usize
}

/// Longer names are not compared letter by letter.
const MOST_LETTERS: usize = 64;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&ORDINARY);
}

/// Elements of HTML, and words that are in angle brackets for their own sake: never a misspelling of something else.
static ORDINARY: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| include_str!("ordinary.txt").split_whitespace().collect());
