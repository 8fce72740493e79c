//! What a source says of a claim, what its word weighs, and what comes of all words together.

use countersign::claims::settle::{Finding, Quote, Subject};
use countersign::contract::{ClaimSource, ClaimStatus, ClaimUpdate, Language};
use countersign::localized;

/// What the word of each source weighs; 1 settles a claim alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// A tool result of the session.
    pub tool_result: f64,
    /// A computation.
    pub arithmetic: f64,
    /// A passage of the knowledge base.
    pub knowledge_base: f64,
    /// A fact checker of the engine.
    pub fact_checker: f64,
    /// A model that quotes a passage.
    pub model_quoting: f64,
    /// A model's word alone.
    pub model: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            tool_result: 1.0,
            arithmetic: 1.0,
            knowledge_base: 1.0,
            fact_checker: 1.0,
            model_quoting: 0.75,
            model: 0.5,
        }
    }
}

/// One source's word.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opinion {
    pub(super) side: Side,
    pub(super) weight: f64,
    pub(super) note: String,
    pub(super) source: ClaimSource,
}

/// For or against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Supports,
    Conflicts,
}

/// The clearest words for and against a claim among many passages.
#[derive(Debug)]
pub(super) struct Clearest<P> {
    supports: Option<(P, Quote)>,
    conflicts: Option<(P, Quote)>,
}

impl<P> Clearest<P> {
    pub(super) fn new() -> Self {
        Self { supports: None, conflicts: None }
    }

    pub(super) fn take(&mut self, passage: P, finding: Finding) {
        let (best, quote) = match finding {
            Finding::Supports(quote) => (&mut self.supports, quote),
            Finding::Conflicts(quote) => (&mut self.conflicts, quote),
            Finding::Silent => return,
        };
        if best.as_ref().is_none_or(|(_, best)| quote.strength > best.strength) {
            *best = Some((passage, quote));
        }
    }

    /// Both sides, as far as there are any.
    pub(super) fn sides(self) -> impl Iterator<Item = (Side, P, Quote)> {
        let named = |side: Side, found: Option<(P, Quote)>| found.map(|(passage, quote)| (side, passage, quote));
        named(Side::Supports, self.supports).into_iter().chain(named(Side::Conflicts, self.conflicts))
    }
}

/// What a document says, in a sentence.
pub(super) fn note(subject: &Subject, side: Side, document: &str, says: &str) -> String {
    let (language, claimed) = (subject.claim.language, &subject.claim.text);
    match side {
        Side::Supports => localized!(language, "{document} says {says}", "{document} 中为 {says}"),
        Side::Conflicts => {
            localized!(language, "{document} says {says}, not {claimed}", "{document} 中为 {says}，不是 {claimed}")
        }
    }
}

/// What comes of all words: the weightier side, where it outweighs the other by enough; else nobody could tell.
pub(super) fn conclude(id: &str, language: Language, opinions: &[Opinion], least: f64, asked: &str) -> ClaimUpdate {
    let weight = |side: Side| opinions.iter().filter(|o| o.side == side).map(|o| o.weight).sum::<f64>();
    let (for_it, against) = (weight(Side::Supports), weight(Side::Conflicts));
    let untold = |note: String| ClaimUpdate {
        id: id.to_owned(),
        status: ClaimStatus::Unverifiable,
        note: Some(note),
        source: None,
    };
    if opinions.is_empty() {
        return untold(localized!(
            language,
            "no source could tell (asked: {asked})",
            "没有来源能够判断（已查：{asked}）"
        ));
    }
    if (for_it - against).abs() < least {
        let notes: Vec<&str> = opinions.iter().map(|opinion| opinion.note.as_str()).collect();
        let notes = notes.join("; ");
        return untold(localized!(language, "the sources disagree: {notes}", "来源之间不一致：{notes}"));
    }
    let (side, status) = match for_it > against {
        true => (Side::Supports, ClaimStatus::Verified),
        false => (Side::Conflicts, ClaimStatus::Disputed),
    };
    let told = opinions.iter().find(|opinion| opinion.side == side);
    let (note, source) = (told.map(|o| o.note.clone()), told.map(|o| o.source.clone()));
    ClaimUpdate { id: id.to_owned(), status, note, source }
}

/// A text, cut to what fits into an event.
pub(super) fn clipped(text: &str) -> String {
    if text.chars().count() <= PASSAGE {
        return text.to_owned();
    }
    text.chars().take(PASSAGE).chain(['…']).collect()
}

const PASSAGE: usize = 600;
