//! Compares a sentence of the answer with the units of evidence nearest to it.

use super::evidence::{Evidence, Unit};
use crate::score::wording::{Reading, Term};
use crate::text::numbers::quantities::Quantity;
use rustc_hash::FxHashMap;

/// What the comparison found, each a share within 0 and 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Likeness {
    /// Words found anywhere.
    pub anywhere: f64,
    /// Words found in the three best units.
    pub top: f64,
    /// Neighbouring words found as neighbours in the best units.
    pub pairs: f64,
    /// Names found in the window.
    pub names: f64,
    /// Numbers and dates found anywhere.
    pub numbers: f64,
    /// Words or their kin found anywhere.
    pub kin: f64,
    /// Words or their kin found in the window.
    pub near_kin: f64,
    /// Words of matter in the sentence.
    pub length: f64,
}

/// The units nearest to a sentence, best first.
pub fn nearest<'a>(sentence: &Reading, evidence: &'a Evidence) -> Vec<(usize, &'a Unit)> {
    let mut scores: FxHashMap<u32, f64> = FxHashMap::default();
    for term in &sentence.terms {
        let mut last = None;
        for unit in evidence.units_with(term) {
            if last != Some(unit) {
                *scores.entry(unit).or_default() += term.weight;
            }
            last = Some(unit);
        }
    }
    let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
    // Numbers break ties: of two like sentences the one with the same figures is meant.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.truncate(8);
    let mut found: Vec<(usize, &Unit)> =
        ranked.iter().filter_map(|(at, _)| Some((*at as usize, evidence.units.get(*at as usize)?))).collect();
    let score = |unit: &Unit| sentence.share(|term| unit.reading.holds(term)) + 0.2 * figures(sentence, &unit.reading);
    found.sort_by(|a, b| score(b.1).total_cmp(&score(a.1)).then(a.0.cmp(&b.0)));
    found.truncate(TOP);
    found
}

/// Measures a sentence against its evidence. What the user said counts as found: restating it claims nothing.
pub fn measure(sentence: &Reading, evidence: &Evidence, nearest: &[(usize, &Unit)]) -> Likeness {
    let asked = &evidence.asked;
    let top: Vec<&Reading> = nearest.iter().take(3).map(|(_, unit)| &unit.reading).collect();
    let around: Vec<&Reading> = nearest.first().map(|(at, best)| window(evidence, *at, best)).unwrap_or_default();
    let near: Vec<&Reading> = top.iter().chain(&around).copied().collect();
    let among = |set: &[&Reading], term: &Term| asked.holds(term) || set.iter().any(|reading| reading.holds(term));
    let pairs = sentence.pairs.iter().filter(|pair| near.iter().any(|reading| reading.pairs.contains(pair))).count();
    Likeness {
        anywhere: sentence.share(|term| asked.holds(term) || evidence.holds(term)),
        top: sentence.share(|term| among(&top, term)),
        pairs: ratio(pairs, sentence.pairs.len()),
        names: names(sentence, |term| among(&around, term)),
        numbers: figures_anywhere(sentence, evidence),
        kin: sentence.share(|term| asked.holds(term) || evidence.nearly_holds(term)),
        near_kin: sentence.share(|term| asked.holds(term) || near.iter().any(|r| r.nearly_holds(term))),
        length: sentence.weight(),
    }
}

/// The best unit with its neighbours from the same text.
fn window<'a>(evidence: &'a Evidence, at: usize, best: &Unit) -> Vec<&'a Reading> {
    let places = at.saturating_sub(1)..=at + 1;
    let units = places.filter_map(|at| evidence.units.get(at)).filter(|unit| unit.source == best.source);
    units.map(|unit| &unit.reading).collect()
}

/// The share of a sentence's numbers and dates that one unit bears out; 1 where it has none.
pub fn figures(sentence: &Reading, other: &Reading) -> f64 {
    let (mine, theirs) = (&sentence.numbers, &other.numbers);
    let quantities = mine.quantities.iter().filter(|q| theirs.quantities.iter().take(64).any(|o| q.agrees(o))).count();
    let dates = mine.dates.iter().filter(|d| theirs.dates.iter().take(64).any(|o| d.is_in(o))).count();
    ratio(quantities + dates, mine.quantities.len() + mine.dates.len())
}

/// The share of a sentence's numbers and dates that stand anywhere. One that can only be computed counts half.
fn figures_anywhere(sentence: &Reading, evidence: &Evidence) -> f64 {
    let mine = &sentence.numbers;
    let credit = |q: &Quantity| match () {
        () if evidence.knows(q) => 1.0,
        () if evidence.derives(q) => 0.5,
        () => 0.0,
    };
    let quantities: f64 = mine.quantities.iter().map(credit).sum();
    let dates = mine.dates.iter().filter(|date| evidence.knows_date(date)).count();
    let all = mine.quantities.len() + mine.dates.len();
    if all == 0 { 1.0 } else { (quantities + dates as f64) / all as f64 }
}

fn names(sentence: &Reading, held: impl Fn(&Term) -> bool) -> f64 {
    let names: Vec<_> = sentence.terms.iter().filter(|term| term.name).collect();
    ratio(names.iter().filter(|term| held(term)).count(), names.len())
}

/// A share of nothing is whole.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// How many units are looked at closely.
const TOP: usize = 5;
