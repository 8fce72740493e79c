//! One value with all that the rules want to know of it.

use crate::check_call::params::Param;
use crate::check_call::role::{Role, Roles};
use crate::check_call::secrets::redact;
use crate::check_call::subject::{Node, Subject};
use crate::contract::language::is_han;
use crate::contract::{Code, Finding, Language, Role as Speaker};
use crate::policy::ArgumentPolicy;
use serde_json::Value;
use std::sync::LazyLock;

/// A value on its way through the rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held<'a> {
    subject: &'a Subject<'a>,
    node: &'a Node<'a>,
    /// Its parameter, or one without any facts.
    pub param: &'a Param,
    /// What it is for.
    pub roles: Roles,
    /// The language to speak.
    pub language: Language,
}

impl<'a> Held<'a> {
    /// A value of a call. Without a schema only its name tells what it is for.
    pub(crate) fn of(subject: &'a Subject<'a>, node: &'a Node<'a>) -> Self {
        let roles = node.roles;
        let param = node.param.unwrap_or(&NOTHING);
        Self { subject, node, param, roles, language: subject.language }
    }

    /// Whether the call runs with the numbers as they are written.
    pub(crate) fn keeps_numbers(&self) -> bool {
        self.subject.context.keeps_numbers()
    }

    /// The value.
    pub(crate) fn value(&self) -> &'a Value {
        self.node.value
    }

    /// The value as a text that says something: trimmed, not empty.
    pub(crate) fn text(&self) -> Option<&'a str> {
        self.node.value.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// The name of its property.
    pub(crate) fn key(&self) -> &'a str {
        self.node.key
    }

    /// Whether it is for something.
    pub(crate) fn is(&self, role: Role) -> bool {
        self.roles.has(role)
    }

    /// Whether the schema has its own word on the form of a text: rules by name are silent then.
    pub(crate) fn is_declared(&self) -> bool {
        self.param.format.is_some() || self.param.has_pattern || !self.param.allowed.is_empty()
    }

    /// Whether the schema has its own bounds for a number.
    pub(crate) fn is_bounded(&self) -> bool {
        self.param.minimum.is_some() || self.param.maximum.is_some() || !self.param.allowed.is_empty()
    }

    /// Where it is.
    pub(crate) fn pointer(&self) -> String {
        self.subject.values.pointer(self.node)
    }

    /// What the policy says of it.
    pub(crate) fn asked(&self) -> Option<&'a ArgumentPolicy> {
        self.subject.tool.argument(&self.pointer())
    }

    /// The value for people: short, and without any secret.
    pub(crate) fn quote(&self) -> String {
        if self.is(Role::Secret) {
            return "…".to_owned();
        }
        match self.node.value {
            Value::String(text) => quote(text),
            other => quote(&other.to_string()),
        }
    }

    /// Whether the person said the value: what they named themselves, the model did not make up.
    pub(crate) fn is_said_by_user(&self) -> bool {
        let Some(text) = self.text() else { return false };
        let spoken = self.subject.conversation.messages().iter().filter(|message| message.role == Speaker::User);
        spoken.into_iter().any(|message| stands_in(&message.text, text))
    }

    /// A finding on this value.
    pub(crate) fn finding(&self, code: &'static Code, evidence: impl Into<String>) -> Finding {
        Finding::new(code, self.pointer(), evidence)
    }

    /// Whether the tool itself names the value: as default, as example, or anywhere in the description.
    pub(crate) fn is_named_by_tool(&self) -> bool {
        let value = self.node.value;
        if self.param.default.as_ref() == Some(value) || self.param.examples.contains(value) {
            return true;
        }
        match value {
            Value::String(text) => stands_in(&self.param.description, text.trim()),
            Value::Number(number) => stands_in(&self.param.description, &number.to_string()),
            _ => false,
        }
    }
}

/// A text for people: redacted and cut.
pub(crate) fn quote(text: &str) -> String {
    let text = redact(text);
    let mut short: String = text.chars().take(MAX_QUOTE).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Whether a text is in another as whole words, in any case.
pub(crate) fn stands_in(text: &str, wanted: &str) -> bool {
    if wanted.is_empty() || wanted.len() > text.len() {
        return false;
    }
    let (text, wanted) = (text.to_lowercase(), wanted.to_lowercase());
    let part = |c: char| c.is_alphanumeric() && !is_han(c);
    text.match_indices(&wanted).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let mut after = text.get(at + found.len()..).unwrap_or_default().chars();
        let next = after.next();
        // `3` does not be in `3.5` nor in `-3`.
        let decimal = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        let left = before.is_some_and(part) && wanted.starts_with(part);
        let right = (next.is_some_and(part) && wanted.ends_with(part)) || (decimal && wanted.ends_with(part));
        !left && !right
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NOTHING);
}

static NOTHING: LazyLock<Param> = LazyLock::new(Param::default);

const MAX_QUOTE: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_description_are_whole() {
        assert!(stands_in("If 'dontcare' is given", "dontcare") && stands_in("Use TODAY.", "today"));
        assert!(stands_in("填写“今天”或日期", "今天") && stands_in("-1 for all", "-1"));
        assert!(!stands_in("from 1.5 to 20", "1") && !stands_in("100", "10") && !stands_in("x", ""));
    }

    #[test]
    fn quotes_hide_secrets() {
        // CALL-6
        let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
        assert_eq!(quote(&key), "ghp_…");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), 81);
    }
}
