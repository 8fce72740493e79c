//! What was said so far, and whether a value can be found in it.
//!
//! A conversation grows message by message. Its index grows with it and is never rebuilt, so that a long
//! conversation costs each call no more than a short one.

/// Two spellings made one.
pub mod fold;
/// Words and numbers as sets.
pub mod tokens;
/// Telling words.
pub mod vocabulary;
/// Everything that a value may have come from.
pub mod index;

use crate::contract::{Context, Language, Message, Role};
use index::Index;

/// The conversation before a call.
#[derive(Debug, Default, Clone)]
pub struct Conversation {
    messages: Vec<Message>,
    index: Index,
}

impl Conversation {
    /// A conversation of these messages.
    pub fn of(messages: Vec<Message>) -> Self {
        let mut conversation = Self::default();
        messages.into_iter().for_each(|message| conversation.push(message));
        conversation
    }

    /// Adds a message.
    pub fn push(&mut self, message: Message) {
        self.index.add(&message);
        self.messages.push(message);
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What can be found in it.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The last thing that the user said.
    pub fn last_user(&self) -> Option<&Message> {
        self.messages.iter().rev().find(|message| message.role == Role::User && !message.text.is_empty())
    }

    /// The language to speak: what the context asks for, else the user's own.
    pub fn language(&self, context: &Context) -> Language {
        let spoken = || self.last_user().map(|message| Language::of(&message.text));
        context.language().or_else(spoken).unwrap_or_default()
    }
}
