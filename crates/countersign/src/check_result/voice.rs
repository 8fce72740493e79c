//! Which words of a result are the tool's own.
//!
//! A look-up that says "I believe" is a reason to doubt it; a file, a product name, a quotation, a translation or a
//! search snippet that says so is not. Only the own words are read by the checks of phrasing.

use super::fields::Text;
use super::subject::{Subject, ToolKind};
use crate::text::words::identifier_words;

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

/// A text without what is in quotation marks and code.
pub(crate) fn unquoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match open {
            Some((close, _)) if c == close => open = None,
            Some((close, from)) if at - from > MAX_QUOTE || (c == '\n' && close != '`') => open = None,
            Some(_) => {}
            None => match closing(c, before) {
                Some(close)
                    if text
                        .get(at + c.len_utf8()..)
                        .is_some_and(|rest| rest.chars().take(MAX_QUOTE).any(|c| c == close)) =>
                {
                    open = Some((close, at));
                    kept.push(' ');
                }
                _ => kept.push(c),
            },
        }
        before = c;
    }
    kept
}

/// The mark that ends a quotation that this one begins.
fn closing(c: char, before: char) -> Option<char> {
    let free = !before.is_alphanumeric();
    match c {
        '"' if free => Some('"'),
        '\'' if free => Some('\''),
        '“' => Some('”'),
        '‘' if free => Some('’'),
        '「' => Some('」'),
        '『' => Some('』'),
        '《' => Some('》'),
        '`' => Some('`'),
        '«' => Some('»'),
        _ => None,
    }
}

const MAX_TEXT: usize = 20_000;
const MAX_QUOTE: usize = 600;
const SPOKEN: &[&str] = &[
    "answer",
    "summary",
    "result",
    "response",
    "explanation",
    "conclusion",
    "verdict",
    "analysis",
    "fact",
    "reply",
    "output",
    "finding",
    "assessment",
    "recommendation",
    "advice",
    "definition",
    "diagnosis",
    "forecast",
    "estimate",
    "report",
    "insight",
    "interpretation",
    "opinion",
    "statement",
    "info",
    "information",
    "detail",
    "details",
    "overview",
    "note",
    "message",
];

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-5
    #[test]
    fn quotations_are_left_out() {
        assert_eq!(unquoted("He said \"I believe\" twice."), "He said   twice.");
        assert_eq!(unquoted("报告称“我认为”有误"), "报告称 有误");
        assert_eq!(unquoted("It's the dog's 5' pole"), "It's the dog's 5' pole");
        assert_eq!(unquoted("an open \" mark"), "an open \" mark");
    }
}
