//! What a text says of deeds: its clauses, and for each deed that they name whether it is wanted, refused or asked about.

/// A request, cut into clauses.
pub(crate) mod clause;
/// What is said of each deed.
pub(crate) mod reading;

pub(crate) use reading::Reading;
