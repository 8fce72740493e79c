//! A passage, read once so that many claims can be held against it: its sentences, or the objects of its JSON, with the
//! numbers and dates of each.

use super::rows::{self, Piece};
use crate::claims::find::find;
use crate::claims::known::Matter;
use crate::claims::known::amount::Amount;
use crate::claims::known::moment::Moment;
use crate::grounding::flatten::{self, Kind};
use crate::grounding::wording::{Reading, Term};
use crate::text::sentences::sentences;
use crate::text::stems::Key;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use std::ops::Range;

/// A text that may bear out claims or say otherwise.
#[derive(Debug)]
pub struct Passage {
    /// What it says, piece by piece.
    pub statements: Vec<Statement>,
    /// Every key that is in it or in its headings.
    pub keys: FxHashSet<Key>,
    /// Its text in lower case, for names that are no words.
    pub folded: String,
    postings: FxHashMap<Key, Vec<u32>>,
}

/// One sentence, or one object of a JSON text.
#[derive(Debug)]
pub struct Statement {
    /// Its words.
    pub text: String,
    /// Where it is in the text, in bytes; absent for an object, whose words are made of its fields.
    pub place: Option<Range<usize>>,
    /// A row as it is in the text, where its words were made of it.
    pub row: Option<String>,
    /// Its words, read.
    pub reading: Reading,
    /// Whether somebody wrote it, or it was made of fields.
    pub kind: Kind,
    /// Its numbers and dates, and where each stands in its words.
    pub values: Vec<(Matter, Range<usize>)>,
}

impl Passage {
    /// Reads a text, with the headings that it is under.
    pub fn read<'a>(text: &str, headings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut keys = FxHashSet::default();
        for heading in headings {
            keys.extend(Reading::clipped(heading).keys);
        }
        let statements = statements(text);
        let mut postings: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        let indexed = statements.len() > FEW;
        for (at, statement) in statements.iter().enumerate() {
            keys.extend(statement.reading.keys.iter().copied());
            let listed = statement.reading.keys.iter().filter(|_| indexed && !statement.values.is_empty());
            for key in listed {
                postings.entry(*key).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        Self { statements, keys, folded: text.to_lowercase(), postings }
    }

    /// The statements that share a word with a claim, those with most first; all of a short passage.
    pub fn near(&self, terms: &[Term]) -> Vec<&Statement> {
        if self.postings.is_empty() {
            return self.statements.iter().collect();
        }
        let mut scores: FxHashMap<u32, f64> = FxHashMap::default();
        for term in terms {
            let mut seen = FxHashSet::default();
            let units = term.keys.iter().chain(&term.kin).filter_map(|key| self.postings.get(key)).flatten();
            for unit in units.take(POSTINGS).filter(|unit| seen.insert(**unit)) {
                *scores.entry(*unit).or_default() += term.weight;
            }
        }
        let mut ranked: Vec<(f64, u32)> = scores.into_iter().map(|(unit, score)| (score, unit)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.iter().take(LOOKED_AT).filter_map(|(_, unit)| self.statements.get(*unit as usize)).collect()
    }

    /// Whether a term stands anywhere in it or in its headings.
    pub fn holds(&self, term: &Term) -> bool {
        term.keys.iter().chain(&term.kin).any(|key| self.keys.contains(key))
    }
}

fn statements(text: &str) -> Vec<Statement> {
    let trimmed = text.trim_start();
    let json = trimmed.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(trimmed).ok()).flatten();
    match json {
        Some(value) => {
            let lines = flatten::lines(&value).into_iter().take(MOST);
            lines.map(|line| Statement::new(line.text, None, line.kind)).collect()
        }
        None => rows::pieces(text).into_iter().flat_map(|piece| read_written(text, piece)).take(MOST).collect(),
    }
}

/// A row is a statement, prose is cut into sentences.
fn read_written(text: &str, piece: Piece) -> Vec<Statement> {
    let words = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    match piece {
        Piece::Row(spoken, range) => {
            let row = Some(words(&range));
            vec![Statement { row, ..Statement::new(spoken, Some(range), Kind::Fields) }]
        }
        Piece::Prose(prose) => {
            let cuts = sentences(text.get(prose.clone()).unwrap_or_default()).into_iter();
            let cuts = cuts.take(MOST).map(|cut| prose.start + cut.start..prose.start + cut.end);
            cuts.map(|range| Statement::new(words(&range), Some(range), Kind::Sentence)).collect()
        }
    }
}

impl Statement {
    fn new(text: String, place: Option<Range<usize>>, kind: Kind) -> Self {
        let reading = Reading::clipped(&text);
        let values = match kind {
            Kind::Sentence => values(&text, &reading),
            // To a finder of claims a line that ends in `;` is code.
            Kind::Fields => {
                let found = values(&text.replace(';', ","), &reading);
                found.into_iter().map(|(matter, range)| (matter, without_name(&text, range))).collect()
            }
        };
        Self { text, place, row: None, reading, kind, values }
    }
}

/// A named statistic is found with its name; of a field only the value is meant.
fn without_name(text: &str, range: Range<usize>) -> Range<usize> {
    let name = text.get(range.clone()).and_then(|words| words.rfind(": ")).map_or(0, |at| at + 2);
    range.start + name..range.end
}

/// The numbers and dates of a sentence: those that are claims, with their better reading, and the others.
fn values(text: &str, reading: &Reading) -> Vec<(Matter, Range<usize>)> {
    let numbers = &reading.numbers;
    let mut found: Vec<(Matter, Range<usize>)> = Vec::new();
    let counted = |matter: &Matter| !matches!(matter, Matter::Name(_));
    let claims = if text.len() <= CLAIMED { find(text) } else { Vec::new() };
    found.extend(claims.iter().take(VALUES).map(|c| (Matter::of(c), c.start..c.end)).filter(|(m, _)| counted(m)));
    let taken = found.len();
    let quantities = numbers.quantities.iter().filter_map(|q| {
        let amount = Amount::of_quantity(q)?;
        Some((Matter::Amount(amount), q.range.clone()))
    });
    let dates = numbers.dates.iter().filter_map(|d| Some((Matter::Moment(Moment::of_date(d)?), d.range.clone())));
    for (matter, range) in quantities.chain(dates) {
        let known = found.iter().take(taken).any(|(_, other)| other.start < range.end && range.start < other.end);
        if !known && found.len() < VALUES {
            found.push((matter, range));
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// So many statements of a passage are read.
const MOST: usize = 20_000;
/// A passage of no more statements is looked at whole.
const FEW: usize = 16;
const POSTINGS: usize = 1024;
/// So many statements are looked at closely for one claim.
const LOOKED_AT: usize = 16;
/// So many values of a statement count.
const VALUES: usize = 48;
/// In a longer statement only plain numbers are read.
const CLAIMED: usize = 4000;
