//! Records that a call names, and questions for checkers of the user's own.

use super::questions::{Questions, Reply, short, text_of, values};
use crate::check_call::subject::{Node, Subject};
use crate::contract::codes::fact::{NOT_TRUE, UNKNOWN_RECORD};
use crate::contract::{Code, Finding, Language, PatchOp, Question};
use crate::localized;
use crate::policy::facts::{CustomSource, Source};
use serde_json::Value;

/// Looks up every value that a source is about.
pub(super) fn run(subject: &Subject<'_>, questions: &mut Questions<'_>) {
    let tool = &subject.tool.spec.name;
    let facts = &subject.policy.facts;
    for source in facts.records.iter().filter(|source| source.about.tool(tool)) {
        for (node, value) in values(subject, &source.about.arguments) {
            let question = Question::Record { source: source.source.name.clone(), value: value.clone() };
            ask(subject, questions, &source.source, (node, &value), (question, &UNKNOWN_RECORD));
        }
    }
    for source in facts.custom.iter().filter(|source| source.about.tool(tool)) {
        for (node, value) in values(subject, &source.about.arguments) {
            let asked = fill(source, subject, &value);
            let question = Question::Custom { source: source.source.name.clone(), question: asked };
            ask(subject, questions, &source.source, (node, &value), (question, &NOT_TRUE));
        }
    }
}

fn ask(
    subject: &Subject<'_>,
    questions: &mut Questions<'_>,
    source: &Source,
    (node, value): (&Node<'_>, &str),
    (question, code): (Question, &'static Code),
) {
    match questions.ask(question) {
        Reply::Holds => {}
        Reply::Unknown(reason) => {
            questions.silent(&source.name, subject.values.pointer(node), reason, source.unanswered);
        }
        Reply::Fails { nearest, note } => {
            let pointer = subject.values.pointer(node);
            let evidence = evidence(code, &source.name, value, note.as_deref(), questions.language);
            let finding = Finding::new(code, pointer.clone(), evidence);
            questions.findings.push(match nearest {
                Some(near) => {
                    let note = localized!(questions.language, "did you mean `{near}`?", "是否应为 `{near}`？");
                    finding.propose(note, vec![PatchOp::replace(pointer, in_kind(node.value, near))])
                }
                None => finding,
            });
        }
    }
}

fn evidence(code: &Code, source: &str, value: &str, note: Option<&str>, language: Language) -> String {
    let value = short(value);
    let mut evidence = match code.is(&UNKNOWN_RECORD) {
        true => localized!(language, "`{source}` has no record `{value}`", "`{source}` 中没有记录 `{value}`"),
        false => {
            localized!(language, "`{source}` says that `{value}` does not hold", "`{source}` 认为 `{value}` 不成立")
        }
    };
    if let Some(note) = note {
        let note = short(note);
        evidence.push_str(&localized!(language, ": {note}", "：{note}"));
    }
    evidence
}

/// The nearest value in the type that the call used.
fn in_kind(value: &Value, near: String) -> Value {
    let number = value.is_number().then(|| serde_json::from_str::<Value>(&near).ok()).flatten();
    number.filter(Value::is_number).unwrap_or(Value::String(near))
}

/// The question, with `{value}`, `{tool}` and other arguments put in. What is no argument stays as it stands.
fn fill(source: &CustomSource, subject: &Subject<'_>, value: &str) -> String {
    let mut out = String::with_capacity(source.question.len() + value.len());
    let mut rest = source.question.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let filled = match name {
            "value" => Some(value.to_owned()),
            "tool" => Some(subject.tool.spec.name.clone()),
            name => subject.arguments.get(name).map(|value| text_of(value).unwrap_or_else(|| value.to_string())),
        };
        out.push_str(&filled.unwrap_or_else(|| format!("{{{name}}}")));
        rest = tail;
    }
    out.push_str(rest);
    out
}
