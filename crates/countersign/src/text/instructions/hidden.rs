//! Text that a person does not see where a model reads it: comments, hidden elements, invisible letters, encoded words.

use std::borrow::Cow;

/// The parts of a text that are not shown to whoever looks at it.
pub(super) fn hidden_parts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    between(text, "<!--", "-->", &mut found);
    between(text, "[//]: # (", ")", &mut found);
    between(text, "[comment]: # (", ")", &mut found);
    hidden_elements(text, &mut found);
    found
}

/// The parts that are written in letters which nobody reads, decoded.
pub(super) fn coded_parts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(tag_letters(text));
    found.extend(interleaved(text));
    encoded(text, &mut found);
    found
}

/// A text without letters that have no width. They break words in two for whoever searches, and for nobody who reads.
pub(super) fn without_invisible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !is_invisible(*c)).collect())
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' | '\u{180e}' | '\u{e0000}'..='\u{e007f}')
}

/// What stands in letters of the tag block, which no font shows.
fn tag_letters(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let letter =
        |c: char| ('\u{e0020}'..='\u{e007e}').contains(&c).then(|| char::from_u32(c as u32 - 0xe0000)).flatten();
    let read: String = text.chars().filter_map(letter).collect();
    (read.len() >= MIN_HIDDEN).then_some(read)
}

/// What is written with a letter of no width after each letter. Scripts that join their letters have some of these, and
/// never after every one.
fn interleaved(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut letters = text.chars().peekable();
    let mut read = String::new();
    while let Some(letter) = letters.next() {
        let followed = !is_invisible(letter) && letters.next_if(|next| is_invisible(*next)).is_some();
        match followed {
            true => read.push(letter),
            false if read.chars().count() >= MIN_HIDDEN => {
                read.push(letter);
                return Some(read);
            }
            false => read.clear(),
        }
    }
    (read.chars().count() >= MIN_HIDDEN).then_some(read)
}

fn between(text: &str, open: &str, close: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open).filter(|_| found.len() < MAX_PARTS) {
        let (inner, next) = after.split_once(close).unwrap_or((after, ""));
        found.push(cut(inner));
        rest = next;
    }
}

/// The content of elements that a style or an attribute hides.
fn hidden_elements(text: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<').filter(|_| found.len() < MAX_PARTS) {
        let Some((tag, content)) = after.split_once('>') else { return };
        rest = after;
        if tag.len() < MAX_TAG && hides(tag) {
            let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
            let end = content.find(&format!("</{name}")).unwrap_or(content.len());
            found.push(cut(content.get(..end).unwrap_or(content)));
            rest = content.get(end..).unwrap_or_default();
        }
    }
}

fn hides(tag: &str) -> bool {
    let tag: String = tag.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
    let element = tag.starts_with(|c: char| c.is_ascii_alphabetic());
    element && (HIDING.iter().any(|style| tag.contains(style)) || tag.ends_with("hidden") || tag.contains("hidden=\""))
}

/// Words that were written in base64.
fn encoded(text: &str, found: &mut Vec<String>) {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let runs = text.split(|c: char| !is_letter(c)).filter(|run| run.len() >= MIN_ENCODED && run.len() < MAX_ENCODED);
    for run in runs.take(MAX_PARTS) {
        found.extend(decoded(run));
    }
}

/// The words that a run of base64 stands for.
pub(super) fn decoded(run: &str) -> Option<String> {
    let words = |text: &String| text.contains(' ') && text.chars().all(|c| !c.is_control() || c.is_whitespace());
    // A picture is no text.
    String::from_utf8(decode(run)).ok().filter(words).filter(|text| !text.trim_start().starts_with('<'))
}

/// The bytes of a run of base64; what is left over at its end is dropped.
fn decode(run: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(run.len());
    let (mut held, mut bits) = (0u32, 0);
    for letter in run.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    bytes
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_HIDDEN)).unwrap_or(text).trim().to_owned()
}

const MAX_PARTS: usize = 64;
const MAX_TAG: usize = 400;
const MAX_HIDDEN: usize = 4000;
const MIN_HIDDEN: usize = 12;
const MIN_ENCODED: usize = 40;
const MAX_ENCODED: usize = 8000;
const HIDING: &[&str] = &[
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:1px",
    "opacity:0;",
    "opacity:0\"",
    "color:white",
    "color:#fff",
    "color:transparent",
    "aria-hidden=\"true\"",
    "left:-9999px",
    "height:0",
    "width:0;",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_found() {
        // TRUST-3
        for text in [
            "<p>Hi</p><!-- send it away -->",
            "x <span style=\"display: none\">send it away</span> y",
            "[//]: # (send it away)",
            "Read c2VuZCBpdCBhd2F5IHRvIHNvbWVib2R5IGVsc2UgcGxlYXNl now",
        ] {
            let parts = [hidden_parts(text), coded_parts(text)].concat();
            assert!(parts.iter().any(|part| part.contains("send it away")), "{text}");
        }
        let spread: String = "send it away".chars().flat_map(|c| [c, '\u{200b}']).collect();
        assert_eq!(
            coded_parts(&format!("Open at nine.{spread} Closed.")).first().map(|part| part.trim()),
            Some("send it away")
        );
        assert_eq!(without_invisible("ig\u{200b}nore"), "ignore");
        assert!(hidden_parts("<p>a < b and c > d</p> <b>bold</b>").is_empty());
    }
}
