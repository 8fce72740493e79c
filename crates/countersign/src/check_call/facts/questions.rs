//! One place where questions are asked and answers read, so that "nobody answered" means the same everywhere.

use crate::check_call::subject::{Node, Said, Subject};
use crate::contract::codes::fact::UNANSWERED;
use crate::contract::{Answer, Answers, Finding, Language, Question, Severity};
use crate::localized;
use crate::policy::facts::Unanswered;
use serde_json::Value;

/// Questions asked, answers read, findings made, for one call.
#[derive(Debug)]
pub(super) struct Questions<'a> {
    answers: &'a Answers,
    pub(super) language: Language,
    pub(super) findings: Vec<Finding>,
    questions: Vec<Question>,
    silent: Vec<Silence>,
}

/// A source that could not say.
#[derive(Debug)]
struct Silence {
    source: String,
    pointer: String,
    reason: String,
    policy: Unanswered,
    count: usize,
}

/// What the world said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Holds,
    Fails { nearest: Option<String>, note: Option<String> },
    Unknown(String),
}

impl<'a> Questions<'a> {
    pub(super) fn new(answers: &'a Answers, language: Language) -> Self {
        Self { answers, language, findings: Vec::new(), questions: Vec::new(), silent: Vec::new() }
    }

    /// The answer to a question. One that nobody gave is asked for.
    pub(super) fn ask(&mut self, question: Question) -> Reply {
        let reason = match self.answers.to(&question) {
            Some(Answer::Yes) => return Reply::Holds,
            Some(Answer::No { nearest, note }) => {
                return Reply::Fails { nearest: nearest.clone(), note: note.clone() };
            }
            Some(Answer::Unknown { reason }) => reason.clone(),
            Some(Answer::Read { .. }) => localized!(self.language, "the answer fits no question", "答案与问题不符"),
            None => localized!(self.language, "nobody has been asked", "尚未查询"),
        };
        if self.questions.len() < MAX_QUESTIONS && !self.questions.contains(&question) {
            self.questions.push(question);
        }
        Reply::Unknown(reason)
    }

    /// Notes that a source could not say. One source speaks once, however many values it could not answer for.
    pub(super) fn silent(&mut self, source: &str, pointer: String, reason: String, policy: Unanswered) {
        match self.silent.iter_mut().find(|silence| silence.source == source) {
            Some(silence) => silence.count += 1,
            None => self.silent.push(Silence { source: source.to_owned(), pointer, reason, policy, count: 1 }),
        }
    }

    /// Hands over what was found and what should be asked.
    pub(super) fn close(self, said: &mut Said) {
        let language = self.language;
        said.findings.extend(self.findings);
        said.findings.extend(self.silent.into_iter().map(|silence| silence.finding(language)));
        said.questions.extend(self.questions);
    }

    /// The same for a text that is no call.
    pub(super) fn finish(self) -> (Vec<Finding>, Vec<Question>) {
        let mut said = Said::default();
        self.close(&mut said);
        (said.findings, said.questions)
    }
}

impl Silence {
    fn finding(self, language: Language) -> Finding {
        let Self { source, reason, .. } = &self;
        let mut evidence =
            localized!(language, "`{source}` could not be asked: {reason}", "无法向 `{source}` 核实：{reason}");
        if self.count > 1 {
            let count = self.count;
            evidence.push_str(&localized!(language, " ({count} values)", "（共 {count} 个值）"));
        }
        let severity = match self.policy {
            Unanswered::Warn => Severity::Warning,
            Unanswered::Refuse => Severity::Error,
        };
        Finding::new(&UNANSWERED, self.pointer, evidence).graded(severity)
    }
}

/// The values of some arguments, by name or pointer, with their text. Blanks and nulls are left out: they name nothing.
pub(super) fn values<'a>(
    subject: &'a Subject<'_>,
    wanted: &'a [String],
) -> impl Iterator<Item = (&'a Node<'a>, String)> + 'a {
    subject.values.leaves().filter_map(move |node| {
        let named = |name: &String| match name.starts_with('/') {
            true => subject.values.pointer(node) == *name,
            false => node.key == name,
        };
        wanted.iter().any(named).then(|| text_of(node.value)).flatten().map(|text| (node, text))
    })
}

/// A value as the text that would be looked up.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A text short enough to be in a sentence.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// How many questions one call may ask. A list of ten thousand ids is no reason to ask ten thousand times.
const MAX_QUESTIONS: usize = 64;
const MAX_SHOWN: usize = 120;
