//! Can the numbers and dates of the result all be true? (RESULT-3)
//!
//! Counts, totals, orders, times, scales and shares. Each is told only from the names and notes of the fields, and
//! speaks only where every reading of the fields is wrong: prices with or without tax, discounts as amount or
//! percent, a list that is one page of many.

pub(crate) mod counts;
pub(crate) mod totals;
pub(crate) mod balance;
pub(crate) mod groups;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod time;
pub(crate) mod scale;
pub(crate) mod shares;

use super::subject::Subject;
use crate::contract::Finding;

/// All of logic, in order.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let parts = [
        counts::check,
        totals::check,
        balance::check,
        groups::check,
        lists::check,
        order::check,
        time::check,
        scale::check,
        shares::check,
    ];
    parts.iter().flat_map(|part| part(subject)).collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    scale::build_tables();
}
