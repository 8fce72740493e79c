//! HTML: its text as a reader sees it, entities decoded, scripts and styles dropped, headings kept.
//!
//! Read by a tokenizer that follows the standard, because pages in the wild do not. No tree is built, so that nothing
//! deep can hurt.

use crate::kb::document::{Document, Headings, Nature, Writer};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use std::sync::Arc;

/// Reads a page.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let mut emitter = DefaultEmitter::new_with_span();
    // Without it the text of a script would be read as markup.
    emitter.naively_switch_states(true);
    let mut page = Page::new(text);
    for token in Tokenizer::new_with_emitter(text, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => page.start(&name(&tag.name), tag.self_closing, tag.span.start)?,
            Token::EndTag(tag) => page.end(&name(&tag.name))?,
            Token::String(words) => page.words(&String::from_utf8_lossy(&words), words.span.start),
            _ => {}
        }
    }
    page.flush()?;
    Ok(page.writer.finish())
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..bytes.len().min(16)).unwrap_or_default()).to_ascii_lowercase()
}

struct Page<'t> {
    source: &'t str,
    writer: Writer,
    headings: Headings,
    path: Arc<[String]>,
    text: String,
    line: usize,
    /// The element whose text is dropped.
    dropped: Option<String>,
    /// The level of the heading that is being read; the title of the page is above all.
    title: Option<u8>,
    /// How far lines were counted, and how many there were.
    counted: (usize, usize),
}

impl<'t> Page<'t> {
    fn new(source: &'t str) -> Self {
        let (text, line, counted) = (String::new(), 1, (0, 1));
        let (writer, headings) = (Writer::default(), Headings::default());
        Self { source, writer, headings, path: Arc::from([]), text, line, dropped: None, title: None, counted }
    }

    fn start(&mut self, tag: &str, self_closing: bool, at: usize) -> Result<(), String> {
        if self.dropped.is_some() {
            return Ok(());
        }
        if DROPPED.contains(&tag) && !self_closing {
            self.dropped = Some(tag.to_owned());
        } else if let Some(level) = level(tag) {
            self.flush()?;
            self.title = Some(level);
            self.line = self.line_at(at);
        } else if tag == "br" {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push('\n');
        } else if CELLS.contains(&tag) {
            if !self.text.trim().is_empty() {
                self.text.push_str(" | ");
            }
        } else if BLOCKS.contains(&tag) {
            self.flush()?;
        }
        Ok(())
    }

    fn end(&mut self, tag: &str) -> Result<(), String> {
        match &self.dropped {
            Some(dropped) if dropped == tag => self.dropped = None,
            Some(_) => {}
            None if level(tag).is_some() || BLOCKS.contains(&tag) => self.flush()?,
            None => {}
        }
        Ok(())
    }

    fn words(&mut self, words: &str, at: usize) {
        if self.dropped.is_some() {
            return;
        }
        for c in words.chars() {
            let blank = c.is_whitespace();
            if blank && (self.text.is_empty() || self.text.ends_with([' ', '\n'])) {
                continue;
            }
            if self.text.is_empty() {
                self.line = self.line_at(at);
            }
            self.text.push(if blank { ' ' } else { c });
        }
    }

    /// Ends a block or a heading.
    fn flush(&mut self) -> Result<(), String> {
        let text = std::mem::take(&mut self.text);
        if let Some(level) = self.title.take() {
            self.headings.enter(level, &text);
            self.path = self.headings.path();
            return Ok(());
        }
        self.writer.block(text.trim(), Some(self.line), &self.path, Nature::Flows)
    }

    /// The line of a place in the source. Places come in order, so that each line is counted once.
    fn line_at(&mut self, at: usize) -> usize {
        let (from, lines) = self.counted;
        if let Some(passed) = self.source.as_bytes().get(from..at) {
            self.counted = (at, lines + passed.iter().filter(|byte| **byte == b'\n').count());
        }
        self.counted.1
    }
}

fn level(tag: &str) -> Option<u8> {
    let level = match tag {
        "title" => 0,
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        _ => return None,
    };
    Some(level)
}

const DROPPED: &[&str] = &["script", "style", "noscript", "template", "svg", "math", "iframe", "object", "select"];
const CELLS: &[&str] = &["td", "th"];
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "li",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "tr",
    "table",
    "thead",
    "tbody",
    "caption",
    "section",
    "article",
    "aside",
    "header",
    "footer",
    "main",
    "nav",
    "blockquote",
    "pre",
    "figure",
    "figcaption",
    "hr",
    "body",
    "head",
    "html",
    "form",
    "fieldset",
    "address",
    "details",
    "summary",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(String, String, usize)> {
        let document = read(text).unwrap();
        let block = |b: &crate::kb::document::Block| {
            (document.text[b.range.clone()].to_owned(), b.headings.join(" > "), b.line)
        };
        document.blocks.iter().map(block).collect()
    }

    // CLAIM-3
    #[test]
    fn a_page_is_read_as_people_see_it() {
        let page = "<!doctype html><title>Report &amp; more</title><style>p{}</style>\n<h1>Results</h1>\n<p>Revenue was\n  &pound;3.4&nbsp;million<script>if (a < b) document.write('<p>no</p>')</script>.</p>\n<table><tr><th>City<th>Count<tr><td>Oslo<td>1&#44;234</table><h2>营收</h2>增长<b>12</b>%<br>持平";
        let found = blocks(page);
        let expected = [
            ("Revenue was £3.4\u{a0}million.", "Report & more > Results", 3),
            ("City | Count", "Report & more > Results", 5),
            ("Oslo | 1,234", "Report & more > Results", 5),
            ("增长12%\n持平", "Report & more > Results > 营收", 5),
        ];
        let found: Vec<_> =
            found.iter().map(|(text, path, line)| (text.replace("3.4 ", "3.4\u{a0}"), path.as_str(), *line)).collect();
        assert_eq!(found, expected.map(|(text, path, line)| (text.to_owned(), path, line)));
    }

    #[test]
    fn hostile_pages_are_read_to_their_end() {
        for page in ["<", "<script>", "</", "<!--", "&#xffffffff;&;&amp", "<p <p <p", "<h1><h1><h1>x", "<svg><p>x</p>"]
        {
            let _ = blocks(page);
        }
        assert_eq!(blocks(&"<div>".repeat(200_000)).len(), 0);
        assert_eq!(blocks(&"<b>x".repeat(100_000)).len(), 1);
    }
}
