//! A whole agent step judged at once: the call, its result and the answer made of it.

use super::{Action, ConfidenceAssessment, Finding, Status, VerificationReport};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The seed's view of a checked call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValidationResult {
    /// Whether the call may run.
    pub is_valid: bool,
    /// Validation confidence.
    pub confidence: f64,
    /// The arguments to run with.
    pub validated_params: Map<String, Value>,
    /// One sentence for each error or warning.
    pub warnings: Vec<String>,
    /// What was corrected, by place.
    pub corrections: BTreeMap<String, String>,
    /// What the caller should do.
    pub suggestion: Option<String>,
    /// The findings in the seed's words.
    pub hallucinations: Vec<HallucinationDetectionResult>,
}

/// The seed's view of one finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HallucinationDetectionResult {
    /// Always true for a listed finding.
    pub is_hallucination: bool,
    /// How sure we are.
    pub confidence: f64,
    /// `tool_name`, `parameter` or `fact`.
    pub hallucination_type: &'static str,
    /// What was seen.
    pub evidence: String,
    /// What would be right.
    pub correction: Option<String>,
}

/// The verdict on a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The caller's id of the request.
    pub id: Value,
    /// How it ended.
    pub status: Status,
    /// Begins with `All checks passed`, `Monitor output`, `Concerns found` or `Severe failures`.
    pub explanation: String,
    /// The tool that was called.
    pub tool_name: String,
    /// The mean of the three confidences.
    pub score: f64,
    /// All findings: call, result, answer.
    pub findings: Vec<Finding>,
    /// The message for the model.
    pub feedback: Option<String>,
    /// The call.
    pub validation: ValidationResult,
    /// The result; absent where the call failed.
    pub verification: Option<VerificationReport>,
    /// The answer; absent where the call failed.
    pub confidence: Option<ConfidenceAssessment>,
}

impl StepReport {
    /// What to do next.
    pub fn action(&self) -> Action {
        self.status.action()
    }
}
