//! A whole agent step judged at once: the call, its result and the answer made of it.

use super::{Action, ConfidenceAssessment, Finding, Question, ReadingRecord, Status, VerificationReport};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
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
    /// Begins with `All checks passed`, `Monitor output`, `Concerns found` or `Severe failures`; in Chinese with 全部检查通过,
    /// 请留意输出, 发现疑点 or 存在严重问题.
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
    /// What a second reader was given and said.
    pub readings: Vec<ReadingRecord>,
    /// What the outside world should be asked; not part of the report.
    pub unanswered: Vec<Question>,
}

impl StepReport {
    /// What to do next.
    pub fn action(&self) -> Action {
        self.status.action()
    }
}

impl Serialize for StepReport {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut step = out.serialize_map(None)?;
        step.serialize_entry("id", &self.id)?;
        step.serialize_entry("status", &self.status)?;
        step.serialize_entry("action", &self.action())?;
        step.serialize_entry("explanation", &self.explanation)?;
        step.serialize_entry("tool_name", &self.tool_name)?;
        step.serialize_entry("score", &self.score)?;
        step.serialize_entry("findings", &self.findings)?;
        if let Some(feedback) = &self.feedback {
            step.serialize_entry("feedback", feedback)?;
        }
        step.serialize_entry("validation", &self.validation)?;
        step.serialize_entry("verification", &self.verification.as_ref().map(Verification))?;
        step.serialize_entry("confidence", &self.confidence.as_ref().map(Confidence))?;
        if self.status == Status::ValidationFailed {
            step.serialize_entry("warnings", &self.validation.warnings)?;
            step.serialize_entry("suggestion", &self.validation.suggestion)?;
        }
        if !self.readings.is_empty() {
            step.serialize_entry("readings", &self.readings)?;
        }
        step.end()
    }
}

/// A report as a part of a step: its findings stand with the step's.
struct Verification<'a>(&'a VerificationReport);

impl Serialize for Verification<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let mut part = out.serialize_map(None)?;
        part.serialize_entry("is_suspicious", &report.is_suspicious)?;
        part.serialize_entry("confidence", &report.confidence)?;
        part.serialize_entry("checks_passed", &report.checks_passed)?;
        part.serialize_entry("total_checks", &report.total_checks)?;
        part.serialize_entry("concerns", &report.concerns)?;
        part.serialize_entry("recommendations", &report.recommendations)?;
        part.end()
    }
}

/// An assessment as a part of a step; the seed calls its score `overall` here.
struct Confidence<'a>(&'a ConfidenceAssessment);

impl Serialize for Confidence<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let assessment = self.0;
        let mut part = out.serialize_map(None)?;
        part.serialize_entry("overall", &assessment.overall_confidence)?;
        part.serialize_entry("recommendation", &assessment.recommendation)?;
        part.serialize_entry("signals", &assessment.signals)?;
        part.serialize_entry("absent", &assessment.absent)?;
        part.serialize_entry("sentences", &assessment.sentences)?;
        part.serialize_entry("rationale", &assessment.rationale)?;
        part.end()
    }
}
