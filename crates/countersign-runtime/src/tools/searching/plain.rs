//! Words of strangers, made plain: no markup, no control characters, no more than is needed.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

/// A text without tags, entities decoded, blanks run together, at most `most` characters.
pub(super) fn text(given: &str, most: usize) -> String {
    let mut text = unescape(&given.chars().take(READ).collect::<String>());
    // What was escaped may be markup again once it is read.
    for _ in 0..ROUNDS {
        let again = unescape(&text);
        if again == text {
            return clip(&text, most);
        }
        text = again;
    }
    clip(&unescape(&text.replace(['<', '>', '&'], " ")), most)
}

/// An address of a web page or a picture; empty where it is none.
pub(super) fn link(given: &str) -> String {
    let given = given.trim();
    let whole = if given.starts_with("//") { format!("https:{given}") } else { given.to_owned() };
    match reqwest::Url::parse(&whole) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && whole.len() <= LONGEST_LINK => url.to_string(),
        _ => String::new(),
    }
}

/// What a reader would see of a page.
fn unescape(given: &str) -> String {
    let mut emitter = DefaultEmitter::<()>::default();
    // Without it the text of a script would be read as markup.
    emitter.naively_switch_states(true);
    let mut text = String::with_capacity(given.len());
    let mut hidden: Option<Vec<u8>> = None;
    for token in Tokenizer::new_with_emitter(given, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) if hidden.is_none() && HIDDEN.contains(&&**tag.name) => {
                hidden = Some(tag.name.to_vec())
            }
            Token::EndTag(tag) if hidden.as_deref() == Some(&**tag.name) => hidden = None,
            Token::StartTag(tag) if BREAKS.contains(&&**tag.name) => text.push(' '),
            Token::String(words) if hidden.is_none() => push(&mut text, &String::from_utf8_lossy(&words)),
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn push(text: &mut String, words: &str) {
    for c in words.chars() {
        if c.is_whitespace() || c.is_control() {
            if !text.is_empty() && !text.ends_with(' ') {
                text.push(' ');
            }
        } else if !is_invisible(c) {
            text.push(c);
        }
    }
}

/// Marks that turn the direction of a text or hide a part of it.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn clip(text: &str, most: usize) -> String {
    let clipped: String = text.chars().take(most).collect();
    clipped.trim().to_owned()
}

/// So much of a text is read at all.
const READ: usize = 20_000;
/// How often markup may be wrapped in markup before it is taken apart.
const ROUNDS: usize = 4;
const LONGEST_LINK: usize = 2_048;
/// Elements whose text nobody sees.
const HIDDEN: &[&[u8]] = &[b"script", b"style", b"template", b"noscript"];
/// Elements that stand apart from the words around them.
const BREAKS: &[&[u8]] = &[b"br", b"p", b"div", b"li", b"td", b"tr", b"h1", b"h2", b"h3"];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_and_marks_are_taken_out() {
        for (given, plain) in [
            ("  <b>Two</b>\n\twords ", "Two words"),
            ("a<br>b", "a b"),
            ("R&amp;D &lt;b&gt;bold&lt;/b&gt;", "R&D bold"),
            ("<script>alert(1)</script>after", "after"),
            ("a &amp;lt;script&amp;gt;x", "a"),
            ("a < b and c > d", "a < b and c > d"),
            ("bell\u{7}, turned \u{202e}txt", "bell , turned txt"),
            ("中文 <em>高亮</em>", "中文 高亮"),
        ] {
            assert_eq!(text(given, 100), plain, "{given:?}");
        }
        assert_eq!(text(&"长".repeat(3_000), 2_000).chars().count(), 2_000);
    }

    #[test]
    fn an_address_is_of_the_web_or_nothing() {
        assert_eq!(link(" https://example.test/a b "), "https://example.test/a%20b");
        assert_eq!(link("//example.test/x.png"), "https://example.test/x.png");
        for bad in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/local", "", "https://"] {
            assert_eq!(link(bad), "", "{bad}");
        }
    }

    proptest! {
        // STREAM-6
        #[test]
        fn whatever_comes_is_made_plain(given in "(<[a-z/!]{0,8}|&(amp;|lt;|gt;|#x[0-9a-f]{1,5};)|>|\\PC|\\s|[\u{0}-\u{1f}]){0,80}") {
            let plain = text(&given, 50);
            prop_assert!(plain.chars().count() <= 50);
            prop_assert!(!plain.chars().any(|c| c.is_control()), "{plain:?}");
            prop_assert_eq!(plain.trim(), &plain);
            prop_assert!(!plain.contains("<script"), "{}", plain);
        }
    }
}
