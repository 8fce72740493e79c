//! Everything that a value may honestly come from: the conversation, the context, the tool's own text, the policy.

use super::super::subject::{Node, Subject};
use crate::contract::language::is_han;
use crate::conversation::index::{Index, stands_in};
use crate::conversation::numbers::{Number, Numbers};
use crate::conversation::tokens::Tokens;
use crate::policy::Effect;
use crate::text::fold::fold;
use std::cell::OnceCell;

/// The sources of one call. What only a doubtful value needs is built when the first one asks.
#[derive(Debug)]
pub(crate) struct Sources<'a> {
    subject: &'a Subject<'a>,
    said: &'a Index,
    /// What the context tells beside the clock.
    context: OnceCell<Index>,
    has_context: bool,
}

/// Where the operator or the tool gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    /// In the policy, or in the tool's own text for use.
    Given,
    /// In the tool's own text, but only to show what such a value looks like.
    AsExample,
    /// Neither.
    Nowhere,
}

impl<'a> Sources<'a> {
    /// The sources of a call; `None` where nothing was said, because then nothing can be missed.
    pub(crate) fn of(subject: &'a Subject<'a>) -> Option<Self> {
        let said = subject.conversation.index();
        // A role or a count is no conversation; words are.
        let words = |text: &str| text.contains(' ') || text.chars().any(is_han);
        let spoken = subject.context.told().any(|value| value.as_str().is_some_and(words));
        let has_context = subject.context.told().next().is_some();
        let sources = Self { subject, said, context: OnceCell::new(), has_context };
        (!said.is_empty() || spoken).then_some(sources)
    }

    /// Whether a folded phrase stands in what was said, as it is.
    pub(crate) fn said(&self, folded: &str) -> bool {
        let zone = || self.subject.context.timezone().is_some_and(|zone| fold(zone) == folded);
        self.said.has(folded) || (self.has_context && self.context().has(folded)) || zone()
    }

    /// The time of the request, where it has one.
    pub(crate) fn now(&self) -> Option<&str> {
        self.subject.context.now()
    }

    /// Where the operator or the tool gives a value.
    pub(crate) fn declared(&self, node: &Node<'_>, value: &str, folded: &str) -> Declared {
        let known = |list: &[String]| list.iter().any(|known| known == value);
        let argument = self.subject.tool.argument(node.key);
        if known(&self.subject.policy.known) || argument.is_some_and(|argument| known(&argument.known)) {
            return Declared::Given;
        }
        if !stands_in(self.subject.tool.text(), value) && !self.tool().has(folded) {
            return Declared::Nowhere;
        }
        if self.subject.tool.stated().has(folded) { Declared::Given } else { Declared::AsExample }
    }

    /// Whether a test holds for the numbers of what was said.
    pub(crate) fn any_number(&self, test: impl Fn(&Numbers) -> bool) -> bool {
        test(self.said.numbers()) || (self.has_context && test(self.context().numbers()))
    }

    /// Whether a test holds for the words of what was said.
    pub(crate) fn any(&self, test: impl Fn(&Tokens) -> bool) -> bool {
        test(self.said.tokens()) || (self.has_context && test(self.context().tokens()))
    }

    /// Whether a folded word was said, in any of its forms.
    pub(crate) fn word(&self, folded: &str) -> bool {
        self.any(|tokens| tokens.has_word(folded))
    }

    /// Whether the letters of a folded value were said in this order, with other marks between them.
    pub(crate) fn squashed(&self, folded: &str) -> bool {
        self.said.has_squashed(folded) || (self.has_context && self.context().has_squashed(folded))
    }

    /// Whether any of some folded words was said.
    pub(crate) fn any_word(&self, words: &[&str]) -> bool {
        self.any(|tokens| tokens.has_any(words))
    }

    /// Whether a whole number was said, in digits.
    pub(crate) fn whole(&self, value: u64) -> bool {
        Number::whole(value).is_some_and(|number| self.any_number(|numbers| numbers.has_number(&number)))
    }

    /// Everything that was said, folded.
    pub(crate) fn text(&self) -> &str {
        self.said.text()
    }

    /// The numbers that were said.
    pub(crate) fn numbers(&self) -> &Numbers {
        self.said.numbers()
    }

    /// The words that were said.
    pub(crate) fn tokens(&self) -> &Tokens {
        self.said.tokens()
    }

    /// Whether the tool has an effect on the world.
    pub(crate) fn tool_has(&self, effect: Effect) -> bool {
        self.subject.tool.effects.effects.contains(&effect)
    }

    /// The tool's own text.
    pub(crate) fn tool(&self) -> &Index {
        self.subject.tool.index()
    }

    fn context(&self) -> &Index {
        self.context.get_or_init(|| {
            let mut index = Index::default();
            self.subject.context.told().for_each(|value| index.add_value(value));
            index
        })
    }
}

/// A value folded, without what is around it.
pub(crate) fn folded(value: &str) -> String {
    let mut folded = fold(value.trim());
    folded.truncate(folded.trim_end_matches(['.', ',', '!', '?']).len());
    folded
}
