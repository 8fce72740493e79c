//! Does the result answer the call? (RESULT-4)
//!
//! What was asked comes back: the same id, place, amount, date, unit, language, not more than the limit, and
//! results that touch the query. Aliases, other spellings and other scripts never count as something else.

pub mod places;
pub(crate) mod limit;
pub(crate) mod echo;
pub(crate) mod filters;
pub(crate) mod units;
pub(crate) mod translation;
pub(crate) mod arithmetic;
pub(crate) mod topic;

use super::subject::Subject;
use crate::contract::Finding;

/// All of consistency, in order.
pub fn check(subject: &Subject) -> Vec<Finding> {
    let parts = [
        echo::check,
        filters::check,
        limit::check,
        units::check,
        translation::check,
        arithmetic::check,
        topic::check,
        places::check,
    ];
    parts.iter().flat_map(|part| part(subject)).collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    places::build_tables();
    topic::build_tables();
}
