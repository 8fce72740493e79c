//! What the answer was made from, cut into units (a sentence, or one object of a JSON text) and indexed by key.

use super::flatten::{self, Kind};
use crate::grounding::wording::{Reading, Term, head};
use crate::text::numbers::Numbers;
use crate::text::numbers::clocks::Clock;
use crate::text::numbers::dates::Date;
use crate::text::numbers::quantities::{Hedge, Quantity};
use crate::text::sentences::sentences;
use crate::text::stems::{Key, key, root};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// One unit of evidence.
#[derive(Debug)]
pub(crate) struct Unit {
    /// What it says.
    pub reading: Reading,
    /// Its text, for the finding's sentence.
    pub text: String,
    /// Whether somebody wrote it, or it was made of fields.
    pub kind: Kind,
    /// Whether a question was answered with "no" right after it.
    pub denied: bool,
}

/// All evidence of an answer.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The units, in order.
    pub units: Vec<Unit>,
    /// What the user asked; known, but no evidence.
    pub asked: Reading,
    /// The numbers, each once; the first `FIGURES` of them.
    quantities: Vec<Quantity>,
    /// The dates, each once.
    dates: Vec<Date>,
    /// Every number as written, by its bits, however many there are.
    written: FxHashSet<u64>,
    /// Runs of digits inside identifiers: 4821 of `INV-4821`.
    coded: FxHashSet<u64>,
    /// The times of day; the first `FIGURES` of them.
    pub clocks: Vec<Clock>,
    /// Whether a number reads as a Unix time.
    pub stamped: bool,
    /// What the fields that hold a status say.
    pub statuses: Vec<String>,
    /// The words of its sentences, and how many of them only join the others.
    words: usize,
    joints: usize,
    seen_dates: FxHashSet<(Option<u16>, Option<u8>, Option<u8>)>,
    postings: FxHashMap<Key, Vec<u32>>,
}

impl Evidence {
    /// Cuts and indexes the context.
    pub(crate) fn of(context: &[String], question: Option<&str>) -> Self {
        let mut evidence = Self { asked: Reading::of(question.unwrap_or_default()), ..Self::default() };
        evidence.coded.extend(digit_runs(question.unwrap_or_default()));
        for text in context {
            evidence.add_text(text);
        }
        evidence.mark_denials();
        evidence
    }

    /// The units that hold any key of a term; at most `POSTINGS` of them.
    pub(crate) fn units_with(&self, term: &Term) -> impl Iterator<Item = u32> {
        term.keys.iter().filter_map(|key| self.postings.get(key)).flatten().copied()
    }

    /// Whether a term stands anywhere in the context.
    pub(crate) fn holds(&self, term: &Term) -> bool {
        term.keys.iter().any(|key| self.postings.contains_key(key))
    }

    /// Whether a term or its kin stands anywhere in the context.
    pub(crate) fn nearly_holds(&self, term: &Term) -> bool {
        self.holds(term) || term.kin.is_some_and(|kin| self.postings.contains_key(&kin))
    }

    /// Whether the first letters of a name stand as a word: UN for United Nations.
    pub(crate) fn has_initials(&self, name: &str) -> bool {
        let initials: String = name.split_whitespace().filter_map(|word| word.chars().next()).collect();
        initials.chars().count() > 1 && self.postings.contains_key(&key(&root(&initials.to_lowercase())))
    }

    /// How many different keys the context has.
    pub(crate) fn breadth(&self) -> usize {
        self.postings.len()
    }

    /// How far the context is running text, within 0 and 1: in a list of titles, links or references the words of a
    /// sentence may well stand, and yet nothing is said. A short text, fields, and a text without Latin letters are
    /// taken as they are.
    pub(crate) fn prose(&self) -> f64 {
        let share = (self.joints as f64 + 8.0) / (self.words as f64 + 20.0);
        ((share - SPARSE) / (DENSE - SPARSE)).clamp(0.0, 1.0)
    }

    fn add_text(&mut self, text: &str) {
        let trimmed = text.trim_start();
        let json = trimmed.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(trimmed).ok()).flatten();
        match json {
            Some(value) => flatten::lines(&value).iter().for_each(|line| self.add_unit(&line.text, line.kind)),
            None => {
                for sentence in sentences(text).into_iter().filter_map(|range| text.get(range)) {
                    split_glued(sentence, |piece| self.add_unit(piece, Kind::Sentence));
                }
            }
        }
    }

    /// A text without full stops is cut where it must be, so that no unit is longer than a paragraph.
    fn add_unit(&mut self, text: &str, kind: Kind) {
        let mut rest = text;
        while rest.len() > UNIT_BYTES {
            let piece = head(rest, UNIT_BYTES);
            let cut = piece.rfind(char::is_whitespace).filter(|cut| *cut > 0).unwrap_or(piece.len());
            let (piece, tail) = rest.split_at_checked(cut).unwrap_or((rest, ""));
            self.index(piece, kind);
            rest = tail;
        }
        self.index(rest, kind);
    }

    fn add_figures(&mut self, numbers: &Numbers) {
        for quantity in &numbers.quantities {
            let new = self.written.insert(quantity.raw.to_bits()) | self.written.insert(quantity.value.to_bits());
            let known = !new && self.quantities.iter().take(64).any(|other| other == quantity);
            if !known && self.quantities.len() < FIGURES {
                self.quantities.push(quantity.clone());
            }
        }
        let stamps: Vec<Date> = numbers.quantities.iter().filter(|q| q.unit.is_none()).flat_map(read_stamps).collect();
        self.stamped |= !stamps.is_empty();
        for date in numbers.dates.iter().cloned().chain(stamps) {
            if self.seen_dates.insert((date.year, date.month, date.day)) && self.dates.len() < FIGURES {
                self.dates.push(date);
            }
        }
    }

    fn index(&mut self, text: &str, kind: Kind) {
        let reading = Reading::of(text);
        let at = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        for key in &reading.keys {
            let list = self.postings.entry(*key).or_default();
            if list.len() < POSTINGS {
                list.push(at);
            }
        }
        if kind == Kind::Sentence {
            self.words += reading.words;
            self.joints += reading.joints;
        }
        self.add_figures(&reading.numbers);
        self.clocks.extend(reading.clocks.iter().take(FIGURES.saturating_sub(self.clocks.len())).cloned());
        self.coded.extend(digit_runs(text));
        if kind == Kind::Fields && self.statuses.len() < 64 {
            self.statuses.extend(flatten::statuses(text));
        }
        let text = text.chars().take(400).collect();
        self.units.push(Unit { reading, text, kind, denied: false });
    }

    /// "Does it have a surface? No." denies what was asked.
    fn mark_denials(&mut self) {
        let no = |text: &str| {
            let text = head(text.trim_start(), 60).to_lowercase();
            let alone = matches!(text.trim_end_matches(['.', '!']), "no" | "nope" | "never" | "not yet" | "not really");
            alone
                || ["no,", "no.", "不是", "没有"].iter().any(|start| text.starts_with(start))
                || text.contains(", no,")
        };
        let answers: Vec<bool> = self.units.iter().map(|unit| no(&unit.text)).collect();
        for (unit, answer) in self.units.iter_mut().zip(answers.into_iter().skip(1)) {
            unit.denied = unit.reading.asks && answer;
        }
    }

    /// Whether a number is in the context or in the question.
    pub(crate) fn knows(&self, said: &Quantity) -> bool {
        // Past the bound only the exact number can be looked up; a unit is then not asked for.
        (self.quantities.len() >= FIGURES && self.written.contains(&said.raw.to_bits()))
            || self.quantities.iter().chain(&self.asked.numbers.quantities).any(|other| said.agrees(other))
            || (said.unit.is_none()
                && said.raw >= 0.0
                && said.raw.fract() == 0.0
                && self.coded.contains(&(said.raw as u64)))
            || self.in_cents(said)
            || self.as_year(said)
            || self.is_scaled(said)
    }

    /// A bare 1999 reads as a year and may yet be a price or a count.
    fn as_year(&self, said: &Quantity) -> bool {
        let bare = |date: &&Date| date.month.is_none() && date.day.is_none();
        self.dates.iter().filter(bare).any(|date| date.year.is_some_and(|year| f64::from(year) == said.raw))
    }

    /// A table may keep the scale beside the number: `value: 4.21; unit: trillion USD`.
    fn is_scaled(&self, said: &Quantity) -> bool {
        let written = |words: &[&str]| words.iter().any(|word| self.postings.contains_key(&key(&root(word))));
        let borne = |scale: f64| {
            let (raw, slack) = (said.raw / scale, said.precision / scale * 1.000_001);
            let slack = if said.hedge == Hedge::Exact { slack } else { slack.max(raw.abs() * 0.1) };
            self.quantities.iter().any(|other| (other.raw - raw).abs() <= slack)
        };
        said.raw.abs() >= 1000.0 && SCALES.iter().any(|(words, scale)| written(words) && borne(*scale))
    }

    /// Money is often kept in cents: 500 bears out $5.00.
    fn in_cents(&self, said: &Quantity) -> bool {
        let money = said.unit.is_some_and(|unit| matches!(unit, "usd" | "eur" | "gbp" | "cny" | "¥" | "hkd"));
        let cents = (said.raw * 100.0).round();
        money && self.quantities.iter().any(|other| other.unit.is_none() && (other.raw - cents).abs() < 0.5)
    }

    /// The spans of time in the context, in seconds.
    pub(crate) fn spans(&self) -> impl Iterator<Item = f64> {
        self.quantities.iter().filter(|q| q.unit == Some("s")).map(|q| q.value)
    }

    /// Whether a span of time lies between two times or two days of the context: from 10:00 to 11:30 is 90 minutes.
    pub(crate) fn lasts(&self, said: &Quantity) -> bool {
        let clocks: Vec<&Clock> = self.clocks.iter().chain(&self.asked.clocks).take(FEW).collect();
        let slack = (said.precision * said.value / said.raw).abs().max(60.0);
        let is = |seconds: f64| (seconds - said.value).abs() <= slack;
        let between = |a: &Clock, b: &Clock| is(f64::from(a.until(b)) * 60.0);
        let day = |date: &Date| {
            let (year, month, day) = (date.year?, date.month?, date.day?);
            let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
            jiff::civil::Date::new(i16::try_from(year).ok()?, month, day).ok()
        };
        let days: Vec<_> = self.dates.iter().chain(&self.asked.numbers.dates).filter_map(day).take(FEW).collect();
        let apart = |a: jiff::civil::Date, b: jiff::civil::Date| {
            let days = f64::from(a.duration_until(b).as_hours() as i32) / 24.0;
            is(days * 86_400.0) || is((days + 1.0) * 86_400.0)
        };
        said.unit == Some("s")
            && said.raw > 0.0
            && (clocks.iter().any(|a| clocks.iter().any(|b| between(a, b)))
                || days.iter().any(|a| days.iter().any(|b| a < b && apart(*a, *b))))
    }

    /// Whether everything that a date says stands in the context or in the question.
    pub(crate) fn knows_date(&self, said: &Date) -> bool {
        self.dates.iter().chain(&self.asked.numbers.dates).any(|other| said.is_in(other))
    }

    /// Whether a date of the context or the question says nothing else than this one.
    pub(crate) fn allows_date(&self, said: &Date) -> bool {
        self.dates.iter().chain(&self.asked.numbers.dates).any(|other| said.agrees(other))
    }

    /// Whether a number can be had from two numbers of the context by adding, subtracting or sharing, or is their
    /// sum or mean. Only for contexts with few numbers: among many, everything can.
    pub(crate) fn derives(&self, wanted: &Quantity, beside: &[Quantity]) -> bool {
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
        // "100 USD at 7.21 is 721 CNY": a number of the same sentence times one of the context.
        let scaled = |own: &Quantity| own != wanted && values.iter().any(|a| is(own.raw * a) || is(own.raw / a));
        if values.len() <= FEW && beside.iter().any(scaled) {
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

/// Cuts where a full stop and the next sentence were glued together: "in 1846.First for Women".
fn split_glued(sentence: &str, mut take: impl FnMut(&str)) {
    let mut rest = sentence;
    let mut from = 0;
    let glued = |text: &str, at: usize| {
        let lower = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_lowercase);
        let closes = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b')';
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at)).is_some_and(closes);
        before && text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_uppercase) && lower(at.checked_add(2))
    };
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find('.')).map(|at| at + from) {
        from = at + 1;
        if glued(rest, at)
            && let Some((piece, tail)) = rest.split_at_checked(at + 1)
        {
            take(piece);
            (rest, from) = (tail, 0);
        }
    }
    take(rest);
}

/// Runs of two or more digits.
fn digit_runs(text: &str) -> impl Iterator<Item = u64> {
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| run.len() >= 2);
    runs.filter_map(|run| run.parse::<u64>().ok())
}

/// The day of a Unix time in seconds or milliseconds, with its neighbours, because the reader's zone is not known.
fn read_stamps(quantity: &Quantity) -> Vec<Date> {
    let seconds = match quantity.raw {
        raw if (9e8..2.5e9).contains(&raw) => raw,
        raw if (9e11..2.5e12).contains(&raw) => raw / 1000.0,
        _ => return Vec::new(),
    };
    let day = |shift: f64| {
        let days = (seconds / 86_400.0).floor() + shift;
        let date = jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().try_days(days as i64).ok()?).ok()?;
        let year = u16::try_from(date.year()).ok();
        Some(Date {
            range: quantity.range.clone(),
            year,
            month: u8::try_from(date.month()).ok(),
            day: u8::try_from(date.day()).ok(),
        })
    };
    [-1.0, 0.0, 1.0].into_iter().filter_map(day).collect()
}

/// Words of a scale.
const SCALES: &[(&[&str], f64)] = &[
    (&["thousand", "thousands"], 1e3),
    (&["million", "millions", "mn"], 1e6),
    (&["billion", "billions", "bn"], 1e9),
    (&["trillion", "trillions"], 1e12),
    (&["万", "~万"], 1e4),
    (&["亿", "~亿"], 1e8),
];
/// The share of joining words in a list, and in running text.
const SPARSE: f64 = 0.1;
const DENSE: f64 = 0.5;
const POSTINGS: usize = 256;
const FIGURES: usize = 2048;
/// A unit of evidence is no longer than this.
const UNIT_BYTES: usize = 1200;
/// Among more numbers than this, chance derives anything.
const FEW: usize = 40;
