//! Draws the confidence in an answer: one bar for each signal, and the sentences that nothing supports.

use super::canvas::{Canvas, Paint, clip, safe};
use crate::tally::{Mark, Tone};
use countersign::contract::{ConfidenceAssessment, Recommendation, Signal};

/// How an answer ended.
pub(crate) fn mark(recommendation: Recommendation) -> Mark {
    let (words, tone) = match recommendation {
        Recommendation::HighConfidence => (("high confidence", "高可信度"), Tone::Good),
        Recommendation::MediumConfidence => (("medium confidence", "中等可信度"), Tone::Watch),
        Recommendation::LowConfidence => (("low confidence", "低可信度"), Tone::Watch),
        Recommendation::ManualReview => (("manual review", "需人工审核"), Tone::Person),
    };
    Mark { words, tone, passed: recommendation != Recommendation::ManualReview }
}

/// Draws a whole assessment.
pub(crate) fn draw(canvas: &mut Canvas, response: &str, assessment: &ConfidenceAssessment) {
    let overall = format!("{:.2}", assessment.overall_confidence);
    canvas.title(mark(assessment.recommendation), &assessment.id, &overall);
    body(canvas, response, assessment);
    canvas.line("");
}

/// Draws the signals and the doubtful sentences. The rationale says the same in words, for programs.
pub(crate) fn body(canvas: &mut Canvas, response: &str, assessment: &ConfidenceAssessment) {
    for signal in Signal::ALL {
        let name = canvas.word(name(signal));
        let pad = " ".repeat(24usize.saturating_sub(super::canvas::columns(name)));
        let shown = match assessment.signals.value(signal) {
            Some(value) => format!("{} {value:.2}", bar(canvas, value)),
            None => canvas.paint(Paint::Dim, canvas.say("no input", "无输入")),
        };
        put(canvas, &format!("{name}{pad}{shown}"));
    }
    for sentence in assessment.sentences.iter().filter(|sentence| sentence.support < 0.5) {
        let text = response.get(sentence.start..sentence.end).unwrap_or_default();
        let mark = canvas.paint(Paint::Yellow, canvas.say("not in the context:", "上下文中没有依据："));
        put(canvas, &format!("{mark} {}", safe(&clip(text.trim(), 76))));
    }
}

fn name(signal: Signal) -> (&'static str, &'static str) {
    match signal {
        Signal::ModelLogprobs => ("model log-probability", "模型对数概率"),
        Signal::TokenProbability => ("least sure token", "最低词概率"),
        Signal::SemanticConsistency => ("agrees with itself", "语义一致性"),
        Signal::FactVerification => ("facts verified", "事实核查"),
        Signal::Coherence => ("full sentences", "连贯性"),
        Signal::KnowledgeGrounding => ("stands in the context", "上下文依据"),
    }
}

fn bar(canvas: &Canvas, value: f64) -> String {
    let full = (value.clamp(0.0, 1.0) * 20.0).round() as usize;
    let paint = match value {
        value if value > 0.75 => Paint::Green,
        value if value >= 0.5 => Paint::Yellow,
        _ => Paint::Red,
    };
    let (on, off) = ("█".repeat(full), "░".repeat(20usize.saturating_sub(full)));
    format!("{}{}", canvas.paint(paint, &on), canvas.paint(Paint::Dim, &off))
}

fn put(canvas: &mut Canvas, text: &str) {
    let edge = canvas.paint(Paint::Dim, "│");
    canvas.line(&format!("  {edge} {text}"));
}
