//! What may be the name of a tool.

/// Whether a text may be the name of some tool that nobody registered: one word, not a sentence.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && !text.contains(char::is_whitespace)
}

/// A name, perhaps with a namespace.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && text.len() <= 128 && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/'))
}
