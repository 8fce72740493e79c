//! Constraints that stand only in the words of a description: ranges, formats, allowed values.

/// What a description asks of its value. Empty where it asks nothing that we are sure of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prose {}

impl Prose {
    /// Reads the description of a parameter.
    pub fn read(_name: &str, _description: &str) -> Self {
        Self {}
    }
}
