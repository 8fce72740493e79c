//! Where the outside world is asked, and about what.

use super::rules::Fault;
use serde::Deserialize;

/// The `[facts]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawFacts {}

/// What is asked from the outside world.
#[derive(Debug, Clone, Default)]
pub struct FactsPolicy {}

impl FactsPolicy {
    /// Puts a file's words over what is there.
    pub fn overlay(&mut self, _raw: RawFacts) -> Result<(), Fault> {
        Ok(())
    }
}
