//! Compares a sentence of the answer with the units of evidence nearest to it.

use super::evidence::{Evidence, Unit};
use super::figures::{Figures, holds_date, holds_quantity};
use crate::grounding::stems::Key;
use crate::grounding::wording::{Reading, Term};
use rustc_hash::FxHashMap;

/// What the comparison found; shares lie within 0 and 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Likeness {
    /// Words found anywhere.
    pub anywhere: f64,
    /// Words and figures found in the best two neighbouring units.
    pub window: f64,
    /// Neighbouring words found near each other in one unit, in the same order.
    pub close: f64,
    /// Numbers and dates found anywhere.
    pub numbers: f64,
    /// The weight of the names that stand nowhere.
    pub strange_names: f64,
    /// Of the words found in the window, those that are denied there and not here.
    pub denied: f64,
    /// How far the context is running text.
    pub prose: f64,
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
    ranked.truncate(12);
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
    let found =
        |set: &[&Reading], term: &Term| asked.holds(term) || set.iter().any(|reading| reading.nearly_holds(term));
    let covered = |set: &[&Reading]| {
        let (words, all) = told(sentence, |term| found(set, term));
        let (known, stated) = figures.within(sentence, set);
        (words + known as f64) / (all + stated as f64)
    };
    let (window, around) = best_window(evidence, nearest, covered);
    let strange = |term: &Term| !asked.holds(term) && !evidence.nearly_holds(term);
    Likeness {
        anywhere: sentence.share(|term| asked.holds(term) || evidence.holds(term)),
        // Where there are no words, figures are all, and `numbers` says it.
        window: if sentence.terms.is_empty() { 1.0 } else { window },
        close: closeness(sentence, nearest),
        numbers: figures.share(),
        strange_names: sentence.terms.iter().filter(|term| term.name && strange(term)).map(|term| term.weight).sum(),
        denied: denied(sentence, &around),
        prose: evidence.prose(),
    }
}

/// What the terms of a sentence tell: that which a test accepts, and all.
fn told(sentence: &Reading, accepts: impl Fn(&Term) -> bool) -> (f64, f64) {
    let (mut held, mut total) = (0.0, 0.0);
    for term in &sentence.terms {
        total += term.telling;
        held += if accepts(term) { term.telling } else { 0.0 };
    }
    (held, total)
}

/// The two neighbouring units that cover a sentence best, with the share.
fn best_window<'a>(
    evidence: &'a Evidence,
    nearest: &[(usize, &Unit)],
    covered: impl Fn(&[&Reading]) -> f64,
) -> (f64, Vec<&'a Reading>) {
    let mut best = (0.0, Vec::new());
    for (at, _) in nearest {
        for from in [at.saturating_sub(1), *at] {
            let window: Vec<&Reading> = evidence.units.iter().skip(from).take(2).map(|unit| &unit.reading).collect();
            let share = covered(&window);
            if share > best.0 {
                best = (share, window);
            }
        }
    }
    best
}

/// How near to each other, and in which order, the neighbouring terms of a sentence stand in its evidence: 1 where
/// each two stand as they do here, 0 where no unit has both. One pass over each unit.
fn closeness(sentence: &Reading, nearest: &[(usize, &Unit)]) -> f64 {
    let two: Vec<(Key, Key, usize)> = sentence.marks.windows(2).filter_map(neighbours).collect();
    if two.is_empty() {
        return 1.0;
    }
    let mut begins: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    let mut ends: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    for (at, (first, second, _)) in two.iter().enumerate() {
        begins.entry(*first).or_default().push(at);
        ends.entry(*second).or_default().push(at);
    }
    let mut best = vec![0.0_f64; two.len()];
    for (_, unit) in nearest {
        let mut last: FxHashMap<Key, usize> = FxHashMap::default();
        for (key, place) in unit.reading.marks.iter().copied() {
            let mut meet = |pairs: Option<&Vec<usize>>, order: f64, other: fn(&(Key, Key, usize)) -> Key| {
                for at in pairs.into_iter().flatten().take(8) {
                    let (Some(pair), Some(best)) = (two.get(*at), best.get_mut(*at)) else { continue };
                    let Some(before) = last.get(&other(pair)) else { continue };
                    let gap = place.saturating_sub(*before + pair.2) as f64;
                    *best = best.max(order / (1.0 + gap / 3.0));
                }
            };
            meet(ends.get(&key), 1.0, |pair| pair.0);
            meet(begins.get(&key), 0.6, |pair| pair.1);
            if begins.contains_key(&key) || ends.contains_key(&key) {
                last.insert(key, place);
            }
        }
    }
    best.iter().sum::<f64>() / best.len() as f64
}

/// Two neighbouring terms, and how many words lie between their beginnings.
fn neighbours(pair: &[(Key, usize)]) -> Option<(Key, Key, usize)> {
    let [first, second] = pair else { return None };
    Some((first.0, second.0, second.1.saturating_sub(first.1)))
}

/// Of the words of the evidence that a sentence has too, the share that is denied there. A sentence that denies
/// something itself has none: which denial meets which cannot be told.
fn denied(sentence: &Reading, around: &[&Reading]) -> f64 {
    if !sentence.negated.is_empty() {
        return 0.0;
    }
    let shared = |term: &&Term| term.keys.first().is_some_and(|key| sentence.keys.contains(key));
    let (mut no, mut all) = (0, 1);
    for term in around.iter().flat_map(|reading| &reading.terms).filter(shared) {
        all += 1;
        no += usize::from(term.negated);
    }
    ratio(no, all)
}

/// The share of a sentence's numbers and dates that one unit bears out; 1 where it has none.
fn borne_out(sentence: &Reading, other: &Reading) -> f64 {
    let mine = &sentence.numbers;
    let quantities = mine.quantities.iter().filter(|q| holds_quantity(other, q)).count();
    let dates = mine.dates.iter().filter(|d| holds_date(other, d)).count();
    ratio(quantities + dates, mine.quantities.len() + mine.dates.len())
}

/// A share of nothing is whole.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// How many units are looked at closely.
const TOP: usize = 8;
