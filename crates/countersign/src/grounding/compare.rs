//! Compares a sentence of the answer with the units of evidence nearest to it.

use super::evidence::{Evidence, Unit};
use super::figures::{Figures, holds_date, holds_quantity};
use crate::grounding::wording::{Reading, Term};
use crate::text::stems::Key;
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
    /// The weight of the names that do not appear.
    pub strange_names: f64,
    /// Of the words found in the window, those that are denied there and not here.
    pub denied: f64,
    /// How far the context is running text.
    pub prose: f64,
}

/// The units nearest to a sentence, best first.
pub(crate) fn nearest<'a>(sentence: &Reading, evidence: &'a Evidence) -> Vec<(usize, &'a Unit)> {
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
        |unit: &Unit| sentence.share(|term| unit.reading.holds(term)) + 0.2 * measure_support(sentence, &unit.reading);
    let unit = |at: &u32| Some((*at as usize, evidence.units.get(*at as usize)?));
    let mut found: Vec<(f64, (usize, &Unit))> =
        ranked.iter().filter_map(|(at, _)| unit(at)).map(|found| (score(found.1), found)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.0.cmp(&b.1.0)));
    found.into_iter().take(TOP).map(|(_, found)| found).collect()
}

/// Measures a sentence against its evidence. What the user said counts as found: restating it claims nothing.
pub(crate) fn measure(
    sentence: &Reading,
    figures: &Figures,
    evidence: &Evidence,
    nearest: &[(usize, &Unit)],
) -> Likeness {
    let asked = &evidence.asked;
    let covered = |window: &[&Unit]| measure_coverage(sentence, figures, asked, window);
    let (window, around) = best_window(evidence, nearest, covered);
    let strange = |term: &Term| !asked.holds(term) && !evidence.nearly_holds(term);
    Likeness {
        anywhere: sentence.share(|term| asked.holds(term) || evidence.holds(term)),
        // Where there are no words, figures are all, and `numbers` says it.
        window: if sentence.terms.is_empty() { 1.0 } else { window },
        close: closeness(sentence, nearest),
        numbers: figures.share(),
        strange_names: sentence.terms.iter().filter(|term| term.name && strange(term)).map(|term| term.weight).sum(),
        denied: measure_denial(sentence, &around),
        prose: evidence.prose(),
    }
}

/// The two neighbouring units that cover a sentence best, with the share. A question without its answer says nothing.
fn best_window<'a>(
    evidence: &'a Evidence,
    nearest: &[(usize, &Unit)],
    covered: impl Fn(&[&Unit]) -> f64,
) -> (f64, Vec<&'a Unit>) {
    let mut best = (0.0, Vec::new());
    for (at, _) in nearest {
        for from in [at.saturating_sub(1), *at] {
            let mut window: Vec<&Unit> = evidence.units.iter().skip(from).take(2).collect();
            while window.pop_if(|unit| unit.reading.asks).is_some() {}
            let share = covered(&window);
            if share > best.0 {
                best = (share, window);
            }
        }
    }
    best
}

/// The share of what a sentence tells, figures included, that is in some units. What was only asked there counts
/// half.
fn measure_coverage(sentence: &Reading, figures: &Figures, asked: &Reading, window: &[&Unit]) -> f64 {
    let (mut held, mut all) = (0.0, 0.0);
    for term in &sentence.terms {
        let here = |asks: bool| window.iter().any(|u| u.reading.asks == asks && u.reading.nearly_holds(term));
        all += term.telling;
        held += match () {
            () if asked.holds(term) || here(false) => term.telling,
            () if here(true) => term.telling / 2.0,
            () => 0.0,
        };
    }
    let (known, stated) = figures.within(sentence, window.iter().map(|unit| &unit.reading));
    (held + known as f64) / (all + stated as f64).max(f64::MIN_POSITIVE)
}

/// How near to each other, and in which order, the neighbouring terms of a sentence stand in its evidence: 1 where
/// each two stand as they do here, 0 where no unit has both. Half of it is the best that any one unit has for all of
/// them: what is true of one name here and of another there is not true of both. A question says nothing.
fn closeness(sentence: &Reading, nearest: &[(usize, &Unit)]) -> f64 {
    let pairs = Pairs::of(sentence);
    if pairs.two.is_empty() {
        return 1.0;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut each = vec![0.0; pairs.two.len()];
    let mut together = 0.0_f64;
    for (_, unit) in nearest.iter().filter(|(_, unit)| !unit.reading.asks) {
        let here = pairs.within(&unit.reading);
        together = together.max(mean(&here));
        each.iter_mut().zip(here).for_each(|(best, here)| *best = here.max(*best));
    }
    (mean(&each) + together) / 2.0
}

/// The neighbouring terms of a sentence, by two.
struct Pairs {
    /// The keys of both, and how many words lie between their beginnings.
    two: Vec<(Key, Key, usize)>,
    /// The places of the pairs that a key begins and ends.
    begins: FxHashMap<Key, Vec<usize>>,
    ends: FxHashMap<Key, Vec<usize>>,
}

impl Pairs {
    fn of(sentence: &Reading) -> Self {
        let neighbours = |pair: &[(Key, usize)]| match pair {
            [first, second] => Some((first.0, second.0, second.1.saturating_sub(first.1))),
            _ => None,
        };
        let two: Vec<_> = sentence.marks.windows(2).filter_map(neighbours).collect();
        let mut pairs = Self { two, begins: FxHashMap::default(), ends: FxHashMap::default() };
        for (at, (first, second, _)) in pairs.two.iter().enumerate() {
            pairs.begins.entry(*first).or_default().push(at);
            pairs.ends.entry(*second).or_default().push(at);
        }
        pairs
    }

    /// How near the two of each pair come to each other in one unit, in one pass over it.
    fn within(&self, unit: &Reading) -> Vec<f64> {
        let mut best = vec![0.0_f64; self.two.len()];
        let mut last: FxHashMap<Key, usize> = FxHashMap::default();
        for (key, place) in unit.marks.iter().copied() {
            let (begun, ended) = (self.begins.get(&key), self.ends.get(&key));
            let mut meet = |places: Option<&Vec<usize>>, order: f64, other: fn(&(Key, Key, usize)) -> Key| {
                for at in places.into_iter().flatten().take(REPEATED) {
                    let (Some(pair), Some(best)) = (self.two.get(*at), best.get_mut(*at)) else { continue };
                    let Some(before) = last.get(&other(pair)) else { continue };
                    let gap = place.saturating_sub(*before + pair.2) as f64;
                    *best = best.max(order / (1.0 + gap / 3.0));
                }
            };
            meet(ended, 1.0, |pair| pair.0);
            meet(begun, REVERSED, |pair| pair.1);
            if begun.is_some() || ended.is_some() {
                last.insert(key, place);
            }
        }
        best
    }
}

/// Of the words of the evidence that a sentence has too, the share that is denied there. A sentence that denies
/// something itself has none: which denial meets which cannot be told.
fn measure_denial(sentence: &Reading, around: &[&Unit]) -> f64 {
    if !sentence.negated.is_empty() {
        return 0.0;
    }
    let shared = |term: &&Term| term.keys.first().is_some_and(|key| sentence.keys.contains(key));
    let (mut no, mut all) = (0, 1);
    for unit in around {
        for term in unit.reading.terms.iter().filter(shared) {
            all += 1;
            no += usize::from(term.negated || unit.denied);
        }
    }
    ratio(no, all)
}

/// The share of a sentence's numbers and dates that one unit bears out; 1 where it has none.
fn measure_support(sentence: &Reading, other: &Reading) -> f64 {
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
/// What two terms in the other order count.
const REVERSED: f64 = 0.6;
/// A word that a sentence repeats is looked up so often at most.
const REPEATED: usize = 8;
