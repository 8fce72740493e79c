//! Markup that quotes: what stands in an example, in preformatted text, in a comment or in the result of a tool is shown, not
//! said.

use super::FormatEngine;
use super::step::Step;
use crate::parse::markup::Input;

impl FormatEngine {
    /// Follows the elements whose text is quoted. None where none begins or ends at `at`.
    pub(super) fn quoting_element(&mut self, at: usize) -> Option<Step> {
        if self.reasoning.is_some() || self.buffer.byte(at) != Some(b'<') {
            return None;
        }
        let text = self.buffer.from(at);
        let (name, closing, len) = match lex(text, self.input) {
            Lexed::Not => return None,
            Lexed::NeedMore => return Some(Step::Wait),
            Lexed::Tag(name, closing, len) => (name, closing, len),
        };
        self.read_line(at);
        match (self.line.element(), closing) {
            (Some(open), true) if open == name => self.line.close_element(),
            (None, false) if self.tools.of_tag(name).is_none() => self.line.open_element(name, at),
            _ => {}
        }
        Some(Step::Prose(len))
    }

    /// The end of a comment.
    pub(super) fn comment_end(&mut self, at: usize) -> Step {
        let text = self.buffer.from(at);
        if text.starts_with(COMMENT_END) {
            self.read_line(at);
            self.line.close_element();
            return Step::Prose(COMMENT_END.len());
        }
        let may = COMMENT_END.starts_with(text) && self.input == Input::Open;
        if may { Step::Wait } else { Step::Prose(1) }
    }
}

/// What is at the beginning of a text.
enum Lexed {
    Not,
    NeedMore,
    /// The element, whether it is closed, and how many bytes say so.
    Tag(&'static str, bool, usize),
}

fn lex(text: &str, input: Input) -> Lexed {
    let open = input == Input::Open;
    if text.starts_with(COMMENT) {
        return Lexed::Tag(COMMENT, false, COMMENT.len());
    }
    if open && text.len() > 1 && COMMENT.starts_with(text) {
        return Lexed::NeedMore;
    }
    let rest = text.get(1..).unwrap_or_default();
    let (closing, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
    let end = rest.find(|c: char| !(c.is_ascii_alphabetic() || c == '_')).unwrap_or(rest.len());
    let name = rest.get(..end).unwrap_or_default();
    let same = |known: &&&str| known.eq_ignore_ascii_case(name);
    let begins = |known: &&str| known.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name));
    match rest.get(end..).and_then(|rest| rest.chars().next()) {
        None if open && QUOTING.iter().any(begins) => Lexed::NeedMore,
        None => Lexed::Not,
        Some('>' | ' ' | '\n' | '\t') => match QUOTING.iter().find(same) {
            Some(known) => Lexed::Tag(known, closing, 1 + usize::from(closing) + end),
            None => Lexed::Not,
        },
        Some(_) => Lexed::Not,
    }
}

/// How a comment begins.
pub(super) const COMMENT: &str = "<!--";
/// How it ends.
const COMMENT_END: &str = "-->";

/// The elements whose text is quoted: those of HTML, and those in which chat templates put what came from elsewhere.
const QUOTING: &[&str] = &[
    "pre",
    "code",
    "samp",
    "blockquote",
    "q",
    "xmp",
    "textarea",
    "example",
    "examples",
    "quote",
    "document",
    "documents",
    "tool_response",
    "tool_responses",
    "tool_result",
    "tool_results",
    "tool_output",
    "tool_outputs",
    "function_response",
    "function_responses",
    "function_result",
    "function_results",
];
