//! A policy for people: what each check does under it, its rules, its tools and its thresholds, on one page.

use super::canvas::{Canvas, Paint, columns, safe, wrap};
use countersign::contract::checks::{CHECKS, Stage};
use countersign::contract::{Level, Mode};
use countersign::policy::rules::Rule;
use countersign::policy::{DoubtfulAnswers, Policy, SuspiciousResults, ToolPolicy};

/// Draws a policy; `source` says where it was read from.
pub(crate) fn draw(mut canvas: Canvas, policy: &Policy, source: &str) -> String {
    fact(&mut canvas, "policy", source);
    fact(&mut canvas, "version", &policy.version);
    fact(&mut canvas, "level", &format!("{}: {}", policy.level.name(), level(policy.level)));
    for (title, stage) in SECTIONS {
        head(&mut canvas, title);
        let checks = CHECKS.iter().filter(|check| check.stage == *stage);
        checks.for_each(|each| check(&mut canvas, policy, each.name, each.about));
    }
    doubts(&mut canvas, policy);
    head(&mut canvas, "Modes");
    MODES.iter().for_each(|(name, about)| entry(&mut canvas, name, about));
    head(&mut canvas, "Rules");
    policy.rules.iter().for_each(|each| rule(&mut canvas, each));
    empty(&mut canvas, policy.rules.is_empty());
    head(&mut canvas, "Tools with settings of their own");
    policy.tools.iter().for_each(|each| tool(&mut canvas, each));
    empty(&mut canvas, policy.tools.is_empty());
    thresholds(&mut canvas, policy);
    canvas.finish()
}

fn check(canvas: &mut Canvas, policy: &Policy, name: &str, about: &str) {
    let mode = policy.checks.get(name).copied().unwrap_or(Mode::Enforce);
    let paint = match mode {
        Mode::Enforce => Paint::Green,
        Mode::Advise | Mode::Shadow => Paint::Yellow,
        Mode::Off => Paint::Red,
    };
    let mode = canvas.paint(paint, &format!("{:<8}", mode.name()));
    hang(canvas, &format!("  {name:<14} {mode} "), NAMES + 12, about);
}

fn rule(canvas: &mut Canvas, rule: &Rule) {
    let join = |words: Vec<&str>| words.join(", ");
    let mut about = vec![safe(&rule.reason.0)];
    let tools = join(rule.tools().iter().map(|pattern| pattern.as_str()).collect());
    let effects = join(rule.effects().iter().map(|effect| effect.name()).collect());
    about.extend((!tools.is_empty()).then(|| format!("tools: {}", safe(&tools))));
    about.extend((!effects.is_empty()).then(|| format!("tools that {effects}")));
    about.extend(rule.when().map(|when| format!("when {}", safe(&one_line(when)))));
    let name = safe(&rule.name);
    canvas.line(&format!("  {:<8} {}", rule.effect.name(), canvas.paint(Paint::Bold, &name)));
    about.iter().for_each(|text| hang(canvas, "           ", 11, text));
}

fn tool(canvas: &mut Canvas, tool: &ToolPolicy) {
    let mut about = Vec::new();
    about.extend(tool.level.map(|level| format!("level {}", level.name())));
    about.extend(tool.checks.iter().map(|(name, mode)| format!("{name} {}", mode.name())));
    about.extend(tool.effects.as_ref().map(|effects| {
        let names: Vec<&str> = effects.iter().map(|effect| effect.name()).collect();
        format!("effects {}", names.join(", "))
    }));
    about.extend(tool.irreversible.map(|yes| if yes { "cannot be undone" } else { "can be undone" }.to_owned()));
    about.extend((!tool.aliases.is_empty()).then(|| format!("also called {}", tool.aliases.join(", "))));
    about.extend((!tool.permissions.is_empty()).then(|| format!("needs {}", tool.permissions.join(", "))));
    let requires: Vec<&str> = tool.requires.iter().map(|pattern| pattern.as_str()).collect();
    about.extend((!requires.is_empty()).then(|| format!("after {}", requires.join(", "))));
    about.extend(tool.review_expires.map(|wait| format!("a person decides within {} s", wait.as_secs())));
    about.extend(tool.arguments.keys().map(|name| format!("argument `{name}`")));
    entry(canvas, &safe(tool.names.as_str()), &safe(&about.join("; ")));
}

/// What happens to results and answers that a check doubts, and what the model is asked again for.
fn doubts(canvas: &mut Canvas, policy: &Policy) {
    head(canvas, "When something is doubted");
    let results = match policy.suspicious_results {
        SuspiciousResults::Pass => "pass: recorded, and the model is not told",
        SuspiciousResults::Mark => "mark: the model is told in front of the result",
        SuspiciousResults::Review => "review: withheld until a person has approved it",
    };
    entry(canvas, "results", results);
    let answers = match policy.answers.doubtful {
        DoubtfulAnswers::Pass => "pass: recorded, and nobody is told",
        DoubtfulAnswers::Mark => "mark: recorded, and told in a header, a comment or a warning",
        DoubtfulAnswers::Correct => "correct: the model is asked again, once for each finding",
        DoubtfulAnswers::Review => "review: a hosted turn holds it until a person decides; the gateway marks it",
    };
    entry(canvas, "answers", answers);
    let again: Vec<&str> = policy.answers.ask_again.iter().map(|fault| fault.about()).collect();
    let again = if again.is_empty() { "nothing".to_owned() } else { again.join(", ") };
    entry(canvas, "asked again", &format!("for {again}"));
    let required: Vec<&str> = policy.answers.requires.iter().map(|pattern| pattern.as_str()).collect();
    if !required.is_empty() {
        entry(canvas, "required", &format!("{} before the final answer", safe(&required.join(", "))));
    }
}

fn thresholds(canvas: &mut Canvas, policy: &Policy) {
    let score = &policy.score;
    head(canvas, "Thresholds");
    let answers = format!(
        "above {:.2} approved, above {:.2} with caution, above {:.2} to a person, else rejected{}",
        score.approve,
        score.caution,
        score.review,
        if score.curve.is_empty() { "" } else { "; calibrated on labelled outcomes" }
    );
    entry(canvas, "answers", &answers);
    let repeats = format!(
        "a warning from identical call {} on, refused from call {} on where nothing new came back",
        policy.repeat.warn, policy.repeat.cut
    );
    entry(canvas, "repeats", &repeats);
    let facts = &policy.facts;
    let sources = facts.endpoints.len() + facts.permissions.len() + facts.records.len() + facts.custom.len();
    entry(canvas, "facts", &count(sources, "configured source"));
    let reader = policy.judge.as_ref().map_or_else(
        || "none".to_owned(),
        |judge| format!("`{}` at {}, within {} ms", judge.model, judge.url, judge.deadline_ms),
    );
    entry(canvas, "second reader", &reader);
    let exceptions = [
        count(policy.known.len(), "known value"),
        count(policy.allow.paths.len(), "allowed path"),
        count(policy.allow.hosts.len(), "allowed host"),
    ];
    entry(canvas, "exceptions", &exceptions.join(", "));
}

fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn fact(canvas: &mut Canvas, name: &str, text: &str) {
    let label = canvas.paint(Paint::Dim, &format!("{name:<9}"));
    canvas.line(&format!("{label}{}", safe(text)));
}

fn head(canvas: &mut Canvas, title: &str) {
    canvas.line("");
    let title = canvas.paint(Paint::Bold, title);
    canvas.line(&title);
}

fn entry(canvas: &mut Canvas, name: &str, about: &str) {
    let gap = " ".repeat(NAMES.saturating_sub(columns(name) + 2).max(1));
    hang(canvas, &format!("  {name}{gap}"), NAMES, about);
}

fn empty(canvas: &mut Canvas, is_empty: bool) {
    if is_empty {
        canvas.line("  none");
    }
}

/// A text after a label, its further lines under its first.
fn hang(canvas: &mut Canvas, label: &str, indent: usize, text: &str) {
    let mut lines = wrap(text, WIDTH.saturating_sub(indent)).into_iter();
    canvas.line(&format!("{label}{}", lines.next().unwrap_or_default()));
    lines.for_each(|line| canvas.line(&format!("{}{line}", " ".repeat(indent))));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Strict => "errors and warnings refuse; repairs are proposed, not applied",
        Level::Moderate => "errors refuse, warnings pass with caution; certain repairs are applied",
        Level::Lenient => "only what can never run is refused; certain repairs are applied",
    }
}

const SECTIONS: &[(&str, Stage)] = &[
    ("Before a tool runs", Stage::Call),
    ("When a result comes back", Stage::Result),
    ("When the model answers", Stage::Answer),
];
const MODES: &[(&str, &str)] = &[
    ("enforce", "findings decide"),
    ("advise", "findings are shown and refuse nothing"),
    ("shadow", "findings are recorded only"),
    ("off", "the check does not run"),
];

/// The column where texts begin.
const NAMES: usize = 14;
const WIDTH: usize = 110;
