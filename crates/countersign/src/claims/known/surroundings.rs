//! The words around a claim, by which two claims of the same number are told apart.

use crate::contract::{Claim, ClaimKind, Language};
use crate::grounding::wording::{Reading, Term, head};
use crate::text::sentences::sentences;
use crate::text::stems::Key;
use std::ops::Range;
use std::sync::Arc;

/// What is around a claim in its sentence.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The sentence, read once for all its claims.
    pub sentence: Arc<Reading>,
    /// Where the sentence is in the message, in bytes.
    pub place: Range<usize>,
    /// The words near the claim: its clause, or the sentence where the clause says too little.
    pub near: Vec<Term>,
    /// The years that the sentence names beside the claim.
    pub years: Vec<u16>,
    /// The language of the sentence.
    pub language: Language,
}

/// The surroundings of each claim of a text. Each sentence is read once.
pub(crate) fn around(content: &str, claims: &[Claim]) -> Vec<Surroundings> {
    let cuts = if claims.is_empty() { Vec::new() } else { sentences(content) };
    let mut last: Option<(Range<usize>, Arc<Reading>)> = None;
    let mut found = Vec::with_capacity(claims.len());
    for claim in claims {
        let at = cuts.partition_point(|range| range.end <= claim.start);
        let place = cuts.get(at).cloned().unwrap_or(content.len()..content.len());
        let reading = match &last {
            Some((known, reading)) if *known == place => Arc::clone(reading),
            _ => Arc::new(Reading::clipped(content.get(place.clone()).unwrap_or_default())),
        };
        last = Some((place.clone(), Arc::clone(&reading)));
        let text = content.get(place.clone()).unwrap_or_default();
        found.push(Surroundings::new(claim, text, place, reading));
    }
    found
}

impl Surroundings {
    fn new(claim: &Claim, text: &str, place: Range<usize>, sentence: Arc<Reading>) -> Self {
        let inside = claim.start.saturating_sub(place.start)..claim.end.saturating_sub(place.start);
        let mut near = near(head(text, LONGEST), &sentence, &inside);
        // What is counted or ranked tells claims apart; "eighth" or "dollars" is the value over again.
        let subject = matches!(claim.kind, ClaimKind::Quantity | ClaimKind::Statistic | ClaimKind::Comparison);
        near.retain(|term| subject || term.range.end <= inside.start || term.range.start >= inside.end);
        let apart = |range: &Range<usize>| range.end <= inside.start || range.start >= inside.end;
        let dates = sentence.numbers.dates.iter().filter(|date| apart(&date.range));
        let mut years: Vec<u16> = dates.filter_map(|date| date.year).collect();
        years.sort_unstable();
        years.dedup();
        Self { sentence, place, near, years, language: claim.language }
    }

    /// Whether the two sentences name years, and no year in common.
    pub fn other_period(&self, other: &Self) -> bool {
        let shared = self.years.iter().any(|year| other.years.contains(year));
        !self.years.is_empty() && !other.years.is_empty() && !shared
    }

    /// Whether there is nothing around it that could tell it from others.
    pub fn is_bare(&self) -> bool {
        self.near.is_empty()
    }

    /// How much of the words near one is near the other, and a little for the rest of its sentence; in the better
    /// direction, because a re-wording may leave out or add, but hardly both.
    pub fn likeness(&self, other: &Self) -> f64 {
        let one_way = |a: &Self, b: &Self| 0.7 * overlap(&a.near, &b.near) + 0.3 * share(&a.near, &b.sentence);
        one_way(self, other).max(one_way(other, self))
    }
}

/// The share of some terms' weight that is among others.
pub(crate) fn overlap(terms: &[Term], others: &[Term]) -> f64 {
    let meets = |a: &Term, b: &Term| has_any(a, &b.keys) || (a.kin.is_some() && a.kin == b.kin);
    let total: f64 = terms.iter().map(|term| term.weight).sum();
    let held = terms.iter().filter(|term| others.iter().any(|other| meets(term, other)));
    let held: f64 = held.map(|term| term.weight).sum();
    if total > 0.0 { held / total } else { 0.0 }
}

/// The share of some terms' weight that is in a sentence; nothing where there are no terms.
pub(crate) fn share(terms: &[Term], sentence: &Reading) -> f64 {
    let total: f64 = terms.iter().map(|term| term.weight).sum();
    let held: f64 = terms.iter().filter(|term| sentence.nearly_holds(term)).map(|term| term.weight).sum();
    if total > 0.0 { held / total } else { 0.0 }
}

/// Whether any key of a term is in a list.
pub(crate) fn has_any(term: &Term, keys: &[Key]) -> bool {
    term.keys.iter().any(|key| keys.contains(key))
}

/// The terms around a claim, at most `WINDOW` of weight to each side: those that belong to it and not to the number
/// beside it, of the whole sentence where these say next to nothing.
pub(crate) fn near(text: &str, sentence: &Reading, claim: &Range<usize>) -> Vec<Term> {
    let at = sentence.terms.partition_point(|term| term.range.end <= claim.start);
    let part = part_of(text, sentence, claim);
    let window = |keep: &dyn Fn(&Term) -> bool| {
        let take = |terms: &mut dyn Iterator<Item = &Term>| {
            let mut room = WINDOW;
            let fits = |term: &&Term| {
                room -= term.weight;
                room >= 0.0
            };
            terms.take_while(|term| keep(term)).take_while(fits).cloned().collect::<Vec<Term>>()
        };
        let mut found = take(&mut sentence.terms.iter().take(at).rev());
        found.reverse();
        found.extend(take(&mut sentence.terms.iter().skip(at)));
        found
    };
    let own = window(&|term| part.start <= term.range.start && term.range.end <= part.end);
    let weight: f64 = own.iter().map(|term| term.weight).sum();
    if weight >= 1.5 { own } else { window(&|_| true) }
}

/// The part of the sentence that speaks of the claim: between commas, and between the conjunctions that lead over to
/// another number.
fn part_of(text: &str, sentence: &Reading, claim: &Range<usize>) -> Range<usize> {
    let numbers = &sentence.numbers;
    let ranges = || numbers.quantities.iter().map(|q| &q.range).chain(numbers.dates.iter().map(|d| &d.range));
    let before = ranges().filter(|range| range.end <= claim.start).map(|range| range.end).max();
    let behind = ranges().filter(|range| range.start >= claim.end).map(|range| range.start).min();
    let head = text.get(..claim.start).unwrap_or_default();
    let tail = text.get(claim.end..).unwrap_or_default();
    let led =
        |from: usize| CONJUNCTIONS.iter().filter_map(move |word| Some(from + head.get(from..)?.rfind(word)?)).max();
    let comma = head.rfind(COMMAS).map_or(0, |at| at + 1);
    let start = comma.max(before.and_then(led).unwrap_or(0));
    let comma = tail.find(COMMAS).map_or(text.len(), |at| claim.end + at);
    let until = |to: usize| {
        let tail = text.get(claim.end..to)?;
        CONJUNCTIONS.iter().filter_map(|word| Some(claim.end + tail.find(word)?)).min()
    };
    start..comma.min(behind.and_then(until).unwrap_or(text.len()))
}

/// No sentence is read beyond this.
const LONGEST: usize = 4000;
const WINDOW: f64 = 8.0;
const COMMAS: [char; 8] = [',', ';', ':', '，', '；', '：', '(', '（'];
const CONJUNCTIONS: &[&str] = &[" and ", " while ", " whereas ", " but ", " with ", "、", "和", "而", "且", "并"];
