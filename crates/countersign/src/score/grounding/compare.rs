//! Compares a sentence of the answer with the units of evidence nearest to it.

use super::evidence::{Evidence, Unit};
use crate::score::wording::Reading;
use rustc_hash::FxHashMap;

/// What the comparison found, each a share within 0 and 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Likeness {
    /// Words found anywhere.
    pub anywhere: f64,
    /// Words found in the best unit.
    pub best: f64,
    /// Words found in the best unit and its neighbours.
    pub window: f64,
    /// Words found in the three best units.
    pub top: f64,
    /// Neighbouring words found as neighbours in the best units.
    pub pairs: f64,
    /// Names found in the window.
    pub names: f64,
    /// Numbers and dates found anywhere.
    pub numbers: f64,
    /// Numbers and dates found in the best units.
    pub near_numbers: f64,
    /// Words or their kin found anywhere.
    pub kin: f64,
    /// Words or their kin found in the window.
    pub near_kin: f64,
    /// Words of matter in the sentence.
    pub length: f64,
    /// Logarithm of the number of units.
    pub breadth: f64,
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

/// Measures a sentence against its evidence.
pub fn measure(sentence: &Reading, evidence: &Evidence, nearest: &[(usize, &Unit)]) -> Likeness {
    let Some((at, best)) = nearest.first() else {
        return Likeness {
            numbers: figures_anywhere(sentence, evidence),
            near_numbers: if has_figures(sentence) { 0.0 } else { 1.0 },
            names: if sentence.terms.iter().any(|t| t.name) { 0.0 } else { 1.0 },
            length: sentence.weight(),
            breadth: breadth(evidence),
            ..Likeness::default()
        };
    };
    let around: Vec<&Reading> = (at.saturating_sub(1)..=at + 1)
        .filter_map(|at| evidence.units.get(at))
        .filter(|unit| unit.source == best.source)
        .map(|unit| &unit.reading)
        .collect();
    let top: Vec<&Reading> = nearest.iter().take(3).map(|(_, unit)| &unit.reading).collect();
    let either = |set: &[&Reading], term: &_| set.iter().any(|reading| reading.holds(term));
    let pairs = sentence.pairs.iter().filter(|pair| top.iter().chain(&around).any(|r| r.pairs.contains(pair))).count();
    Likeness {
        anywhere: sentence.share(|term| evidence.holds(term) || evidence.asked.holds(term)),
        best: sentence.share(|term| best.reading.holds(term)),
        window: sentence.share(|term| either(&around, term)),
        top: sentence.share(|term| either(&top, term)),
        pairs: ratio(pairs, sentence.pairs.len()),
        names: names(sentence, |term| either(&around, term)),
        numbers: figures_anywhere(sentence, evidence),
        near_numbers: top.iter().chain(&around).map(|r| figures(sentence, r)).fold(0.0, f64::max),
        kin: sentence.share(|term| evidence.nearly_holds(term)),
        near_kin: sentence.share(|term| around.iter().chain(&top).any(|r| r.nearly_holds(term))),
        length: sentence.weight(),
        breadth: breadth(evidence),
    }
}

/// The share of a sentence's numbers and dates that one unit bears out; 1 where it has none.
pub fn figures(sentence: &Reading, other: &Reading) -> f64 {
    let (mine, theirs) = (&sentence.numbers, &other.numbers);
    let quantities = mine.quantities.iter().filter(|q| theirs.quantities.iter().take(64).any(|o| q.agrees(o))).count();
    let dates = mine.dates.iter().filter(|d| theirs.dates.iter().take(64).any(|o| d.is_in(o))).count();
    ratio(quantities + dates, mine.quantities.len() + mine.dates.len())
}

fn figures_anywhere(sentence: &Reading, evidence: &Evidence) -> f64 {
    let mine = &sentence.numbers;
    let quantities = mine.quantities.iter().filter(|q| evidence.quantities.iter().any(|o| q.agrees(o))).count();
    let dates = mine.dates.iter().filter(|d| evidence.dates.iter().any(|o| d.is_in(o))).count();
    ratio(quantities + dates, mine.quantities.len() + mine.dates.len())
}

fn has_figures(sentence: &Reading) -> bool {
    !sentence.numbers.quantities.is_empty() || !sentence.numbers.dates.is_empty()
}

fn names(sentence: &Reading, held: impl Fn(&crate::score::wording::Term) -> bool) -> f64 {
    let names: Vec<_> = sentence.terms.iter().filter(|term| term.name).collect();
    ratio(names.iter().filter(|term| held(term)).count(), names.len())
}

fn breadth(evidence: &Evidence) -> f64 {
    (evidence.units.len() as f64 + 1.0).ln()
}

/// A share of nothing is whole.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// How many units are looked at closely.
const TOP: usize = 5;
