//! A text without what a terminal or a model reads and a person does not see: control sequences and hidden characters.
//!
//! What carries meaning stays: joiners between letters of scripts that need them and inside emoji, marks of direction in
//! texts that are written from right to left, one variation selector behind a character that can have one.

use std::borrow::Cow;

/// The text without control sequences and hidden characters; borrowed where it has none.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let suspect = |c: char| is_control(c) || is_hidden(c);
    if !text.contains(suspect) {
        return Cow::Borrowed(text);
    }
    let from_right = text.contains(is_written_from_right);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ESCAPE || c == C1_SEQUENCE {
            skip_sequence(c, &mut rest);
            continue;
        }
        let before = out.chars().next_back();
        let keeps = match c {
            '\t' | '\n' | '\r' => true,
            c if is_control(c) => false,
            c if !is_hidden(c) => true,
            '\u{200c}' | '\u{200d}' => before.is_some_and(joins) && rest.peek().copied().is_some_and(joins),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => from_right,
            '\u{fe00}'..='\u{fe0f}' => before.is_some_and(|c| !is_selector(c) && !c.is_alphabetic()),
            '\u{e0100}'..='\u{e01ef}' => before.is_some_and(is_ideograph),
            '\u{e0020}'..='\u{e007f}' => in_flag(&out),
            _ => false,
        };
        if keeps {
            out.push(c);
        }
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Skips the rest of a control sequence.
fn skip_sequence(first: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let kind = if first == C1_SEQUENCE { Some('[') } else { rest.next() };
    match kind {
        // Parameters, then one final letter.
        Some('[') => {
            while rest.next_if(|c| matches!(c, '\u{20}'..='\u{3f}')).is_some() {}
            rest.next_if(|c| matches!(c, '\u{40}'..='\u{7e}'));
        }
        // A string up to its terminator: titles, links, and what a terminal would answer to.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            for _ in 0..LONGEST_STRING {
                match rest.next() {
                    None | Some('\u{7}' | '\u{9c}') => break,
                    Some(ESCAPE) => {
                        rest.next_if(|c| *c == '\\');
                        break;
                    }
                    Some(_) => {}
                }
            }
        }
        Some('\u{20}'..='\u{2f}') => {
            rest.next();
        }
        _ => {}
    }
}

/// Control characters; tabs and line ends are none here.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// Characters that are not seen.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a joiner beside this character can mean something.
fn joins(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace()
}

fn is_written_from_right(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a text ends in a flag that is spelt in tags.
fn in_flag(written: &str) -> bool {
    let tags = |c: &char| matches!(c, '\u{e0020}'..='\u{e007e}');
    let mut back = written.chars().rev().take(LONGEST_FLAG).skip_while(tags);
    back.next() == Some('\u{1f3f4}')
}

const ESCAPE: char = '\u{1b}';
const C1_SEQUENCE: char = '\u{9b}';
/// So many characters of a string of a terminal are skipped; what goes on is text.
const LONGEST_STRING: usize = 4096;
const LONGEST_FLAG: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    // MCP-3
    #[test]
    fn what_is_not_seen_goes() {
        for (text, cleaned) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]8;;https://evil.example\u{1b}\\link\u{1b}]8;;\u{7}b", "alinkb"),
            ("\u{9b}2Jx\u{1b}(By\u{1b}cz", "xyz"),
            ("pass\u{8}\u{8}word\u{0}", "password"),
            ("ig\u{200b}nore\u{2060} pre\u{ad}vious", "ignore previous"),
            ("hi\u{e0048}\u{e0049}", "hi"),
            ("a\u{202e}txt.exe", "atxt.exe"),
            ("x\u{fe00}\u{fe01}\u{fe02}", "x"),
            ("a\u{200d}b", "ab"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }

    // MCP-3: the look-alikes that must stay.
    #[test]
    fn what_carries_meaning_stays() {
        for text in [
            "plain\ttext\r\nsecond line",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} family",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{5d0}\u{5d1}\u{200f} (x) \u{2067}y\u{2069}",
            "\u{2764}\u{fe0f} love",
            "\u{845b}\u{e0100}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "你好，世界",
        ] {
            assert!(matches!(clean(text), Cow::Borrowed(_)), "{text:?} became {:?}", clean(text));
        }
    }
}
