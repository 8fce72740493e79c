//! The part of the solver: an answer from the evidence that was put before it, each statement with its mark.

use super::conversation::Conversation;
use super::fault::{Fault, Habit};
use super::part::put_before;
use super::talk;
use countersign::parse::plan::citations;

/// The answer.
pub(super) fn solve(asked: &Conversation) -> String {
    let (evidence, question) = put_before(asked, &EVIDENCE).unwrap_or(("", asked.question()));
    let text = talk::from_evidence(if evidence.is_empty() { question } else { evidence }, &pieces(evidence));
    match asked.habit {
        Habit::Always(Fault::Claims) => text + talk::beside_results(question),
        _ => text,
    }
}

/// Each piece of evidence with its id: a line that begins with the id, and what follows up to the next.
fn pieces(evidence: &str) -> Vec<(String, String)> {
    let first_in_line = |at: usize| {
        let before = evidence.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().all(|c| c.is_whitespace() || "-*•>`".contains(c))
    };
    let marks: Vec<_> =
        citations(evidence).into_iter().filter(|mark| first_in_line(mark.span.start)).take(MOST_PIECES).collect();
    let ends = marks.iter().skip(1).map(|mark| mark.span.start).chain([evidence.len()]);
    let told = marks.iter().zip(ends).map(|(mark, end)| {
        let words = evidence.get(mark.span.end..end).unwrap_or_default();
        let words = words.trim_matches(|c: char| c.is_whitespace() || "=:：-*".contains(c));
        (mark.id.clone(), words.chars().take(LONGEST).collect())
    });
    told.collect()
}

/// How evidence begins.
const EVIDENCE: [&str; 2] = ["Evidence", "证据"];
const MOST_PIECES: usize = 32;
const LONGEST: usize = 300;
