//! A shell command line, cut the way a shell cuts it: words, quotes, escapes, expansions, pipes, heredocs.
//!
//! What a shell would run must be told from what it would only hand on. `git commit -m "rm -rf /"`, a heredoc for `cat`
//! and a comment hand text on; `\rm`, `r''m`, `$'rm'` and `rm${IFS}-rf` all run `rm`. Nothing is run or looked up here: a
//! variable is known only where the script itself sets it, and whatever cannot be read stays as it was written.

use super::script::{Command, Heredoc, Parts, Script, Word, assignment, marked, output, unescape};
use rustc_hash::FxHashMap;

/// Cuts a script. Whatever the text is, something comes back.
pub(crate) fn read(text: &str) -> Script {
    let chars: Vec<char> = text.chars().take(MAX_CHARS).collect();
    Lexer { chars: &chars, at: 0, depth: 0, values: FxHashMap::default() }.script(None)
}

struct Lexer<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
    /// What the script set.
    values: FxHashMap<String, String>,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.chars.get(self.at + by).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn take(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    /// Reads commands up to the end of the text, or to the mark that closes a substitution.
    fn script(&mut self, end: Option<char>) -> Script {
        let mut script = Script::default();
        let (mut command, mut line) = (Command::default(), 0);
        let from = self.at;
        while let Some(c) = self.peek() {
            if end == Some(c) {
                self.at += 1;
                break;
            }
            match c {
                '\n' => {
                    self.at += 1;
                    self.finish(&mut script, &mut command);
                    self.bodies(script.commands.get_mut(line..).unwrap_or_default());
                    line = script.commands.len();
                }
                c if c.is_whitespace() => self.at += 1,
                '\\' if self.ahead(1) == Some('\n') => self.at += 2,
                '#' => self.at = self.find('\n').unwrap_or(self.chars.len()),
                '&' if self.ahead(1) == Some('>') => self.at += 1,
                '|' => {
                    self.at += 1;
                    let both = self.take('|');
                    self.take('&');
                    command.feeds = !both;
                    self.finish(&mut script, &mut command);
                }
                ';' | '&' | '(' | ')' => {
                    self.at += 1;
                    self.finish(&mut script, &mut command);
                }
                '<' | '>' => self.redirect(&mut command),
                _ => self.words(&mut command),
            }
        }
        self.finish(&mut script, &mut command);
        self.bodies(script.commands.get_mut(line..).unwrap_or_default());
        script.bare = bare(self.chars.get(from..self.at).unwrap_or_default());
        script
    }

    /// Ends a command and keeps what it set.
    fn finish(&mut self, script: &mut Script, command: &mut Command) {
        let done = std::mem::take(command);
        if done.words.is_empty() && done.redirects.is_empty() && done.heredocs.is_empty() {
            // `( … ) | sh`: what is in brackets feeds.
            if let Some(last) = script.commands.last_mut().filter(|_| done.feeds) {
                last.feeds = true;
            }
            return;
        }
        let sets = |word: &Word| assignment(&word.text).is_some();
        let declares = done.words.first().is_some_and(|word| DECLARES.contains(&word.text.as_str()));
        if declares || done.words.iter().all(sets) {
            for (name, value) in done.words.iter().filter_map(|word| assignment(&word.text)) {
                if self.values.len() < MAX_VALUES && value.len() <= MAX_VALUE {
                    self.values.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        script.commands.push(done);
    }

    /// Reads the heredocs that the commands of a line have asked for.
    fn bodies(&mut self, line: &mut [Command]) {
        for command in line {
            for heredoc in std::mem::take(&mut command.heredocs) {
                let body = self.body(&heredoc);
                if heredoc.expands {
                    command.inside.extend(self.read_nested(&body, |lexer| lexer.read_quoted(None)).inside);
                }
                command.input = Some(body);
            }
        }
    }

    fn body(&mut self, heredoc: &Heredoc) -> String {
        let mut body = String::new();
        while self.at < self.chars.len() {
            let end = self.find('\n').unwrap_or(self.chars.len());
            let line: String = self.chars.get(self.at..end).unwrap_or_default().iter().collect();
            self.at = end + 1;
            let line = if heredoc.indented { line.trim_start_matches('\t') } else { &line };
            if line.trim_end() == heredoc.delimiter {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        body
    }

    fn redirect(&mut self, command: &mut Command) {
        let opens = self.next();
        if self.take('(') {
            let inside = self.substitution(')');
            command.words.push(Word { text: String::new(), inside });
            return;
        }
        if opens == Some('<') && self.take('<') {
            let here_string = self.take('<');
            let indented = !here_string && self.take('-');
            self.blanks();
            let expands = !self.peek().is_some_and(|c| c == '\'' || c == '"' || c == '\\');
            let word = self.word().into_iter().next().unwrap_or_default();
            if here_string {
                command.input = Some(word.text);
                command.inside.extend(word.inside);
            } else {
                command.heredocs.push(Heredoc { delimiter: word.text, indented, expands });
            }
            return;
        }
        while self.peek().is_some_and(|c| matches!(c, '>' | '&' | '|')) {
            self.at += 1;
        }
        self.blanks();
        let targets = self.word();
        if opens == Some('>') {
            command.written.extend(targets.iter().map(|word| word.text.clone()));
        }
        command.redirects.extend(targets);
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
    }

    /// Adds the next word to a command; words that only steer the shell are dropped.
    fn words(&mut self, command: &mut Command) {
        let from = self.at;
        let words = self.word();
        let written = self.chars.get(from..self.at).unwrap_or_default();
        let stream = matches!(self.peek(), Some('<' | '>')) && written.iter().all(char::is_ascii_digit);
        let steers = command.words.is_empty() && RESERVED.iter().any(|word| word.chars().eq(written.iter().copied()));
        if self.at == from {
            self.at += 1;
        } else if !stream && !steers {
            command.words.extend(words.into_iter().take(MAX_WORDS.saturating_sub(command.words.len())));
        }
    }

    /// One word as it is written; expansions may make several of it.
    fn word(&mut self) -> Vec<Word> {
        let mut parts = Parts::default();
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() || ";&|()<>".contains(c) => break,
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') => {}
                        Some(c) => parts.word.text.push(c),
                        None => parts.word.text.push('\\'),
                    }
                }
                '\'' if self.closes('\'') => {
                    self.at += 1;
                    parts.begun = true;
                    while let Some(c) = self.next().filter(|c| *c != '\'') {
                        parts.word.text.push(c);
                    }
                }
                '"' if self.closes('"') => {
                    self.at += 1;
                    let quoted = self.read_quoted(Some('"'));
                    parts.begun = true;
                    parts.word.text.push_str(&quoted.text);
                    parts.word.inside.extend(quoted.inside);
                }
                '$' if self.ahead(1) == Some('\'') && self.closes_from(1, '\'') => {
                    self.at += 2;
                    let text = self.ansi();
                    parts.word.text.push_str(&text);
                }
                '$' | '`' => {
                    let expanded = self.expansion(&parts.word.text);
                    parts.expand(expanded);
                }
                '{' | ',' | '}' => {
                    self.at += 1;
                    parts.word.text.push(marked(c));
                }
                c => {
                    self.at += 1;
                    parts.word.text.push(c);
                }
            }
        }
        parts.finish()
    }

    /// Whether the mark that opens here is closed again: an apostrophe in prose is not a quote.
    fn closes(&self, mark: char) -> bool {
        self.closes_from(0, mark)
    }

    fn closes_from(&self, by: usize, mark: char) -> bool {
        self.chars.iter().skip(self.at + by + 1).any(|c| *c == mark)
    }

    fn find(&self, mark: char) -> Option<usize> {
        self.chars.iter().skip(self.at).position(|c| *c == mark).map(|by| self.at + by)
    }

    /// What is between double quotes, or in a heredoc that expands.
    fn read_quoted(&mut self, end: Option<char>) -> Word {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                c if end == Some(c) => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') => {}
                        Some(c @ ('$' | '`' | '"' | '\\')) => word.text.push(c),
                        Some(c) => word.text.extend(['\\', c]),
                        None => word.text.push('\\'),
                    }
                }
                '$' | '`' => {
                    let expanded = self.expansion(&word.text);
                    word.text.push_str(&expanded.text);
                    word.inside.extend(expanded.inside);
                }
                c => {
                    self.at += 1;
                    word.text.push(c);
                }
            }
        }
        word
    }

    /// `$'…'`, after its first quote.
    fn ansi(&mut self) -> String {
        let mut written = String::new();
        while let Some(c) = self.next().filter(|c| *c != '\'') {
            written.push(c);
            if c == '\\' {
                written.extend(self.next());
            }
        }
        unescape(&written)
    }

    /// `$name`, `${…}`, `$(…)`, `$((…))` or backticks, with what is known of their value. `before` is the word so far.
    fn expansion(&mut self, before: &str) -> Word {
        let plain = |text: String| Word { text, inside: Vec::new() };
        if self.take('`') {
            let inner: String = self.until('`');
            let script = self.read_nested_script(&inner);
            return Word { text: output(&script), inside: vec![script] };
        }
        self.at += 1;
        match self.peek() {
            Some('(') if self.ahead(1) == Some('(') => {
                self.skip_arithmetic();
                plain("0".to_owned())
            }
            Some('(') => {
                self.at += 1;
                let inside = self.substitution(')');
                Word { text: inside.first().map(output).unwrap_or_default(), inside }
            }
            Some('{') => {
                self.at += 1;
                let inner = self.until('}');
                plain(self.parameter(&inner))
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                    self.at += 1;
                }
                plain(self.value(&name))
            }
            // A parameter that nobody gave is empty: `r$@m` is `rm`. Where a word begins with it, it is somebody's value.
            Some(c) if c.is_ascii_digit() || "@*".contains(c) => {
                self.at += 1;
                let empty = before.ends_with(char::is_alphabetic) && !before.contains('/');
                plain(if empty { String::new() } else { format!("${c}") })
            }
            _ => plain("$".to_owned()),
        }
    }

    /// The text up to a mark, the mark taken. A backslash keeps the next one.
    fn until(&mut self, mark: char) -> String {
        let mut text = String::new();
        while let Some(c) = self.next().filter(|c| *c != mark) {
            match c {
                '\\' if mark == '`' => text.extend(self.next()),
                c => text.push(c),
            }
        }
        text
    }

    fn skip_arithmetic(&mut self) {
        let mut open = 0usize;
        while let Some(c) = self.next() {
            match c {
                '(' => open += 1,
                ')' if open <= 1 => break,
                ')' => open -= 1,
                _ => {}
            }
        }
    }

    /// What is in `${…}`.
    fn parameter(&self, inner: &str) -> String {
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        let known = name == "IFS" || self.values.contains_key(name);
        let default = rest.strip_prefix(":-").or_else(|| rest.strip_prefix(":=")).or_else(|| rest.strip_prefix('-'));
        match default {
            Some(default) if !known && name != "HOME" => default.trim_matches(['"', '\'']).to_owned(),
            _ => self.value(name),
        }
    }

    fn value(&self, name: &str) -> String {
        match self.values.get(name) {
            Some(value) => value.clone(),
            None if name == "IFS" => " ".to_owned(),
            None => format!("${name}"),
        }
    }

    /// A script up to the mark that closes it.
    fn substitution(&mut self, end: char) -> Vec<Script> {
        if self.depth >= MAX_DEPTH {
            self.until(end);
            return Vec::new();
        }
        self.depth += 1;
        let script = self.script(Some(end));
        self.depth -= 1;
        vec![script]
    }

    fn read_nested_script(&self, text: &str) -> Script {
        if self.depth >= MAX_DEPTH { Script::default() } else { self.read_nested(text, |lexer| lexer.script(None)) }
    }

    /// Reads another text with what is known here.
    fn read_nested<T>(&self, text: &str, read: impl FnOnce(&mut Lexer<'_>) -> T) -> T {
        let chars: Vec<char> = text.chars().collect();
        read(&mut Lexer { chars: &chars, at: 0, depth: self.depth + 1, values: self.values.clone() })
    }
}

/// What is outside quotes, without blanks.
fn bare(chars: &[char]) -> String {
    let (mut out, mut quote) = (String::new(), None);
    for c in chars {
        match (quote, *c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(*c),
            (None, c) if c.is_whitespace() => {}
            (None, c) => out.push(c),
        }
    }
    out
}

const RESERVED: &[&str] = &["{", "}", "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "esac"];
const DECLARES: &[&str] = &["export", "declare", "local", "readonly", "typeset"];
const MAX_CHARS: usize = 20_000;
const MAX_DEPTH: usize = 8;
const MAX_WORDS: usize = 2_000;
const MAX_VALUES: usize = 64;
const MAX_VALUE: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<Vec<String>> {
        let words = |command: Command| command.words.into_iter().map(|word| word.text).collect();
        read(text).commands.into_iter().map(words).collect()
    }

    fn one(text: &str) -> Vec<String> {
        cut(text).into_iter().next().unwrap_or_default()
    }

    #[test]
    fn every_way_to_write_a_word_is_read() {
        // CALL-6
        for written in [
            r"\rm -rf /",
            "r''m -rf /",
            "\"r\"m '-rf' /",
            "$'rm' -rf /",
            r"$'\x72\155' -rf /",
            "rm${IFS}-rf${IFS}/",
            "rm$IFS-rf$IFS/",
            "{rm,-rf,/}",
            "r$@m -rf /",
            "$(echo rm) -rf /",
            "`echo rm` -rf /",
            "${nothing:-rm} -rf /",
            "r\\\nm -rf /",
            "rm -rf / # tidy",
            "{ rm -rf /; }",
            "if true; then rm -rf /; fi",
        ] {
            let found = cut(written);
            assert!(found.iter().any(|words| words == &["rm", "-rf", "/"]), "{written}: {found:?}");
        }
        assert!(cut("x=rm; $x -rf /").contains(&["rm", "-rf", "/"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn data_stays_data() {
        // CALL-6
        assert_eq!(
            one("git commit -m \"rm -rf / is fixed; done\""),
            ["git", "commit", "-m", "rm -rf / is fixed; done"]
        );
        assert_eq!(one("echo it's fine"), ["echo", "it's", "fine"]);
        assert_eq!(one("# rm -rf /"), Vec::<String>::new());
        let script = read("cat <<'EOF' > clean.sh\nrm -rf / $(id)\nEOF\nls");
        assert_eq!(script.commands.len(), 2);
        assert_eq!(script.commands[0].input.as_deref(), Some("rm -rf / $(id)\n"));
        assert!(script.commands[0].inside.is_empty());
        assert_eq!(read("cat <<EOF\n$(id)\nEOF").commands[0].inside.len(), 1);
        assert_eq!(one("awk '{print $1}' a 2>/dev/null"), ["awk", "{print $1}", "a"]);
        assert_eq!(one("cp a.{txt,md} b"), ["cp", "a.txt", "a.md", "b"]);
    }

    #[test]
    fn pipes_are_kept() {
        // CALL-6
        let feeds = |text: &str| read(text).commands.iter().map(|command| command.feeds).collect::<Vec<_>>();
        assert_eq!(feeds("a | b && c"), [true, false, false]);
        assert_eq!(feeds("(a; b) | c || d"), [false, true, false, false]);
        assert_eq!(read("eval \"$(a | b)\"").commands[0].words[1].inside[0].commands.len(), 2);
    }
}
