//! One kind, one file: each reads the claim of its kind that begins at a token, or none.

pub(crate) mod unit;
pub(crate) mod date;
pub(crate) mod percentage;
pub(crate) mod currency;
pub(crate) mod version;
pub(crate) mod statistic;
pub(crate) mod citation;
pub(crate) mod attribution;
pub(crate) mod comparison;
mod series;
pub(crate) mod quantity;
