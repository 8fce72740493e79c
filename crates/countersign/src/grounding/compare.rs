//! Compares a sentence of the answer with the units of evidence nearest to it.

use super::evidence::{Evidence, Unit};
use super::figures::Figures;
use crate::grounding::wording::{Reading, Term};
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
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.truncate(8);
    // Figures break ties: of two like sentences the one with the same figures is meant.
    let score =
        |unit: &Unit| sentence.share(|term| unit.reading.holds(term)) + 0.2 * borne_out(sentence, &unit.reading);
    let unit = |at: &u32| Some((*at as usize, evidence.units.get(*at as usize)?));
    let mut found: Vec<(f64, (usize, &Unit))> =
        ranked.iter().filter_map(|(at, _)| unit(at)).map(|found| (score(found.1), found)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.0.cmp(&b.1.0)));
    found.into_iter().take(TOP).map(|(_, found)| found).collect()
}

/// Measures a sentence against its evidence. What the user said counts as found: restating it claims nothing.
pub fn measure(sentence: &Reading, figures: &Figures, evidence: &Evidence, nearest: &[(usize, &Unit)]) -> Likeness {
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
        numbers: figures.share(),
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
fn borne_out(sentence: &Reading, other: &Reading) -> f64 {
    let (mine, theirs) = (&sentence.numbers, &other.numbers);
    let quantities = mine.quantities.iter().filter(|q| theirs.quantities.iter().take(64).any(|o| q.agrees(o))).count();
    let dates = mine.dates.iter().filter(|d| theirs.dates.iter().take(64).any(|o| d.is_in(o))).count();
    ratio(quantities + dates, mine.quantities.len() + mine.dates.len())
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
