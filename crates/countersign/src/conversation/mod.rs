//! What was said so far, and whether a value can be found in it.
//!
//! A conversation grows message by message. Its index grows with it and is never rebuilt, so that a long
//! conversation costs each call no more than a short one.

/// Whether a result tells of success.
pub mod success;
/// Two spellings made one.
/// Words as sets.
pub mod tokens;
/// Numbers as sets.
pub mod numbers;
/// Telling words.
pub mod vocabulary;
/// What results say, field by field, and what they order.
pub(crate) mod sources;
/// Everything that a value may have come from.
pub(crate) mod index;

use crate::contract::{Arguments, Context, Language, Message, Role, ToolCall, ToolResult};
use crate::policy::pattern::Pattern;
use crate::text::deeds;
use crate::text::mentions::Reading;
use index::Index;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
pub use sources::Orders;
use sources::Told;
use std::sync::OnceLock;

/// The conversation before a call.
#[derive(Debug, Default, Clone)]
pub struct Conversation {
    messages: Vec<Message>,
    index: Index,
    /// What each message mentions, read when it is first asked for.
    readings: Vec<OnceLock<Reading>>,
    /// What each message says of deeds, read when it is first asked for.
    deeds: Vec<OnceLock<deeds::Reading>>,
    /// What each message's results tell, read when it is first asked for.
    told: Vec<OnceLock<Told>>,
    /// The instructions in the results of messages that were read before.
    known: FxHashMap<usize, Orders>,
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
        self.readings.push(OnceLock::new());
        self.deeds.push(OnceLock::new());
        self.told.push(OnceLock::new());
    }

    /// Adds a message whose results were read before: `orders` is what [`Self::orders`] gave for the very same results.
    pub fn push_known(&mut self, message: Message, orders: Orders) {
        self.known.insert(self.messages.len(), orders);
        self.push(message);
    }

    /// The instructions in the results of a message, where a check has asked for them.
    pub fn orders(&self, at: usize) -> Option<Orders> {
        self.told.get(at)?.get().map(Told::orders)
    }

    /// What the results of a message tell; `None` where it has none.
    pub(crate) fn told(&self, at: usize) -> Option<&Told> {
        let message = self.messages.get(at).filter(|message| !message.results.is_empty())?;
        self.told.get(at).map(|told| told.get_or_init(|| Told::of(message, self.known.get(&at))))
    }

    /// What a message's own text mentions.
    pub fn reading(&self, at: usize) -> Option<&Reading> {
        let message = self.messages.get(at)?;
        self.readings.get(at).map(|reading| reading.get_or_init(|| Reading::of(&message.text)))
    }

    /// What a message's own text says of deeds.
    pub(crate) fn deeds(&self, at: usize) -> Option<&deeds::Reading> {
        let message = self.messages.get(at)?;
        self.deeds.get(at).map(|deeds| deeds.get_or_init(|| deeds::Reading::of(&message.text)))
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

    /// The calls that were made before, oldest first, but for those that are in the last message and wait for their
    /// results: the call that is judged may be among them.
    pub fn answered_calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        answered_calls(&self.messages)
    }

    /// The calls with their results, oldest first. Some servers give the same ids again in every answer, so each result
    /// belongs to the newest call before it that has none.
    pub fn results(&self) -> Vec<(&ToolCall, &ToolResult)> {
        let mut pairs: Vec<(&ToolCall, Option<&ToolResult>)> = Vec::new();
        for message in &self.messages {
            for result in message.results.iter().filter(|result| result.call_id.is_some()) {
                let open = pairs.iter_mut().rev().find(|(call, had)| had.is_none() && call.id == result.call_id);
                if let Some((_, place)) = open {
                    *place = Some(result);
                }
            }
            pairs.extend(message.calls.iter().map(|call| (call, None)));
        }
        pairs.into_iter().filter_map(|(call, result)| Some((call, result?))).collect()
    }

    /// Whether a tool whose name matches has given a result that tells of success.
    pub fn has_succeeded(&self, tool: &Pattern) -> bool {
        let succeeded = |result: &ToolResult| success::succeeded(&result.content, result.is_error);
        self.results().iter().any(|(call, result)| tool.matches(&call.name) && succeeded(result))
    }

    /// The same as a policy's rules read them: `{name, arguments, id?, result?}`. The newest ones, up to a bound.
    pub fn previous_calls(&self) -> Value {
        let newest: Vec<&ToolCall> = self.answered_calls().rev().take(MAX_PREVIOUS).collect();
        let results: FxHashMap<&str, &ToolResult> = self
            .messages
            .iter()
            .flat_map(|message| &message.results)
            .filter_map(|result| Some((result.call_id.as_deref()?, result)))
            .collect();
        newest.into_iter().rev().map(|call| previous_call(call, &results)).collect()
    }

    /// The language to speak: what the context asks for, else the user's own.
    pub fn language(&self, context: &Context) -> Language {
        let spoken = || self.last_user().map(|message| Language::of(&message.text));
        context.language().or_else(spoken).unwrap_or_default()
    }
}

/// The calls of some messages but for those that still wait at their end.
pub fn answered_calls(messages: &[Message]) -> impl DoubleEndedIterator<Item = &ToolCall> {
    let waiting = messages.last().filter(|message| message.role == Role::Assistant);
    let until = messages.len() - usize::from(waiting.is_some());
    messages.get(..until).unwrap_or_default().iter().flat_map(|message| &message.calls)
}

fn previous_call(call: &ToolCall, results: &FxHashMap<&str, &ToolResult>) -> Value {
    let arguments = match &call.arguments {
        Arguments::Absent => json!({}),
        Arguments::Object(object) => object.as_value().clone(),
        Arguments::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| text.clone().into()),
        Arguments::Other(other) => other.clone(),
    };
    let mut previous =
        Map::from_iter([("name".to_owned(), call.name.clone().into()), ("arguments".to_owned(), arguments)]);
    if let Some(id) = &call.id {
        previous.insert("id".to_owned(), id.clone().into());
        previous.extend(results.get(id.as_str()).map(|result| ("result".to_owned(), result.content.clone())));
    }
    Value::Object(previous)
}

/// How many earlier calls a rule sees.
const MAX_PREVIOUS: usize = 500;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    vocabulary::build_tables();
}
