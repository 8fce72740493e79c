//! Draws a message with its claims underlined in place, and under it what became of each: by symbol and by word, so that
//! nothing depends on colour.

use super::canvas::{Canvas, Paint, clip, columns, safe, wrap};
use crate::tally::{Mark, Tone};
use countersign::contract::{Claim, ClaimStatus};
use countersign_runtime::factcheck::Summary;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// How a message ended: what is disputed fails.
pub(crate) fn mark(summary: &Summary) -> Mark {
    let (words, tone) = match summary {
        summary if summary.disputed > 0 => (("disputed", "有争议"), Tone::Bad),
        summary if summary.pending > 0 => (("verify pending", "待验证"), Tone::Watch),
        summary if summary.unverifiable > 0 => (("not all verified", "未能全部验证"), Tone::Watch),
        summary if summary.verified > 0 => (("verified", "已验证"), Tone::Good),
        _ => (("no claims", "无声明"), Tone::Good),
    };
    Mark { words, tone, passed: summary.disputed == 0 }
}

/// Draws the text with its marks, then each claim with its note and its source.
pub(crate) fn draw(canvas: &mut Canvas, content: &str, claims: &[Claim]) {
    draw_text(canvas, content, claims);
    for claim in claims {
        draw_claim(canvas, claim);
    }
}

/// Draws the text, line by line, each claim underlined where it is.
pub(crate) fn draw_text(canvas: &mut Canvas, content: &str, claims: &[Claim]) {
    for line in lines(content) {
        draw_line(canvas, content, &line, claims);
    }
}

/// Draws what went wrong with a source.
pub(crate) fn trouble(canvas: &mut Canvas, trouble: &str, times: usize) {
    let name = canvas.paint(Paint::Yellow, canvas.say("⚠ source", "⚠ 来源"));
    canvas.line(&format!("  {name} {} (×{times})", safe(trouble)));
}

fn draw_line(canvas: &mut Canvas, content: &str, line: &Range<usize>, claims: &[Claim]) {
    let edge = canvas.paint(Paint::Dim, "│");
    let text = content.get(line.clone()).unwrap_or_default();
    canvas.line(&format!("  {edge} {}", safe(text)));
    let mut under = String::new();
    let mut at = line.start;
    for claim in claims.iter().filter(|claim| claim.start < line.end && claim.end > line.start) {
        let (from, to) = (claim.start.max(at), claim.end.min(line.end));
        let before = columns(&safe(content.get(at..from).unwrap_or_default()));
        let wide = columns(&safe(content.get(from..to).unwrap_or_default()));
        let (_, sign, paint) = look(claim.status);
        under.push_str(&" ".repeat(before));
        under.push_str(&canvas.paint(paint, &sign.repeat(wide)));
        at = to.max(at);
    }
    if !under.is_empty() {
        canvas.line(&format!("  {edge} {under}"));
    }
}

fn draw_claim(canvas: &mut Canvas, claim: &Claim) {
    let (words, sign, paint) = look(claim.status);
    let symbol = match claim.status {
        ClaimStatus::Verified => "✔",
        ClaimStatus::Disputed => "✖",
        ClaimStatus::Unverifiable => "?",
        ClaimStatus::Pending => "…",
    };
    let status = canvas.paint(paint, &format!("{symbol} {}", canvas.word(words)));
    let text = clip(&safe(&claim.text), 48);
    canvas.line(&format!("  {sign} {status}  {text}  {}", canvas.paint(Paint::Dim, claim.kind.name())));
    for line in claim.verify_note.iter().flat_map(|note| wrap(&safe(note), ROOM)) {
        canvas.line(&format!("      {line}"));
    }
    let Some(source) = &claim.source else { return };
    let place = source.place.iter().chain(&source.passage).map(|part| safe(part)).collect::<Vec<_>>().join(": ");
    for line in wrap(&clip(&format!("{} {place}", source.name), 3 * ROOM), ROOM) {
        let line = canvas.paint(Paint::Dim, &line);
        canvas.line(&format!("      {line}"));
    }
}

/// The word, the line under the text and the colour of a status.
fn look(status: ClaimStatus) -> ((&'static str, &'static str), &'static str, Paint) {
    match status {
        ClaimStatus::Verified => (("verified", "已验证"), "─", Paint::Green),
        ClaimStatus::Disputed => (("disputed", "有争议"), "^", Paint::Red),
        ClaimStatus::Unverifiable => (("unverifiable", "无法验证"), "·", Paint::Cyan),
        ClaimStatus::Pending => (("pending", "待验证"), "~", Paint::Yellow),
    }
}

/// The lines of a text that fit, broken at blanks where there are any, and between any characters where not.
fn lines(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut wide, mut blank) = (0, 0, None);
    for (at, c) in content.char_indices() {
        if c == '\n' {
            found.push(start..at);
            (start, wide, blank) = (at + 1, 0, None);
            continue;
        }
        wide += UnicodeWidthChar::width(c).unwrap_or(1);
        if wide > ROOM && at > start {
            let cut = blank.filter(|cut| *cut > start).unwrap_or(at);
            found.push(start..cut);
            wide = content.get(cut..at + c.len_utf8()).map_or(0, columns);
            (start, blank) = (cut, None);
        }
        if c == ' ' {
            blank = Some(at + 1);
        }
    }
    found.push(start..content.len());
    found.retain(|line| !line.is_empty());
    found
}

/// How many columns a line may take.
const ROOM: usize = 88;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_where_they_can_be() {
        let text = "word ".repeat(40);
        let cut = lines(&text);
        let cut: Vec<&str> = cut.into_iter().filter_map(|line| text.get(line)).collect();
        assert!(cut.len() > 1 && cut.iter().all(|line| columns(line) <= ROOM));
        assert_eq!(cut.concat(), text);
        assert!(lines(&"天".repeat(100)).iter().all(|line| line.len() <= 3 * ROOM / 2));
    }
}
