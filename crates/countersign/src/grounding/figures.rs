//! Where the numbers and dates of a sentence stand: found, computed from what was found, or nowhere.

use super::evidence::Evidence;
use crate::grounding::wording::Reading;
use crate::text::numbers::dates::Date;
use crate::text::numbers::quantities::Quantity;
use crate::text::phrases::Phrases;
use crate::text::rows::rows;
use std::cell::LazyCell;
use std::sync::LazyLock;

/// Where a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    /// In the context or in the question.
    Found,
    /// Nowhere, but it is a sum, difference, product or share of what does.
    Computed,
    /// Nowhere.
    Nowhere,
}

/// The figures of a sentence, each looked up once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    /// One for each quantity of the reading.
    pub quantities: Vec<Stands>,
    /// One for each date: whether all of it is found.
    pub dates: Vec<Stands>,
}

impl Figures {
    /// Looks a sentence's figures up.
    pub(crate) fn of(text: &str, sentence: &Reading, evidence: &Evidence) -> Self {
        let falls = LazyCell::new(|| FALLING.any(text));
        let quantity = |q: &Quantity| match () {
            () if evidence.knows(q) => Stands::Found,
            // "Down 2%" is −2%, and "overdrawn by 5" is −5.
            () if q.raw > 0.0 && evidence.knows(&q.negated()) && *falls => Stands::Found,
            () if evidence.derives(q, &sentence.numbers.quantities) || evidence.lasts(q) => Stands::Computed,
            () => Stands::Nowhere,
        };
        // A date that says more than the context, and nothing else, is not found and yet not nowhere.
        let date = |d| match () {
            () if evidence.knows_date(d) => Stands::Found,
            () if evidence.allows_date(d) => Stands::Computed,
            () => Stands::Nowhere,
        };
        Self {
            quantities: sentence.numbers.quantities.iter().map(quantity).collect(),
            dates: sentence.numbers.dates.iter().map(date).collect(),
        }
    }

    /// The share that was found; a number that can only be computed counts half. Without figures it is whole.
    pub(crate) fn share(&self) -> f64 {
        let computed = self.quantities.iter().filter(|s| **s == Stands::Computed).count() as f64 / 2.0;
        let found = self.quantities.iter().chain(&self.dates).filter(|s| **s == Stands::Found).count() as f64;
        let all = self.quantities.len() + self.dates.len();
        if all == 0 { 1.0 } else { (found + computed) / all as f64 }
    }

    /// How many of the figures that are not computed stand in some units, and how many there are.
    pub(crate) fn within<'a>(
        &self,
        sentence: &Reading,
        units: impl Iterator<Item = &'a Reading> + Clone,
    ) -> (usize, usize) {
        let quantity = |quantity: &Quantity| units.clone().any(|unit| holds_quantity(unit, quantity));
        let date = |date: &Date| units.clone().any(|unit| holds_date(unit, date));
        let quantities = sentence.numbers.quantities.iter().map(quantity).zip(&self.quantities);
        let figures = quantities.chain(sentence.numbers.dates.iter().map(date).zip(&self.dates));
        figures
            .filter(|(_, stands)| **stands != Stands::Computed)
            .fold((0, 0), |(known, all), (held, _)| (known + usize::from(held), all + 1))
    }
}

/// Whether one unit bears a number out; the first of its numbers are looked at.
pub(crate) fn holds_quantity(unit: &Reading, said: &Quantity) -> bool {
    unit.numbers.quantities.iter().take(LOOKED_AT).any(|other| said.agrees(other))
}

/// Whether one unit says all that a date says.
pub(crate) fn holds_date(unit: &Reading, said: &Date) -> bool {
    unit.numbers.dates.iter().take(LOOKED_AT).any(|other| said.is_in(other))
}

const LOOKED_AT: usize = 64;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&FALLING);
}

static FALLING: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(rows(include_str!("data/falling.txt"))));
