//! The page of a finding code: on the terminal and as Markdown for `docs/rules/`.

use super::canvas::{Canvas, Paint, wrap};
use countersign::contract::code::{Kind, Source};
use countersign::contract::{Code, Outcome, Severity};

/// Draws the page of a code.
pub(crate) fn draw(canvas: &mut Canvas, code: &Code) {
    let head = canvas.paint(Paint::Bold, code.id);
    canvas.line(&format!("{head}  {}", code.title));
    canvas.line("");
    section(canvas, code.what);
    for (label, text) in [("Mend", code.mend), ("Example", code.example)] {
        let label = canvas.paint(Paint::Bold, label);
        canvas.line(&label);
        section(canvas, text);
    }
    let facts = [
        ("severity", severity(code.severity).to_owned()),
        ("confidence", format!("{:.2}", code.confidence)),
        ("decision", outcome(code.outcome).to_owned()),
        ("source", source(code.source).to_owned()),
        ("type", kind(code.kind).to_owned()),
    ];
    for (label, value) in facts {
        let label = canvas.paint(Paint::Dim, &format!("{label:<11}"));
        canvas.line(&format!("  {label} {value}"));
    }
}

/// The page of a code as Markdown.
pub(crate) fn markdown(code: &Code) -> String {
    format!(
        "# `{}`: {}\n\n{}\n\n## Mend\n\n{}\n\n## Example\n\n{}\n\n| | |\n|---|---|\n| Severity | {} |\n| Confidence | {:.2} |\n| Decision | {} |\n| Layer | {} |\n| Source of the mistake | {} |\n| Type of hallucination | {} |\n",
        code.id,
        code.title,
        code.what,
        code.mend,
        code.example,
        severity(code.severity),
        code.confidence,
        outcome(code.outcome),
        layer(code),
        source(code.source),
        kind(code.kind),
    )
}

/// The index of all pages.
pub(crate) fn index(codes: &[&Code]) -> String {
    let mut page = String::from(
        "# Finding codes\n\nEvery finding carries one of these codes. They are stable: a code keeps its meaning. `countersign explain CODE`\nprints the same page. This folder is written by `countersign explain --write docs/rules`.\n\n| Code | What it says | Severity | Decision |\n|---|---|---|---|\n",
    );
    for code in codes {
        let row = format!(
            "| [`{0}`]({0}.md) | {1} | {2} | {3} |\n",
            code.id,
            code.title,
            severity(code.severity),
            outcome(code.outcome)
        );
        page.push_str(&row);
    }
    page
}

fn section(canvas: &mut Canvas, text: &str) {
    for line in wrap(text, 94) {
        canvas.line(&format!("  {line}"));
    }
    canvas.line("");
}

fn layer(code: &Code) -> String {
    serde_json::to_value(code.layer).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ordinary => "an error refuses, a warning cautions",
        Outcome::Gentle => "never refuses",
        Outcome::Fatal => "refuses at every level: there is nothing that could run",
        Outcome::Review => "a person decides",
        Outcome::Deny => "rejected at every level",
    }
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Knowledge => "wrong knowledge",
        Source::Parameters => "wrong parameters",
        Source::Output => "misread output",
        Source::Confidence => "wrong confidence",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool => "tool",
        Kind::Parameter => "parameter",
        Kind::Fact => "fact",
        Kind::Capability => "capability",
    }
}
