//! What tool results are held to.

use super::rules::Fault;
use serde::Deserialize;

/// The `[results]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawResults {}

/// What results are held to.
#[derive(Debug, Clone, Default)]
pub struct ResultsPolicy {}

impl ResultsPolicy {
    /// Puts a file's words over what is there.
    pub fn overlay(&mut self, _raw: RawResults) -> Result<(), Fault> {
        Ok(())
    }
}
