//! One kind, one file: each reads the claim of its kind that begins at a token, or none.

pub mod unit;
pub mod date;
pub mod percentage;
pub mod currency;
pub mod version;
pub mod statistic;
pub mod citation;
pub mod attribution;
pub mod comparison;
pub mod quantity;
