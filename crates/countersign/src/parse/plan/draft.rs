//! A step as it was written, before anything is held against the tools and the other steps.

use serde_json::{Map, Value};

/// One written step.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// The number it was given, where it was.
    pub number: Option<u32>,
    /// Where it begins.
    pub at: usize,
    pub description: String,
    /// The tool as it was written.
    pub tool: String,
    pub input: Input,
    /// Steps that it says it waits for, beside those that its input names.
    pub after: Vec<u32>,
    /// Whether the end of the input was not seen.
    pub unclosed: bool,
}

/// What a step gives its tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Input {
    /// Arguments by name.
    Object(Map<String, Value>),
    /// Words that belong to one parameter.
    Text(String),
    /// An object that could not be read without guessing.
    Unreadable,
}

/// A description of bearable length, in one piece.
pub(super) fn short(text: &str) -> String {
    let text = text.trim();
    let cut = text.get(..text.floor_char_boundary(LONGEST_DESCRIPTION)).unwrap_or_default();
    cut.trim_end().to_owned()
}

/// Bytes that are kept of a description.
const LONGEST_DESCRIPTION: usize = 2000;
