//! Does the result sound like a result at all? (RESULT-5)
//!
//! One file for each kind of anomaly. What is told by phrases has its list in `data/`, and every list is matched at
//! word borders: "no" is not in "know".

mod statement;
mod denial;
pub(crate) mod ended;
pub(crate) mod contradiction;
pub(crate) mod overconfidence;
pub(crate) mod unverifiable;
pub(crate) mod impossible;
pub(crate) mod pseudo_answer;
pub(crate) mod dressed_error;
pub(crate) mod truncation;
pub(crate) mod injection;
pub(crate) mod placeholder;
pub(crate) mod hearsay;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    statement::build_tables();
    contradiction::build_tables();
    overconfidence::build_tables();
    unverifiable::build_tables();
    impossible::build_tables();
    pseudo_answer::build_tables();
    dressed_error::build_tables();
    truncation::build_tables();
    placeholder::build_tables();
    hearsay::build_tables();
}
