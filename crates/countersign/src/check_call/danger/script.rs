//! A script as it was read: commands, words, and what a word becomes before the shell looks at it.

use std::iter::Peekable;
use std::str::Chars;

/// A script, cut into its commands.
#[derive(Debug, Default, Clone)]
pub(crate) struct Script {
    /// The commands in the order in which they stand.
    pub commands: Vec<Command>,
    /// Everything that is outside quotes, without blanks.
    pub bare: String,
}

/// One simple command.
#[derive(Debug, Default, Clone)]
pub(crate) struct Command {
    /// Its words, expanded as far as the script itself tells.
    pub words: Vec<Word>,
    /// Files that it writes to or reads from by redirection.
    pub redirects: Vec<Word>,
    /// Those of them that it writes to.
    pub written: Vec<String>,
    /// The text of its heredoc or here-string.
    pub input: Option<String>,
    /// Commands whose output stands in its heredoc.
    pub inside: Vec<Script>,
    /// Whether the next command reads its output.
    pub feeds: bool,
    /// The heredocs that it waits for.
    pub(super) heredocs: Vec<Heredoc>,
}

/// One word, after the shell has taken its quotes away.
#[derive(Debug, Default, Clone)]
pub(crate) struct Word {
    /// The word.
    pub text: String,
    /// Commands whose output is part of it.
    pub inside: Vec<Script>,
}

/// A heredoc that is still to be read.
#[derive(Debug, Clone)]
pub(super) struct Heredoc {
    /// The line that ends it.
    pub delimiter: String,
    /// Whether tabs in front of its lines are dropped.
    pub indented: bool,
    /// Whether expansions in it are done.
    pub expands: bool,
}

/// A text with the escapes of `$'…'` and `printf` resolved.
pub(crate) fn unescape(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            None => out.push('\\'),
            Some('x') => out.extend(number(&mut chars, 0, 16, 2)),
            Some('u') => out.extend(number(&mut chars, 0, 16, 4)),
            Some('U') => out.extend(number(&mut chars, 0, 16, 8)),
            Some(digit @ '0'..='7') => out.extend(number(&mut chars, digit.to_digit(8).unwrap_or_default(), 8, 2)),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(c) => out.push(c),
        }
    }
    out
}

/// The character whose number goes on with so many digits at most.
fn number(chars: &mut Peekable<Chars<'_>>, begun: u32, radix: u32, most: usize) -> Option<char> {
    let mut value = begun;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.saturating_mul(radix).saturating_add(digit);
        chars.next();
    }
    char::from_u32(value)
}

/// A word while it is read. An unquoted expansion may end it and begin others.
#[derive(Default)]
pub(super) struct Parts {
    done: Vec<Word>,
    /// The word so far.
    pub word: Word,
    /// Whether the word is there even where it is empty: `""`.
    pub begun: bool,
}

impl Parts {
    /// Adds an expansion, cut at its blanks.
    pub(super) fn expand(&mut self, expanded: Word) {
        let mut pieces = expanded.text.split(|c: char| c.is_whitespace());
        self.word.text.push_str(pieces.next().unwrap_or_default());
        self.word.inside.extend(expanded.inside);
        for piece in pieces {
            if !self.word.text.is_empty() || self.begun || !self.word.inside.is_empty() {
                self.done.push(std::mem::take(&mut self.word));
            }
            self.begun = false;
            self.word.text.push_str(piece);
        }
    }

    /// The words that were read.
    pub(super) fn finish(mut self) -> Vec<Word> {
        if !self.word.text.is_empty() || self.begun || !self.word.inside.is_empty() {
            self.done.push(self.word);
        }
        let mut found = Vec::new();
        for word in self.done {
            for text in braces(&word.text) {
                found.push(Word { text, inside: word.inside.clone() });
            }
        }
        found
    }
}

/// `{rm,-rf,/}` makes three words. Only braces outside quotes were marked.
fn braces(text: &str) -> Vec<String> {
    let plain = |text: &str| text.chars().map(unmark).collect::<String>();
    let open = text.find(marked('{'));
    let close = open.and_then(|open| text.get(open..)?.find(marked('}')).map(|by| open + by));
    let (Some(open), Some(close)) = (open, close) else { return vec![plain(text)] };
    let mark = marked('{').len_utf8();
    let (Some(before), Some(inner), Some(after)) =
        (text.get(..open), text.get(open + mark..close), text.get(close + mark..))
    else {
        return vec![plain(text)];
    };
    if !inner.contains(marked(',')) {
        return vec![plain(text)];
    }
    let parts = inner.split(marked(',')).take(MAX_BRACES);
    parts.map(|part| plain(&format!("{before}{part}{after}"))).collect()
}

/// What a substitution prints, where the script itself says it: `$(echo rm)`, `$(which rm)`.
pub(super) fn output(script: &Script) -> String {
    let [command] = script.commands.as_slice() else { return String::new() };
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["echo" | "printf", rest @ ..] => {
            let plain: Vec<String> = rest.iter().filter(|word| !word.starts_with('-')).map(|w| unescape(w)).collect();
            plain.join(" ")
        }
        ["which", name] | ["command", "-v", name] => (*name).to_owned(),
        ["mktemp", ..] => "/tmp/made-by-mktemp".to_owned(),
        _ => String::new(),
    }
}

/// The name and the value of `NAME=value`.
pub(super) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some((name, value))
}

/// Whether a word sets a variable.
pub(crate) fn is_assignment(text: &str) -> bool {
    assignment(text).is_some()
}

/// Marks of brace expansion, kept apart from the same signs in quotes.
pub(super) fn marked(c: char) -> char {
    match c {
        '{' => '\u{e000}',
        ',' => '\u{e001}',
        '}' => '\u{e002}',
        c => c,
    }
}

fn unmark(c: char) -> char {
    match c {
        '\u{e000}' => '{',
        '\u{e001}' => ',',
        '\u{e002}' => '}',
        c => c,
    }
}

const MAX_BRACES: usize = 32;
