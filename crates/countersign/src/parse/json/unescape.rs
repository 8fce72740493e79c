//! Takes one layer of escaping off: JSON inside a string that lost its quotes, character references of HTML, or the
//! marks at the beginning of each line of a quoted text. Each is one pass; what is not part of the layer stays as it is.

/// What the text was escaped for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// A string of JSON or of a programming language.
    Escapes,
    /// HTML or XML.
    Entities,
    /// A quoted text, a table or a change set, whose lines all begin with so many of this mark.
    Marks(char, usize),
}

/// The text without one layer.
pub(super) fn without(layer: Layer, text: &str) -> String {
    match layer {
        Layer::Escapes => without_escapes(text),
        Layer::Entities => without_entities(text),
        Layer::Marks(mark, count) => without_marks(text, mark, count),
    }
}

/// The mark at the beginning of a line, and how often it is there; nothing else but blanks does.
pub(super) fn line_marks(line: &str) -> Option<(char, usize)> {
    let mark = line.trim_start().chars().next().filter(|sign| MARKS.contains(sign))?;
    let only = line.chars().all(|sign| sign == mark || matches!(sign, ' ' | '\t'));
    only.then(|| (mark, line.chars().filter(|sign| *sign == mark).count()))
}

/// Whether a quote is written as a character reference here.
pub(super) fn is_quote_entity(text: &str) -> bool {
    QUOTES.iter().any(|entity| text.starts_with(entity))
}

fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            out.push(sign);
            continue;
        }
        match signs.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(plain @ ('"' | '\\' | '/' | '\'')) => out.push(plain),
            Some(other) => out.extend(['\\', other]),
            None => {}
        }
    }
    out
}

fn without_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let known = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (entity, plain) = known.copied().unwrap_or(("&", "&"));
        out.push_str(plain);
        rest = rest.get(entity.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn without_marks(text: &str, mark: char, count: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let mut rest = line;
        for _ in 0..if index == 0 { 0 } else { count } {
            rest = rest.trim_start_matches([' ', '\t']).strip_prefix(mark).unwrap_or(rest);
        }
        out.push_str(rest);
    }
    out
}

/// What quoted texts, tables and change sets write before each line.
const MARKS: [char; 3] = ['>', '|', '+'];

const QUOTES: &[&str] =
    &["&quot;", "&QUOT;", "&#34;", "&#034;", "&#x22;", "&#39;", "&#039;", "&#x27;", "&apos;", "&ldquo;"];

const ENTITIES: &[(&str, &str)] = &[
    ("&quot;", "\""),
    ("&QUOT;", "\""),
    ("&#34;", "\""),
    ("&#034;", "\""),
    ("&ldquo;", "“"),
    ("&rdquo;", "”"),
    ("&lsquo;", "‘"),
    ("&rsquo;", "’"),
    ("&#x22;", "\""),
    ("&#39;", "'"),
    ("&#039;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&nbsp;", " "),
    ("&#10;", "\n"),
    ("&amp;", "&"),
];
