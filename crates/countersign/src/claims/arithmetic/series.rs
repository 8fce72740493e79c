//! Growth and difference between two periods, whose numbers are in other sentences: "Revenue: 2022 $40m, 2023 $50m.
//! Growth was 25%", 第一季度120万，第二季度150万，环比增长25%.
//!
//! A number belongs to a period only where numbers and periods take turns. All numbers must be of one measure and of one
//! thing, and the claim must speak of that thing and no other; else nothing is computed.

use super::derive::Step;
use crate::claims::known::amount::{Amount, Measure};
use crate::claims::known::topic::{meets, telling};
use crate::grounding::wording::{Reading, Term};
use crate::text::phrases::Phrases;
use std::ops::Range;
use std::sync::LazyLock;

/// A sentence, a line or a row with its numbers.
#[derive(Debug)]
pub struct Told<'a> {
    /// Its words.
    pub text: &'a str,
    /// Its words, read.
    pub reading: &'a Reading,
    /// Its amounts, in order, and where each stands in its words. The claim itself is none of them.
    pub amounts: Vec<(Amount, Range<usize>)>,
    /// Where the claim is, in its own sentence.
    pub own: Option<Range<usize>>,
    periods: Vec<(Period, Range<usize>)>,
}

impl<'a> Told<'a> {
    /// A sentence with its amounts, and where the claim is in it.
    pub fn new(
        text: &'a str,
        reading: &'a Reading,
        amounts: Vec<(Amount, Range<usize>)>,
        own: Option<Range<usize>>,
    ) -> Self {
        let periods = periods(text, reading, own.as_ref());
        Self { text, reading, amounts, own, periods }
    }
}

/// What is wanted of a series.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The number that was claimed.
    pub amount: &'a Amount,
    /// The sentence of the claim, which names what it is of.
    pub sentence: &'a Reading,
    /// The words of the sentence.
    pub text: &'a str,
    /// The years that it names.
    pub years: &'a [u16],
    /// Whether a share or an amount of change is wanted.
    pub step: Step,
}

/// Two numbers of one thing, the later first, and the places in the list that they are in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    /// The number of the later period.
    pub later: Amount,
    /// The number of the earlier one.
    pub earlier: Amount,
    /// The first and the last sentence that they are in.
    pub told: (usize, usize),
}

/// When a number held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Period {
    Year(u16),
    Quarter(u16),
}

struct Item<'a> {
    period: Period,
    amount: &'a Amount,
    told: usize,
}

/// The two numbers that a change is between, where there can be no doubt which.
pub(crate) fn pair(wanted: Wanted, told: &[Told]) -> Option<Pair> {
    if ANNUALISED.any(wanted.text) {
        return None;
    }
    let mut items: Vec<Item> = told.iter().enumerate().flat_map(|(at, told)| items(at, told)).collect();
    items.retain(|item| fits(wanted, item.amount));
    items.sort_by_key(|item| item.period);
    let same = items.iter().all(|item| items.first().is_some_and(|first| item.amount.measure == first.amount.measure));
    let (earlier, later) = match (items.as_slice(), wanted.years) {
        ([earlier, later], [] | [_]) => (earlier, later),
        (many, [year]) => {
            let of = |year: u16| {
                let mut found = many.iter().filter(|item| item.period == Period::Year(year));
                found.next().filter(|_| found.next().is_none())
            };
            (of(year.checked_sub(1)?)?, of(*year)?)
        }
        _ => return None,
    };
    let in_order = earlier.period < later.period && earlier.period.is_like(later.period);
    let dated = wanted.years.iter().all(|year| later.period == Period::Year(*year));
    // Against the same quarter of the year before, which does not appear here.
    let yearly = matches!(later.period, Period::Quarter(_)) && YEAR_ON_YEAR.any(wanted.text);
    let told_in = (earlier.told.min(later.told), earlier.told.max(later.told));
    let fits = same && in_order && dated && !yearly && one_thing(told, told_in) && is_spoken_of(wanted, told, told_in);
    fits.then(|| Pair { later: later.amount.clone(), earlier: earlier.amount.clone(), told: told_in })
}

impl Period {
    fn is_like(self, other: Self) -> bool {
        matches!((self, other), (Self::Year(_), Self::Year(_)) | (Self::Quarter(_), Self::Quarter(_)))
    }
}

/// A share of change is of any amount that is no share; an amount of change is of the same measure.
fn fits(wanted: Wanted, amount: &Amount) -> bool {
    let exact = amount.is_single() && amount.bound.is_none() && amount.low > 0.0;
    exact
        && if wanted.step == Step::Growth {
            amount.measure != Measure::Ratio
        } else {
            amount.measure == wanted.amount.measure
        }
}

/// The numbers of a sentence with their periods, where the two take turns.
fn items<'a>(at: usize, told: &'a Told) -> Vec<Item<'a>> {
    let periods = &told.periods;
    let outside = |range: &Range<usize>| !periods.iter().any(|(_, p)| p.start < range.end && range.start < p.end);
    let amounts: Vec<&(Amount, Range<usize>)> = told.amounts.iter().filter(|(_, range)| outside(range)).collect();
    let turns = amounts.len() == periods.len()
        && amounts.iter().zip(periods).all(|(a, p)| {
            (a.1.start < p.1.start) == (amounts.first().map(|a| a.1.start) < periods.first().map(|p| p.1.start))
        })
        && amounts.iter().skip(1).zip(periods).all(|(a, p)| p.1.start < a.1.start)
        && periods.iter().skip(1).zip(&amounts).all(|(p, a)| a.1.start < p.1.start);
    if !turns {
        return Vec::new();
    }
    amounts
        .into_iter()
        .zip(periods)
        .map(|((amount, _), (period, _))| Item { period: *period, amount, told: at })
        .collect()
}

fn periods(text: &str, reading: &Reading, own: Option<&Range<usize>>) -> Vec<(Period, Range<usize>)> {
    let years = reading.numbers.dates.iter().filter_map(|date| Some((Period::Year(date.year?), date.range.clone())));
    let quarter = |phrase: &str| QUARTERS.iter().find(|(_, names)| names.contains(&phrase)).map(|(number, _)| *number);
    let quarters =
        QUARTER_NAMES.find(text).filter_map(|found| Some((Period::Quarter(quarter(found.phrase)?), found.range)));
    let mut found: Vec<(Period, Range<usize>)> = years.chain(quarters).collect();
    // "Q1 2023": the quarter tells less than both, and nothing is computed from it.
    found.retain(|(_, range)| own.is_none_or(|own| range.end <= own.start));
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// Whether the sentences between the two numbers, and the words between numbers of one sentence, bring in no other thing.
fn one_thing(told: &[Told], (first, last): (usize, usize)) -> bool {
    let Some(lead) = told.get(first) else { return false };
    let begin = lead.amounts.first().map_or(0, |(_, range)| range.start);
    let known: Vec<&Term> =
        telling(&lead.reading.terms).into_iter().filter(|term| term.range.end <= begin || first != last).collect();
    let among = |term: &&Term| known.iter().any(|other| meets(term, other));
    match first == last {
        true => {
            let end = lead.amounts.last().map_or(0, |(_, range)| range.start);
            let between = |term: &&&Term| term.range.start >= begin && term.range.end <= end && !is_amount(lead, term);
            telling(&lead.reading.terms).iter().filter(between).all(among)
        }
        false => told.iter().take(last + 1).skip(first + 1).all(|other| {
            let until = other.own.as_ref().map_or(other.text.len(), |own| own.start);
            telling(&other.reading.terms).iter().filter(|t| t.range.end <= until && !is_amount(other, t)).all(among)
        }),
    }
}

/// Whether the claim's sentence speaks of nothing that does not be with the numbers.
fn is_spoken_of(wanted: Wanted, told: &[Told], (first, last): (usize, usize)) -> bool {
    let own = told.iter().position(|told| told.own.is_some());
    let mine = telling(&wanted.sentence.terms);
    let claim = own.and_then(|at| told.get(at)?.own.clone());
    // In the sentence of the numbers only what is between them and the claim is the claim's.
    let reached =
        own.filter(|at| (first..=last).contains(at)).and_then(|at| told.get(at)?.amounts.last().map(|a| a.1.end));
    let held = |term: &Term| {
        let sentences = told.iter().enumerate().skip(first).take(last + 1 - first);
        sentences.flat_map(|(at, told)| told.reading.terms.iter().map(move |other| (at, other))).any(|(at, other)| {
            let itself = Some(at) == own && reached.is_none_or(|reached| other.range.start >= reached);
            !itself && meets(term, other)
        })
    };
    mine.into_iter()
        .filter(|term| reached.is_none_or(|reached| term.range.start >= reached))
        .filter(|term| {
            claim.as_ref().is_none_or(|claim| term.range.end <= claim.start || term.range.start >= claim.end)
        })
        .all(held)
}

/// "Dollars" and 万 belong to the number, 季度 to the period.
fn is_amount(told: &Told, term: &Term) -> bool {
    let over = |range: &Range<usize>| range.start < term.range.end && term.range.start < range.end;
    told.amounts.iter().any(|(_, range)| over(range)) || told.periods.iter().any(|(_, range)| over(range))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&QUARTER_NAMES);
    LazyLock::force(&ANNUALISED);
    LazyLock::force(&YEAR_ON_YEAR);
}

static QUARTER_NAMES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(QUARTERS.iter().flat_map(|(_, names)| names.iter().copied())));
static ANNUALISED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new([
        "annualised",
        "annualized",
        "cagr",
        "compound",
        "per year",
        "a year",
        "annually",
        "on average",
        "年均",
        "复合",
        "年化",
        "平均",
    ])
});
static YEAR_ON_YEAR: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(["同比", "year on year", "year-on-year", "year over year", "year-over-year", "yoy"]));

const QUARTERS: &[(u16, &[&str])] = &[
    (1, &["q1", "first quarter", "第一季度", "一季度"]),
    (2, &["q2", "second quarter", "第二季度", "二季度"]),
    (3, &["q3", "third quarter", "第三季度", "三季度"]),
    (4, &["q4", "fourth quarter", "第四季度", "四季度"]),
];
