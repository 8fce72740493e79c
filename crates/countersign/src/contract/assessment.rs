//! How sure one may be of an answer: six signals, weighed.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

/// The six signals, in the order of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Mean log-probability of the tokens.
    ModelLogprobs,
    /// Lowest log-probability of a token.
    TokenProbability,
    /// Whether the answer contradicts itself or its samples.
    SemanticConsistency,
    /// Facts verified against facts disputed.
    FactVerification,
    /// Whether there are full sentences at all.
    Coherence,
    /// Whether the answer stands in the context it was given.
    KnowledgeGrounding,
}

impl Signal {
    /// All six, in order.
    pub const ALL: [Signal; 6] = [
        Signal::ModelLogprobs,
        Signal::TokenProbability,
        Signal::SemanticConsistency,
        Signal::FactVerification,
        Signal::Coherence,
        Signal::KnowledgeGrounding,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ModelLogprobs => "model_logprobs",
            Self::TokenProbability => "token_probability",
            Self::SemanticConsistency => "semantic_consistency",
            Self::FactVerification => "fact_verification",
            Self::Coherence => "coherence",
            Self::KnowledgeGrounding => "knowledge_grounding",
        }
    }
}

/// The signals that had input, each within 0..1, in the order of [`Signal::ALL`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Signals(pub Vec<(Signal, f64)>);

impl Signals {
    /// The value of a signal, where it had input.
    pub fn value(&self, signal: Signal) -> Option<f64> {
        self.0.iter().find(|(s, _)| *s == signal).map(|(_, value)| *value)
    }
}

impl Serialize for Signals {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.0.len()))?;
        for (signal, value) in &self.0 {
            map.serialize_entry(signal.name(), value)?;
        }
        map.end()
    }
}

/// What the score asks for, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Above 0.8.
    HighConfidence,
    /// Above 0.6.
    MediumConfidence,
    /// Above 0.4.
    LowConfidence,
    /// Else.
    ManualReview,
}

/// How well one sentence of the answer stands in the context. Offsets are UTF-8 bytes of the response.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Support {
    /// Where the sentence begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// 0 unsupported or contradicted, 1 fully supported.
    pub support: f64,
}

/// The confidence in an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfidenceAssessment {
    /// The caller's id of the request.
    pub id: Value,
    /// The weighted mean of the signals that had input.
    pub overall_confidence: f64,
    /// What that asks for.
    pub recommendation: Recommendation,
    /// The signals.
    pub signals: Signals,
    /// The signals that had no input and so no say.
    pub absent: Vec<Signal>,
    /// Each sentence of the answer against the context; empty without context.
    pub sentences: Vec<Support>,
    /// Which signals moved the score, in a sentence or two.
    pub rationale: String,
}
