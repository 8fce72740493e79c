//! The fields of a text that lists them line by line, as dumps of records in YAML do.
//!
//! Quotes, escapes and the wraps of long lines are taken away, so that a sentence is a sentence again. Only a text of which
//! every line at the margin begins a field or an item is such a list; any other text is one field without a name.

/// A field of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its name; empty where it has none.
    pub key: String,
    /// What it holds.
    pub text: String,
    /// The record that it belongs to: each item at the margin begins one.
    pub record: usize,
}

/// The fields of a text, or the text itself.
pub(crate) fn field_texts(text: &str) -> Vec<Field> {
    if !is_list(text) {
        return vec![Field { key: String::new(), text: text.to_owned(), record: 0 }];
    }
    let mut reader = Reader { rest: text, record: 0, found: Vec::new() };
    while reader.read() {}
    reader.found
}

/// Whether every line at the margin begins a field or an item, outside of quotes.
fn is_list(text: &str) -> bool {
    let mut margin = text.lines().filter(|line| line.starts_with(|c: char| !c.is_whitespace()));
    let first = margin.next().is_some_and(|line| line.starts_with("- ") || opens(line).is_some());
    let mut others = margin.take(MAX_LINES);
    first && text.contains('\n') && others.all(|line| line.starts_with("- ") || line == "-" || opens(line).is_some())
}

/// The name of the field that a line begins, and what follows it.
fn opens(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let bare = key.trim_matches(['\'', '"']);
    let named =
        !bare.is_empty() && bare.len() <= MAX_KEY && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (named && (rest.is_empty() || rest.starts_with(' '))).then_some((bare, rest.trim_start()))
}

struct Reader<'a> {
    rest: &'a str,
    record: usize,
    found: Vec<Field>,
}

impl<'a> Reader<'a> {
    /// Reads the next line with what belongs to it.
    fn read(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let line = self.rest.lines().next().unwrap_or_default();
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let item = body.trim_start_matches("- ");
        if indent == 0 && item.len() < body.len() {
            self.record += 1;
        }
        let (key, value) = opens(item).unwrap_or(("", item));
        let at = self.rest.len().min(value.as_ptr() as usize - self.rest.as_ptr() as usize);
        let from = self.rest.get(at..).unwrap_or_default();
        let (text, used) = match value.chars().next() {
            Some('\'') => single_quoted(from),
            Some('"') => double_quoted(from),
            Some('|' | '>') if value.len() <= 2 => block(from, indent),
            Some(_) => plain(from, indent),
            None => (String::new(), 0),
        };
        if !text.trim().is_empty() {
            self.found.push(Field { key: key.to_owned(), text, record: self.record });
        }
        let after = from.get(used..).unwrap_or_default();
        let end = after.find('\n').map_or(after.len(), |at| at + 1);
        self.rest = after.get(end..).unwrap_or_default();
        true
    }
}

/// A scalar in single quotes; two of them are one.
fn single_quoted(text: &str) -> (String, usize) {
    let mut end = 1;
    while let Some(at) = text.get(end..).and_then(|rest| rest.find('\'')) {
        end += at + 1;
        if !text.get(end..).is_some_and(|rest| rest.starts_with('\'')) {
            break;
        }
        end += 1;
    }
    let inner = text.get(1..end.saturating_sub(1).max(1)).unwrap_or_default();
    (fold_lines(&inner.replace("''", "'")), end)
}

/// A scalar in double quotes, with its escapes.
fn double_quoted(text: &str) -> (String, usize) {
    let mut read = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = letters.next() {
        match c {
            '"' => return (read, at + 1),
            '\\' => match letters.next().map(|(_, escaped)| escaped) {
                Some('n') => read.push('\n'),
                Some('t') => read.push('\t'),
                Some('\n') => while letters.next_if(|(_, c)| matches!(c, ' ' | '\t')).is_some() {},
                Some('u' | 'x') => read.push(' '),
                Some(other) => read.push(other),
                None => {}
            },
            '\n' => {
                while letters.next_if(|(_, c)| c.is_whitespace()).is_some() {}
                read.push(' ');
            }
            other => read.push(other),
        }
    }
    (read, text.len())
}

/// A scalar without quotes, with the lines that go on deeper.
fn plain(text: &str, indent: usize) -> (String, usize) {
    let end = lines_below(text, indent, |body| opens(body).is_none() && !body.starts_with("- "));
    (fold_lines(text.get(..end).unwrap_or_default()), end)
}

/// A scalar in lines of its own.
fn block(text: &str, indent: usize) -> (String, usize) {
    let end = lines_below(text, indent, |_| true);
    let first = text.find('\n').map_or(end, |at| at + 1);
    let lines: Vec<&str> = text.get(first..end).unwrap_or_default().lines().map(str::trim_start).collect();
    (lines.join("\n"), end)
}

/// Where the lines end that are deeper than their field and go on with it; the line break is left.
fn lines_below(text: &str, indent: usize, goes_on: impl Fn(&str) -> bool) -> usize {
    let mut end = text.find('\n').unwrap_or(text.len());
    while let Some(rest) = text.get(end + 1..).filter(|rest| !rest.is_empty()) {
        let line = rest.lines().next().unwrap_or_default();
        let body = line.trim_start();
        let deeper = line.len() - body.len() > indent && goes_on(body);
        if !deeper && !body.is_empty() {
            break;
        }
        end += 1 + line.len();
    }
    end
}

/// Wrapped lines as one; an empty line is a line break.
fn fold_lines(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut broken = false;
    for (at, line) in text.lines().enumerate() {
        let line = if at == 0 { line.trim_end() } else { line.trim() };
        if line.is_empty() {
            folded.push('\n');
            broken = true;
            continue;
        }
        if at > 0 && !broken {
            folded.push(' ');
        }
        folded.push_str(line);
        broken = false;
    }
    folded
}

const MAX_LINES: usize = 100_000;
const MAX_KEY: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        field_texts(text).into_iter().map(|field| (field.key, field.text)).collect()
    }

    #[test]
    fn quotes_escapes_and_wraps_are_taken_away() {
        // TRUST-1, TRUST-3
        let dump = "- body: \"Hello\\n\\nThis is from me, Ann\\\n    \\ Lee, to you.\"\n  id: '7'\n  to:\n  - a@b.example\n- body: 'it''s a\n    long line\n\n    and one more'\n  n: 3";
        let fields = read(dump);
        assert_eq!(fields[0], ("body".into(), "Hello\n\nThis is from me, Ann Lee, to you.".into()));
        assert!(fields.contains(&("id".into(), "7".into())) && fields.contains(&("".into(), "a@b.example".into())));
        assert!(fields.contains(&("body".into(), "it's a long line\nand one more".into())), "{fields:?}");
        assert_eq!(field_texts(dump).last().map(|field| field.record), Some(2));
    }

    #[test]
    fn other_texts_are_one_field() {
        // TRUST-1
        for text in ["Dear Ann,\nIBAN: DE11\nBye", "one line: only", "", "- \n'\"", "a: 'b\nc"] {
            assert!(field_texts(text).len() <= 2, "{text}");
        }
        assert_eq!(read("Dear Ann,\nIBAN: DE11").len(), 1);
    }
}
