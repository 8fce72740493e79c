//! Reads one sentence into what can be compared: content words by stem, Chinese characters by their pairs, what is
//! denied, names, numbers and dates.
//!
//! A sentence becomes a list of `Term`s. A term carries the keys under which it may be found elsewhere, so that a
//! look-up is a hash and a long context costs no more than its length.

use crate::contract::language::is_han;
use crate::text::numbers::clocks::{Clock, clocks};
use crate::text::numbers::{Numbers, numbers};
use crate::text::stems::{Key, is_common, is_stop, key, root};
use crate::text::words::{Word, identifier_words, words};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::ops::Range;

/// A word that carries matter.
#[derive(Debug, Clone)]
pub struct Term {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Any of these found elsewhere bears the term out. A Latin word has one, a Chinese character its two pairs.
    pub keys: Vec<Key>,
    /// The beginning of a long word, under which its kin is found: reactive and reactivity.
    pub kin: Option<Key>,
    /// Whether it reads as a name: capitalised inside a sentence, or with digits in it.
    pub name: bool,
    /// Whether it is under a negation.
    pub negated: bool,
    /// What it counts beside other terms; a Chinese character is half a word.
    pub weight: f64,
    /// How much finding it tells: its weight, and half of it for one of the commonest words.
    pub telling: f64,
    /// Which clause of the sentence it is in.
    pub clause: usize,
}

/// A sentence, read once.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The terms, in order.
    pub terms: Vec<Term>,
    /// Every key that can be looked up in it.
    pub keys: FxHashSet<Key>,
    /// The keys that are under a negation.
    pub negated: FxHashSet<Key>,
    /// The terms and the words of numbers in order: a key, and the how-manieth word it is.
    pub marks: Vec<(Key, usize)>,
    /// Its numbers and dates.
    pub numbers: Numbers,
    /// Its times of day.
    pub clocks: Vec<Clock>,
    /// Whether it asks.
    pub asks: bool,
    /// How many words of letters it has.
    pub words: usize,
    /// How many of them only join the others.
    pub joints: usize,
}

impl Reading {
    /// Reads a sentence.
    pub fn of(text: &str) -> Self {
        let numbers = numbers(text);
        let words = words(text);
        let mut reading =
            Self { asks: text.trim_end().ends_with(['?', '？']), numbers, clocks: clocks(text), ..Self::default() };
        let mut denied = Denial::default();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            denied.pass(text, before, word, &words, at);
            if reading.is_number(&word.range) {
                reading.marks.push((key(&word.folded), at));
                continue;
            }
            if word.folded.starts_with(is_han) {
                reading.push_han(&words, at, &denied);
                continue;
            }
            let stopped = is_stop(word.folded.as_str());
            reading.words += 1;
            reading.joints += usize::from(stopped);
            if !stopped && word.range.len() > 1 || is_language(text, word) {
                reading.push_latin(text, word, at, &denied);
            }
            reading.join(text, before, word);
        }
        reading
    }

    /// Reads the beginning of a sentence of any length: nobody writes a sentence of more than `CLIP` bytes, and a
    /// hostile one must not cost more than its share.
    pub fn clipped(text: &str) -> Self {
        let mut reading = Self::of(head(text, CLIP));
        reading.numbers.quantities.truncate(FIGURES);
        reading.numbers.dates.truncate(FIGURES);
        reading.clocks.truncate(FIGURES);
        reading
    }

    /// Whether a term is borne out here.
    pub fn holds(&self, term: &Term) -> bool {
        term.keys.iter().any(|key| self.keys.contains(key))
    }

    /// Whether a term or its kin is borne out here.
    pub fn nearly_holds(&self, term: &Term) -> bool {
        self.holds(term) || term.kin.is_some_and(|kin| self.keys.contains(&kin))
    }

    /// The weight of all terms.
    pub fn weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }

    /// The share of the terms' weight that a test accepts; 1 where there are no terms.
    pub fn share(&self, accepts: impl Fn(&Term) -> bool) -> f64 {
        let total = self.weight();
        let held: f64 = self.terms.iter().filter(|term| accepts(term)).map(|term| term.weight).sum();
        if total > 0.0 { held / total } else { 1.0 }
    }

    fn is_number(&self, range: &Range<usize>) -> bool {
        let inside = |outer: &Range<usize>| outer.start <= range.start && range.end <= outer.end;
        let quantity = |at: usize| self.numbers.quantities.get(at).is_some_and(|q| inside(&q.range));
        let date = |at: usize| self.numbers.dates.get(at).is_some_and(|d| inside(&d.range));
        let at = self.numbers.quantities.partition_point(|q| q.range.start <= range.start);
        let on = self.numbers.dates.partition_point(|d| d.range.start <= range.start);
        at.checked_sub(1).is_some_and(quantity) || on.checked_sub(1).is_some_and(date)
    }

    fn push_latin(&mut self, text: &str, word: &Word, at: usize, denial: &Denial) {
        let negated = denial.active();
        let written = text.get(word.range.clone()).unwrap_or_default();
        let capital = written.chars().next().is_some_and(char::is_uppercase);
        let shouted = written.chars().filter(|c| c.is_uppercase()).count() > 1;
        let coded = written.chars().any(|c| c.is_ascii_digit()) && written.chars().any(char::is_alphabetic);
        let stem = if is_language(text, word) { Cow::Owned(format!("{}#", word.folded)) } else { root(&word.folded) };
        let kin = stem.get(..5).filter(|_| stem.is_ascii()).map(|start| key(&format!("{start}~")));
        let key = key(&stem);
        self.keys.insert(key);
        self.keys.extend(kin);
        if negated {
            self.negated.insert(key);
        }
        let name = (capital && at > 0) || shouted || coded;
        let common = !name && is_common(key);
        self.marks.push((key, at));
        self.terms.push(Term {
            range: word.range.clone(),
            keys: vec![key],
            kin,
            name,
            negated,
            weight: 1.0,
            telling: if common { 0.5 } else { 1.0 },
            clause: denial.clause,
        });
    }

    /// FamilyMart and Family Mart are one name: two capitalised neighbours are found as one word too, and the parts of a
    /// joined name as words.
    fn join(&mut self, text: &str, before: Option<&Word>, word: &Word) {
        let written = |word: &Word| text.get(word.range.clone()).unwrap_or_default();
        let capital = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
        let inner = |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
        if written(word).as_bytes().windows(2).any(inner) {
            let parts = identifier_words(written(word));
            self.keys.extend(parts.iter().filter(|part| part.len() > 2).map(|part| key(&root(part))));
        }
        if let Some(before) = before
            && capital(written(word))
            && capital(written(before))
            && text.get(before.range.end..word.range.start) == Some(" ")
        {
            self.keys.insert(key(&root(&format!("{}{}", before.folded, word.folded))));
        }
    }

    fn push_han(&mut self, words: &[Word], at: usize, denial: &Denial) {
        let negated = denial.active();
        let Some(word) = words.get(at) else { return };
        let beside = |other: Option<&Word>, touches: &dyn Fn(&Word) -> bool| {
            other.filter(|w| w.folded.starts_with(is_han) && touches(w)).map(|w| w.folded.clone())
        };
        let before = beside(at.checked_sub(1).and_then(|at| words.get(at)), &|w| w.range.end == word.range.start);
        let after = beside(words.get(at + 1), &|w| w.range.start == word.range.end);
        let pair_before = before.map(|b| format!("{b}{}", word.folded));
        let pair_after = after.map(|a| format!("{}{a}", word.folded));
        let stopped = |pair: &Option<String>| pair.as_deref().is_some_and(is_stop);
        self.keys.insert(key(&format!("~{}", word.folded)));
        if is_stop(word.folded.as_str()) || stopped(&pair_before) || stopped(&pair_after) {
            return;
        }
        let alone = pair_before.is_none() && pair_after.is_none();
        let mut keys: Vec<Key> = [&pair_after, &pair_before].into_iter().flatten().map(|pair| key(pair)).collect();
        keys.push(key(&word.folded));
        self.keys.extend(keys.iter().take(keys.len() - 1));
        if alone {
            self.keys.insert(key(&word.folded));
            keys.push(key(&format!("~{}", word.folded)));
        }
        if negated {
            self.negated.extend(keys.iter().copied());
        }
        self.marks.extend(keys.first().map(|key| (*key, at)));
        self.terms.push(Term {
            range: word.range.clone(),
            keys,
            kin: None,
            name: false,
            negated,
            weight: 0.5,
            telling: 0.5,
            clause: denial.clause,
        });
    }
}

/// Whether a single letter is the name of a language: C#, C++.
fn is_language(text: &str, word: &Word) -> bool {
    let behind = text.get(word.range.end..).unwrap_or_default();
    word.range.len() == 1
        && word.folded.starts_with(|c: char| c.is_ascii_alphabetic())
        && (behind.starts_with('#') || behind.starts_with("++"))
}

/// How far a negation reaches: the three words after it, not past a comma or "but".
#[derive(Default)]
struct Denial {
    left: usize,
    clause: usize,
}

impl Denial {
    fn active(&self) -> bool {
        self.left > 0
    }

    fn pass(&mut self, text: &str, before: Option<&Word>, word: &Word, words: &[Word], at: usize) {
        let gap = before.and_then(|b| text.get(b.range.end..word.range.start)).unwrap_or_default();
        if gap.contains([',', ';', ':', '，', '、', '；', '：', '(', '（', '。'])
            || word.folded == "but"
            || word.folded == "而"
        {
            self.left = 0;
            self.clause += 1;
        }
        let stopped = is_stop(word.folded.as_str());
        if negates(word, words, at) {
            self.left = 4;
        } else if self.left > 0 && (!stopped || word.folded.starts_with(is_han)) {
            self.left -= 1;
        }
    }
}

/// Whether a word denies what follows it. "not only", "no doubt", 不断 and 未来 do not.
fn negates(word: &Word, words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |next| next.folded.as_str());
    match word.folded.as_str() {
        "not" => !matches!(next, "only" | "just" | "least" | "necessarily" | "merely"),
        "no" => !matches!(next, "doubt" | "problem" | "matter" | "wonder" | "less" | "more" | "fewer"),
        "never" | "neither" | "cannot" | "without" | "nor" | "nobody" | "nothing" | "0" | "zero" => true,
        // non-renewable, unable to open, failed to send, nowhere to land
        "non" | "unable" | "nowhere" | "hardly" | "barely" | "lacks" | "lacked" | "lacking" => true,
        "failed" | "fails" | "refused" | "refuses" | "declined" => next == "to",
        "不" => !"仅但断过少错久管论同止得只妨如".contains(next) || next.is_empty(),
        "没" | "沒" => next != "错",
        "未" => !"来必免".contains(next) || next.is_empty(),
        "无" => !"论数疑限线锡非".contains(next) || next.is_empty(),
        "非" => !"常洲凡".contains(next) || next.is_empty(),
        folded => folded.ends_with("n't") || folded.ends_with("n’t"),
    }
}

/// The beginning of a text, at most so many bytes, cut between characters.
pub fn head(text: &str, bytes: usize) -> &str {
    (0..=bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

const CLIP: usize = 4000;
const FIGURES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_reaches_a_few_words_only() {
        let denied = |text: &str, word: &str| Reading::of(text).negated.contains(&key(&root(word)));
        assert!(denied("The office is not open on Sunday", "open"));
        assert!(!denied("The office is not open, but the shop sells bread", "bread"));
        assert!(!denied("This is not only cheap", "cheap"));
        assert!(denied("It doesn't work", "work"));
        let reading = Reading::of("该功能不支持导出");
        assert!(reading.negated.contains(&key("支持")));
        assert!(Reading::of("销量不断增长").negated.is_empty());
    }

    #[test]
    fn chinese_is_read_by_pairs() {
        let evidence = Reading::of("哈尔滨 晴");
        let answer = Reading::of("哈尔滨现在零下21度，天气晴。");
        assert!(answer.share(|term| evidence.holds(term)) > 0.99, "{:?}", answer.terms);
    }
}
