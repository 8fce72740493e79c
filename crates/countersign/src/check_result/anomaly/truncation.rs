//! A result that ends before its end.

use crate::check_result::pattern::pattern;
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Flags, marks, cut JSON and sentences without end.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in subject.parts.objects.iter().filter(|object| object.depth <= 2) {
        let reason = object
            .find(&["finish_reason", "stop_reason", "finish"])
            .filter(|entry| entry.value.as_str().is_some_and(|reason| CUTS.contains(&reason.to_lowercase().as_str())));
        let flag = object.find(&["truncated", "is_truncated", "incomplete", "cut_off", "output_truncated"]);
        let flag = flag.filter(|entry| entry.value.as_bool() == Some(true) && !asks_for_less(subject));
        found.extend(
            reason.or(flag).map(|entry| cut(subject, object.at(entry), &format!("{}: {}", entry.key, entry.value))),
        );
    }
    let texts = subject.parts.texts.iter().filter(|text| text.listed == 0);
    for text in texts {
        if let Some(mark) = mark(text.text).filter(|_| !asks_for_less(subject)) {
            found.push(cut(subject, text.pointer.clone(), &mark));
        } else if (text.key.is_empty() && is_cut_json(subject, text.text))
            || is_cut_sentence(subject, text.key, text.text)
        {
            found.push(cut(subject, text.pointer.clone(), &tail(text.text)));
        }
    }
    found.truncate(2);
    found
}

fn cut(subject: &Subject, pointer: String, how: &str) -> Finding {
    let evidence = localized!(subject.language, "the result was cut ({how})", "结果不完整（{how}）");
    Finding::new(&codes::TRUNCATED, pointer, evidence)
}

fn tail(text: &str) -> String {
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(24)).collect()
}

/// Whether the call itself asked for a part.
fn asks_for_less(subject: &Subject) -> bool {
    let parts =
        ["limit", "max", "lines", "bytes", "head", "tail", "length", "chars", "tokens", "offset", "range", "preview"];
    subject.arguments.keys().any(|key| parts.iter().any(|part| key.to_lowercase().contains(part)))
}

/// The mark of a cut at the end of a text.
fn mark(text: &str) -> Option<String> {
    let count = text.chars().count();
    let end: String = text.chars().skip(count.saturating_sub(120)).collect();
    MARK.find(end.trim_end()).map(|found| found.as_str().trim().to_owned())
}

/// JSON that begins and does not end.
fn is_cut_json(subject: &Subject, text: &str) -> bool {
    let text = text.trim();
    let named = subject.argument_texts().any(|text| text.ends_with(".json"));
    let carried = matches!(subject.kind, ToolKind::Carries | ToolKind::Runs) && !named;
    let begins =
        text.starts_with("{\"") || text.starts_with("[{") || text.starts_with("{\n") || text.starts_with("[\"");
    !carried && begins && serde_json::from_str::<Value>(text).is_err_and(|error| error.is_eof())
}

/// A summary or translation that stops inside a sentence.
fn is_cut_sentence(subject: &Subject, key: &str, text: &str) -> bool {
    let tells =
        matches!(subject.kind, ToolKind::Summarises | ToolKind::Translates) || key == "summary" || key == "answer";
    let own = key.is_empty() || matches!(key, "summary" | "translation" | "answer" | "text" | "result" | "content");
    let text = text.trim_end();
    if !tells || !own || text.chars().count() < 24 {
        return false;
    }
    let dots = text.ends_with("...") || text.ends_with('…');
    dots || OPEN_END.is_match(&tail(text))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&MARK);
    LazyLock::force(&OPEN_END);
}

static MARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:[\[(<（【{]\s*(?:\.{3}|…)?\s*(?:(?:output|content|text|response|result|message|file|log)s?\s+)?(?:was |has been )?(?:truncated|cut off|shortened|内容过长|已截断|截断|内容被截断|输出被截断|后续省略|以下省略)[^\])>）】}]{0,60}[\])>）】}]|(?:\.{3}|…)\s*(?:truncated|more omitted|已截断)|(?:已|被)截断[。.]?)$",
    )
});
static OPEN_END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:the|a|an|of|to|and|or|but|with|for|in|on|at|by|from|that|which|because|as|is|are|was|were|will|into|its|their|than|this|has|have)|[,，、;；:：(（]|(?:以及|因为|但是|而且|并且|其中|包括|由于|如果|和|与|的|并|在|对|将|从|为|而|且|但|及|或))$",
    )
});
const CUTS: &[&str] =
    &["length", "max_tokens", "max_output_tokens", "token_limit", "model_length", "truncated", "incomplete"];
