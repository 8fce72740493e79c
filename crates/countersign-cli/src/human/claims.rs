//! Draws a message with its claims underlined in place, and under it what each of them says in plain figures.

use super::canvas::{Canvas, Paint, clip, columns, safe};
use super::factcheck::draw_text;
use crate::tally::{Mark, Tone};
use countersign::contract::{Bound, Claim, ClaimValue};
use countersign::inspect::claims::ClaimsReport;

/// How a message was marked. Finding claims is no failure, so every line passes.
pub(crate) fn mark(report: &ClaimsReport) -> Mark {
    let (words, tone) = if report.needs_verify {
        (("verify pending", "待验证"), Tone::Watch)
    } else {
        (("no claims", "无声明"), Tone::Good)
    };
    Mark { words, tone, passed: true }
}

/// Draws the message, then a legend: kind, words, value.
pub(crate) fn draw(canvas: &mut Canvas, report: &ClaimsReport) {
    canvas.title(mark(report), &report.id, "");
    draw_text(canvas, &report.content, &report.claims);
    for claim in &report.claims {
        draw_claim(canvas, claim);
    }
    canvas.line("");
}

fn draw_claim(canvas: &mut Canvas, claim: &Claim) {
    let kind = claim.kind.name();
    let pad = " ".repeat(11usize.saturating_sub(columns(kind)));
    let (edge, kind) = (canvas.paint(Paint::Dim, "│"), canvas.paint(Paint::Yellow, kind));
    let value = claim.value.as_ref().map(|value| describe_value(canvas, value)).unwrap_or_default();
    let value = canvas.paint(Paint::Dim, &value);
    canvas.line(&format!("  {edge} {kind}{pad} {}{value}", clip(&safe(&claim.text), WORDS)));
}

/// The value in plain figures: ` = 340,000,000 CNY`.
fn describe_value(canvas: &Canvas, value: &ClaimValue) -> String {
    if let Some(date) = &value.date {
        return format!("  = {}", safe(date));
    }
    let Some(number) = value.number else { return String::new() };
    let bound = match value.bound {
        Some(Bound::About) => "≈",
        Some(Bound::Over) => ">",
        Some(Bound::Under) => "<",
        None => "=",
    };
    let upper = value.upper.map(|upper| format!(" – {}", group_digits(upper))).unwrap_or_default();
    let of = canvas.say(" of ", "：");
    let name = match (&value.unit, &value.of) {
        (Some(unit), _) => format!(" {}", safe(unit)),
        (None, Some(name)) => format!("{of}{}", clip(&safe(name), 24)),
        (None, None) => String::new(),
    };
    format!("  {bound} {}{upper}{name}", group_digits(number))
}

/// A number with its thousands apart.
fn group_digits(number: f64) -> String {
    let text = if number.abs() < 1e15 { format!("{number}") } else { format!("{number:e}") };
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, decimals) =
        rest.split_once('.').map_or((rest, String::new()), |(whole, tail)| (whole, format!(".{tail}")));
    if whole.contains('e') {
        return text;
    }
    let mut groups = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    format!("{sign}{groups}{decimals}")
}

/// How many columns the words of a claim may take.
const WORDS: usize = 56;
