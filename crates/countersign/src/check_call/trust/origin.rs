//! Where a value comes from: the operator, the user, a field of a result, the prose of a result, or nowhere.

use super::super::subject::Subject;
use super::target::{Kind, Target, bare};
use crate::contract::ToolCall;
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::policy::Trust;

/// The best source of a value.
#[derive(Debug)]
pub(super) enum Origin<'a> {
    /// The system prompt, the policy, the context or the tool's own text.
    Operator,
    /// The user said or confirmed it.
    User,
    /// It is a whole field of a result.
    Field,
    /// It stands only inside texts of results.
    Prose(Vec<Place<'a>>),
    /// Nobody said it.
    Nowhere,
}

/// A field of a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The message.
    pub message: usize,
    /// The field.
    pub leaf: &'a Leaf,
}

impl<'a> Place<'a> {
    /// The call that gave the result.
    pub(super) fn call(&self, subject: &Subject<'a>) -> Option<&'a ToolCall> {
        call_of(subject, self.message, self.leaf.result)
    }

    /// The name of the tool that gave the result.
    pub(super) fn tool(&self, subject: &Subject<'a>) -> Option<&'a str> {
        self.call(subject).map(|call| call.name.as_str())
    }
}

/// The fields of all results, in the order in which they were read.
pub(super) fn places<'a>(subject: &Subject<'a>) -> impl Iterator<Item = Place<'a>> {
    let conversation = subject.conversation;
    let told = (0..conversation.messages().len()).filter_map(|at| Some((at, conversation.told(at)?)));
    told.flat_map(|(message, told)| told.leaves.iter().map(move |leaf| Place { message, leaf }))
}

/// The call that gave a result of a message.
pub(super) fn call_of<'a>(subject: &Subject<'a>, message: usize, result: usize) -> Option<&'a ToolCall> {
    let messages = subject.conversation.messages();
    let result = messages.get(message)?.results.get(result)?;
    let calls = messages.get(..message)?.iter().rev().flat_map(|message| message.calls.iter().rev());
    let mut calls = calls.filter(|call| call.id == result.call_id || result.call_id.is_none());
    calls.next()
}

/// How far the operator trusts a result of a message.
pub(super) fn trust_of(subject: &Subject<'_>, message: usize, result: usize) -> Trust {
    if subject.policy.trust.is_default() {
        return Trust::External;
    }
    let name = || {
        let given = subject.conversation.messages().get(message)?.results.get(result)?.name.as_deref();
        given.or_else(|| call_of(subject, message, result).map(|call| call.name.as_str()))
    };
    subject.policy.trust.of(name().unwrap_or_default())
}

/// The best source of a target.
pub(super) fn origin_of<'a>(subject: &Subject<'a>, target: &Target<'_>) -> Origin<'a> {
    let index = subject.conversation.index();
    let squashed = |text: &str| target.kind == Kind::Account && has_number(text, &target.folded);
    let said = |text: &str| stands_in(text, target.host()) || squashed(text);
    if said(index.user()) {
        return Origin::User;
    }
    let known = |list: &[String]| list.iter().any(|known| bare(known) == target.folded);
    let argument = subject.tool.argument(target.key);
    let told = || subject.context.told().any(|value| said(&crate::text::fold::fold(&value.to_string())));
    if said(index.operator())
        || known(&subject.policy.known)
        || argument.is_some_and(|argument| known(&argument.known))
        || (subject.tool.overreach().is_none() && subject.tool.stated().has(target.host()))
        || told()
    {
        return Origin::Operator;
    }
    let mut places = Vec::new();
    for message in 0..subject.conversation.messages().len() {
        let Some(found) = subject.conversation.told(message) else { continue };
        for leaf in &found.leaves {
            let whole = !leaf.labelled && (bare(&leaf.text) == target.folded || squashes(&leaf.text, target));
            if whole && !found.is_tainted(leaf) {
                return Origin::Field;
            }
            let stands = stands_in(&leaf.text, &target.folded) || squashed(&leaf.text);
            match trust_of(subject, message, leaf.result) {
                Trust::Trusted if stands => return Origin::Operator,
                Trust::OwnData if stands => return Origin::Field,
                _ => {}
            }
            if stands || (target.kind == Kind::Url && stands_in(&leaf.text, target.host())) {
                places.push(Place { message, leaf });
            }
        }
    }
    if places.is_empty() { Origin::Nowhere } else { Origin::Prose(places) }
}

/// Whether a field holds sentences and no value.
pub(super) fn is_prose(text: &str) -> bool {
    text.split_whitespace().nth(4).is_some() || (!text.is_ascii() && text.chars().count() >= 12)
}

/// Whether a whole field is the same number with other blanks.
fn squashes(text: &str, target: &Target<'_>) -> bool {
    let squash = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    target.kind == Kind::Account && text.len() <= MAX_NUMBER && squash(text) == squash(&target.folded)
}

/// Whether a number stands in a text with blanks in it.
fn has_number(text: &str, number: &str) -> bool {
    let digits: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    let Some(first) = digits.get(..digits.len().min(4)) else { return false };
    memchr::memmem::find_iter(text.as_bytes(), first.as_bytes()).any(|at| {
        let rest = text.get(at..).unwrap_or_default().chars().take(MAX_NUMBER);
        let plain = rest.filter(|c| !matches!(c, ' ' | '-')).take(digits.len());
        plain.eq(digits.chars())
    })
}

const MAX_NUMBER: usize = 60;
