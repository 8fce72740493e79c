//! The numbers of one sentence, in order, with the words right before and after each.

use crate::claims::known::Telling;
use crate::claims::known::amount::Amount;
use crate::contract::{Claim, language::is_han};
use crate::grounding::wording::Reading;
use crate::text::lists::word_list;
use crate::text::numbers::quantities::Quantity;
use std::ops::Range;

/// A number in its sentence.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    /// What it says.
    pub amount: Amount,
    /// Where it is in the content, in bytes.
    pub range: Range<usize>,
    /// Which claim it is, where it is one.
    pub claim: Option<usize>,
}

/// A sentence of a message with its numbers.
#[derive(Debug)]
pub(crate) struct Sentence<'a> {
    /// The whole message.
    pub content: &'a str,
    /// Where the sentence is.
    pub place: Range<usize>,
    /// Its numbers, in order.
    pub operands: Vec<Operand>,
}

impl<'a> Sentence<'a> {
    /// The numbers of the sentence of a claim: those that are claims, and the bare ones between them.
    pub(crate) fn of(content: &'a str, claims: &[Claim], tellings: &[Telling], at: usize) -> Option<Self> {
        let around = &tellings.get(at)?.around;
        Some(Self::read(content, around.place.clone(), &around.sentence, (claims, tellings)))
    }

    /// The numbers of a stretch of a message that was read.
    pub(crate) fn read(
        content: &'a str,
        place: Range<usize>,
        reading: &Reading,
        (claims, tellings): (&[Claim], &[Telling]),
    ) -> Self {
        let inside = |claim: &Claim| claim.start >= place.start && claim.start < place.end;
        let mut operands = Vec::new();
        let mut taken: Vec<Range<usize>> = Vec::new();
        // The claims of a sentence are neighbours: the walk stays inside it.
        let first = claims.partition_point(|claim| claim.start < place.start);
        for (index, claim) in claims.iter().enumerate().skip(first).take_while(|(_, claim)| inside(claim)).take(MOST) {
            taken.push(claim.start..claim.end);
            if let Some(amount) = tellings.get(index).and_then(Telling::amount) {
                operands.push(Operand { amount: amount.clone(), range: claim.start..claim.end, claim: Some(index) });
            }
        }
        for quantity in reading.numbers.quantities.iter().take(MOST) {
            let range = quantity.range.start + place.start..quantity.range.end + place.start;
            let claimed = taken.iter().find(|other| other.start < range.end && range.start < other.end);
            let found = match claimed {
                None => Amount::of_quantity(quantity).map(|amount| (amount, range)),
                // Of "40 to 50 million" only the end is a claim; the beginning is a number too.
                Some(claim) if quantity.upper.is_some() && range.start < claim.start => {
                    let first = Quantity { upper: None, unit: None, value: quantity.raw, ..quantity.clone() };
                    Amount::of_quantity(&first).map(|amount| (amount, range.start..claim.start))
                }
                Some(_) => None,
            };
            operands.extend(found.map(|(amount, range)| Operand { amount, range, claim: None }));
        }
        operands.sort_by_key(|operand| operand.range.start);
        Self { content, place, operands }
    }

    /// The words of the sentence before a place, in lower case, without "about" and the like at their end.
    pub(crate) fn before(&self, at: usize) -> String {
        let text = self.content.get(self.place.start..at).unwrap_or_default();
        let tail: String = text.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
        let mut words = tail.to_lowercase();
        for _ in 0..2 {
            let trimmed = words.trim_end();
            let cut = ABOUT.iter().find_map(|word| trimmed.strip_suffix(word));
            words = cut.unwrap_or(trimmed).trim_end().to_owned();
        }
        words
    }

    /// The words of the sentence after a place, in lower case.
    pub(crate) fn behind(&self, at: usize) -> String {
        let text = self.content.get(at..self.place.end).unwrap_or_default();
        text.chars().take(30).collect::<String>().to_lowercase()
    }

    /// The text between two operands.
    pub(crate) fn gap(&self, a: &Operand, b: &Operand) -> &'a str {
        self.content.get(a.range.end..b.range.start).unwrap_or_default()
    }
}

/// Whether a text ends in one of these words.
pub(crate) fn ends_in(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        text.strip_suffix(word).is_some_and(|rest| {
            let last = rest.chars().next_back();
            word.starts_with(is_han) || last.is_none_or(|c| !c.is_alphanumeric() || is_han(c))
        })
    })
}

/// Whether one of these words stands in a text, whole.
pub(crate) fn has_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        text.match_indices(word).any(|(at, found)| {
            let whole = at..at + found.len();
            crate::text::phrases::stands_free(text, &whole)
        })
    })
}

const ABOUT: &[&str] = word_list!("claims", "arithmetic/operands/about");
const MOST: usize = 24;
