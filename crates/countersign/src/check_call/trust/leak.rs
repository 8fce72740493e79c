//! What leaves the house: secrets, the operator's instructions and content of results, on the way to somebody whom the user did
//! not name. (TRUST-5)

use super::super::role::Role;
use super::super::secrets::redact;
use super::super::subject::Subject;
use super::origin::{Origin, origin_of};
use super::target::{Kind, Target, bare, targets};
use crate::contract::Finding;
use crate::contract::codes::trust::EXFILTRATION;
use crate::conversation::Conversation;
use crate::conversation::index::stands_in;
use crate::localized;
use crate::policy::Effect;
use crate::text::fold::fold;
use serde_json::Value;
use std::borrow::Cow;

/// The finding on a call.
pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let targets = targets(subject);
    let foreign = |target: &&Target<'_>| !matches!(origin_of(subject, target), Origin::User | Origin::Operator);
    let link = targets
        .iter()
        .filter(|target| target.kind == Kind::Url)
        .find(|target| carries(subject.conversation, &target.folded) && foreign(target));
    if let Some(target) = link {
        return Some(report(subject, target.pointer(subject)));
    }
    if let Some(pointer) = secret(subject) {
        return Some(report(subject, pointer));
    }
    let sends = subject.tool.effects.effects.contains(&Effect::Send);
    let target = targets.iter().filter(|_| sends).find(|target| target.kind != Kind::Name)?;
    let operator = subject.conversation.index().operator();
    let told = subject.values.leaves().any(|node| match node.value {
        Value::String(text) => shares_run(operator, &fold(text)),
        _ => false,
    });
    let field = matches!(origin_of(subject, target), Origin::Prose(_) | Origin::Nowhere);
    (told && field).then(|| report(subject, target.pointer(subject)))
}

/// A secret of an earlier result inside words that go to others.
fn secret(subject: &Subject<'_>) -> Option<String> {
    let effects = &subject.tool.effects.effects;
    let leaves = effects.iter().any(|effect| matches!(effect, Effect::Send | Effect::Write)) || effects.is_empty();
    let user = subject.conversation.index().user();
    let node = subject.values.leaves().filter(|node| leaves && node.roles.has(Role::FreeText)).find(|node| {
        let Value::String(text) = node.value else { return false };
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ',' | ';'));
        let mut secrets = words.filter(|word| word.len() >= MIN_SECRET && matches!(redact(word), Cow::Owned(_)));
        secrets.any(|word| !user.contains(&fold(word)) && subject.conversation.index().has(&fold(word)))
    })?;
    Some(subject.values.pointer(node))
}

/// What is said of it.
pub(super) fn report(subject: &Subject<'_>, pointer: String) -> Finding {
    let evidence = localized!(
        subject.language,
        "content of this conversation would go to a target that the user did not name",
        "对话中的内容将被发送到用户没有提到的目标"
    );
    Finding::new(&EXFILTRATION, pointer, evidence)
}

/// Whether an address carries content of a result to a host that no field of a result names: the query or the path was put
/// together from what was read. An address that a result gives as it is carries nothing of its own.
pub(crate) fn carries(conversation: &Conversation, address: &str) -> bool {
    let address = bare(address);
    let Some((host, rest)) = address.split_once(['/', '?', '#']) else { return false };
    let index = conversation.index();
    if stands_in(index.user(), host) || stands_in(index.operator(), host) {
        return false;
    }
    let told =
        || (0..conversation.messages().len()).filter_map(|at| conversation.told(at)).flat_map(|told| &told.leaves);
    if told().any(|leaf| leaf.text.contains(&address)) {
        return false;
    }
    let data = rest.split(['?', '&', '/', '=', '#']).map(decode).filter(|part| is_telling(part));
    let data: Vec<String> = data.collect();
    let template = told().any(|leaf| leaf.text.len() > host.len() && stands_in(&leaf.text, host));
    template
        && data
            .iter()
            .any(|part| !index.user().contains(part.as_str()) && told().any(|leaf| leaf.text.contains(part.as_str())))
}

/// Whether a part of an address could be somebody's data: long, or with digits.
fn is_telling(part: &str) -> bool {
    let count = part.chars().count();
    count >= 12 || (count >= 4 && part.chars().any(|c| c.is_ascii_digit()))
}

/// A part of an address with its blanks.
fn decode(part: &str) -> String {
    let plain = part.replace('+', " ").replace("%20", " ").replace("%40", "@").replace("%2c", ",").replace("%3a", ":");
    plain.trim().to_owned()
}

/// Whether a text repeats a longer run of the operator's words.
fn shares_run(operator: &str, text: &str) -> bool {
    if operator.len() < MIN_RUN || text.len() < MIN_RUN {
        return false;
    }
    let starts = (0..text.len() - MIN_RUN).step_by(MIN_RUN / 2).take(MAX_RUNS);
    let mut runs = starts.filter_map(|at| text.get(at..at + MIN_RUN));
    runs.any(|run| memchr::memmem::find(operator.as_bytes(), run.as_bytes()).is_some())
}

const MIN_SECRET: usize = 12;
const MIN_RUN: usize = 60;
const MAX_RUNS: usize = 200;
