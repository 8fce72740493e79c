//! The value that a fabricated one may have been meant to be: one that was said, of the same kind and shape.

use crate::contract::{Arguments, Message};
use crate::text::fold::fold;
use serde_json::Value;

/// The said value nearest to a folded id; the newest of equals. `None` where nothing of its kind was said.
pub(crate) fn nearest(folded: &str, messages: &[Message]) -> Option<String> {
    let mut best =
        Best { folded, kind: Kind::of(folded), shape: shape(folded), left: MAX_WORDS, bytes: MAX_BYTES, found: None };
    for message in messages.iter().rev() {
        message.results.iter().for_each(|result| best.value(&result.content));
        best.text(&message.text);
        for call in &message.calls {
            match &call.arguments {
                Arguments::Object(map) => map.values().for_each(|value| best.value(value)),
                Arguments::Text(text) => best.text(text),
                _ => {}
            }
        }
    }
    best.found.map(|(_, word)| word)
}

struct Best<'a> {
    folded: &'a str,
    kind: Kind,
    shape: String,
    left: usize,
    bytes: usize,
    found: Option<(usize, String)>,
}

impl Best<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) => self.word(&number.to_string()),
            Value::Array(list) => list.iter().for_each(|value| self.value(value)),
            Value::Object(map) => map.values().for_each(|value| self.value(value)),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Some(rest) = self.bytes.checked_sub(text.len()) else { return };
        self.bytes = rest;
        for word in text.split(is_border) {
            // Most words are no ids at all.
            if word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b'/' | b'.')) {
                self.word(word.trim_matches(['.', ':', '!', '?']));
            }
        }
    }

    fn word(&mut self, word: &str) {
        if self.left == 0 || word.len() < 3 || word.len() > 100 || Kind::of(word) != self.kind {
            return;
        }
        if self.found.as_ref().is_some_and(|(_, found)| found == word) {
            return;
        }
        self.left -= 1;
        let said = fold(word);
        let alike = shape(&said) == self.shape;
        let lettered = |text: &str| text.contains(|c: char| c.is_alphabetic());
        let near = said.len().abs_diff(self.folded.len()) <= 1 && lettered(&said) == lettered(self.folded);
        if self.kind == Kind::Code && !alike && !near {
            return;
        }
        let far = strsim::levenshtein(&said, self.folded) + if alike { 0 } else { 100 };
        if self.found.as_ref().is_none_or(|(least, _)| far < *least) {
            self.found = Some((far, word.to_owned()));
        }
    }
}

fn is_border(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t' | '\r' | '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>')
        || matches!(c, '，' | '。' | '；' | '“' | '”' | '‘' | '’' | '：' | '（' | '）' | '\u{3000}')
}

/// What an id is an id of, by its form alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Url,
    Email,
    Path,
    /// Digits, or letters and digits.
    Code,
    Other,
}

impl Kind {
    fn of(word: &str) -> Self {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        match () {
            () if word.contains("://") => Self::Url,
            () if word.contains('@') => Self::Email,
            () if word.contains('/') || word.rsplit_once('.').is_some_and(|(_, end)| is_extension(end)) => Self::Path,
            () if digits >= 2 && !word.contains([':', '.']) => Self::Code,
            () => Self::Other,
        }
    }
}

fn is_extension(end: &str) -> bool {
    (2..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A word with its letters and digits made the same.
fn shape(word: &str) -> String {
    let same = |c: char| match c {
        _ if c.is_ascii_digit() => '0',
        _ if c.is_alphabetic() => 'a',
        other => other,
    };
    word.chars().map(same).collect()
}

/// How much is looked at, from the newest message back.
const MAX_WORDS: usize = 80;
const MAX_BYTES: usize = 24_576;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Role, ToolResult};
    use serde_json::json;

    #[test]
    fn the_nearest_has_the_same_kind() {
        // CALL-8
        let mut tool = Message::text(Role::Tool, "");
        tool.results
            .push(ToolResult { content: json!({"orders": [{"id": "ORD-4411"}, {"id": 77}]}), ..ToolResult::default() });
        let user = Message::text(Role::User, "Mail Ann@Corp.com about 12:30 and C:/a.txt");
        let messages = [user, tool];
        assert_eq!(nearest("ord-4412", &messages).as_deref(), Some("ORD-4411"));
        assert_eq!(nearest("bob@corp.com", &messages).as_deref(), Some("Ann@Corp.com"));
        assert_eq!(nearest("https://a.b/c", &messages), None);
    }
}
