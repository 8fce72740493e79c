//! For people: what was looked at, what was found, the worst of it, and what could not be checked.

use super::super::summary::{Found, Summary};
use crate::human::canvas::{Canvas, Paint, safe};
use countersign::audit::compare::Difference;
use countersign::contract::Severity;

pub(super) fn draw(mut canvas: Canvas, summary: &Summary) -> String {
    let formats: Vec<String> = summary.formats.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let title = format!(
        "{} in {} ({})",
        count(summary.conversations, "conversation"),
        count(summary.files, "file"),
        formats.join(", ")
    );
    let title = canvas.paint(Paint::Bold, &title);
    canvas.line(&title);
    let counts = &summary.counts;
    canvas.line(&format!(
        "  {}: {} refused, {} for a person, {} repaired · {} · {}",
        count(counts.calls, "call"),
        counts.refused,
        counts.review,
        counts.repaired,
        count(counts.results, "result"),
        count(counts.answers, "answer")
    ));
    let tokens = &summary.tokens;
    if tokens.input + tokens.output > 0 {
        canvas.line(&format!(
            "  {} tokens read ({} from caches), {} written; {} in conversations with findings",
            tokens.input, tokens.cached, tokens.output, summary.tokens_in_doubt
        ));
    }
    canvas.line("");
    draw_codes(&mut canvas, summary);
    let worst = summary.worst();
    for found in worst.iter().take(SHOWN) {
        draw_found(&mut canvas, found);
    }
    if worst.len() > SHOWN {
        let more = format!("… and {} more; --format json or html has them all", worst.len() - SHOWN + summary.left_off);
        canvas.line(&canvas.paint(Paint::Dim, &more));
        canvas.line("");
    }
    draw_rest(&mut canvas, summary);
    if let Some(difference) = &summary.difference {
        draw_difference(&mut canvas, difference);
    }
    canvas.finish()
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn draw_codes(canvas: &mut Canvas, summary: &Summary) {
    let (errors, warnings) = (summary.count(Severity::Error), summary.count(Severity::Warning));
    let known = if summary.known > 0 { format!(", {} known by the baseline", summary.known) } else { String::new() };
    if errors + warnings == 0 {
        let fine = canvas.paint(Paint::Green, &format!("✔ nothing wrong was found{known}"));
        canvas.line(&fine);
        return canvas.line("");
    }
    let title =
        canvas.paint(Paint::Bold, &format!("{}, {}{known}", count(errors, "error"), count(warnings, "warning")));
    canvas.line(&title);
    let mut codes: Vec<_> = summary.codes.iter().collect();
    codes.sort_by(|a, b| b.1.cmp(a.1));
    for (code, seen) in codes {
        let title = countersign::contract::codes::find(code).map(|code| code.title).unwrap_or_default();
        canvas.line(&format!("  {seen:>6}  {code:<28} {title}"));
    }
    canvas.line("");
}

fn draw_found(canvas: &mut Canvas, found: &Found) {
    let finding = &found.finding;
    let (mark, paint) = if finding.severity == Severity::Error { ("✖", Paint::Red) } else { ("▲", Paint::Yellow) };
    let code = canvas.paint(paint, &format!("{mark} {}", finding.code.id));
    let place = canvas.paint(Paint::Dim, &format!("{}:{}", safe(&found.file), found.line));
    canvas.line(&format!("{code}  {place}"));
    canvas.line(&format!("    {}", safe(&finding.evidence)));
    let excerpt: String = found.excerpt.chars().take(WIDTH).collect();
    let excerpt = canvas.paint(Paint::Dim, &format!("    {}: {}", found.kind, safe(&excerpt)));
    canvas.line(&excerpt);
    canvas.line("");
}

fn draw_rest(canvas: &mut Canvas, summary: &Summary) {
    for note in &summary.not_checked {
        canvas.line(&format!("not checked: {}, because {} ({})", note.what, note.why, note.count));
    }
    for problem in summary.problems.iter().take(SHOWN) {
        canvas.line(&format!("not read: {}", safe(&problem.sentence())));
    }
    if summary.skipped > SHOWN {
        canvas.line(&format!("not read: {} more", summary.skipped - SHOWN));
    }
    if !summary.codes.is_empty() {
        canvas.line("`countersign explain CODE` says what a finding means.");
    }
}

fn draw_difference(canvas: &mut Canvas, difference: &Difference) {
    canvas.line("");
    let title = canvas.paint(Paint::Bold, "What the policy does otherwise");
    canvas.line(&title);
    if difference.calls.is_empty() && difference.findings.is_empty() {
        return canvas.line("  nothing: each call ends as it did");
    }
    for (change, count) in &difference.calls {
        canvas.line(&format!("  {count:>6}  {change}"));
    }
    for (code, (before, after)) in &difference.findings {
        canvas.line(&format!("  {code}: {before} → {after} findings"));
    }
    for change in difference.examples.iter().take(SHOWN) {
        let tool = change.tool.as_deref().unwrap_or("answer");
        let place = format!("{}:{}", change.file, change.line);
        let line = format!("  {} {}: {} → {}", safe(&place), safe(tool), change.before.name(), change.after.name());
        canvas.line(&line);
    }
}

const SHOWN: usize = 10;
const WIDTH: usize = 160;
