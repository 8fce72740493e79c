//! The words that people have for deeds and for the qualities that a choice is named by, in both languages.
//!
//! `data/deeds.tsv` holds them: one deed a line, with its effect, its opposites, its English verbs (`turn~off` may stand
//! apart: "turn the oven off"), its English nouns and its Chinese words. A word may name several deeds; the longest phrase wins.
//! `data/implied.tsv` holds what people say instead of a deed: who "can't spare him" declines. Nothing here tells whether a deed
//! is wanted: that depends on the clause.

use super::phrases::Phrases;
use super::stems::{irregular_pasts, is_irregular_past};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The deeds that some words in an English text name.
pub(crate) fn find_english(words: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let next = longest_at(words, at);
        at += next.as_ref().map_or(1, |found| found.range.len().min(found.width));
        found.extend(next.filter(|found| !found.deeds.is_empty()));
    }
    found
}

/// The deeds that a Chinese text names, with their places in bytes.
pub(crate) fn find_chinese(text: &str) -> Vec<Found> {
    let Some(automaton) = &LEXICON.automaton else { return Vec::new() };
    let found = automaton.find_iter(text).filter_map(|found| {
        let deeds = *LEXICON.chinese.get(found.pattern().as_usize())?;
        Some(Found { deeds, range: found.range(), form: Form::Base, width: 1 })
    });
    found.filter(|found| !found.deeds.is_empty()).collect()
}

/// The deeds that a text in lower case asks for without naming them, and the words that do.
pub(crate) fn find_implied(lower: &str) -> Option<(Deeds, &'static str)> {
    // "I don't want to keep paying" asks for the contrary.
    let mut found = IMPLIED
        .phrases
        .find(lower)
        .filter(|found| !is_negated(lower, found.range.start) && !is_awaited(lower, found.range.start))
        .filter(|found| !goes_somewhere(found.phrase, lower.get(found.range.end..).unwrap_or_default()))
        .filter(|found| !is_limited(lower.get(found.range.end..).unwrap_or_default()))
        .filter_map(|found| IMPLIED.deeds.get_key_value(found.phrase));
    let Some((words, deeds)) = found.next() else { return find_unneeded(lower) };
    // "He has paid, it can go out": what both come down to.
    let common = found.fold(*deeds, |common, (_, other)| common.meeting(other));
    (!common.is_empty()).then_some((common, *words))
}

/// "They only don't want A-3 any more", "no longer needs to be on it": what is not needed any more is to end.
fn find_unneeded(lower: &str) -> Option<(Deeds, &'static str)> {
    let clause = lower.split(['.', ';', '!', '?', '\n', ',']).find(|clause| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let wish = words.iter().position(|word| matches!(*word, "want" | "wants" | "need" | "needs"));
        let Some((before, rest)) = wish.and_then(|at| Some((words.get(..at)?, words.get(at + 1..)?))) else {
            return false;
        };
        let near = before.get(before.len().saturating_sub(2)..).unwrap_or_default();
        let no_longer = near == ["no", "longer"];
        let negated =
            near.iter().any(|word| matches!(word.replace('’', "'").as_str(), "don't" | "doesn't" | "dont" | "not"));
        let ended = rest.contains(&"anymore") || rest.windows(2).any(|pair| matches!(pair, ["any", "more" | "longer"]));
        // "I don't want to cancel it any more" ends nothing.
        let acts = find_english(rest).iter().any(|found| found.deeds.effect() > DeedEffect::Read);
        (no_longer || negated && ended) && !acts
    })?;
    let said = if clause.contains("no longer") { "no longer" } else { "any more" };
    Some((Deeds::named(&["cancel", "remove"]), said))
}

/// "The rest can go to Oslo" moves it; "the rest can go" ends it.
fn goes_somewhere(phrase: &str, behind: &str) -> bool {
    let next = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    phrase == "can go" && behind.starts_with(' ') && DIRECTIONS.contains(&next)
}

/// "Can't make it that early" wants another time.
fn is_limited(behind: &str) -> bool {
    let mut words = behind.split_whitespace();
    matches!(words.next(), Some("that" | "so" | "this" | "quite" | "as"))
        && words.next().is_some_and(|word| word.len() > 2)
}

/// Whether the words before a place wait for it: "until I'm back".
fn is_awaited(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    ["until", "till", "before", "when", "once", "unless", "if"].iter().any(|word| before.ends_with(word))
}

/// Whether the word right before a place negates it.
fn is_negated(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';')).next().unwrap_or_default();
    let word = word.replace('’', "'");
    word.ends_with("n't")
        || matches!(word.as_str(), "not" | "never" | "dont" | "longer")
        || before.ends_with(['不', '没', '别'])
}

/// Words that name deeds, in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The deeds.
    pub deeds: Deeds,
    /// Their place: words of an English text, bytes of a Chinese one.
    pub range: Range<usize>,
    /// The form of the verb.
    pub form: Form,
    /// How many words of the phrase stand together at its beginning.
    width: usize,
}

/// The form that a deed is named in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `cancel`.
    Base,
    /// `cancels`.
    Third,
    /// `cancelling`.
    Gerund,
    /// `cancelled`.
    Past,
    /// `cancellation`.
    Noun,
}

/// What a deed does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DeedEffect {
    /// It is a quality, no deed.
    Quality,
    /// It only looks.
    Read,
    /// It changes something.
    Write,
    /// It cannot be taken back, or somebody else is touched by it.
    Lasting,
}

/// A set of deeds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deeds {
    bits: [u64; 4],
}

impl Deeds {
    /// The deeds of some names; a name that is not known adds nothing.
    pub(crate) fn named(names: &[&str]) -> Self {
        let mut deeds = Self::default();
        names.iter().filter_map(|name| LEXICON.ids.get(name)).for_each(|at| deeds.insert(*at));
        deeds
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits == [0; 4]
    }

    /// Whether any deed is in both.
    pub(crate) fn meet(&self, other: &Self) -> bool {
        !self.with(other, |a, b| a & b).is_empty()
    }

    /// The deeds that are in both.
    pub(crate) fn meeting(&self, other: &Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    /// The deeds of both.
    pub(crate) fn join(&self, other: &Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    /// What is done, without the qualities.
    pub(crate) fn acts(&self) -> Self {
        self.with(&LEXICON.qualities, |a, b| a & !b)
    }

    /// The qualities alone.
    pub(crate) fn qualities(&self) -> Self {
        self.with(&LEXICON.qualities, |a, b| a & b)
    }

    /// The opposites of all of them.
    pub(crate) fn opposites(&self) -> Self {
        self.indices()
            .filter_map(|at| LEXICON.deeds.get(at))
            .fold(Self::default(), |all, deed| all.join(&deed.opposites))
    }

    /// The gravest effect of any of them.
    pub(crate) fn effect(&self) -> DeedEffect {
        let effects = self.indices().filter_map(|at| LEXICON.deeds.get(at)).map(|deed| deed.effect);
        effects.max().unwrap_or(DeedEffect::Quality)
    }

    fn insert(&mut self, at: usize) {
        if let Some(word) = self.bits.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn indices(&self) -> impl Iterator<Item = usize> {
        self.bits.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(at * 64 + bit)
            })
        })
    }

    fn with(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let mut bits = self.bits;
        bits.iter_mut().zip(other.bits).for_each(|(a, b)| *a = join(*a, b));
        Self { bits }
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&LEXICON);
    LazyLock::force(&IMPLIED);
}

/// The longest phrase that begins at a word; phrases of the same words count together.
fn longest_at(words: &[&str], at: usize) -> Option<Found> {
    let phrases = LEXICON.english.get(*words.get(at)?)?;
    let mut best: Option<(usize, Found)> = None;
    for phrase in phrases {
        let Some(range) = phrase.range_at(words, at) else { continue };
        // More words win; of the same number those that stand together.
        let rank = 2 * phrase.rest.len() + usize::from(!phrase.apart);
        let width = if phrase.apart { 1 } else { range.len() };
        match &mut best {
            Some((known, found)) if *known == rank => found.deeds = found.deeds.join(&phrase.deeds),
            Some((known, _)) if *known > rank => {}
            _ => best = Some((rank, Found { deeds: phrase.deeds, range, form: phrase.form, width })),
        }
    }
    best.map(|(_, found)| found)
}

#[derive(Debug)]
struct Phrase {
    rest: Vec<&'static str>,
    /// Whether other words may stand between the first word and the rest.
    apart: bool,
    deeds: Deeds,
    form: Form,
}

impl Phrase {
    fn range_at(&self, words: &[&str], at: usize) -> Option<Range<usize>> {
        let reach = if self.apart { MAX_APART } else { 0 };
        let from = (at + 1..=at + 1 + reach)
            .find(|from| words.get(*from..).is_some_and(|rest| rest.starts_with(&self.rest)))?;
        // "Pay the bill in roof.txt" pays nothing in: what has an object behind it is no particle.
        let next = words.get(from + self.rest.len());
        let place = self.rest == ["in"] && from > at + 1 && next.is_some_and(|next| !BEHIND_PARTICLE.contains(next));
        (!place).then_some(at..from + self.rest.len())
    }
}

#[derive(Debug)]
struct Deed {
    effect: DeedEffect,
    opposites: Deeds,
}

#[derive(Debug, Default)]
struct Lexicon {
    deeds: Vec<Deed>,
    ids: FxHashMap<&'static str, usize>,
    qualities: Deeds,
    english: FxHashMap<String, Vec<Phrase>>,
    automaton: Option<AhoCorasick>,
    chinese: Vec<Deeds>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let rows: Vec<Vec<&'static str>> = DATA.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let ids = rows.iter().enumerate().filter_map(|(at, row)| Some((*row.first()?, at))).collect();
    let mut lexicon = Lexicon { ids, ..Lexicon::default() };
    let mut chinese: FxHashMap<&'static str, Deeds> = FxHashMap::default();
    for (at, row) in rows.iter().enumerate() {
        let cell =
            |column: usize| row.get(column).copied().unwrap_or_default().split('|').filter(|word| !word.is_empty());
        let mut own = Deeds::default();
        if row.first() != Some(&"none") {
            own.insert(at);
        }
        let mut opposites = Deeds::default();
        cell(2).filter_map(|name| lexicon.ids.get(name)).for_each(|at| opposites.insert(*at));
        let effect = row.get(1).map_or(DeedEffect::Quality, |name| read_effect(name));
        if effect == DeedEffect::Quality {
            lexicon.qualities = lexicon.qualities.join(&own);
        }
        lexicon.deeds.push(Deed { effect, opposites });
        cell(3).for_each(|phrase| lexicon.add_verb(phrase, own));
        cell(4).for_each(|noun| lexicon.add(noun.to_owned(), &[], false, own, Form::Noun));
        cell(5).for_each(|word| {
            let known = chinese.entry(word).or_default();
            *known = known.join(&own);
        });
    }
    let build = |words: &[&str]| AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(words).ok();
    let (words, deeds): (Vec<&str>, Vec<Deeds>) = chinese.into_iter().unzip();
    lexicon.automaton = build(&words);
    lexicon.chinese = deeds;
    lexicon
});

/// What people say instead of deeds.
struct Implied {
    phrases: Phrases,
    deeds: FxHashMap<&'static str, Deeds>,
}

static IMPLIED: LazyLock<Implied> = LazyLock::new(|| {
    let mut deeds: FxHashMap<&'static str, Deeds> = FxHashMap::default();
    for line in IMPLIED_DATA.lines().skip(1) {
        let mut cells = line.split('\t');
        let names: Vec<&str> = cells.next().unwrap_or_default().split('|').collect();
        let phrases = cells.flat_map(|cell| cell.split('|')).filter(|phrase| !phrase.is_empty());
        deeds.extend(phrases.map(|phrase| (phrase, Deeds::named(&names))));
    }
    Implied { phrases: Phrases::new(deeds.keys().copied()), deeds }
});

impl Lexicon {
    /// Adds a verb with all its forms.
    fn add_verb(&mut self, phrase: &'static str, deeds: Deeds) {
        let (head, tail) = phrase.split_once([' ', '~']).unwrap_or((phrase, ""));
        let rest: Vec<&'static str> = tail.split(' ').filter(|word| !word.is_empty()).collect();
        for (form, word) in forms(head) {
            self.add(word, &rest, phrase.contains('~'), deeds, form);
        }
    }

    fn add(&mut self, word: String, rest: &[&'static str], apart: bool, deeds: Deeds, form: Form) {
        let phrases = self.english.entry(word).or_default();
        phrases.push(Phrase { rest: rest.to_vec(), apart, deeds, form });
    }
}

/// A verb in its regular forms. One that does not exist matches nothing and does no harm.
fn forms(verb: &str) -> Vec<(Form, String)> {
    let last = verb.chars().next_back().unwrap_or_default();
    let short = verb.strip_suffix('e').unwrap_or(verb);
    let mut forms =
        vec![(Form::Base, verb.to_owned()), (Form::Third, format!("{verb}s")), (Form::Third, format!("{verb}es"))];
    forms.extend([(Form::Gerund, format!("{short}ing")), (Form::Past, format!("{short}ed"))]);
    forms.extend([(Form::Gerund, format!("{verb}{last}ing")), (Form::Past, format!("{verb}{last}ed"))]);
    if let Some(stem) = verb.strip_suffix('y') {
        forms.extend([(Form::Third, format!("{stem}ies")), (Form::Past, format!("{stem}ied"))]);
    }
    forms.extend(irregular_pasts(verb).iter().map(|past| (Form::Past, (*past).to_owned())));
    forms
}

/// Whether a word is a past tense or a participle by its form. Of `set` and `cut`, which have one form, only the clause tells.
pub(crate) fn is_past(word: &str) -> bool {
    let regular = word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed");
    regular || is_irregular_past(word)
}

fn read_effect(name: &str) -> DeedEffect {
    match name {
        "read" => DeedEffect::Read,
        "write" => DeedEffect::Write,
        "delete" | "pay" | "send" | "execute" => DeedEffect::Lasting,
        _ => DeedEffect::Quality,
    }
}

/// What follows where something goes to a place or goes on.
const DIRECTIONS: &[&str] = &[
    "to", "in", "on", "into", "onto", "home", "with", "through", "up", "down", "over", "back", "for", "by", "under",
    "ahead", "live",
];
/// What may stand behind a particle that closes its phrase.
const BEHIND_PARTICLE: &[&str] = &[
    "and", "or", "but", "then", "so", "as", "at", "by", "for", "from", "to", "on", "with", "before", "after", "if",
    "when", "please", "now", "today", "tonight", "tomorrow", "again", "too", "first", "instead",
];
/// How many words may stand between a verb and its particle.
const MAX_APART: usize = 5;
const DATA: &str = include_str!("data/deeds.tsv");
const IMPLIED_DATA: &str = include_str!("data/implied.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        // MEANING-3
        let rows: Vec<Vec<&str>> = DATA.lines().skip(1).map(|line| line.split('\t').collect()).collect();
        let opposites: FxHashMap<&str, Vec<&str>> =
            rows.iter().map(|row| (row[0], row[2].split('|').filter(|name| !name.is_empty()).collect())).collect();
        assert_eq!(opposites.len(), rows.len(), "deeds are unique");
        assert!(rows.len() <= 256 && rows.iter().all(|row| row.len() == 6));
        for row in &rows {
            assert!(["none", "read", "write", "delete", "pay", "send", "execute"].contains(&row[1]), "{}", row[0]);
            for other in &opposites[row[0]] {
                assert!(opposites.get(other).is_some_and(|back| back.contains(&row[0])), "{} {other}", row[0]);
            }
            for column in [3, 4, 5] {
                let words: Vec<&str> = row[column].split('|').filter(|word| !word.is_empty()).collect();
                let unique: std::collections::HashSet<_> = words.iter().collect();
                assert_eq!(words.len(), unique.len(), "{} column {column}", row[0]);
            }
        }
    }

    #[test]
    fn what_is_implied_is_a_known_deed() {
        // MEANING-3
        for line in IMPLIED_DATA.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 3, "{line}");
            assert!(cells[0].split('|').all(|name| LEXICON.ids.contains_key(name)), "{line}");
            assert!(!Deeds::named(&cells[0].split('|').collect::<Vec<_>>()).opposites().is_empty(), "{line}");
        }
        let implied = |text: &str| find_implied(text).map(|found| found.0).unwrap_or_default();
        assert!(implied("we can't spare her in may").meet(&Deeds::named(&["decline"])));
        assert!(implied("那天我走不开").meet(&Deeds::named(&["decline"])));
        assert!(implied("spare parts, please").is_empty() && implied("it never arrived, fine by me").is_empty());
    }

    #[test]
    fn phrases_are_found_together_and_apart() {
        // MEANING-3
        let found = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            find_english(&words).into_iter().fold(Deeds::default(), |all, found| all.join(&found.deeds))
        };
        assert!(found("turn the oven off").meet(&Deeds::named(&["turn-off"])));
        assert!(!found("turn the oven off").meet(&Deeds::named(&["turn-on"])));
        assert!(found("cancelling it").meet(&Deeds::named(&["cancel"])));
        assert!(found("tell me why").meet(&Deeds::named(&["look"])));
        assert!(!found("tell me why").meet(&Deeds::named(&["send"])));
        let chinese =
            |text: &str| find_chinese(text).into_iter().fold(Deeds::default(), |all, found| all.join(&found.deeds));
        assert!(chinese("把灯关掉").meet(&Deeds::named(&["turn-off"])));
        assert!(
            chinese("取消静音").meet(&Deeds::named(&["unmute"]))
                && !chinese("取消静音").meet(&Deeds::named(&["cancel"]))
        );
        assert!(chinese("关于海关").is_empty());
        assert!(Deeds::named(&["freeze"]).opposites().meet(&Deeds::named(&["unfreeze"])));
    }
}
