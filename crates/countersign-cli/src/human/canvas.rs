//! What one answer is drawn on: text, colours, indentation, and a title line of one shape for all commands.

use crate::args::Colour;
use crate::tally::{LineLocation, Mark, Tone};
use countersign::contract::Language;
use serde_json::Value;
use std::io::{self, IsTerminal};
use unicode_width::UnicodeWidthStr;

/// Text under construction, and how it is coloured.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    text: String,
    colours: bool,
    language: Language,
    line: String,
}

/// A colour or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Heavier.
    Bold,
    /// Fainter.
    Dim,
    /// For what is good or new.
    Green,
    /// For what needs a look.
    Yellow,
    /// For what is wrong or old.
    Red,
    /// For what needs a person.
    Magenta,
    /// For what is worth knowing.
    Cyan,
}

impl Canvas {
    /// An empty canvas for standard output.
    pub(crate) fn new(colour: Colour, language: Option<Language>) -> Self {
        let quiet = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colours = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => io::stdout().is_terminal() && !quiet("NO_COLOR") && !dumb,
        };
        Self { text: String::new(), colours, language: language.unwrap_or_default(), line: String::new() }
    }

    /// Goes on in a language: that of what is drawn, so that one page does not speak two.
    pub(crate) fn speak(&mut self, language: Language) {
        self.language = language;
    }

    /// Whether colours and lines are drawn.
    pub(crate) fn has_colours(&self) -> bool {
        self.colours
    }

    /// An empty canvas of the same kind for the answer to a line.
    pub(crate) fn at(&self, place: LineLocation<'_>) -> Self {
        let line = match place.file {
            Some(file) => format!("{file}:{}", place.line),
            None => self.say("line ", "第 ").to_owned() + &place.line.to_string() + self.say("", " 行"),
        };
        Self { text: String::new(), line, ..self.clone() }
    }

    /// One of two words, by the reader's language.
    pub(crate) fn say<'w>(&self, english: &'w str, chinese: &'w str) -> &'w str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// The same for a pair.
    pub(crate) fn word(&self, words: (&'static str, &'static str)) -> &'static str {
        self.say(words.0, words.1)
    }

    /// A piece of text in a colour.
    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => "1",
            Paint::Dim => "2",
            Paint::Green => "32",
            Paint::Yellow => "33",
            Paint::Red => "31",
            Paint::Magenta => "35",
            Paint::Cyan => "36",
        };
        if self.colours && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// The title of an answer: `✖ refused  the caption  ·  line 4`.
    pub(crate) fn title(&mut self, mark: Mark, id: &Value, tail: &str) {
        let status = self.paint_tone(mark.tone, &format!("{} {}", symbol(mark.tone), self.word(mark.words)));
        let caption = self.paint(Paint::Bold, &caption(id));
        let place = if id.is_null() { self.line.clone() } else { String::new() };
        let tail = [place.as_str(), tail].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
        let tail = self.paint(Paint::Dim, &tail);
        let parts = [status, caption, tail].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let line = parts.join("  ");
        self.line(&line);
    }

    /// The answer to a line that could not be read.
    pub(crate) fn show_malformed(&mut self, reason: &str, id: Option<&Value>) {
        let status = self.paint_tone(Tone::Bad, &format!("✖ {}", self.say("malformed", "格式错误")));
        let caption = self.paint(Paint::Bold, &id.map(caption).unwrap_or_default());
        let place = self.line.clone();
        let parts = [status, caption, place, safe(reason)];
        let line = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ");
        self.line(&line);
        self.line("");
    }

    /// Text in the colour of an outcome.
    pub(crate) fn paint_tone(&self, tone: Tone, text: &str) -> String {
        let paint = match tone {
            Tone::Good => Paint::Green,
            Tone::Watch => Paint::Yellow,
            Tone::Person => Paint::Magenta,
            Tone::Bad => Paint::Red,
        };
        self.paint(paint, text)
    }

    /// What was drawn.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The symbol that says an outcome without colour.
pub(crate) fn symbol(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "✔",
        Tone::Watch => "⚠",
        Tone::Person => "☝",
        Tone::Bad => "✖",
    }
}

/// An id as a caption.
fn caption(id: &Value) -> String {
    match id {
        Value::Null => String::new(),
        Value::String(text) => safe(&clip(text, 80)),
        other => format!("#{}", clip(&other.to_string(), 40)),
    }
}

/// Text without control characters and without the marks that turn the direction of writing, in one line.
pub(crate) fn safe(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t' | '\r') { ' ' } else { harmless(c) }).collect()
}

/// The same in lines of its own.
pub(crate) fn safe_lines(text: &str) -> String {
    text.replace("\r\n", "\n").chars().map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) }).collect()
}

/// A character that can be shown, or one that stands for it.
fn harmless(c: char) -> char {
    if c.is_control() || is_hidden(c) { '\u{fffd}' } else { c }
}

/// Marks that turn the direction of writing, break lines, or carry what nobody sees.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// At most so many columns of a text, with an ellipsis where it was cut.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    // Most texts are short: the first characters tell whether measuring is needed.
    let mut shown = String::new();
    let mut width = 0;
    for c in text.chars() {
        let wide = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if width + wide > columns {
            shown.push('…');
            return shown;
        }
        width += wide;
        shown.push(c);
    }
    shown
}

/// How many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Breaks a text into lines of at most so many columns: at blanks, and anywhere between Chinese characters.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(20);
    let (mut lines, mut line, mut width) = (Vec::new(), String::new(), 0);
    for word in pieces(text) {
        let wide = columns(word.trim_end());
        if width + wide > room && !line.is_empty() {
            lines.push(line.trim_end().to_owned());
            line.clear();
            width = 0;
        }
        line.push_str(word);
        width += columns(word);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// The pieces that a line may be broken between.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for word in text.split_inclusive(' ') {
        if word.is_ascii() {
            pieces.push(word);
        } else {
            pieces.extend(
                word.split_inclusive(|c: char| {
                    countersign::contract::language::is_han(c) || "，。；：、）".contains(c)
                }),
            );
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_model_cannot_repaint_the_terminal() {
        assert_eq!(safe("a\x1b[31mb\u{202e}c\nd"), "a\u{fffd}[31mb\u{fffd}c d");
        assert_eq!(safe_lines("a\r\nb\rc\u{9b}d\te"), "a\nb\u{fffd}c\u{fffd}d\te");
    }

    #[test]
    fn text_is_clipped_and_wrapped_by_columns() {
        assert_eq!(clip("天气预报", 5), "天气…");
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(wrap("one two three four five six", 20), ["one two three four", "five six"]);
        assert!(wrap(&"天".repeat(30), 20).iter().all(|line| columns(line) <= 20));
    }
}
