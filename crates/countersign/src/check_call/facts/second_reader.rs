//! A second reader of a call: does it do what was asked, and which words say otherwise? (MEANING-3)
//!
//! Asked only where the policy names a model and the tool acts. A doubt counts only with a quotation that is in the
//! conversation, and it asks a person at most: nothing that was refused is released by it.

use crate::check_call::subject::{Said, Subject};
use crate::contract::codes::fact::{SECOND_READER, SECOND_READER_SILENT};
use crate::contract::{
    Answer, Doubt, Finding, Language, Message, Mode, Outcome, Passage, Question, Reading, ReadingOf, Role,
};
use crate::conversation::Conversation;
use crate::localized;
use crate::policy::judge::{JudgedCalls, OnDoubt};
use crate::policy::{Effect, JudgePolicy};
use serde_json::{Map, Value, json};

/// Asks about a call, or says what was answered.
pub(super) fn run(subject: &Subject<'_>, said: &mut Said) {
    let Some(judge) = subject.policy.judge.as_ref().filter(|judge| is_read(judge, subject)) else { return };
    let reading = Reading {
        of: ReadingOf::Call,
        text: json!({
            "tool": subject.tool.spec.name,
            "description": cut(&subject.tool.spec.description, MAX_PASSAGE),
            "arguments": Value::Object(shorten(subject.arguments)),
        })
        .to_string(),
        material: passages(subject.conversation),
    };
    let question = Question::Reading(reading);
    match (subject.answers.to(&question), &question) {
        (None, _) => said.questions.push(question),
        (Some(Answer::Read { doubts, .. }), Question::Reading(reading)) => {
            let doubt = doubts.iter().find(|doubt| is_quoted(doubt, reading));
            said.findings.extend(doubt.map(|doubt| finding(subject, judge, doubt)));
        }
        (Some(Answer::Unknown { reason }), _) => said.findings.push(silence(reason, subject.language)),
        _ => {}
    }
}

/// Whether a doubt rests on words that are really there.
pub(crate) fn is_quoted(doubt: &Doubt, reading: &Reading) -> bool {
    reading.material.iter().any(|passage| contains_words(&passage.words, &doubt.quote))
}

/// Whether words are in a text, whatever the blanks, line breaks and case. Words that say nothing are in none.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    let words = fold_blanks(words);
    words.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST && fold_blanks(text).contains(&words)
}

/// Says that a reader could not be asked: the reading did not pass, it did not take place.
pub(crate) fn silence(reason: &str, language: Language) -> Finding {
    let evidence =
        localized!(language, "the second reader could not be asked: {reason}", "无法请第二读者核对：{reason}");
    Finding::new(&SECOND_READER_SILENT, "", evidence)
}

fn is_read(judge: &JudgePolicy, subject: &Subject<'_>) -> bool {
    let asked = subject.conversation.last_user().is_some();
    asked
        && match judge.calls {
            JudgedCalls::Off => false,
            JudgedCalls::Acting => !only_reads(subject),
            JudgedCalls::All => true,
        }
}

fn only_reads(subject: &Subject<'_>) -> bool {
    let effects = &subject.tool.effects.effects;
    !effects.is_empty() && effects.iter().all(|effect| *effect == Effect::Read)
}

fn finding(subject: &Subject<'_>, judge: &JudgePolicy, doubt: &Doubt) -> Finding {
    let pointer = match subject.arguments.contains_key(&doubt.words) {
        true => format!("/arguments/{}", crate::contract::patch::escape(&doubt.words)),
        false => "/name".to_owned(),
    };
    let (quote, reason) = (cut(&doubt.quote, MAX_SHOWN), cut(&doubt.reason, MAX_SHOWN));
    let evidence = localized!(
        subject.language,
        "a second reader doubts that this was asked for: “{quote}” {reason}",
        "第二读者认为这与请求不符：“{quote}”{reason}"
    );
    let mut finding = Finding::new(&SECOND_READER, pointer, evidence.trim_end());
    match (judge.doubt, only_reads(subject)) {
        (OnDoubt::Review, false) => finding.outcome = Outcome::Review,
        _ => finding.mode = Mode::Advise,
    }
    finding
}

/// The newest messages in which something was said, as far as a reader needs them.
fn passages(conversation: &Conversation) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut room = MAX_MATERIAL;
    let newest = conversation.messages().iter().rev();
    for passage in newest.flat_map(|message| message_passages(message).into_iter().rev()) {
        room = room.saturating_sub(passage.words.len());
        if room == 0 {
            break;
        }
        passages.push(passage);
    }
    passages.reverse();
    passages
}

fn message_passages(message: &Message) -> Vec<Passage> {
    let from = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "result",
    };
    let own = Some(message.text.as_str()).filter(|text| !text.trim().is_empty());
    let mut passages: Vec<Passage> =
        own.map(|text| Passage { from: from.to_owned(), words: cut(text, MAX_PASSAGE) }).into_iter().collect();
    let results = message.results.iter().map(|result| match &result.content {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    passages.extend(results.map(|text| Passage { from: "result".to_owned(), words: cut(&text, MAX_PASSAGE) }));
    passages
}

/// Arguments whose long texts are cut: a reader needs what the call does, not a whole file.
fn shorten(arguments: &Map<String, Value>) -> Map<String, Value> {
    let cut_value = |value: &Value| match value {
        Value::String(text) => Value::String(cut(text, MAX_PASSAGE)),
        other => other.clone(),
    };
    arguments.iter().map(|(key, value)| (key.clone(), cut_value(value))).collect()
}

/// A text in which blanks, line breaks and case do not matter.
fn fold_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A text of at most so many bytes.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.len() <= most {
        true => text.to_owned(),
        false => format!("{}…", text.get(..text.floor_char_boundary(most)).unwrap_or_default()),
    }
}

/// A shorter quotation says nothing, in letters and digits.
const SHORTEST: usize = 2;
/// So much of one text a reader sees, in bytes.
const MAX_PASSAGE: usize = 4_000;
/// So much of a conversation a reader sees, in bytes.
const MAX_MATERIAL: usize = 24_000;
/// So much of a quotation is repeated.
const MAX_SHOWN: usize = 240;
