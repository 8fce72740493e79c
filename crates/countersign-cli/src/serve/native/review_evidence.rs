//! Where the arguments of a call come from: for each of them the places of the conversation that say its value, and for a
//! call that follows a tool result the sentence that it follows.
//!
//! This is shown beside what a person decides on and decides nothing. A value is looked for as it is said, sentence by
//! sentence: the user's words first, then what tools returned, then the operator's instructions. A long text is the
//! model's own writing, unless somebody said it word for word.

use countersign::contract::{Message, Role};
use countersign::conversation::numbers::{Number, Numbers};
use countersign::text::fold::fold;
use countersign::text::sentences::sentences;
use countersign::wire::messages::read_messages;
use countersign_runtime::review::{About, Review};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Where each argument of a call comes from; none for what is no call.
pub(super) fn sources(review: &Review) -> Vec<Value> {
    if review.about() != About::Call {
        return Vec::new();
    }
    let (said, mut shown) = (Said::all(review), Vec::new());
    let arguments = read_arguments(&review.call);
    each_leaf("/arguments", &arguments, &mut |pointer, value| {
        let Some(wanted) = Wanted::of(value) else { return };
        let found: Vec<Value> = said.iter().filter_map(|one| one.place(&wanted)).take(MOST_PLACES).collect();
        let kind = if matches!(wanted, Wanted::Writing(_)) { "writing" } else { "value" };
        shown.push(json!({"pointer": pointer, "kind": kind, "found": found}));
    });
    shown
}

/// The sentence of a tool result that a call follows, where a finding says that it does.
pub(super) fn followed(review: &Review) -> Option<Value> {
    let found = review.findings.as_array()?.iter();
    let finding = found.clone().find(|finding| word(finding, "code").is_some_and(|code| FOLLOWS.contains(&code)))?;
    let results: Vec<Said> = Said::all(review).into_iter().filter(|said| said.from == "result").collect();
    let quoted = word(finding, "evidence").and_then(quote);
    let sign = quoted.map(|quoted| fold(quoted.trim_end_matches('…')));
    let pointed = word(finding, "pointer").and_then(|pointer| review.call.pointer(pointer));
    let wanted = pointed.and_then(Wanted::of);
    let order = sign.as_deref().and_then(|sign| results.iter().find_map(|result| result.sentence_with(sign)));
    let target = wanted.and_then(|wanted| results.iter().find_map(|result| result.place(&wanted)));
    let excerpt = |place: &Option<Value>| place.as_ref().and_then(|place| word(place, "excerpt")).map(str::to_owned);
    let (ordered, aimed) = (excerpt(&order), excerpt(&target));
    // What gives the order and what names the target may be two sentences.
    let both = [&ordered, &aimed].into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    let told = if ordered == aimed { ordered.clone() } else { Some(both.join(" … ")) };
    let told = told.filter(|told| !told.is_empty()).or_else(|| quoted.map(str::to_owned))?;
    let place = order.or(target);
    let part = |name: &str| place.as_ref().and_then(|place| place.get(name)).cloned();
    Some(json!({"from": "result", "tool": part("tool"), "message": part("message"), "excerpt": told}))
}

/// What is between quotation marks.
fn quote(evidence: &str) -> Option<&str> {
    let rest = evidence.split_once('“')?.1;
    rest.rsplit_once('”').map(|(quoted, _)| quoted)
}

fn word<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// A call's arguments; those that were written as text are read.
fn read_arguments(call: &Value) -> Value {
    match call.get("arguments") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(arguments) => arguments.clone(),
        None => Value::Null,
    }
}

fn each_leaf(pointer: &str, value: &Value, tell: &mut impl FnMut(&str, &Value)) {
    let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            for (key, value) in fields.iter().take(MOST_ARGUMENTS) {
                each_leaf(&format!("{pointer}/{}", escape(key)), value, tell);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate().take(MOST_ARGUMENTS) {
                each_leaf(&format!("{pointer}/{at}"), value, tell);
            }
        }
        _ => tell(pointer, value),
    }
}

/// A value as it is looked for.
enum Wanted {
    /// A word or a short phrase, folded.
    Phrase(String),
    /// A number, however it is written.
    Number(Number),
    /// A longer text, folded.
    Writing(String),
}

impl Wanted {
    /// None for what says nothing by itself: true, false, null and nothing at all.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) if text.contains('\n') || text.chars().count() > LONGEST_PHRASE => {
                Some(Self::Writing(fold(text.trim())))
            }
            Value::String(text) => Some(Self::Phrase(fold(text.trim()))),
            Value::Number(number) => Number::read(&number.to_string()).map(Self::Number),
            _ => None,
        }
    }
}

/// Something that was said, and by whom.
struct Said {
    from: &'static str,
    tool: Option<String>,
    message: usize,
    text: String,
}

impl Said {
    /// Everything that was said before the call, in the order in which it is looked through.
    fn all(review: &Review) -> Vec<Self> {
        let given = [review.request.get("messages"), review.context.get("messages")];
        let messages = given.into_iter().flatten().find(|messages| messages.is_array());
        let messages = messages.map(read_messages).unwrap_or_default();
        let (mut tools, mut all) = (HashMap::new(), Vec::new());
        for (at, message) in messages.iter().enumerate() {
            for call in &message.calls {
                tools.extend(call.id.clone().map(|id| (id, call.name.clone())));
            }
            Self::of(at, message, &tools, &mut all);
        }
        all.sort_by_key(|said| ORDER.iter().position(|from| *from == said.from));
        all
    }

    fn of(message_at: usize, message: &Message, tools: &HashMap<String, String>, all: &mut Vec<Self>) {
        let from = match message.role {
            Role::User => "user",
            Role::System => "instructions",
            Role::Assistant => "model",
            _ => "result",
        };
        if !message.text.trim().is_empty() {
            all.push(Self { from, tool: None, message: message_at, text: message.text.clone() });
        }
        for result in &message.results {
            let tool = result.call_id.as_ref().and_then(|id| tools.get(id)).cloned();
            all.push(Self { from: "result", tool, message: message_at, text: as_lines(&result.content) });
        }
    }

    /// The first sentence that says a value.
    fn place(&self, wanted: &Wanted) -> Option<Value> {
        if let Wanted::Writing(writing) = wanted {
            let is_said = fold(self.text.get(..self.text.floor_char_boundary(MOST_READ))?).contains(writing.as_str());
            return is_said.then(|| self.find(|_| true)).flatten();
        }
        self.find(|sentence| match wanted {
            Wanted::Phrase(phrase) => stands_in(&fold(sentence), phrase),
            Wanted::Number(number) => {
                let mut numbers = Numbers::default();
                numbers.add(&fold(sentence));
                numbers.has_number(number)
            }
            Wanted::Writing(_) => false,
        })
    }

    /// The first sentence that holds a folded passage.
    fn sentence_with(&self, sign: &str) -> Option<Value> {
        self.find(|sentence| fold(sentence).contains(sign.trim()))
    }

    fn find(&self, holds: impl Fn(&str) -> bool) -> Option<Value> {
        let text = self.text.get(..self.text.floor_char_boundary(MOST_READ))?;
        let sentence = sentences(text).into_iter().filter_map(|range| text.get(range)).find(|part| holds(part))?;
        let excerpt: String = sentence.trim().chars().take(LONGEST_EXCERPT).collect();
        Some(json!({"from": self.from, "tool": self.tool, "message": self.message, "excerpt": excerpt}))
    }
}

/// A result as lines that people read: a field a line.
fn as_lines(content: &Value) -> String {
    let read = content.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    match read.as_ref().unwrap_or(content) {
        Value::String(text) => text.clone(),
        Value::Object(fields) => lines_of(fields),
        other => {
            let mut text = String::new();
            each_leaf("", other, &mut |pointer, value| push_line(&mut text, pointer.trim_start_matches('/'), value));
            text
        }
    }
}

fn lines_of(fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (key, value) in fields {
        each_leaf(key, value, &mut |pointer, value| push_line(&mut text, pointer, value));
    }
    text
}

fn push_line(text: &mut String, name: &str, value: &Value) {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.push_str(&format!("{name}: {value}\n"));
}

/// Whether a phrase stands in a text, not inside a longer word or number.
fn stands_in(text: &str, phrase: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
        let joins = |one: Option<char>, two: Option<char>| one.is_some_and(is_word) && two.is_some_and(is_word);
        !joins(before, first) && !joins(last, after)
    })
}

/// Whose word counts first.
const ORDER: [&str; 4] = ["user", "result", "instructions", "model"];
/// The findings that say that a call follows a result.
const FOLLOWS: [&str; 4] =
    ["trust.followed-injection", "trust.after-injection", "trust.untrusted-target", "trust.exfiltration"];
const MOST_PLACES: usize = 2;
const MOST_ARGUMENTS: usize = 100;
const LONGEST_PHRASE: usize = 120;
const LONGEST_EXCERPT: usize = 280;
/// So much of a message is looked through, in bytes.
const MOST_READ: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    // REVIEW-1, CALL-8: a value is found where it is said, by whom, and not inside a longer one.
    #[test]
    fn a_value_is_found_where_it_is_said() {
        let said = |from, text: &str| Said { from, tool: None, message: 0, text: text.to_owned() };
        let user = said("user", "Hello. Please cancel order A-2207, it cost 1,250 euros.");
        let excerpt = |value: Value| user.place(&Wanted::of(&value).unwrap()).map(|place| place["excerpt"].clone());
        let sentence = json!("Please cancel order A-2207, it cost 1,250 euros.");
        assert_eq!(excerpt(json!("a-2207")), Some(sentence.clone()));
        assert_eq!(excerpt(json!(1250)), Some(sentence));
        for absent in [json!("A-220"), json!(125), json!("B-1")] {
            assert_eq!(excerpt(absent.clone()), None, "{absent}");
        }
        assert!(Wanted::of(&json!(true)).is_none() && Wanted::of(&json!("")).is_none());
        assert!(matches!(Wanted::of(&json!("Dear Ann,\nyours")), Some(Wanted::Writing(_))));
        let letter = json!("cancel order\nA-2207");
        assert!(said("user", "Write: Cancel order\nA-2207").place(&Wanted::of(&letter).unwrap()).is_some());
        assert_eq!(quote("it follows: “Send “all” to me”"), Some("Send “all” to me"));
    }
}
