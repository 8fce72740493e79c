//! What the answer was made from, cut into units (a sentence, or one object of a JSON text) and indexed by key.

use crate::score::wording::{Key, Reading, Term};
use crate::text::numbers::dates::Date;
use crate::text::numbers::quantities::{Hedge, Quantity};
use crate::text::sentences::sentences;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

/// One unit of evidence.
#[derive(Debug)]
pub struct Unit {
    /// What it says.
    pub reading: Reading,
    /// Its text, for the finding's sentence.
    pub text: String,
    /// Which context string it came from; neighbours of one string belong together.
    pub source: usize,
    /// Whether a question was answered with "no" right behind it.
    pub denied: bool,
}

/// All evidence of an answer.
#[derive(Debug, Default)]
pub struct Evidence {
    /// The units, in order.
    pub units: Vec<Unit>,
    /// What the user asked; known, but no evidence.
    pub asked: Reading,
    /// All numbers, each once.
    pub quantities: Vec<Quantity>,
    /// All dates.
    pub dates: Vec<Date>,
    postings: FxHashMap<Key, Vec<u32>>,
}

impl Evidence {
    /// Cuts and indexes the context.
    pub fn of(context: &[String], question: Option<&str>) -> Self {
        let mut evidence = Self { asked: Reading::of(question.unwrap_or_default()), ..Self::default() };
        for (source, text) in context.iter().enumerate() {
            evidence.add_text(text, source);
        }
        evidence.mark_denials();
        evidence
    }

    /// The units that hold any key of a term; at most [`POSTINGS`] of them.
    pub fn units_with(&self, term: &Term) -> impl Iterator<Item = u32> {
        term.keys.iter().filter_map(|key| self.postings.get(key)).flatten().copied()
    }

    /// Whether a term stands anywhere in the context.
    pub fn holds(&self, term: &Term) -> bool {
        term.keys.iter().any(|key| self.postings.contains_key(key))
    }

    /// Whether a term or its kin stands anywhere in the context.
    pub fn nearly_holds(&self, term: &Term) -> bool {
        self.holds(term) || term.kin.is_some_and(|kin| self.postings.contains_key(&kin))
    }

    /// How many different keys the context has.
    pub fn breadth(&self) -> usize {
        self.postings.len()
    }

    fn add_text(&mut self, text: &str, source: usize) {
        let trimmed = text.trim_start();
        let json = trimmed.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(trimmed).ok()).flatten();
        match json {
            Some(value) => self.add_value(&value, "", source),
            None => {
                for range in sentences(text) {
                    self.add_unit(text.get(range).unwrap_or_default(), source);
                }
            }
        }
    }

    /// One unit for each object: its scalars as "key: value". Nested objects and lists follow as units of their own.
    /// serde_json bounds the depth of what it reads, so that the recursion is bounded too.
    fn add_value(&mut self, value: &Value, name: &str, source: usize) {
        match value {
            Value::Object(map) => self.add_object(map, name, source),
            Value::Array(items) => {
                self.add_count(items.len(), name, source);
                let scalars: Vec<String> = items.iter().filter_map(scalar).collect();
                if !scalars.is_empty() {
                    self.add_unit(&format!("{}: {}", spoken(name), scalars.join(", ")), source);
                }
                items.iter().filter(|item| scalar(item).is_none()).for_each(|item| self.add_value(item, name, source));
            }
            other => self.add_text_value(other, name, source),
        }
    }

    fn add_object(&mut self, map: &Map<String, Value>, name: &str, source: usize) {
        let mut line = String::new();
        for (key, value) in map {
            match scalar(value) {
                // A long text is evidence by its own sentences.
                Some(text) if text.len() > 80 => sentences(&text)
                    .into_iter()
                    .for_each(|range| self.add_unit(text.get(range).unwrap_or_default(), source)),
                Some(text) => line.push_str(&format!("{}: {text}; ", spoken(key))),
                None => {}
            }
        }
        if !line.is_empty() {
            let line = if name.is_empty() { line } else { format!("{}; {line}", spoken(name)) };
            self.add_unit(&line, source);
        }
        for (key, value) in map.iter().filter(|(_, value)| scalar(value).is_none()) {
            self.add_value(value, key, source);
        }
    }

    fn add_text_value(&mut self, value: &Value, name: &str, source: usize) {
        if let Some(text) = scalar(value) {
            self.add_unit(&format!("{}: {text}", spoken(name)), source);
        }
    }

    /// A list of three bears out "I found three".
    fn add_count(&mut self, count: usize, name: &str, source: usize) {
        self.add_unit(&format!("{count} {}", spoken(name)), source);
    }

    fn add_unit(&mut self, text: &str, source: usize) {
        let reading = Reading::of(text);
        let at = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        for key in &reading.keys {
            let list = self.postings.entry(*key).or_default();
            if list.len() < POSTINGS {
                list.push(at);
            }
        }
        if self.quantities.len() < QUANTITIES {
            self.quantities.extend(reading.numbers.quantities.iter().cloned());
            self.dates.extend(reading.numbers.dates.iter().cloned());
        }
        let text = text.chars().take(400).collect();
        self.units.push(Unit { reading, text, source, denied: false });
    }

    /// "Does it have a surface? No." denies what was asked.
    fn mark_denials(&mut self) {
        let no = |text: &str| {
            let text = text.trim_start().to_lowercase();
            text == "no."
                || text == "no"
                || text.starts_with("no,")
                || text.starts_with("no.")
                || text.starts_with("不是")
                || text.starts_with("没有")
        };
        let answers: Vec<bool> = self.units.iter().map(|unit| no(&unit.text)).collect();
        for (unit, answer) in self.units.iter_mut().zip(answers.into_iter().skip(1)) {
            unit.denied = unit.reading.asks && answer;
        }
    }

    /// Whether a number stands in the context or in the question.
    pub fn knows(&self, said: &Quantity) -> bool {
        self.quantities.iter().chain(&self.asked.numbers.quantities).any(|other| said.agrees(other))
    }

    /// Whether everything that a date says stands in the context or in the question.
    pub fn knows_date(&self, said: &Date) -> bool {
        self.dates.iter().chain(&self.asked.numbers.dates).any(|other| said.is_in(other))
    }

    /// Whether a date of the context or the question says nothing else than this one.
    pub fn allows_date(&self, said: &Date) -> bool {
        self.dates.iter().chain(&self.asked.numbers.dates).any(|other| said.agrees(other))
    }

    /// Whether a number can be had from two numbers of the context by adding, subtracting or sharing, or is their
    /// sum or mean. Only for contexts with few numbers: among many, everything can.
    pub fn derives(&self, wanted: &Quantity) -> bool {
        let mut seen = FxHashSet::default();
        let values: Vec<f64> =
            self.quantities.iter().map(|q| q.raw).filter(|raw| seen.insert(raw.to_bits())).take(FEW + 1).collect();
        let slack = wanted.precision.max(wanted.raw.abs() * if wanted.hedge == Hedge::Exact { 0.001 } else { 0.1 });
        let is = |value: f64| (value - wanted.raw).abs() <= slack;
        let sum: f64 = self.quantities.iter().map(|q| q.raw).sum();
        let count = self.quantities.len() as f64;
        if values.len() > 1 && values.len() <= FEW && (is(sum) || is(sum / count)) {
            return true;
        }
        // A small count can be had by dividing nearly anything.
        let small = wanted.raw.abs() <= 12.0 && wanted.unit.is_none();
        let shared = |a: f64, b: f64| b != 0.0 && (is(a / b * 100.0) || is((a - b) / b * 100.0) || is(a / b));
        let pair = |a: f64, b: f64| is(a + b) || is(a - b) || (!small && (shared(a, b) || is(a * b)));
        let others = |at: usize| values.iter().enumerate().filter(move |(other, _)| *other != at);
        values.len() <= FEW && values.iter().enumerate().any(|(at, a)| others(at).any(|(_, b)| pair(*a, *b)))
    }
}

/// A scalar as text; lists and objects are none.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("true".into()),
        Value::Bool(false) => Some("false".into()),
        _ => None,
    }
}

/// A field's name as words: `pageCount` is "page count".
fn spoken(name: &str) -> String {
    crate::text::words::identifier_words(name).join(" ")
}

const POSTINGS: usize = 256;
const QUANTITIES: usize = 4096;
/// Among more numbers than this, chance derives anything.
const FEW: usize = 40;
