//! Which verdicts somebody looks for, and whether one is among them.

use super::moment;
use crate::serve::error::ApiError;
use countersign_runtime::store::{Kind, Record};
use serde::Deserialize;
use serde_json::Value;

/// The question, as it is in the query.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WantedQuery {
    #[serde(alias = "kind")]
    of: Option<String>,
    session_id: Option<String>,
    answer_id: Option<String>,
    status: Option<String>,
    tool: Option<String>,
    code: Option<String>,
    key: Option<String>,
    since: Option<String>,
    until: Option<String>,
    q: Option<String>,
}

/// The question.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    of: Of,
    /// Of one session.
    pub session_id: Option<String>,
    answer_id: Option<String>,
    /// With one status.
    pub status: Option<String>,
    tool: Option<String>,
    code: Option<String>,
    key: Option<String>,
    /// Of one key alone, whatever was asked for.
    owner: Option<String>,
    /// Made at or after this time.
    pub since: Option<i64>,
    /// Made before this time.
    pub until: Option<i64>,
    /// All of them, in small letters.
    words: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Of {
    #[default]
    Calls,
    Results,
    Answers,
    All,
}

impl Wanted {
    /// Reads the question.
    pub(super) fn read(query: WantedQuery) -> Result<Self, ApiError> {
        let of = match query.of.as_deref() {
            None | Some("call") => Of::Calls,
            Some("result") => Of::Results,
            Some("answer") => Of::Answers,
            Some("all") => Of::All,
            Some(other) => {
                let message = format!("there are no verdicts of {other:?}; choose call, result, answer or all");
                return Err(ApiError::bad_request(message, "of"));
            }
        };
        // A form that is left empty asks for nothing.
        let said = |word: Option<String>| word.filter(|word| !word.trim().is_empty());
        let words = query.q.unwrap_or_default().to_lowercase().split_whitespace().map(str::to_owned).collect();
        Ok(Self {
            of,
            since: moment::maybe("since", query.since.as_deref().filter(|text| !text.is_empty()))?,
            until: moment::maybe("until", query.until.as_deref().filter(|text| !text.is_empty()))?,
            session_id: said(query.session_id),
            answer_id: said(query.answer_id),
            status: said(query.status),
            tool: said(query.tool),
            code: said(query.code),
            key: said(query.key),
            owner: None,
            words,
        })
    }

    /// The same, about calls alone.
    pub(super) fn of_calls(self) -> Self {
        Self { of: Of::Calls, ..self }
    }

    /// The same, among what a key has made; among everything for who sees everything.
    pub(super) fn of_owner(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    /// The kinds of records that it is about.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self.of {
            Of::Calls => &[Kind::Verdict],
            Of::Results | Of::Answers => &[Kind::Examination],
            Of::All => &[Kind::Verdict, Kind::Examination],
        }
    }

    /// The session or the answer that they belong to.
    pub(super) fn parent(&self) -> Option<&str> {
        self.session_id.as_deref().or(self.answer_id.as_deref())
    }

    /// Whether a record is wanted. Parent, status and time are the store's to choose by.
    pub(super) fn fits(&self, record: &Record) -> bool {
        let body = &record.body;
        let is = |wanted: &Option<String>, word: Option<&str>| wanted.is_none() || wanted.as_deref() == word;
        let of = match self.of {
            Of::Calls | Of::All => true,
            Of::Results => kind(record) == "result",
            Of::Answers => kind(record) == "answer",
        };
        of && is(&self.tool, body.get("tool").and_then(Value::as_str))
            && is(&self.key, key(body))
            && is(&self.owner, key(body))
            && self.code.as_deref().is_none_or(|code| findings(body).any(|finding| has_code(finding, code)))
            && (self.words.is_empty() || self.reads(body))
    }

    /// Whether all words stand somewhere in the call, the result or what was found.
    fn reads(&self, body: &Value) -> bool {
        let mut text = String::new();
        let mut add = |value: &Value| {
            text.push_str(value.as_str().map_or_else(|| value.to_string(), str::to_owned).to_lowercase().as_str());
            text.push('\n');
        };
        ["/tool", "/call_id", "/verdict_id", "/call/arguments", "/result", "/response"]
            .iter()
            .filter_map(|place| body.pointer(place))
            .for_each(&mut add);
        findings(body).filter_map(|finding| finding.get("evidence")).for_each(add);
        self.words.iter().all(|word| text.contains(word))
    }
}

/// What a verdict is about: `call`, `result` or `answer`.
pub(super) fn kind(record: &Record) -> &'static str {
    match (record.kind, record.body.get("kind").and_then(Value::as_str)) {
        (Kind::Examination, Some("answer")) => "answer",
        (Kind::Examination, _) => "result",
        _ => "call",
    }
}

/// The key that a call or a result came with; none where there are no keys.
pub(super) fn key(body: &Value) -> Option<&str> {
    let word = |name: &str| body.get(name).and_then(Value::as_str);
    word("key").or_else(|| word("caller").filter(|caller| *caller != countersign_runtime::gateway::judging::ANYONE))
}

/// Everything that was found, of a call or of a result.
pub(super) fn findings(body: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["/verdict/findings", "/verdict/shadow", "/verification/findings", "/assessment/findings"];
    lists.into_iter().filter_map(|place| body.pointer(place)?.as_array()).flatten()
}

/// Whether a finding has a code; `call.` and `call.*` mean all below.
fn has_code(finding: &Value, wanted: &str) -> bool {
    let code = finding.get("code").and_then(Value::as_str).unwrap_or_default();
    match wanted.strip_suffix('*') {
        Some(beginning) => code.starts_with(beginning),
        None if wanted.ends_with('.') => code.starts_with(wanted),
        None => code == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SERVE-6
    #[test]
    fn a_question_fits_what_it_asks_for() {
        let body = json!({
            "verdict_id": "ver_1", "tool": "get_weather", "caller": "ci", "call_id": "c1",
            "call": {"arguments": "{\"city\": \"Zürich\"}"},
            "verdict": {"findings": [{"code": "call.unknown-argument", "evidence": "there is no town"}]},
        });
        let record = Record {
            kind: Kind::Verdict,
            id: "ver_1".into(),
            parent: String::new(),
            state: "approved".into(),
            created_at: 1,
            version: 1,
            body,
        };
        let fits = |query: Value| Wanted::read(serde_json::from_value(query).unwrap()).unwrap().fits(&record);
        for query in [
            json!({}),
            json!({"q": ""}),
            json!({"q": "zürich TOWN ver_1"}),
            json!({"key": "ci", "tool": "get_weather"}),
            json!({"code": "call.unknown-argument"}),
            json!({"code": "call."}),
            json!({"code": "call.unk*"}),
        ] {
            assert!(fits(query.clone()), "{query}");
        }
        for query in [
            json!({"q": "zürich village"}),
            json!({"key": "anyone"}),
            json!({"tool": "get"}),
            json!({"code": "call.unknown"}),
            json!({"code": "fact."}),
        ] {
            assert!(!fits(query.clone()), "{query}");
        }
        assert!(Wanted::read(WantedQuery { of: Some("x".into()), ..Default::default() }).is_err());
    }
}
