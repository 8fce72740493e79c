//! What one verification looks at, read once for all checks: the call, the result laid out in parts, what kind of
//! tool spoke, what time it is.

use super::fields::{Parts, number};
use super::moment::Moment;
use crate::contract::{Arguments, Context, Language, ToolCall, ToolResult, ToolSpec};
use crate::policy::{Policy, ResultsPolicy};
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use crate::wire::requests::VerifyRequest;
use serde_json::{Map, Value};

/// The request, prepared.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The call that was made.
    pub call: &'a ToolCall,
    /// Its arguments as an object; empty where they cannot be read.
    pub arguments: &'a Map<String, Value>,
    /// The tool, where it is known.
    pub tool: Option<&'a ToolSpec>,
    /// What came back.
    pub result: &'a ToolResult,
    /// The output schema, where there is one that is JSON.
    pub schema: Option<&'a Value>,
    /// The result's parts.
    pub parts: Parts<'a>,
    /// What else is known.
    pub context: &'a Context,
    /// What the operator asks of results.
    pub rules: &'a ResultsPolicy,
    /// The language to write in.
    pub language: Language,
    /// What kind of tool spoke.
    pub kind: ToolKind,
    /// The time of the request.
    pub now: Option<Moment>,
}

/// What a tool's strings are: its own words, or somebody else's that it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Gives back a file, page, mail, log or message as it is.
    Carries,
    /// Gives back a list of what it found.
    Searches,
    /// Translates or rewrites a text.
    Translates,
    /// Runs a command, query or program.
    Runs,
    /// Summarises a text.
    Summarises,
    /// Looks something up or does something, and says so in its own words.
    Speaks,
}

/// What the request owns after parsing; [`Subject`] borrows from it.
#[derive(Debug)]
pub(crate) struct Prepared {
    arguments: Map<String, Value>,
    schema: Option<Value>,
}

impl Prepared {
    /// Parses what a request carries as text.
    pub(crate) fn of(request: &VerifyRequest) -> Self {
        let arguments = match &request.call.arguments {
            Arguments::Object(object) => (**object).clone(),
            Arguments::Text(text) => serde_json::from_str(text).unwrap_or_default(),
            _ => Map::new(),
        };
        let output = request.tool.as_ref().and_then(|tool| tool.output.as_ref());
        Self { arguments, schema: output.and_then(|schema| serde_json::from_str(schema.0.get()).ok()) }
    }

    /// The subject of a request.
    pub(crate) fn subject<'a>(&'a self, request: &'a VerifyRequest, policy: &'a Policy) -> Subject<'a> {
        let parts = Parts::of(&request.result.content, self.schema.as_ref());
        // Nobody said which language: Chinese where the call, the result or the tool speaks it.
        let spoken = || {
            let texts: Vec<&str> = self.arguments.values().filter_map(Value::as_str).collect();
            let told = parts.texts.iter().take(50).flat_map(|part| part.text.chars().take(400).chain([' ']));
            let description = request.tool.as_ref().map_or("", |tool| tool.description.as_str());
            let chinese = [texts.join(" "), told.collect(), description.to_owned()];
            let any = chinese.iter().any(|text| Language::of(text) == Language::Chinese);
            if any { Language::Chinese } else { Language::English }
        };
        Subject {
            call: &request.call,
            arguments: &self.arguments,
            tool: request.tool.as_ref(),
            result: &request.result,
            schema: self.schema.as_ref(),
            context: &request.context,
            rules: &policy.results,
            language: request.language.or(request.context.language()).or(policy.language).unwrap_or_else(spoken),
            parts,
            kind: ToolKind::of(&request.call.name, request.tool.as_ref().map_or("", |tool| &tool.description)),
            now: request.context.now().and_then(Moment::read),
        }
    }
}

impl Subject<'_> {
    /// The tool's description, empty where it is not known.
    pub fn description(&self) -> &str {
        self.tool.map_or("", |tool| tool.description.as_str())
    }

    /// The string arguments.
    pub fn argument_texts(&self) -> impl Iterator<Item = &str> {
        self.arguments.values().filter_map(Value::as_str)
    }

    /// The number of results that the call asked for.
    pub fn limit(&self) -> Option<usize> {
        let limit = LIMITS.iter().find_map(|key| number(self.arguments.get(*key)?)).filter(|limit| *limit >= 1.0)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least one, and small")]
        let limit = limit.min(1e6) as usize;
        Some(limit)
    }

    /// Whether the tool's name or description holds one of some words.
    pub fn is_about(&self, words: &[&str]) -> bool {
        let name = identifier_words(&self.call.name);
        let description = self.description().to_lowercase();
        words.iter().any(|word| name.iter().any(|own| own == word) || has_word(&description, word))
    }
}

impl ToolKind {
    /// The kind that a name and a description tell.
    pub fn of(name: &str, description: &str) -> Self {
        let words = identifier_words(name);
        let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let lower = description.to_lowercase();
        let told = |list: &[&str]| list.iter().any(|word| has_word(&lower, word));
        if named(&["translate", "translation", "rewrite", "paraphrase", "proofread"]) || told(&["翻译", "translate"])
        {
            Self::Translates
        } else if named(&["summarize", "summarise", "summary"]) || told(&["summarise", "summarize", "摘要", "总结"])
        {
            Self::Summarises
        } else if named(RUN) {
            Self::Runs
        } else if named(&["ask", "answer", "qa", "explain", "define", "lookup", "analyze", "analyse"]) {
            Self::Speaks
        } else if named(&["search", "find", "retrieve", "grep", "news"]) || told(&["搜索", "检索"]) {
            Self::Searches
        } else if named(CARRIED) && !named(&["write", "send", "create", "delete", "update", "save"]) {
            Self::Carries
        } else {
            Self::Speaks
        }
    }

    /// Whether the strings are somebody else's.
    pub fn carries(self) -> bool {
        !matches!(self, Self::Speaks | Self::Summarises)
    }
}

/// Whether a lower-case text holds a word; a Chinese one may stand anywhere.
pub(crate) fn has_word(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, found)| crate::text::phrases::stands_free(lower, &(at..at + found.len())))
}

const RUN: &[&str] = word_list!("check_result", "subject/run");
const CARRIED: &[&str] = word_list!("check_result", "subject/carried");
const LIMITS: &[&str] = word_list!("check_result", "subject/limits");
