//! What of a session is evidence for its claims (CLAIM-3): what somebody else than the model has said.
//!
//! Results of tools and searches, and the notes, materials and files that people put there. What the model wrote itself
//! verifies nothing that it says: neither a note that it keeps, nor a result that only gives its arguments back. A result
//! that failed or looks wrong is no evidence either.

use super::error::SessionError;
use super::references::{Given, Reference, ReferenceType};
use super::session::Sessions;
use super::things::{Author, Thing, ThingKind};
use crate::factcheck::{Evidence, EvidenceKind};
use countersign::claims::find::find;
use countersign::contract::EventType;
use countersign::wire::messages::unwrap_content;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The evidence of a session's log.
#[derive(Debug, Default)]
pub(super) struct LoggedEvidence {
    pieces: Vec<Evidence>,
    /// What the model told its tools, by the call's id.
    told: HashMap<String, Vec<String>>,
}

impl LoggedEvidence {
    /// Whether events of a kind can hold any.
    pub(super) fn holds(kind: EventType) -> bool {
        matches!(kind, EventType::ToolCall | EventType::ToolResult | EventType::SearchResults | EventType::Evidence)
    }

    /// Takes an event.
    pub(super) fn take(&mut self, kind: EventType, payload: &Map<String, Value>) {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        match kind {
            EventType::ToolCall => {
                let told = statements(payload.get("arguments"));
                if !told.is_empty() {
                    self.told.insert(word("call_id").to_owned(), told);
                }
            }
            EventType::ToolResult => {
                let told = self.told.remove(word("call_id")).unwrap_or_default();
                if is_sound(payload) && !is_own_notes(payload) {
                    self.take_result(word("name"), word("call_id"), payload, &told);
                }
            }
            // Of the steps of a plan those count that were answered from an earlier result: the others are results above.
            EventType::Evidence if payload.get("cached") == Some(&Value::Bool(true)) && is_sound(payload) => {
                self.take_result(word("tool"), word("id"), payload, &statements(payload.get("arguments")));
            }
            EventType::SearchResults if is_sound(payload) => {
                self.take_found(payload, &statements(payload.get("queries")));
            }
            _ => {}
        }
    }

    /// All pieces, the oldest first.
    pub(super) fn pieces(&self) -> &[Evidence] {
        &self.pieces
    }

    fn take_result(&mut self, tool: &str, place: &str, payload: &Map<String, Value>, told: &[String]) {
        let Some(content) = payload.get("content").map(|content| unwrap_content(content.clone())) else { return };
        if let Some(found) = content.as_object().filter(|found| tool == "web_search" && found.contains_key("results")) {
            return self.take_found(found, told);
        }
        self.keep(EvidenceKind::ToolResult, place, content, told);
    }

    fn take_found(&mut self, found: &Map<String, Value>, told: &[String]) {
        let results = found.get("results").and_then(Value::as_array);
        let doubted = doubted_hits(found);
        for (at, result) in (1..).zip(results.into_iter().flatten()) {
            let Some(result) = result.as_object().filter(|result| is_sound(result) && !doubted.contains(&at)) else {
                continue;
            };
            let word = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
            let place = if word("link").is_empty() { word("title") } else { word("link") };
            let said = format!("{}\n{}", word("title"), word("content"));
            self.keep(EvidenceKind::SearchResult, place, Value::String(said), told);
        }
    }

    fn keep(&mut self, kind: EvidenceKind, place: &str, content: Value, told: &[String]) {
        let content = match without_echoes(content, told) {
            Value::String(text) => text,
            Value::Null => return,
            other => other.to_string(),
        };
        if !content.trim().is_empty() {
            self.pieces.push(Evidence { kind, place: place.to_owned(), content });
        }
    }
}

impl Sessions {
    /// What people put into a session: notes, materials and the words of files, the newest of them. Files that were read
    /// before are not read again.
    pub(super) async fn kept_evidence(
        &self,
        session: &str,
        read: &mut HashMap<String, Option<String>>,
    ) -> Result<Vec<Evidence>, SessionError> {
        let mut found = Vec::new();
        for (kind, named) in [(ThingKind::Note, EvidenceKind::Note), (ThingKind::Material, EvidenceKind::Material)] {
            let things = self.things(kind, session).await?;
            let kept = things.into_iter().rev().filter(|thing| thing.author == Author::Person).take(MOST_THINGS);
            found.extend(kept.map(|Thing { name, content, .. }| Evidence { kind: named, place: name, content }));
        }
        let mut room = MOST_WORDS;
        for file in self.files(session).await?.into_iter().rev().take(MOST_FILES) {
            if !read.contains_key(&file.file_id) {
                let words = self.file_words(session, &file.file_id).await?;
                read.insert(file.file_id.clone(), words);
            }
            let words = read.get(&file.file_id).and_then(Option::as_ref).filter(|words| words.len() <= room);
            if let Some(content) = words.cloned() {
                room -= content.len();
                found.push(Evidence { kind: EvidenceKind::File, place: file.name, content });
            }
        }
        Ok(found)
    }

    /// The words of a file, where it has any.
    async fn file_words(&self, session: &str, id: &str) -> Result<Option<String>, SessionError> {
        let reference =
            Reference { r#type: ReferenceType::File, id: Some(id.to_owned()), name: None, session_id: None };
        match self.file_behind(session, &reference).await {
            Ok(Given::Text { content, .. }) => Ok(Some(content)),
            Err(SessionError::Store(error)) => Err(SessionError::Store(error)),
            // It is a picture, it cannot be read, or it was removed just now.
            _ => Ok(None),
        }
    }
}

/// Whether what came back neither failed nor was found suspicious.
fn is_sound(payload: &Map<String, Value>) -> bool {
    let is = |value: Option<&Value>| value == Some(&Value::Bool(true));
    let verification = payload.get("verification").and_then(Value::as_object);
    let suspicious =
        is(payload.get("is_suspicious")) || is(verification.and_then(|report| report.get("is_suspicious")));
    !suspicious && !is(payload.get("is_error"))
}

/// The hits of a search that looked wrong when they came, by their numbers from 1.
fn doubted_hits(found: &Map<String, Value>) -> Vec<u64> {
    let searches = found.get("verification").and_then(Value::as_array).into_iter().flatten();
    let hits = searches.filter_map(|search| search.get("hits")?.as_array()).flatten();
    hits.filter_map(|hit| hit.get("at")?.as_u64()).collect()
}

/// Whether a result lists what the session keeps: what people put there is evidence itself, and the rest is the model's.
fn is_own_notes(payload: &Map<String, Value>) -> bool {
    let ours = payload.contains_key("seal");
    ours && payload.get("name").and_then(Value::as_str).is_some_and(|name| OWN_NOTES.contains(&name))
}

/// The texts of arguments that say something: a claim with words around it. A bare value, such as a year that is looked
/// up, comes back in every good answer.
fn statements(arguments: Option<&Value>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = arguments.into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let claimed: usize = find(text).iter().map(|claim| claim.end - claim.start).sum();
                if claimed > 0 && text.trim().len() >= claimed + WORDS_AROUND {
                    found.push(normalize(text));
                }
            }
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
        if found.len() >= MOST_STATEMENTS {
            break;
        }
    }
    found
}

/// A result without what the model told the tool: a text that says it again is left out whole.
fn without_echoes(content: Value, told: &[String]) -> Value {
    match content {
        content if told.is_empty() => content,
        Value::String(text) => {
            let normal = normalize(&text);
            if told.iter().any(|told| normal.contains(told.as_str())) { Value::Null } else { Value::String(text) }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| without_echoes(item, told)).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, without_echoes(value, told))).collect())
        }
        other => other,
    }
}

/// A text without its case and the length of its blanks.
fn normalize(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', '。']).to_owned()
}

/// The built-in tools over notes and materials.
const OWN_NOTES: [&str; 4] = ["create_note", "list_notes", "save_material", "list_materials"];
/// So many bytes beside a claim make a statement of it.
const WORDS_AROUND: usize = 4;
/// So many statements of one call are remembered.
const MOST_STATEMENTS: usize = 64;
/// So many notes and so many materials are looked into.
const MOST_THINGS: usize = 200;
/// So many files are.
const MOST_FILES: usize = 32;
/// So many bytes of their words.
const MOST_WORDS: usize = 512 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn evidence(events: &[(EventType, Value)]) -> Vec<(String, String)> {
        let mut logged = LoggedEvidence::default();
        for (kind, payload) in events {
            logged.take(*kind, payload.as_object().unwrap());
        }
        logged.pieces().iter().map(|piece| (piece.kind.name().to_owned(), piece.content.clone())).collect()
    }

    fn asked(arguments: Value, content: Value) -> Vec<(String, String)> {
        let call = json!({"call_id": "c1", "name": "look_up", "arguments": arguments});
        let result = json!({"call_id": "c1", "name": "look_up", "content": content, "is_error": false});
        evidence(&[(EventType::ToolCall, call), (EventType::ToolResult, result)])
    }

    // CLAIM-3: a tool that gives its arguments back has said nothing; one that answers with the value it was asked for has.
    #[test]
    fn an_echo_is_no_evidence_and_an_answer_is() {
        let told = json!({"text": "Sales rose by 25% in 2024."});
        assert_eq!(asked(told.clone(), json!("You said: sales rose  by 25% in 2024.")), []);
        let answer = asked(told.clone(), json!({"query": "Sales rose by 25% in 2024.", "result": "They rose by 30%."}));
        assert_eq!(answer.len(), 1);
        assert!(!answer[0].1.contains("25%") && answer[0].1.contains("30%"), "{answer:?}");
        assert_eq!(asked(told, json!("In 2024, sales rose by 25%.")).len(), 1);
        assert_eq!(asked(json!({"year": "2024"}), json!("In 2024 sales rose by 25%.")).len(), 1);
        assert_eq!(asked(json!({"text": "2024年营收增长25%"}), json!("已收到：2024年营收增长25%。")), []);
    }

    // CLAIM-3: what failed, looks wrong or is the model's own note is no evidence.
    #[test]
    fn what_is_not_sound_is_no_evidence() {
        let result = |more: Value| {
            let mut payload = json!({"call_id": "c", "name": "look_up", "content": "Sales rose by 25%."});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            evidence(&[(EventType::ToolResult, payload)]).len()
        };
        assert_eq!(result(json!({"is_error": false, "verification": {"is_suspicious": false}})), 1);
        assert_eq!(result(json!({"is_error": true})), 0);
        assert_eq!(result(json!({"verification": {"is_suspicious": true}})), 0);
        assert_eq!(result(json!({"name": "list_notes", "seal": {}})), 0);
        assert_eq!(result(json!({"name": "list_notes"})), 1, "a tool of the client's under that name");
    }

    // CLAIM-3: each result of a search is a piece of its own, whoever searched.
    #[test]
    fn what_a_search_found_is_named_by_its_link() {
        let results = json!([{"title": "t", "link": "https://a", "content": "Sales rose by 25%."}, {"title": "u", "content": "x"}]);
        let tool = json!({"call_id": "c", "name": "web_search", "content": {"query": "q", "results": results}});
        for event in
            [(EventType::SearchResults, json!({"queries": ["q"], "results": results})), (EventType::ToolResult, tool)]
        {
            let mut logged = LoggedEvidence::default();
            logged.take(event.0, event.1.as_object().unwrap());
            let places: Vec<_> = logged.pieces().iter().map(|piece| (piece.kind, piece.place.as_str())).collect();
            assert_eq!(places, [(EvidenceKind::SearchResult, "https://a"), (EvidenceKind::SearchResult, "u")]);
        }
        let doubted =
            json!({"results": results, "verification": [{"query": "q", "hits": [{"at": 1, "concerns": []}]}]});
        let mut logged = LoggedEvidence::default();
        logged.take(EventType::SearchResults, doubted.as_object().unwrap());
        assert_eq!(logged.pieces().iter().map(|piece| piece.place.as_str()).collect::<Vec<_>>(), ["u"]);
    }
}
