//! A command given as its words, as programs are started: `["rm", "-rf", "/"]`.
//!
//! Each word by itself destroys nothing, so they are read as the line that they make. A list of whole commands
//! (`commands`) is no such list.

use crate::check_call::role::Role;
use crate::check_call::subject::Node;
use serde_json::Value;

/// The line that a list of words makes; `None` for every other value.
pub(crate) fn line(node: &Node<'_>) -> Option<String> {
    let Value::Array(list) = node.value else { return None };
    if node.is_item() || !is_command(node) {
        return None;
    }
    let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    let words = words?;
    // Whoever writes blanks into the first word writes lines.
    if words.first().is_some_and(|word| word.contains(char::is_whitespace)) {
        return Some(words.join("\n"));
    }
    Some(words.into_iter().map(quote).collect::<Vec<_>>().join(" "))
}

/// Whether a value is a word of such a list.
pub(crate) fn is_word(node: &Node<'_>) -> bool {
    node.is_item() && node.value.is_string() && is_command(node)
}

fn is_command(node: &Node<'_>) -> bool {
    node.roles.has(Role::Command) && !node.last_word().ends_with('s')
}

/// A word as a shell reads it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~*".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
