//! Which words of a result are the tool's own.
//!
//! A look-up that says "I believe" is a reason to doubt it; a file, a product name, a quotation, a translation or a
//! search snippet that says so is not. Only the own words are read by the checks of phrasing.

use super::fields::Text;
use super::subject::{Subject, ToolKind};
use crate::text::lists::word_list;
use crate::text::words::identifier_words;

pub(crate) use crate::text::quotes::unquoted;

/// A text that the tool speaks itself.
#[derive(Debug, Clone)]
pub(crate) struct Voice {
    /// Where it is.
    pub pointer: String,
    /// What it says, quotations left out.
    pub text: String,
}

/// The tool's own words.
pub(crate) fn voices(subject: &Subject) -> Vec<Voice> {
    own_texts(subject).map(|text| Voice { pointer: text.pointer.clone(), text: unquoted(text.text) }).collect()
}

/// The texts that hold the tool's own words, as they are.
pub(crate) fn own_texts<'s>(subject: &'s Subject) -> impl Iterator<Item = &'s Text<'s>> {
    let own = subject.parts.texts.iter().filter(|text| text.text.len() < MAX_TEXT && text.listed <= 1);
    // Among what others wrote, only an answer or a summary beside it is the tool's own.
    own.filter(|text| match subject.kind {
        ToolKind::Translates | ToolKind::Runs => false,
        ToolKind::Carries | ToolKind::Searches => text.listed == 0 && text.key == "answer",
        _ => text.key.is_empty() || speaks(text.key),
    })
}

/// Whether a look-up speaks, and not a summary of somebody's text.
pub(crate) fn looks_up(subject: &Subject) -> bool {
    subject.kind == ToolKind::Speaks
}

/// Whether a field of this name holds what the tool says itself.
pub(crate) fn speaks(key: &str) -> bool {
    let words = identifier_words(key);
    words.last().is_some_and(|word| SPOKEN.contains(&word.as_str()))
}

const MAX_TEXT: usize = 20_000;
const SPOKEN: &[&str] = word_list!("check_result", "voice/spoken");
