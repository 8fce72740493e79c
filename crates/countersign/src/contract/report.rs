//! The report on a tool's result.

use super::Finding;
use serde::Serialize;
use serde_json::Value;

/// What the checks of a result said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerificationReport {
    /// The caller's id of the request.
    pub id: Value,
    /// Whether the result should not be trusted as it stands.
    pub is_suspicious: bool,
    /// Checks passed over total.
    pub confidence: f64,
    /// How many checks found nothing.
    pub checks_passed: usize,
    /// How many checks there are.
    pub total_checks: usize,
    /// One sentence for each thing that is wrong.
    pub concerns: Vec<String>,
    /// What to do.
    pub recommendations: Vec<String>,
    /// The findings behind the concerns.
    pub findings: Vec<Finding>,
}
