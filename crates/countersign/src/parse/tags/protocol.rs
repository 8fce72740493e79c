//! A protocol of tags as data: which tags there are, what they hold, and the sentences that stand for them.
//!
//! Read from TOML and checked once, so that reading output can rely on it: two tags that look alike, or a sentence about
//! something that a tag does not have, are refused here.

use super::sentence::{Sentence, Values};
use crate::contract::Language;
use crate::localized;
use crate::parse::TagRead;
use crate::parse::markup::{Vocabulary, fold_name, split_number};
use serde::Deserialize;
use serde_json::Value;

/// A protocol of tags.
#[derive(Debug, Clone, Default)]
pub struct TagProtocol {
    name: String,
    tags: Vec<TagRule>,
    names: Vocabulary,
    /// The fields of each tag, in its place.
    fields: Vec<Vocabulary>,
    reasoning: Vec<String>,
    longest: usize,
}

/// One tag of a protocol.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagRule {
    /// Its name.
    pub name: String,
    /// Other names for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What it holds. A tag without fields holds text.
    #[serde(default)]
    pub fields: Vec<FieldRule>,
    /// For a tag without fields: attributes, or a single child, that may hold its text.
    #[serde(default)]
    pub text_from: Vec<String>,
    /// Whether a number comes after the name, as in `confirm2`.
    #[serde(default)]
    pub numbered: bool,
    /// Attributes that may hold the number.
    #[serde(default)]
    pub number_from: Vec<String>,
    /// For a tag without fields: whether it is nothing without its text.
    #[serde(default)]
    pub required: bool,
    /// Whether it may occur more than once.
    #[serde(default)]
    pub repeats: bool,
    /// Whether what it asks for cannot be undone. Such a tag must not run where its closing is missing.
    #[serde(default)]
    pub irreversible: bool,
    /// What the thing is called, such as `material{id}`.
    #[serde(default, rename = "as")]
    pub called: Option<Sentence>,
    /// What stands for it in the readable text when it was carried out.
    pub success: Sentences,
    /// What stands for it when it failed; `{reason}` says why.
    pub failure: Sentences,
}

/// One field of a tag.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRule {
    /// Its name.
    pub name: String,
    /// Other names for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Whether bare text in the tag is this field.
    #[serde(default)]
    pub bare: bool,
    /// Whether the tag is nothing without it.
    #[serde(default)]
    pub required: bool,
}

/// The same sentence in both languages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentences {
    /// English.
    pub en: Sentence,
    /// Chinese.
    pub zh: Sentence,
}

/// Why a protocol cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// It is no TOML, or not of this shape.
    #[error("the protocol cannot be read: {0}")]
    Unreadable(String),
    /// It has no tags.
    #[error("the protocol names no tags: add at least one [[tags]]")]
    Empty,
    /// Something has a name that no tag can have.
    #[error("`{0}` cannot be the name of a tag: use letters, digits, `_`, `-`, `.` and `:`, at most 48 bytes")]
    Name(String),
    /// Two names cannot be told apart once case, width and separators are ignored.
    #[error("`{0}` is the name of two things: rename one of them")]
    Twice(String),
    /// A sentence speaks of something that its tag does not have.
    #[error("a sentence of `{tag}` speaks of `{{{placeholder}}}`, which `{tag}` does not have")]
    Placeholder {
        /// The tag.
        tag: String,
        /// What it does not have.
        placeholder: String,
    },
}

/// What the name in a tag means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) what: What,
    pub(super) spelling: Spelling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A tag of the protocol, by its place, and its number.
    Tag(usize, Option<u64>),
    /// A field of the tag that is open, by its place.
    Field(usize),
    /// The model talks to itself.
    Reasoning,
}

/// How a name was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Exact,
    Folded,
    Misspelt,
}

impl TagProtocol {
    /// Reads a protocol from TOML.
    pub fn from_toml(text: &str) -> Result<Self, ProtocolError> {
        let raw: RawProtocol = toml::from_str(text).map_err(|error| ProtocolError::Unreadable(error.to_string()))?;
        if raw.tags.is_empty() {
            return Err(ProtocolError::Empty);
        }
        distinct(raw.tags.iter().flat_map(|tag| std::iter::once(&tag.name).chain(&tag.aliases)).chain(&raw.reasoning))?;
        for tag in &raw.tags {
            distinct(tag.fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.aliases)))?;
            tag.check_placeholders()?;
        }
        let names = Vocabulary::new(raw.tags.iter().map(|tag| (tag.name.clone(), tag.aliases.clone())));
        let fields = raw
            .tags
            .iter()
            .map(|tag| Vocabulary::new(tag.fields.iter().map(|field| (field.name.clone(), field.aliases.clone()))));
        let all = raw.tags.iter().flat_map(|tag| {
            let fields = tag.fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.aliases));
            std::iter::once(&tag.name).chain(&tag.aliases).chain(fields)
        });
        let longest = all.chain(&raw.reasoning).map(String::len).max().unwrap_or_default();
        let fields = fields.collect();
        Ok(Self { name: raw.name, fields, names, longest, reasoning: raw.reasoning, tags: raw.tags })
    }

    /// The protocol's own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its tags.
    pub fn tags(&self) -> &[TagRule] {
        &self.tags
    }

    /// The tag of this name.
    pub fn tag(&self, name: &str) -> Option<&TagRule> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// What stands for a tag in the readable text, as far as the output alone can tell: it failed where it was cut off or
    /// does not say what it is for.
    pub fn sentence(&self, tag: &TagRead, language: Language) -> String {
        if !tag.complete {
            return self.failure(tag, &localized!(language, "the output was cut off", "输出被截断"), language);
        }
        if self.lacks_content(tag) {
            return self.failure(tag, &localized!(language, "it has no content", "没有内容"), language);
        }
        self.success(tag, language)
    }

    /// Whether a tag does not say what it is nothing without.
    pub fn lacks_content(&self, tag: &TagRead) -> bool {
        let Some(rule) = self.tag(&tag.tag) else { return false };
        let is_blank = |said: Option<&str>| said.is_none_or(|said| said.trim().is_empty());
        let field = |name: &str| tag.fields.as_ref().and_then(|fields| fields.get(name)).and_then(Value::as_str);
        let missing = rule.fields.iter().any(|known| known.required && is_blank(field(&known.name)));
        missing || (rule.required && is_blank(tag.text.as_deref()))
    }

    /// What stands for a tag in the readable text when it was carried out.
    pub fn success(&self, tag: &TagRead, language: Language) -> String {
        self.tag(&tag.tag).map_or_else(String::new, |rule| rule.success.say(language, &Values { tag, reason: None }))
    }

    /// What stands for a tag in the readable text when it failed.
    pub fn failure(&self, tag: &TagRead, reason: &str, language: Language) -> String {
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        self.tag(&tag.tag).map_or_else(String::new, |rule| rule.failure.say(language, &Values { tag, reason }))
    }

    /// The longest name in it, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// What a name means while `open` is the open tag. What is written exactly goes before what is nearly so.
    pub(super) fn meaning(&self, name: &str, open: Option<usize>) -> Option<Meaning> {
        if self.reasoning.iter().any(|known| known == name) {
            return Some(Meaning { what: What::Reasoning, spelling: Spelling::Exact });
        }
        let fields = open.and_then(|tag| self.fields.get(tag));
        let (stem, number) = split_number(name);
        let levels: [(Spelling, &Lookup); 3] = [
            (Spelling::Exact, &|names, name| names.resolve_exactly(name).map(|entry| entry.at)),
            (Spelling::Folded, &|names, name| names.resolve_spelling(name).entry().map(|entry| entry.at)),
            (Spelling::Misspelt, &|names, name| names.resolve(name).entry().map(|entry| entry.at)),
        ];
        levels.into_iter().find_map(|(spelling, look_up)| {
            let field = || fields.and_then(|fields| look_up(fields, name)).map(What::Field);
            let stem = || number.and_then(|_| look_up(&self.names, stem)).filter(|at| self.is_numbered(*at));
            // A numbered tag whose name is misspelt has its number all the same.
            let numberless = |at: &usize| number.is_none() || !self.is_numbered(*at);
            let whole = || look_up(&self.names, name).filter(numberless).map(|at| What::Tag(at, None));
            let what = field().or_else(|| stem().map(|at| What::Tag(at, number))).or_else(whole)?;
            Some(Meaning { what, spelling })
        })
    }

    /// Whether a field of any tag has this name.
    pub(super) fn is_field(&self, name: &str) -> bool {
        self.fields.iter().any(|fields| fields.resolve_spelling(name).entry().is_some())
    }

    /// Whether a name is one of the words that the name of a tag is made of.
    pub(super) fn is_word_of(&self, name: &str, tag: usize) -> bool {
        let words = self.tags.get(tag).map(|rule| rule.name.split('_'));
        name.len() >= SHORTEST_WORD && words.is_some_and(|mut words| words.any(|word| word == name))
    }

    /// Whether a name of the protocol, or of a field of the open tag, begins like this.
    pub(super) fn begins_like(&self, name: &str, open: Option<usize>) -> bool {
        let fields = open.and_then(|tag| self.fields.get(tag));
        self.names.begins_like(name)
            || fields.is_some_and(|fields| fields.begins_like(name))
            || self.meaning(name, open).is_some()
    }

    /// The rule of a tag, by its place.
    pub(super) fn rule(&self, at: usize) -> Option<&TagRule> {
        self.tags.get(at)
    }

    /// The field of a tag that has this name, by its place.
    pub(super) fn field(&self, tag: usize, name: &str) -> Option<usize> {
        self.fields.get(tag)?.resolve(name).entry().map(|entry| entry.at)
    }

    fn is_numbered(&self, at: usize) -> bool {
        self.tags.get(at).is_some_and(|tag| tag.numbered)
    }
}

impl TagRule {
    /// The field that bare text is.
    pub(super) fn bare_field(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.bare)
    }

    fn check_placeholders(&self) -> Result<(), ProtocolError> {
        let has = |placeholder: &str, failing: Failing| match placeholder {
            "text" => self.fields.is_empty(),
            "number" => self.numbered,
            "as" => self.called.is_some(),
            "reason" => failing == Failing::Yes,
            field => self.fields.iter().any(|known| known.name == field),
        };
        let success = [&self.success.en, &self.success.zh].into_iter().chain(&self.called);
        let failure = [&self.failure.en, &self.failure.zh];
        let all = success.map(|part| (part, Failing::No)).chain(failure.map(|part| (part, Failing::Yes)));
        for (sentence, failing) in all {
            if let Some(placeholder) = sentence.placeholders().find(|placeholder| !has(placeholder, failing)) {
                return Err(ProtocolError::Placeholder { tag: self.name.clone(), placeholder: placeholder.to_owned() });
            }
        }
        Ok(())
    }
}

impl Sentences {
    /// The sentence in a language, filled in.
    pub(super) fn say(&self, language: Language, values: &Values<'_>) -> String {
        match language {
            Language::English => self.en.say(values),
            Language::Chinese => self.zh.say(values),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProtocol {
    name: String,
    #[serde(default)]
    reasoning: Vec<String>,
    tags: Vec<TagRule>,
}

/// A way of looking a name up.
type Lookup = dyn Fn(&Vocabulary, &str) -> Option<usize>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failing {
    No,
    Yes,
}

/// Refuses names that no tag can have, and two that look alike.
fn distinct<'n>(names: impl Iterator<Item = &'n String>) -> Result<(), ProtocolError> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let written = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        if !name.starts_with(char::is_alphabetic) || !name.chars().all(written) || name.len() > LONGEST_NAME {
            return Err(ProtocolError::Name(name.clone()));
        }
        let folded = fold_name(name);
        if seen.contains(&folded) {
            return Err(ProtocolError::Twice(name.clone()));
        }
        seen.push(folded);
    }
    Ok(())
}

/// Shorter words are too common to stand for a tag.
const SHORTEST_WORD: usize = 4;

/// Leaves room for a misspelling within what is read as a name.
const LONGEST_NAME: usize = 48;
