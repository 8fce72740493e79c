//! One text with all that the rules want to know of it: its marks, what it is for, and how to speak of it.

use crate::check_call::meaning::value::quote;
use crate::check_call::role::{Role, Roles};
use crate::check_call::subject::{Node, Subject};
use crate::contract::{Code, Finding, Language};
use crate::policy::{ArgumentPolicy, Policy};

/// A text on its way through the rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    subject: &'a Subject<'a>,
    node: &'a Node<'a>,
    /// The text, trimmed.
    pub text: &'a str,
    /// Which marks it has.
    pub marks: Marks,
    /// What it is for.
    pub roles: Roles,
    /// The language to speak.
    pub language: Language,
}

/// The marks of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marks(u8);

impl Marks {
    /// `/` or `\`.
    pub(crate) const SLASH: u8 = 1;
    /// `.` or `~`, the beginnings of hidden and home paths.
    pub(crate) const DOT: u8 = 1 << 1;
    /// `;`, `|`, `&`, `` ` ``, `$` or a line break.
    pub(crate) const SHELL: u8 = 1 << 2;
    /// `'` or `"`.
    pub(crate) const QUOTE: u8 = 1 << 3;
    /// `:`.
    pub(crate) const COLON: u8 = 1 << 4;
    /// A blank.
    pub(crate) const BLANK: u8 = 1 << 5;

    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |marks, byte| marks | mark(byte)))
    }

    /// Whether any of the marks is there.
    pub(crate) fn any(self, marks: u8) -> bool {
        self.0 & marks != 0
    }
}

fn mark(byte: u8) -> u8 {
    match byte {
        b'/' | b'\\' => Marks::SLASH,
        b'.' | b'~' => Marks::DOT,
        b';' | b'|' | b'&' | b'`' | b'$' | b'\n' => Marks::SHELL,
        b'\'' | b'"' => Marks::QUOTE,
        b':' => Marks::COLON,
        b' ' | b'\t' => Marks::BLANK,
        _ => 0,
    }
}

impl<'a> Text<'a> {
    /// A text of a call; `None` for other values and for empty ones.
    pub(crate) fn of(subject: &'a Subject<'a>, node: &'a Node<'a>) -> Option<Self> {
        Self::read(subject, node, node.value.as_str()?)
    }

    /// A value as a text of its own; `None` where that is empty.
    pub(crate) fn read(subject: &'a Subject<'a>, node: &'a Node<'a>, text: &'a str) -> Option<Self> {
        let text = Some(text.trim()).filter(|text| !text.is_empty())?;
        let roles = node.roles;
        Some(Self { subject, node, text, marks: Marks::of(text), roles, language: subject.language })
    }

    /// Whether it is for something.
    pub(crate) fn is(&self, role: Role) -> bool {
        self.roles.has(role)
    }

    /// Whether it is words: by its role, or because it is long or has lines.
    pub(crate) fn is_words(&self) -> bool {
        self.is(Role::FreeText) || self.text.len() > MAX_PLAIN || self.text.contains('\n')
    }

    /// Whether it is a plain value: neither words, nor a command, nor a query, nor a secret.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_words() && ![Role::Command, Role::Sql, Role::Secret].iter().any(|role| self.is(*role))
    }

    /// The call that it is in.
    pub(crate) fn subject(&self) -> &'a Subject<'a> {
        self.subject
    }

    /// The policy.
    pub(crate) fn policy(&self) -> &'a Policy {
        self.subject.policy
    }

    /// The name of its property.
    pub(crate) fn key(&self) -> &'a str {
        self.node.key
    }

    /// What the policy says of it.
    pub(crate) fn asked(&self) -> Option<&'a ArgumentPolicy> {
        let name = &self.subject.tool.spec.name;
        let special = self.subject.policy.tool(name).any(|tool| !tool.arguments.is_empty());
        if special { self.subject.tool.argument(&self.subject.values.pointer(self.node)) } else { None }
    }

    /// The text for people: short, and without any secret.
    pub(crate) fn quote(&self) -> String {
        if self.is(Role::Secret) { "…".to_owned() } else { quote(self.text) }
    }

    /// A finding on it.
    pub(crate) fn finding(&self, code: &'static Code, evidence: impl Into<String>) -> Finding {
        Finding::new(code, self.subject.values.pointer(self.node), evidence)
    }
}

const MAX_PLAIN: usize = 400;
