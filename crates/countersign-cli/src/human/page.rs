//! The page of a finding code: on the terminal and as Markdown for `docs/rules/`.

use super::canvas::{Canvas, Paint, wrap};
use countersign::contract::code::{Kind, Source};
use countersign::contract::{Code, Layer, Level, Mode, Outcome, Severity};
use countersign::policy::{DoubtfulAnswers, Policy, SuspiciousResults};

/// Draws the page of a code, with what it leads to under a policy.
pub(crate) fn draw(canvas: &mut Canvas, code: &Code, policy: &Policy) {
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
        ("here", consequence(code, policy)),
    ];
    for (label, value) in facts {
        let label = canvas.paint(Paint::Dim, &format!("{label:<11}"));
        canvas.line(&format!("  {label} {value}"));
    }
}

/// Codes of the check that holds a call's deed against the request.
const ASKED: &[&str] = &["meaning.not-asked", "meaning.opposite", "meaning.scope", "meaning.other-deed"];

/// Codes of the check that holds a call's values against the request.
const VALUES: &[&str] = &[
    "meaning.other-unit",
    "meaning.other-value",
    "meaning.other-currency",
    "meaning.other-date",
    "meaning.swapped",
    "meaning.other-record",
    "meaning.miscopied",
    "meaning.excluded",
    "meaning.superseded",
    "meaning.left-out",
    "meaning.extra",
    "meaning.other-choice",
    "meaning.against-wish",
    "meaning.other-content",
];

/// What a finding with a code leads to under a policy.
fn consequence(code: &Code, policy: &Policy) -> String {
    let named = |name: &str| policy.checks.get(name).copied().unwrap_or(Mode::Enforce);
    let mode = match code.layer {
        Layer::ToolName => named("name"),
        Layer::Parameter => named("schema"),
        Layer::Meaning if ASKED.contains(&code.id) => named("action"),
        Layer::Meaning if VALUES.contains(&code.id) => named("request"),
        Layer::Meaning => named("meaning"),
        Layer::Danger => named("danger"),
        Layer::Context => named("permission"),
        Layer::Provenance if code.id == "provenance.unasked" => named("relevance"),
        Layer::Provenance if code.id.starts_with("trust.") || code.id.starts_with("tool.") => named("trust"),
        Layer::Provenance => named("provenance"),
        Layer::Fact | Layer::Capability => named("facts"),
        Layer::Repeat if code.id == "call.missing-step" => named("steps"),
        Layer::Repeat => named("repeat"),
        Layer::History => return "put right before the conversation goes upstream, and recorded".to_owned(),
        Layer::Result => return of_result(policy).to_owned(),
        Layer::Answer => return of_answer(policy).to_owned(),
    };
    let what = match mode {
        Mode::Off => "not looked for",
        Mode::Shadow => "recorded, without effect",
        Mode::Advise => "shown, refuses nothing",
        Mode::Enforce => enforced(code, policy.level),
    };
    format!("{what} (mode {}, level {})", mode.name(), policy.level.name())
}

fn enforced(code: &Code, level: Level) -> &'static str {
    match (code.outcome, level, code.severity) {
        (Outcome::Deny, _, _) if code.layer == Layer::Context => {
            "the call is rejected; neither the model nor a person is asked"
        }
        (Outcome::Deny, _, _) => "the call is rejected and goes back to the model",
        (Outcome::Fatal, _, _) => "the call is refused and goes back to the model",
        (Outcome::Review, _, _) => "a person decides",
        (Outcome::Gentle, _, _) => "the call runs, with caution",
        (Outcome::Ordinary, Level::Strict, Severity::Error | Severity::Warning)
        | (Outcome::Ordinary, Level::Moderate, Severity::Error) => {
            "refused and sent back to the model, unless a repair is certain and the level applies it"
        }
        (Outcome::Ordinary, _, Severity::Info) => "shown",
        (Outcome::Ordinary, _, _) => "the call runs, with caution; where it cannot be undone, a person decides",
    }
}

fn of_result(policy: &Policy) -> &'static str {
    match policy.suspicious_results {
        SuspiciousResults::Pass => "a result that looks wrong is recorded (suspicious_results = \"pass\")",
        SuspiciousResults::Mark => "a result that looks wrong is marked for the model (suspicious_results = \"mark\")",
        SuspiciousResults::Review => {
            "a result that looks wrong is withheld until a person approves it (suspicious_results = \"review\")"
        }
    }
}

fn of_answer(policy: &Policy) -> &'static str {
    match policy.answers.doubtful {
        DoubtfulAnswers::Pass => "the answer passes and is recorded (doubtful_answers = \"pass\")",
        DoubtfulAnswers::Mark => "the answer passes and is marked (doubtful_answers = \"mark\")",
        DoubtfulAnswers::Correct => "the model is asked again (doubtful_answers = \"correct\")",
        DoubtfulAnswers::Review => {
            "a hosted turn waits for a person, the gateway marks it (doubtful_answers = \"review\")"
        }
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
