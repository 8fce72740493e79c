//! Which of some known names is meant by one that is not known, where exactly one is.
//!
//! Nothing here guesses: a name is near because only its case, its separators, its namespace or its word order
//! differ, or because single words hold a typing mistake. A whole word replaced by another is another name. Two
//! equally near names are none.

use crate::text::fold::fold_name;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;

/// A name that is near.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near {
    /// Its place among the known names.
    pub at: usize,
    /// Why it is near.
    pub how: How,
}

/// Why a name is near.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Only case and separators differ.
    Folded,
    /// A namespace, or a word such as `tool`, was lost or added.
    Namespace,
    /// The words are in another order.
    Swapped,
    /// A typing mistake or two.
    Typo,
    /// Another word for the same action.
    Synonym,
    /// The known name with something added at its end.
    Longer,
}

impl How {
    /// Whether there is no other reading, so that the name may be put right without asking.
    pub fn is_certain(self) -> bool {
        matches!(self, Self::Folded | Self::Namespace | Self::Swapped | Self::Typo)
    }
}

/// Known names, indexed so that looking one up costs little however many there are.
#[derive(Debug, Default)]
pub struct NameIndex {
    folded: FxHashMap<String, Places>,
    tails: FxHashMap<String, Places>,
    sorted: FxHashMap<String, Places>,
    actions: FxHashMap<String, Places>,
    letters: Vec<Letters>,
}

/// The places of a key: one, or too many to choose.
#[derive(Debug, Clone, Copy)]
enum Places {
    One(usize),
    Many,
}

/// A folded name with what is needed to see quickly that another one is far from it.
#[derive(Debug)]
struct Letters {
    folded: String,
    count: usize,
    set: u64,
}

impl NameIndex {
    /// Indexes names in order.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for (at, name) in names.enumerate() {
            let words = identifier_words(name);
            note(&mut index.folded, words.concat(), at);
            note(&mut index.sorted, sort_words(&words), at);
            note(&mut index.actions, canonical(&words), at);
            for from in 1..words.len() {
                let (lost, kept) = words.split_at(from);
                if is_namespace(lost) {
                    note(&mut index.tails, kept.concat(), at);
                }
            }
            index.letters.push(Letters::of(words.concat()));
        }
        index
    }

    /// The one name that is meant, where there is one.
    pub fn find(&self, name: &str) -> Option<Near> {
        let words = identifier_words(name);
        let folded = words.concat();
        if folded.is_empty() {
            return None;
        }
        self.exact(&words, &folded).or_else(|| self.typo(&folded)).or_else(|| self.loose(&words))
    }

    fn exact(&self, words: &[String], folded: &str) -> Option<Near> {
        let one = |places: Option<&Places>, how| match places {
            Some(Places::One(at)) => Some(Near { at: *at, how }),
            _ => None,
        };
        let trimmed = || {
            let kept = words.strip_suffix_words(GENERIC);
            (kept.len() < words.len()).then(|| one(self.folded.get(&kept.concat()), How::Namespace)).flatten()
        };
        let added = || {
            (1..words.len()).find_map(|from| {
                let (lost, kept) = words.split_at(from);
                // A single short word is too little to recognise a tool by.
                let enough = kept.len() > 1
                    || kept.concat().len() > 3
                    || lost.iter().all(|word| GENERIC.contains(&word.as_str()));
                (enough && is_namespace(lost)).then(|| one(self.folded.get(&kept.concat()), How::Namespace)).flatten()
            })
        };
        one(self.folded.get(folded), How::Folded)
            .or_else(|| one(self.tails.get(folded), How::Namespace))
            .or_else(added)
            .or_else(trimmed)
            .or_else(|| (words.len() > 1).then(|| one(self.sorted.get(&sort_words(words)), How::Swapped)).flatten())
    }

    /// The one name within one or two typing mistakes, none other as near.
    fn typo(&self, folded: &str) -> Option<Near> {
        let asked = Letters::of(folded.to_owned());
        let allowed = match asked.count {
            0..=2 | LONG.. => 0,
            3..=7 => 1,
            _ => 2,
        };
        let mut best: Option<(usize, usize)> = None;
        let mut tied = false;
        for (at, known) in self.letters.iter().enumerate() {
            if allowed == 0 || known.is_far(&asked, allowed) {
                continue;
            }
            let distance = strsim::osa_distance(&known.folded, folded);
            let nearer = best.is_none_or(|(least, _)| distance < least);
            tied = best.is_some_and(|(least, _)| distance == least) || (tied && !nearer);
            if nearer {
                best = Some((distance, at));
            }
        }
        // One letter of three tells little where another name is as close: `ls`, `cd` and `cp` are all tools.
        let (_, at) = best.filter(|(distance, _)| *distance <= allowed && !tied)?;
        Some(Near { at, how: How::Typo })
    }

    fn loose(&self, words: &[String]) -> Option<Near> {
        if let Some(Places::One(at)) = self.actions.get(&canonical(words)).filter(|_| words.len() > 1) {
            return Some(Near { at: *at, how: How::Synonym });
        }
        (2..words.len()).rev().find_map(|to| {
            let (kept, _) = words.split_at(to);
            match self.folded.get(&kept.concat()) {
                Some(Places::One(at)) => Some(Near { at: *at, how: How::Longer }),
                _ => None,
            }
        })
    }
}

/// The only one of a few words that is near: for parameter names and enum values.
pub(crate) fn only_near<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let folded = fold_name(word);
    if folded.is_empty() {
        return None;
    }
    let mut equal = known.clone().filter(|name| fold_name(name) == folded);
    if let Some(found) = equal.next() {
        return equal.next().is_none().then_some(found);
    }
    let length = folded.chars().count();
    let allowed = match length {
        // A long text is not a misspelt word, and comparing two of them letter by letter costs their product.
        0..=3 | LONG.. => return None,
        4..=7 => 1,
        _ => 2,
    };
    let alike = known.filter(|name| name.len().abs_diff(word.len()) <= 4 * (allowed + 2));
    let mut near =
        alike.map(|name| (strsim::osa_distance(&fold_name(name), &folded), name)).filter(|(d, _)| *d <= allowed);
    let found = near.next()?;
    near.next().is_none().then_some(found.1)
}

impl Letters {
    fn of(folded: String) -> Self {
        let set = folded.bytes().fold(0, |set, byte| set | 1u64 << (byte & 63));
        Self { count: folded.chars().count(), set, folded }
    }

    /// Whether two names surely differ by more than the allowed mistakes.
    fn is_far(&self, other: &Self, allowed: usize) -> bool {
        self.count.abs_diff(other.count) > allowed || (self.set ^ other.set).count_ones() as usize > 2 * allowed
    }
}

trait StripWords {
    fn strip_suffix_words(&self, words: &[&str]) -> &[String];
}

impl StripWords for [String] {
    /// The words without the given ones at their end.
    fn strip_suffix_words(&self, words: &[&str]) -> &[String] {
        let kept = self.iter().rposition(|word| !words.contains(&word.as_str())).map_or(0, |last| last + 1);
        self.get(..kept).unwrap_or(self)
    }
}

fn note(map: &mut FxHashMap<String, Places>, key: String, at: usize) {
    map.entry(key).and_modify(|places| *places = Places::Many).or_insert(Places::One(at));
}

fn sort_words(words: &[String]) -> String {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.sort_unstable();
    words.join(" ")
}

/// The words with every verb replaced by the first of its kind.
fn canonical(words: &[String]) -> String {
    let fold = |word: &String| {
        SYNONYMS.iter().find(|group| group.contains(&word.as_str())).map_or_else(|| word.clone(), |g| g.concat())
    };
    words.iter().map(fold).collect::<Vec<_>>().join(" ")
}

/// Whether lost or added words can be a namespace: things, not actions or connections.
fn is_namespace(words: &[String]) -> bool {
    words.iter().all(|word| !is_connection(word) && !is_action(word))
}

/// Whether a word is one of the verbs that tools are named by.
pub(crate) fn is_action(word: &str) -> bool {
    SYNONYMS.iter().any(|group| group.contains(&word))
}

/// Whether a word only connects others.
pub(crate) fn is_connection(word: &str) -> bool {
    CONNECTIONS.contains(&word)
}

/// Whether a word says no more than that something is a tool.
pub(crate) fn is_generic(word: &str) -> bool {
    GENERIC.contains(&word)
}

const LONG: usize = 100;
const GENERIC: &[&str] = word_list!("check_call", "nearest/generic");
const CONNECTIONS: &[&str] = word_list!("check_call", "nearest/connections");
const SYNONYMS: &[&[&str]] = &[
    &["find", "search", "lookup", "query", "get", "fetch", "retrieve", "list", "read", "show", "view"],
    &["create", "add", "make", "new", "insert", "generate"],
    &["delete", "remove", "erase"],
    &["update", "edit", "modify", "change", "set"],
    &["send", "post", "submit"],
    &["calculate", "compute", "calc"],
    &["check", "verify", "validate"],
    &["book", "reserve", "schedule"],
    &["buy", "purchase", "order", "pay"],
    &["start", "begin", "run", "execute"],
    &["stop", "end", "cancel", "close"],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn near(name: &str, known: &[&str]) -> Option<(usize, How)> {
        NameIndex::new(known.iter().copied()).find(name).map(|near| (near.at, near.how))
    }

    #[test]
    fn what_is_meant_is_found() {
        // CALL-1
        let known = ["get_weather", "Trains_1_FindTrains", "read_file", "send_email", "duck_search"];
        assert_eq!(near("getWeather", &known), Some((0, How::Folded)));
        assert_eq!(near("FindTrains", &known), Some((1, How::Namespace)));
        assert_eq!(near("mcp__fs__read_file", &known), Some((2, How::Namespace)));
        assert_eq!(near("functions.read_file", &known), Some((2, How::Namespace)));
        assert_eq!(near("read_file_tool", &known), Some((2, How::Namespace)));
        assert_eq!(near("file_read", &known), Some((2, How::Swapped)));
        assert_eq!(near("get_waether", &known), Some((0, How::Typo)));
        assert_eq!(near("duck_find", &known), Some((4, How::Synonym)));
        assert_eq!(near("send_email_to_ceo", &known), Some((3, How::Longer)));
    }

    #[test]
    fn what_is_not_clear_is_not_suggested() {
        // CALL-1
        assert_eq!(near("Movies_1_FindMovies", &["Movies_1_BuyMovieTickets", "Media_3_PlayMovie"]), None);
        assert_eq!(near("cp", &["mv", "cat", "cd", "rm"]), None);
        assert_eq!(near("read_fil", &["read_file", "read_fill"]), None);
        assert_eq!(near("github_repos", &["search_for_github_repos"]), None);
        assert_eq!(near("config", &["a_config", "b_config"]), None);
        assert_eq!(near("", &["a"]), None);
    }

    #[test]
    fn values_have_one_near_match_or_none() {
        // CALL-3
        assert_eq!(only_near("FAHRENHEIT ", ["celsius", "fahrenheit"].into_iter()), Some("fahrenheit"));
        assert_eq!(only_near("farenheit", ["celsius", "fahrenheit"].into_iter()), Some("fahrenheit"));
        assert_eq!(only_near("up", ["asc", "desc"].into_iter()), None);
        assert_eq!(only_near("2021", ["2020", "2022"].into_iter()), None);
    }
}
