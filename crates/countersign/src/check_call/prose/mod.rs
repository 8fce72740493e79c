//! Constraints that stand only in the words of a name and its description: ranges, formats, allowed values, and
//! which side of a pair a parameter is.
//!
//! Everything is read once, when a tool is compiled, so that a value without constraint costs nothing and one with
//! a constraint costs a comparison. What a description gives as an example, as usual or as a default binds nobody:
//! a reading that could be wrong is left out, because a false alarm costs more than a miss.

/// Words that make a statement an example, a habit or a default.
pub(crate) mod soft;
/// Dates and times as templates: `YYYY-MM-DD`, `HH:MM`.
pub(crate) mod shape;
/// "between 1 and 100", "must be positive", "不超过 50".
pub(crate) mod range;
/// "in the format YYYY-MM-DD", "three-letter currency code".
pub(crate) mod format;
/// "one of: a, b, c".
pub(crate) mod allowed;
/// Start and end, minimum and maximum.
pub(crate) mod pair;

pub(crate) use allowed::Allowed;
pub(crate) use format::{Format, Formats};
pub(crate) use pair::Side;
pub(crate) use range::Range;

/// What a name and a description ask of their value. Empty where they ask nothing that we are sure of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prose {
    /// The bounds of its number.
    pub range: Option<Range>,
    /// The forms that its text may have, any of them.
    pub formats: Option<Box<Formats>>,
    /// The values that it may have.
    pub allowed: Option<Box<Allowed>>,
    /// Which half of a pair it is.
    pub side: Option<Box<Side>>,
}

impl Prose {
    /// Reads the name and the description of a parameter. Very long descriptions are read up to a bound.
    pub fn read(name: &str, description: &str) -> Self {
        let side = pair::side(name).map(Box::new);
        if description.is_empty() {
            return Self { side, ..Self::default() };
        }
        let text: String = description.chars().take(MAX_DESCRIPTION).collect();
        Self {
            range: range::read(name, &text),
            formats: format::read(&text).map(Box::new),
            allowed: allowed::read(&text).map(Box::new),
            side,
        }
    }

    /// Whether it asks anything of a single value.
    pub fn binds(&self) -> bool {
        self.range.is_some() || self.formats.is_some() || self.allowed.is_some()
    }
}

const MAX_DESCRIPTION: usize = 4000;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    soft::build_tables();
    range::build_tables();
    format::build_tables();
    allowed::build_tables();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_description_asks_nothing() {
        // CALL-4
        for text in ["", "The city to look up.", "Name of the user, e.g. one of our 3 to 5 test users."] {
            assert!(!Prose::read("city", text).binds(), "{text}");
        }
        assert!(Prose::read("volume", "Volume from 0 to 100, in YYYY-MM-DD format").binds());
    }
}
