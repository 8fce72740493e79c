//! The records that a text lists: JSON lines, YAML, tables, CSV, bullets, and blocks of `name: value`.
//!
//! What is true of one record says nothing about the next, so a check that holds statements against each other reads
//! them record by record. A text that lists nothing is one record. Nothing here fails: a line that fits no form is a
//! line of the record in which it stands.

use serde_json::{Map, Value};

/// One record of a text.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Record {
    /// What it says, line by line, without the marks of a list.
    pub text: String,
    /// Its named values.
    pub fields: Map<String, Value>,
}

/// The records of a text, in order. Never more than a bound, and the rest is left out.
pub(crate) fn records(text: &str) -> Vec<Record> {
    json_lines(text).or_else(|| read_separated(text)).unwrap_or_else(|| blocks(text))
}

impl Record {
    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A row of a table under its header.
    fn row(header: &[String], cells: &[String]) -> Self {
        let mut record = Self::default();
        for (at, cell) in cells.iter().enumerate() {
            record.say(cell);
            if let Some(name) = header.get(at).filter(|name| !name.is_empty()) {
                record.fields.insert(name.clone(), read_typed(cell));
            }
        }
        record
    }
}

/// Lines that are each a JSON object, at least two.
fn json_lines(text: &str) -> Option<Vec<Record>> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MAX_RECORDS);
    if lines().count() < 2 || !lines().all(|line| line.starts_with('{') && line.ends_with('}')) {
        return None;
    }
    let read = |line: &str| {
        let fields: Map<String, Value> = serde_json::from_str(line).ok()?;
        let mut record = Record::default();
        fields.values().filter_map(Value::as_str).for_each(|text| record.say(text));
        Some(Record { fields, ..record })
    };
    lines().map(read).collect()
}

/// Lines of values between commas, semicolons or tabs under a header of names, at least two rows.
fn read_separated(text: &str) -> Option<Vec<Record>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS + 1);
    let first = lines.next()?;
    let mark = ['\t', ';', ',', '，'].into_iter().find(|mark| first.contains(*mark))?;
    let header = cut(first, mark);
    let names = header.len() >= 2 && header.iter().all(|name| is_name(name) && !name.contains(": "));
    let rows: Vec<Vec<String>> = lines.map(|line| cut(line, mark)).collect();
    let even = rows.len() >= 2 && rows.iter().all(|row| row.len() == header.len());
    (names && even).then(|| rows.iter().map(|row| Record::row(&header, row)).collect())
}

/// The cells of a line; a cell in quotation marks may hold the mark that separates.
fn cut(line: &str, mark: char) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.trim_matches(['\r', ' ']).chars() {
        match c {
            '"' => quoted = !quoted,
            _ if c == mark && !quoted => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => cell.push(c),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

/// Records told by their marks, their indentation and their names.
fn blocks(text: &str) -> Vec<Record> {
    let mut reader = Reader::new();
    for line in text.lines() {
        if reader.records.len() >= MAX_RECORDS {
            break;
        }
        reader.line(line);
    }
    reader.records.retain(|record| !record.text.is_empty());
    reader.records
}

struct Reader {
    records: Vec<Record>,
    /// The records that are open, outermost first: the least indentation of their lines, and their place.
    open: Vec<(usize, usize)>,
    /// The header of the table that is being read.
    header: Vec<String>,
}

impl Reader {
    fn new() -> Self {
        Self { records: vec![Record::default()], open: vec![(0, 0)], header: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        let (plain, indent) = (line.replace("**", ""), line.len() - line.trim_start().len());
        let trimmed = plain.trim();
        if trimmed.starts_with('|') {
            return self.row(trimmed);
        }
        self.header.clear();
        if trimmed.is_empty() {
            return;
        }
        if is_rule(trimmed) {
            self.open.clear();
            return self.begin(0);
        }
        self.open.retain(|(least, _)| *least <= indent);
        let said = match item(trimmed) {
            Some(said) => {
                self.begin(indent + 1);
                said
            }
            None => trimmed,
        };
        self.take_said(said, indent);
    }

    /// A new record, for lines of at least this indentation.
    fn begin(&mut self, least: usize) {
        self.open.push((least, self.records.len()));
        self.records.push(Record::default());
    }

    fn current(&mut self) -> Option<&mut Record> {
        let at = self.open.last().map_or(0, |(_, at)| *at);
        self.records.get_mut(at)
    }

    fn take_said(&mut self, said: &str, indent: usize) {
        let named = name_and_value(said);
        // A name that comes again begins the next record of the same kind.
        if let Some((name, value)) = &named
            && !value.is_empty()
            && self.current().is_some_and(|record| record.fields.contains_key(name))
        {
            let least = self.open.pop().map_or(0, |(least, _)| least);
            self.begin(least);
        }
        let Some(record) = self.current() else { return };
        record.say(said);
        match named {
            Some((_, "")) => self.begin(indent + 1),
            Some((name, value)) => drop(record.fields.insert(name, read_typed(value))),
            None => {}
        }
    }

    /// A row of a Markdown table.
    fn row(&mut self, line: &str) {
        let inside = line.trim_matches('|');
        let cells: Vec<String> = inside.split('|').map(|cell| cell.trim().to_owned()).collect();
        if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            return;
        }
        if self.header.is_empty() && cells.iter().all(|cell| is_name(cell)) {
            self.header = cells;
            return;
        }
        self.records.push(Record::row(&self.header, &cells));
    }
}

/// What a line says after the mark of a list: `- `, `* `, `• `, `1. `, `2) `, `3、`.
fn item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ ", "• ", "· "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - rest.len();
        let marked = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).or_else(|| rest.strip_prefix('、'));
        marked.filter(|_| (1..=3).contains(&digits))
    };
    bullet.or_else(numbered).map(str::trim)
}

/// A line between two documents.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ["-", "=", "_"].iter().any(|mark| line.replace(mark, "").is_empty())
}

/// The name and the value of a line `name: value`; the value is empty where the line only opens something.
fn name_and_value(line: &str) -> Option<(String, &str)> {
    let (name, value) = line
        .split_once(": ")
        .or_else(|| line.split_once('：'))
        .or_else(|| line.strip_suffix(':').map(|name| (name, "")))?;
    let name = name.trim_matches(['_', '`', '"', '\'', ' ']);
    is_name(name).then(|| (name.to_owned(), value.trim()))
}

/// Whether a text can be the name of a column or a field: a few words, and no sentence.
fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.chars().count())
        && text.split_whitespace().count() <= MAX_NAME_WORDS
        && text.contains(char::is_alphabetic)
        && !text.contains(['.', '。', '?', '？', '!', '！', ',', '，', ';', '；'])
}

/// A written value as the value that it stands for.
fn read_typed(text: &str) -> Value {
    let bare = text.trim_matches(['"', '\'']);
    match bare.to_ascii_lowercase().as_str() {
        "true" | "yes" => Value::Bool(true),
        "false" | "no" => Value::Bool(false),
        "null" | "~" => Value::Null,
        _ => bare.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or_else(|| bare.into(), Value::Number),
    }
}

const MAX_RECORDS: usize = 1000;
const MAX_NAME: usize = 40;
const MAX_NAME_WORDS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(text: &str) -> Vec<String> {
        records(text).into_iter().map(|record| record.text.trim_end().replace('\n', " / ")).collect()
    }

    // RESULT-5
    #[test]
    fn a_text_that_lists_nothing_is_one_record() {
        assert_eq!(said("The shop is open.\nIt closes at 5:30."), ["The shop is open. / It closes at 5:30."]);
        assert_eq!(said("Rain, then sun.\nCold, then warm."), ["Rain, then sun. / Cold, then warm."]);
        assert!(said(" \n").is_empty());
    }

    // RESULT-5
    #[test]
    fn each_way_of_writing_a_list_is_cut() {
        assert_eq!(said("{\"a\":\"x\",\"b\":1}\n{\"a\":\"y\"}\n"), ["x", "y"]);
        assert_eq!(said("- a: 1\n  b: 2\n- a: 3\n"), ["a: 1 / b: 2", "a: 3"]);
        assert_eq!(said("a: 1\n---\na: 2\n"), ["a: 1", "a: 2"]);
        assert_eq!(said("all:\n- a: 1\n- a: 2\nend: 3"), ["all: / end: 3", "a: 1", "a: 2"]);
        assert_eq!(said("x:\n  a: 1\n  b: 2\ny:\n  a: 3"), ["x: / y:", "a: 1 / b: 2", "a: 3"]);
        assert_eq!(said("Title: A\nText: p\n\nTitle: B\nText: q"), ["Title: A / Text: p", "Title: B / Text: q"]);
        assert_eq!(said("| n | s |\n|---|:-:|\n| a | up |\n| b | down |\n"), ["a / up", "b / down"]);
        assert_eq!(said("n,s\na,\"x, y\"\nb,down"), ["a / x, y", "b / down"]);
        assert_eq!(said("1. one\n2) two\n3、三\n* four"), ["one", "two", "三", "four"]);
    }

    // RESULT-5
    #[test]
    fn records_keep_their_fields() {
        let fields = |text: &str| records(text).into_iter().map(|r| Value::Object(r.fields)).collect::<Vec<_>>();
        let mug = json!({"item": "mug", "in_stock": true, "quantity": 0.0});
        for text in [
            "item,in_stock,quantity\nmug,true,0\ncup,no,4",
            "| item | in_stock | quantity |\n|--|--|--|\n| mug | true | 0 |",
            "- item: mug\n  in_stock: yes\n  quantity: 0\n- item: cup",
            "**item:** mug\nin_stock: true\nquantity: \"0\"",
        ] {
            assert_eq!(fields(text).first(), Some(&mug), "{text}");
        }
    }
}
