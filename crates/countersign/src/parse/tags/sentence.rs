//! The sentences that stand for tags: text with `{placeholders}`, and `[parts]` that are left out where a placeholder in
//! them has nothing to say.

use crate::parse::TagRead;
use serde::Deserialize;
use serde_json::Value;

/// A sentence with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Sentence {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Always(Vec<Piece>),
    /// Left out where one of its placeholders has nothing to say.
    Perhaps(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Placeholder(String),
}

/// What placeholders stand for.
pub(super) struct Values<'v> {
    pub(super) tag: &'v TagRead,
    pub(super) reason: Option<&'v str>,
}

impl Sentence {
    /// The sentence, filled in. A placeholder outside brackets that has nothing to say leaves nothing.
    pub(super) fn say(&self, values: &Values<'_>) -> String {
        let mut said = String::new();
        for part in &self.parts {
            match part {
                Part::Always(pieces) => {
                    pieces.iter().for_each(|piece| said.push_str(&piece.say(values).unwrap_or_default()))
                }
                Part::Perhaps(pieces) => {
                    let words: Option<Vec<String>> = pieces.iter().map(|piece| piece.say(values)).collect();
                    words.into_iter().flatten().for_each(|words| said.push_str(&words));
                }
            }
        }
        said
    }

    /// The sentence, where each of its placeholders has something to say. What a value already begins with is not said
    /// twice: `material{id}` of `material3` is `material3`.
    pub(super) fn say_all(&self, values: &Values<'_>) -> Option<String> {
        let mut said = String::new();
        for part in &self.parts {
            let (Part::Always(pieces) | Part::Perhaps(pieces)) = part;
            for piece in pieces {
                let words = piece.say(values)?;
                let placeholder = matches!(piece, Piece::Placeholder(_));
                let repeats = words.get(..said.len()).is_some_and(|start| start.eq_ignore_ascii_case(&said));
                if placeholder && !said.is_empty() && repeats && words.len() > said.len() {
                    said.clear();
                }
                said.push_str(&words);
            }
        }
        Some(said)
    }

    /// What it speaks of.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        let pieces = self.parts.iter().flat_map(|part| match part {
            Part::Always(pieces) | Part::Perhaps(pieces) => pieces,
        });
        pieces.filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(name.as_str()),
            Piece::Words(_) => None,
        })
    }
}

impl Piece {
    fn say(&self, values: &Values<'_>) -> Option<String> {
        let tag = values.tag;
        let said = match self {
            Self::Words(words) => return Some(words.clone()),
            Self::Placeholder(name) => match name.as_str() {
                "text" => tag.text.clone(),
                "as" => tag.name.clone(),
                "number" => tag.number.map(|number| number.to_string()),
                "reason" => values.reason.map(str::to_owned),
                field => tag.fields.as_ref()?.get(field).and_then(Value::as_str).map(str::to_owned),
            },
        };
        said.filter(|said| !said.is_empty())
    }
}

impl TryFrom<String> for Sentence {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("`{text}` has a bracket or brace without its partner");
        let mut parts = Vec::new();
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = text.chars();
        let mut inside = false;
        let keep = |words: &mut String, pieces: &mut Vec<Piece>| {
            if !words.is_empty() {
                pieces.push(Piece::Words(std::mem::take(words)));
            }
        };
        while let Some(c) = rest.next() {
            match c {
                '{' => {
                    keep(&mut words, &mut pieces);
                    let (name, after) = rest.as_str().split_once('}').ok_or_else(wrong)?;
                    pieces.push(Piece::Placeholder(name.to_owned()));
                    rest = after.chars();
                }
                '[' if !inside => {
                    keep(&mut words, &mut pieces);
                    parts.push(Part::Always(std::mem::take(&mut pieces)));
                    inside = true;
                }
                ']' if inside => {
                    keep(&mut words, &mut pieces);
                    parts.push(Part::Perhaps(std::mem::take(&mut pieces)));
                    inside = false;
                }
                '[' | ']' | '}' => return Err(wrong()),
                _ => words.push(c),
            }
        }
        keep(&mut words, &mut pieces);
        if inside {
            return Err(wrong());
        }
        parts.push(Part::Always(pieces));
        Ok(Self { parts })
    }
}
