//! The index over everything that a value may have come from.
//!
//! Text is folded when a message comes. The set of words and the set of numbers are each built when one of them is first
//! asked for, and grow from then on with the conversation. Nothing is ever taken out: what was said was said.

use super::numbers::Numbers;
use super::sources::is_confirmation;
use super::tokens::Tokens;
use super::vocabulary::{Spoken, Vocabulary};
use crate::contract::{Arguments, Message, Role};
use crate::text::fold::fold_into;
pub(crate) use crate::text::phrases::stands_in;
use crate::text::stems::key;
use memchr::memmem;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::ops::Range;
use std::sync::OnceLock;

/// The index. It only grows.
#[derive(Debug, Default, Clone)]
pub struct Index {
    text: String,
    asked: Range<usize>,
    tokens: OnceLock<Tokens>,
    numbers: OnceLock<Numbers>,
    squashed: OnceLock<String>,
    request: OnceLock<(Spoken, Vocabulary)>,
    /// What the user said, or confirmed of what the assistant said.
    user: String,
    /// Each of its words as it stands there.
    user_spoken: OnceLock<FxHashSet<u64>>,
    /// The telling words of its newest part.
    user_words: OnceLock<Vocabulary>,
    /// What the operator said.
    operator: String,
    /// What the assistant said last.
    proposed: String,
}

impl Index {
    /// Adds a message: its text, its calls' arguments and its results.
    pub fn add(&mut self, message: &Message) {
        let from = self.text.len();
        self.push(&message.text);
        if message.role == Role::User && !message.text.is_empty() {
            self.asked = from..self.text.len();
            self.request = OnceLock::new();
        }
        self.keep_speaker(message);
        for call in &message.calls {
            match &call.arguments {
                Arguments::Absent => {}
                Arguments::Object(map) => map.iter().for_each(|(key, value)| self.pair(key, value)),
                Arguments::Text(text) => self.push_json(text),
                Arguments::Other(value) => self.push_value(value),
            }
        }
        for result in &message.results {
            self.push_value(&result.content);
        }
        self.grow(from);
    }

    /// Keeps apart what people said: a value that the user confirms becomes the user's.
    fn keep_speaker(&mut self, message: &Message) {
        let confirmed = match message.role {
            Role::System => return push_folded(&message.text, &mut self.operator),
            Role::Assistant if message.text.is_empty() => return,
            Role::Assistant => {
                self.proposed.clear();
                return push_folded(&message.text, &mut self.proposed);
            }
            Role::Tool => return,
            Role::User => is_confirmation(&message.text),
        };
        push_folded(&message.text, &mut self.user);
        (self.user_words, self.user_spoken) = Default::default();
        if confirmed {
            self.user.push_str(&self.proposed);
        }
        if !message.text.is_empty() {
            self.proposed.clear();
        }
    }

    /// What the user said or confirmed, folded.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Whether the user said or confirmed a word, in just this form.
    pub fn has_user_word(&self, folded: &str) -> bool {
        let read = || self.user.split(|c: char| !c.is_alphanumeric()).map(key).collect();
        self.user_spoken.get_or_init(read).contains(&key(folded))
    }

    /// The telling words of what the user said or confirmed, of the newest part where that is long.
    pub fn user_words(&self) -> &Vocabulary {
        self.user_words.get_or_init(|| {
            let from = self.user.ceil_char_boundary(self.user.len().saturating_sub(MAX_SAID));
            Vocabulary::of(self.user.get(from..).unwrap_or_default())
        })
    }

    /// What the operator said, folded.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) {
        let from = self.text.len();
        self.push(text);
        self.grow(from);
    }

    /// Adds every key and value of a JSON value.
    pub fn add_value(&mut self, value: &Value) {
        let from = self.text.len();
        self.push_value(value);
        self.grow(from);
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Everything that was said, folded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the user said last, folded.
    pub fn asked(&self) -> &str {
        self.text.get(self.asked.clone()).unwrap_or_default()
    }

    /// The language and the telling words of what the user said last.
    pub fn request(&self) -> &(Spoken, Vocabulary) {
        self.request.get_or_init(|| (Spoken::of(self.asked()), Vocabulary::of(self.asked())))
    }

    /// Whether a folded phrase stands there, not inside a longer word.
    pub fn has(&self, folded: &str) -> bool {
        stands_in(&self.text, folded)
    }

    /// The numbers.
    pub fn numbers(&self) -> &Numbers {
        self.numbers.get_or_init(|| {
            let mut numbers = Numbers::default();
            numbers.add(&self.text);
            numbers
        })
    }

    /// The words.
    pub fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| {
            let mut tokens = Tokens::default();
            tokens.add(&self.text);
            tokens
        })
    }

    /// Whether the letters and digits of a folded value stand there in this order, whatever stands between them.
    pub fn has_squashed(&self, folded: &str) -> bool {
        let value = squash(folded);
        let squashed = self.squashed.get_or_init(|| squash(&self.text));
        value.len() >= MIN_SQUASHED && memmem::find(squashed.as_bytes(), value.as_bytes()).is_some()
    }

    fn grow(&mut self, from: usize) {
        let added = self.text.get(from..).unwrap_or_default();
        if let Some(tokens) = self.tokens.get_mut() {
            tokens.add(added);
        }
        if let Some(numbers) = self.numbers.get_mut() {
            numbers.add(added);
        }
        if let Some(squashed) = self.squashed.get_mut() {
            squashed.push_str(&squash(added));
        }
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() {
            fold_into(text, &mut self.text);
            self.text.push('\n');
        }
    }

    fn pair(&mut self, key: &str, value: &Value) {
        self.push(key);
        self.push_value(value);
    }

    /// Arguments that came as a string: read where they hold escapes, else taken as they are.
    fn push_json(&mut self, text: &str) {
        match text.contains('\\').then(|| serde_json::from_str::<Value>(text)) {
            Some(Ok(value)) => self.push_value(&value),
            _ => self.push(text),
        }
    }

    fn push_value(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.push(if *flag { "true" } else { "false" }),
            Value::Number(number) => self.push(&number.to_string()),
            Value::String(text) => self.push(text),
            Value::Array(list) => list.iter().for_each(|value| self.push_value(value)),
            Value::Object(map) => map.iter().for_each(|(key, value)| self.pair(key, value)),
        }
    }
}

fn push_folded(text: &str, out: &mut String) {
    if !text.is_empty() {
        fold_into(text, out);
        out.push('\n');
    }
}

/// A text without anything but letters and digits.
fn squash(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

const MAX_SAID: usize = 6000;
/// Shorter runs of letters meet by chance.
const MIN_SQUASHED: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{ToolCall, ToolResult};
    use serde_json::json;

    #[test]
    fn everything_said_can_be_found() {
        // CALL-8
        let mut message = Message::text(Role::Assistant, "Looking up ORD-17");
        let arguments = Arguments::Text("{\"path\": \"/a/b.txt\", \"q\": \"caf\\u00e9\"}".into());
        message.calls.push(ToolCall { id: None, name: "f".into(), arguments });
        message.results.push(ToolResult { content: json!({"items": [{"id": "X9"}]}), ..ToolResult::default() });
        let mut index = Index::default();
        index.add(&message);
        for known in ["ord-17", "/a/b.txt", "cafe", "x9", "items"] {
            assert!(index.has(known), "{known}");
        }
        assert!(!index.has("ord-1") && !index.has(""));
        assert!(index.tokens().has_exact("x9") && !index.tokens().has_word("later"));
        index.add(&Message::text(Role::User, "and later 北京"));
        assert!(index.tokens().has_word("later") && index.has("北京"));
        assert!(index.has_squashed("ord 1-7") && !index.has_squashed("ord18") && !index.has_squashed("x9"));
        index.add_text("mc donald's");
        assert!(index.has_squashed("mcdonalds"));
        assert_eq!(index.asked(), "and later 北京\n");
    }

    #[test]
    fn hostile_depth_is_bounded_by_the_parser() {
        let mut index = Index::default();
        index.add_text(&"{\"a\":".repeat(100_000));
        assert!(index.has("a"));
    }
}
