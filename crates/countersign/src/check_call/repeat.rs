//! What was called before: repeats, and loops without progress.
//!
//! A repeat is worth knowing; a loop costs money until somebody stops it. What counts is the same tool with the
//! same arguments since the user last spoke: a person who asks again may get the same call again. A loop whose
//! results change is polling and is never cut.

use super::subject::{Check, Said, Subject};
use crate::contract::codes::call::{REPEATED_CALL, REPEATED_QUERY, STUCK};
use crate::contract::{Arguments, Finding, Outcome, Role, Severity, ToolCall};
use crate::conversation::answered_calls;
use crate::localized;
use serde_json::{Map, Value};

/// The check.
pub(crate) const CHECK: Check = Check { name: "repeat", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let language = subject.language;
    let previous = previous_calls(subject);
    let name = &subject.tool.spec.name;
    let count = previous.len() + 1;
    let progress = previous.windows(2).any(|pair| matches!(pair, [a, b] if a != b));
    let repeat = subject.policy.repeat;
    let same_result = previous.len() > 1 && !progress;
    if count >= repeat.warn || same_result {
        let evidence = localized!(
            language,
            "`{name}` was called with the same arguments {count} times without anything new",
            "`{name}` 以相同参数调用了 {count} 次，没有新的进展"
        );
        let advice = localized!(
            language,
            "use the result that is already there, or change the arguments",
            "请使用已有的结果，或更换参数"
        );
        let cut = count >= repeat.cut && !progress;
        let severity = if cut { Severity::Error } else { Severity::Warning };
        said.findings.push(Finding::new(&STUCK, "/arguments", evidence).graded(severity).hint(advice));
    } else if count > 1 || earlier(subject) {
        let evidence = localized!(
            language,
            "`{name}` was called with the same arguments before",
            "之前已用相同参数调用过 `{name}`"
        );
        let finding = Finding::new(&REPEATED_CALL, "/arguments", evidence);
        // Since the user has spoken again, the same call may be what they want.
        let outcome = if count > 1 { finding.outcome } else { Outcome::Gentle };
        said.findings.push(Finding { outcome, ..finding });
    }
    let query = subject.context.string("previous_query").filter(|query| !query.is_empty());
    if let Some(key) = query.and_then(|query| subject.arguments.iter().find(|(_, value)| value.as_str() == Some(query)))
    {
        let key = key.0;
        let evidence = localized!(language, "`{key}` is the same as the previous query", "`{key}` 与上一次查询相同");
        said.findings.push(Finding::new(
            &REPEATED_QUERY,
            format!("/arguments/{}", crate::contract::patch::escape(key)),
            evidence,
        ));
    }
}

/// The results of the same call since the user last spoke, oldest first; null where there is none.
fn previous_calls(subject: &Subject<'_>) -> Vec<Value> {
    let mut found: Vec<Value> = list_calls(subject)
        .filter(|item| is_same_object(subject, item))
        .map(|item| item.get("result").cloned().unwrap_or(Value::Null))
        .collect();
    let messages = subject.conversation.messages();
    let from = messages.iter().rposition(|message| message.role == Role::User && !message.text.is_empty()).unwrap_or(0);
    let turn = messages.get(from..).unwrap_or_default();
    for call in answered_calls(turn).filter(|call| is_same(subject, call)) {
        let results = turn.iter().flat_map(|message| &message.results);
        found.push(
            results
                .clone()
                .find(|result| result.call_id == call.id)
                .map_or(Value::Null, |result| result.content.clone()),
        );
    }
    found
}

/// Whether the same call stands anywhere in the conversation.
fn earlier(subject: &Subject<'_>) -> bool {
    subject.conversation.answered_calls().any(|call| is_same(subject, call))
}

fn is_same(subject: &Subject<'_>, call: &ToolCall) -> bool {
    if call.name != subject.tool.spec.name {
        return false;
    }
    match &call.arguments {
        Arguments::Object(object) => **object == *subject.arguments,
        Arguments::Absent => subject.arguments.is_empty(),
        Arguments::Text(text) => {
            serde_json::from_str::<Map<String, Value>>(text).is_ok_and(|map| map == *subject.arguments)
        }
        Arguments::Other(_) => false,
    }
}

/// The calls that the context lists itself, `previous_calls: [{name, arguments, result?}]`.
fn list_calls<'a>(subject: &'a Subject<'_>) -> impl Iterator<Item = &'a Map<String, Value>> {
    subject.context.0.get("previous_calls").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn is_same_object(subject: &Subject<'_>, item: &Map<String, Value>) -> bool {
    is_same(subject, &crate::wire::messages::read_call(item))
}
