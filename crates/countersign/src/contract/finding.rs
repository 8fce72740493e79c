//! A finding: what a model, a tool or a caller got wrong, where, and how to mend it. Data, never an error.

use super::{Code, Mode, Outcome, PatchOp, Severity};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Which rule spoke.
    pub code: &'static Code,
    /// How grave it is, after repairs and modes.
    pub severity: Severity,
    /// How sure we are that the finding is right.
    pub confidence: f64,
    /// Where: a JSON pointer on `{name, arguments}` (or on the result's content).
    pub pointer: String,
    /// What was seen and what was expected, in a sentence for people. Secrets are redacted.
    pub evidence: String,
    /// How to mend it.
    pub correction: Option<Correction>,
    /// What the finding may do; set by the policy.
    pub mode: Mode,
    /// What it does to the decision when enforced; begins as the code's.
    pub outcome: Outcome,
}

/// A repair, offered or applied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correction {
    /// What the repair does and why.
    pub note: String,
    /// The repair itself, on `{name, arguments}`. Empty where we can only say what to do.
    pub patch: Vec<PatchOp>,
    /// Whether the returned call already has it.
    pub applied: bool,
    /// Whether it may be applied without asking: there is one reading, and it does not change what the call does.
    #[serde(skip)]
    pub certain: bool,
}

impl Finding {
    /// A finding as its code describes it.
    pub fn new(code: &'static Code, pointer: impl Into<String>, evidence: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            confidence: code.confidence,
            pointer: pointer.into(),
            evidence: evidence.into(),
            correction: None,
            mode: Mode::Enforce,
            outcome: code.outcome,
        }
    }

    /// The same with another confidence.
    pub fn sure(mut self, confidence: f64) -> Self {
        self.confidence = confidence;
        self
    }

    /// The same with another severity.
    pub fn graded(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same with advice that has no patch.
    pub fn hint(mut self, note: impl Into<String>) -> Self {
        self.correction = Some(Correction { note: note.into(), patch: Vec::new(), applied: false, certain: false });
        self
    }

    /// The same with a repair that is proposed and never applied alone.
    pub fn propose(mut self, note: impl Into<String>, patch: Vec<PatchOp>) -> Self {
        self.correction = Some(Correction { note: note.into(), patch, applied: false, certain: false });
        self
    }

    /// The same with a repair that is certain and harmless.
    pub fn mend(mut self, note: impl Into<String>, patch: Vec<PatchOp>) -> Self {
        self.correction = Some(Correction { note: note.into(), patch, applied: false, certain: true });
        self
    }

    /// Whether its repair was applied.
    pub fn is_applied(&self) -> bool {
        self.correction.as_ref().is_some_and(|correction| correction.applied)
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let fields = 6 + usize::from(self.correction.is_some());
        let mut finding = out.serialize_struct("Finding", fields)?;
        finding.serialize_field("code", self.code.id)?;
        finding.serialize_field("layer", &self.code.layer)?;
        finding.serialize_field("severity", &self.severity)?;
        finding.serialize_field("confidence", &self.confidence)?;
        finding.serialize_field("pointer", &self.pointer)?;
        finding.serialize_field("evidence", &self.evidence)?;
        if let Some(correction) = &self.correction {
            finding.serialize_field("correction", correction)?;
        }
        finding.end()
    }
}
