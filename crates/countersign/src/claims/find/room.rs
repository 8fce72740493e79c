//! What was found in a sentence so far, and which tokens are still to be had.
//!
//! Each token knows its owner, so that no question goes through all that was found. Used again for every sentence.

use super::found::Found;
use crate::contract::ClaimKind;
use std::ops::Range;

/// The tokens of a sentence and what was found in them.
#[derive(Default)]
pub(crate) struct Room {
    found: Vec<Found>,
    /// For each token the place of its owner in `found`, from 1; 0 where it is free.
    owners: Vec<u16>,
}

impl Room {
    /// Begins a sentence of so many tokens.
    pub(crate) fn begin(&mut self, tokens: usize) {
        self.found.clear();
        self.owners.clear();
        self.owners.resize(tokens, 0);
    }

    /// What was found, in order, without what was swallowed.
    pub(crate) fn leave(&mut self) -> &mut Vec<Found> {
        let mut ordered = true;
        for pair in self.found.windows(2) {
            ordered &= matches!(pair, [one, other] if one.first <= other.first);
        }
        if !ordered {
            self.found.sort_by_key(|found| found.first);
        }
        self.found.retain(|found| found.end > found.first);
        &mut self.found
    }

    /// Notes that nothing is stated in these tokens.
    pub(crate) fn silence(&mut self, tokens: Range<usize>) {
        if let Some(owners) = self.owners.get_mut(tokens) {
            owners.iter_mut().for_each(|owner| *owner |= SILENT);
        }
    }

    /// Whether something is stated at a token.
    #[inline]
    pub(crate) fn states(&self, at: usize) -> bool {
        self.owners.get(at).is_some_and(|owner| owner & SILENT == 0)
    }

    /// Whether a token may still begin a claim.
    #[inline]
    pub(crate) fn is_open(&self, at: usize) -> bool {
        self.owners.get(at).is_some_and(|owner| *owner == 0)
    }

    /// Takes the tokens of a claim, unless one of them is taken.
    pub(crate) fn take(&mut self, found: Found) {
        if self.is_free(&found) {
            self.own(found);
        }
    }

    /// Takes them, also from dates, counts and comparisons that stand wholly inside a phrase like 比….
    pub(crate) fn take_over(&mut self, found: Found) {
        if self.is_free(&found) {
            self.own(found);
        } else if self.swallows(&found) {
            for at in found.first..found.end {
                if let Some(other) = self.owner(at).and_then(|owner| self.found.get_mut(owner)) {
                    other.end = other.first;
                }
            }
            self.own(found);
        }
    }

    /// Whether a measured amount ends before a token.
    pub(crate) fn measured_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.owner(at)).and_then(|owner| self.found.get(owner));
        before.is_some_and(|other| {
            other.end == at && matches!(other.kind, ClaimKind::Percentage | ClaimKind::Quantity | ClaimKind::Currency)
        })
    }

    /// Whether no token of a claim is taken.
    pub(crate) fn is_free(&self, found: &Found) -> bool {
        let owners = self.owners.get(found.first..found.end).unwrap_or_default();
        !owners.is_empty() && owners.iter().all(|owner| owner & !SILENT == 0)
    }

    fn own(&mut self, found: Found) {
        let number = u16::try_from(self.found.len() + 1).unwrap_or_default() & !SILENT;
        for owner in self.owners.get_mut(found.first..found.end).unwrap_or_default() {
            *owner = *owner & SILENT | number;
        }
        self.found.push(found);
    }

    fn swallows(&self, found: &Found) -> bool {
        let inside = |at: usize| {
            let Some(other) = self.owner(at).and_then(|owner| self.found.get(owner)) else { return true };
            other.first >= found.first
                && other.end <= found.end
                && matches!(other.kind, ClaimKind::Date | ClaimKind::Comparison | ClaimKind::Quantity)
        };
        let long = found.end.checked_sub(found.first).is_some_and(|length| length > 3);
        long && found.end <= self.owners.len() && (found.first..found.end).all(inside)
    }

    fn owner(&self, at: usize) -> Option<usize> {
        self.owners.get(at).and_then(|owner| usize::from(owner & !SILENT).checked_sub(1))
    }
}

/// Nothing is stated here.
const SILENT: u16 = 0x8000;
