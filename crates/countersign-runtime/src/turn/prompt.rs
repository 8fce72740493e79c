//! What the model is told: the agent's instructions, what was said before, what the user refers to, and the user's words.
//!
//! What was said before is read from the log. A turn that broke off is told as far as it came.

use super::marks::with_marks;
use super::rulings::{Ruling, Rulings};
use super::settled::text_of;
use crate::agents::{self, AgentSpec, Protocol};
use crate::sessions::{Given, read_message, read_updates};
use crate::store::Entry;
use crate::tools::UNKNOWN;
use countersign::check_call::history::repair_to_send;
use countersign::claims::mark::apply;
use countersign::contract::{ClaimUpdate, EventType, Language};
use countersign::parse::chatter;
use serde_json::{Map, Value, json};

/// The messages for the model: instructions, history, references, the user's words verbatim in the last one.
///
/// Words that only say that the turn may go on are no part of the conversation: a neutral sentence stands for them.
pub(super) fn messages(
    agent: &AgentSpec,
    history: &[Entry],
    rulings: &Rulings,
    given: &[Given],
    content: &str,
    language: Language,
) -> Vec<Value> {
    let mut all = vec![json!({"role": "system", "content": instructions(agent, language)})];
    all.extend(said_before(history, rulings, language));
    let told = references(given, language);
    if !told.is_empty() {
        all.push(json!({"role": "user", "content": told}));
    }
    let content = if chatter::of_user(content).is_some() { go_on(language) } else { content };
    all.push(json!({"role": "user", "content": with_pictures(content, given)}));
    repair_to_send(&all).messages
}

/// The language of the conversation: that of the user's words, or of earlier ones where they are too few to tell.
pub(super) fn language(content: &str, history: &[Entry]) -> Language {
    let tells = |words: &str| match Language::of(words) {
        Language::English
            if words.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).count() < FEW =>
        {
            None
        }
        language => Some(language),
    };
    let said = |entry: &Entry| {
        let event: Value = (entry.kind == EventType::Message).then(|| serde_json::from_str(&entry.body).ok())??;
        let is_user = event.get("agent_source").and_then(Value::as_str) == Some("user");
        event.pointer("/payload/content").and_then(Value::as_str).filter(|_| is_user).and_then(tells)
    };
    tells(content).or_else(|| history.iter().rev().find_map(said)).unwrap_or_else(|| Language::of(content))
}

fn go_on(language: Language) -> &'static str {
    match language {
        Language::Chinese => "（用户已作出选择，请继续。）",
        _ => "(The user has chosen. Please continue.)",
    }
}

fn instructions(agent: &AgentSpec, language: Language) -> String {
    let role = agent.prompts.of(language).trim();
    match agent.protocol {
        Protocol::Concierge => format!("{role}\n\n{}", agents::concierge(language).trim()),
        Protocol::React | Protocol::Rewoo => role.to_owned(),
    }
}

/// What an answer may rest on, of what the user refers to.
pub(super) fn sources(given: &[Given]) -> Vec<String> {
    let text = |given: &Given| match given {
        Given::Text { content, .. } => Some(content.clone()),
        _ => None,
    };
    given.iter().filter_map(text).collect()
}

/// The conversation of a log, in the OpenAI shape, the newest part of it that fits. What people put in the place of a
/// result or an answer is told, and not what they rejected.
fn said_before(history: &[Entry], rulings: &Rulings, language: Language) -> Vec<Value> {
    let mut said = Said::new(rulings, language, updates(history));
    for entry in history {
        if let Ok(Value::Object(event)) = serde_json::from_str(&entry.body)
            && let Some(Value::Object(payload)) = event.get("payload")
        {
            said.take(entry.kind, event.get("agent_source").and_then(Value::as_str).unwrap_or_default(), payload);
        }
    }
    said.settle();
    let mut room = MAX_HISTORY;
    let fits = |message: &&Value| {
        let size = message.to_string().len();
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    };
    let mut kept: Vec<_> = said.messages.iter().rev().take_while(fits).cloned().collect();
    kept.reverse();
    kept
}

/// What became of claims, the newest last.
fn updates(history: &[Entry]) -> Vec<ClaimUpdate> {
    let mut found = Vec::new();
    for entry in history.iter().filter(|entry| entry.kind == EventType::ClaimsUpdated) {
        if let Ok(Value::Object(event)) = serde_json::from_str(&entry.body)
            && let Some(Value::Object(payload)) = event.get("payload")
        {
            found.extend(read_updates(payload));
        }
    }
    found
}

struct Said<'a> {
    rulings: &'a Rulings,
    language: Language,
    /// What became of the claims in it.
    updates: Vec<ClaimUpdate>,
    messages: Vec<Value>,
    /// Text that no message has summed up yet.
    open: String,
    /// Calls that belong to one message.
    calls: Vec<Value>,
    /// Calls that have no result yet.
    unanswered: Vec<String>,
}

impl<'a> Said<'a> {
    fn new(rulings: &'a Rulings, language: Language, updates: Vec<ClaimUpdate>) -> Self {
        let (messages, calls, unanswered) = (Vec::new(), Vec::new(), Vec::new());
        Self { rulings, language, updates, messages, open: String::new(), calls, unanswered }
    }

    fn take(&mut self, kind: EventType, source: &str, payload: &Map<String, Value>) {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        match kind {
            EventType::Message if source == "user" => {
                self.settle();
                // A person who only says that the turn may go on has added nothing to the conversation.
                if chatter::of_user(word("content")).is_none() {
                    self.messages.push(json!({"role": "user", "content": word("content")}));
                }
            }
            // What agents say to each other in the course of a turn is not said to the user.
            EventType::Message if payload.contains_key("step") && word("role").is_empty() => {}
            // It is told in the place of the answer that it replaces.
            EventType::Message if payload.contains_key("replaces") => {}
            EventType::Message if word("role") == "assistant" => {
                // The deltas before it are its own words.
                self.open.clear();
                self.settle();
                let said = match self.rulings.on(word("review_id")) {
                    Ruling::InItsPlace(text) => text,
                    _ if payload.contains_key("raw") => word("raw"),
                    _ => word("content"),
                };
                self.open.push_str(said);
            }
            EventType::Message => {
                self.settle();
                let marked = read_message(payload).map(|mut message| {
                    apply(&mut message, &self.updates);
                    with_marks(&message, self.language)
                });
                let content = marked.unwrap_or_else(|| word("content").to_owned());
                let told = format!("[{} → {}] {content}", word("from"), word("to"));
                self.messages.push(json!({"role": "user", "content": told}));
            }
            EventType::TextDelta => self.open.push_str(word("content")),
            EventType::ToolCall => {
                let arguments = payload.get("arguments").unwrap_or(&Value::Null).to_string();
                let function = json!({"name": word("name"), "arguments": arguments});
                self.calls.push(json!({"id": word("call_id"), "type": "function", "function": function}));
                self.unanswered.push(word("call_id").to_owned());
            }
            EventType::ToolResult => {
                self.settle();
                self.unanswered.retain(|id| id != word("call_id"));
                let content = self.result(payload);
                self.messages.push(json!({"role": "tool", "tool_call_id": word("call_id"), "content": content}));
            }
            // Nothing was answered. Whoever asked will have asked again, and hears that question once.
            EventType::Failed | EventType::Lost if self.is_unanswered() => drop(self.messages.pop()),
            kind if kind.is_terminal() => {
                self.settle();
                // Whoever was to say what became of these calls is gone.
                for id in std::mem::take(&mut self.unanswered) {
                    self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": UNKNOWN}));
                }
            }
            _ => {}
        }
    }

    /// What the model is told of a result: what a person decided, else what it was told first, else what came back.
    fn result(&self, payload: &Map<String, Value>) -> String {
        let word = |name: &str| payload.get(name).and_then(Value::as_str);
        match (self.rulings.on(word("review_id").unwrap_or_default()), word("told"), payload.get("content")) {
            (Ruling::InItsPlace(text), ..) => text.to_owned(),
            (Ruling::Open, Some(told), _) => told.to_owned(),
            (_, _, content) => content.map(text_of).unwrap_or_default(),
        }
    }

    /// Whether the user's words are the last that were said.
    fn is_unanswered(&self) -> bool {
        let asked = |last: &Value| last.get("role").and_then(Value::as_str) == Some("user");
        self.open.trim().is_empty() && self.calls.is_empty() && self.messages.last().is_some_and(asked)
    }

    /// What is open becomes a message.
    fn settle(&mut self) {
        let text = std::mem::take(&mut self.open);
        let calls = std::mem::take(&mut self.calls);
        if !calls.is_empty() {
            self.messages.push(json!({"role": "assistant", "content": text, "tool_calls": calls}));
        } else if !text.trim().is_empty() {
            self.messages.push(json!({"role": "assistant", "content": text}));
        }
    }
}

/// What the user refers to, in words.
fn references(given: &[Given], language: Language) -> String {
    given.iter().map(|given| given.told(language)).collect::<Vec<_>>().join("\n\n")
}

/// The same conversation for a model that takes no pictures; none where there are none in it.
pub(super) fn without_pictures(messages: &[Value], language: Language) -> Option<Vec<Value>> {
    let mut any = false;
    let told = messages.iter().map(|message| {
        let Some(parts) = message.get("content").and_then(Value::as_array) else { return message.clone() };
        let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
        let mut words: Vec<String> = parts.iter().filter_map(text).collect();
        any |= words.len() < parts.len();
        words.insert(0, unseen(language).to_owned());
        let mut message = message.clone();
        if let Some(fields) = message.as_object_mut() {
            fields.insert("content".to_owned(), json!(words.join("\n\n")));
        }
        message
    });
    let told: Vec<Value> = told.collect();
    any.then_some(told)
}

fn unseen(language: Language) -> &'static str {
    match language {
        Language::Chinese => "（此处的图片无法显示：模型服务拒绝了图片。请如实说明，不要猜测图片内容。）",
        _ => {
            "(The pictures here cannot be shown: the model's server refused them. Say so; do not guess what is on them.)"
        }
    }
}

/// The user's words; with pictures they become parts.
fn with_pictures(content: &str, given: &[Given]) -> Value {
    let pictures: Vec<_> = given
        .iter()
        .filter_map(|given| match given {
            Given::Picture { media, bytes, .. } => {
                let url = format!("data:{media};base64,{}", base64(bytes));
                Some(json!({"type": "image_url", "image_url": {"url": url}}))
            }
            _ => None,
        })
        .collect();
    if pictures.is_empty() {
        return Value::from(content);
    }
    let text = json!({"type": "text", "text": content});
    Value::Array(std::iter::once(text).chain(pictures).collect())
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let six = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            let letter = ALPHABET.get(six).copied().unwrap_or(b'=');
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Fewer English words than this may stand in a conversation of any language: "OK", "iPhone 15".
const FEW: usize = 3;
/// How much of the conversation the model is told, in bytes of JSON.
const MAX_HISTORY: usize = 400 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_everybody_writes_it() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
