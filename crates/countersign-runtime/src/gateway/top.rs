//! The parts of a JSON text's outermost object or list, found without reading what is inside them.
//!
//! Most of a request is a conversation and a list of tools that the gateway carries and does not need. Strings are
//! skipped by their quotes and brackets are only counted, which is several times quicker than reading. What is found is
//! a place in the text; whoever needs a value reads it there, and then it is read as JSON must be. In a request an
//! object that does not close, a key twice, or anything behind the end is an error: two readers must not see two
//! requests. An upstream's text is cut with more patience: what it holds beside our business need not be valid.

use memchr::{memchr_iter, memchr2};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

/// A field: its key, and the place of its value.
pub(super) type Field<'a> = (Cow<'a, str>, Range<usize>);

/// A field of an object, as it is written.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    /// The key, without quotes and escapes.
    pub key: Cow<'a, str>,
    /// The place of the key, with its quotes.
    pub name: Range<usize>,
    /// The place of the value.
    pub value: Range<usize>,
}

/// All fields of an object as they are written, in order; a key may stand there twice. None where it is no object.
pub(super) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, reading: Reading::Patient };
    let mut found = Vec::new();
    let mut more = reader.opens(b'{', b'}')?;
    while more {
        reader.blanks();
        let name = reader.string().ok()?;
        let key = patient_key(text.get(name.clone())?);
        reader.blanks();
        reader.expect(b':').ok()?;
        reader.blanks();
        let value = reader.value().ok()?;
        found.push(Member { key, name, value });
        more = reader.comma(b'}')?;
    }
    reader.end().ok().map(|()| found)
}

/// The places of a list's values, in order. None where it is no list.
pub(super) fn elements(text: &str) -> Option<Vec<Range<usize>>> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, reading: Reading::Patient };
    let mut found = Vec::new();
    let mut more = reader.opens(b'[', b']')?;
    while more {
        reader.blanks();
        found.push(reader.value().ok()?);
        more = reader.comma(b']')?;
    }
    reader.end().ok().map(|()| found)
}

/// The value of a text that may hold what JSON does not have: numbers beyond all bounds, `NaN`, halves of characters,
/// endless nesting. Such a value reads as something harmless. None where the structure itself is damaged.
pub(super) fn value_of(text: &str) -> Option<Value> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, reading: Reading::Patient };
    reader.blanks();
    let value = reader.read_value(0)?;
    reader.end().ok().map(|()| value)
}

/// The fields of an object, in order.
pub(super) fn fields(text: &str) -> Result<Vec<Field<'_>>, String> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, reading: Reading::Exact };
    reader.blanks();
    reader.expect(b'{')?;
    let mut found: Vec<Field<'_>> = Vec::with_capacity(16);
    reader.blanks();
    if reader.peek() == Some(b'}') {
        reader.at += 1;
        return reader.end().map(|()| found);
    }
    loop {
        reader.blanks();
        let key = reader.string()?;
        let key = read_key(text.get(key).unwrap_or_default())?;
        if found.iter().any(|(known, _)| *known == key) {
            return Err(format!("the key `{key}` stands there twice"));
        }
        reader.blanks();
        reader.expect(b':')?;
        reader.blanks();
        let value = if TOOLS.contains(&key.as_ref()) { reader.tools()? } else { reader.value()? };
        found.push((key, value));
        reader.blanks();
        match reader.next() {
            Some(b',') => {}
            Some(b'}') => return reader.end().map(|()| found),
            _ => return Err(reader.wrong("a comma or a closing brace")),
        }
    }
}

/// A key without its quotes. One that is written with escapes is the key that it stands for.
fn read_key(quoted: &str) -> Result<Cow<'_, str>, String> {
    if quoted.contains('\\') {
        return serde_json::from_str(quoted).map(Cow::Owned).map_err(|error| format!("a key cannot be read: {error}"));
    }
    Ok(Cow::Borrowed(quoted.trim_matches('"')))
}

/// A key that may hold half of a character: then it is told apart by how it is written.
fn patient_key(quoted: &str) -> Cow<'_, str> {
    read_key(quoted).unwrap_or_else(|_| Cow::Borrowed(quoted.trim_matches('"')))
}

/// How much a text may differ from JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Scalars are checked, and nesting has a limit.
    Exact,
    /// A scalar is any word, and nesting has none.
    Patient,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    reading: Reading,
}

impl Reader<'_> {
    fn read_value(&mut self, depth: usize) -> Option<Value> {
        let start = self.at;
        match self.peek()? {
            b'{' | b'[' if depth >= DEEPEST => self.nested().ok().map(|()| Value::Null),
            b'{' => self.read_object(depth),
            b'[' => {
                self.at += 1;
                let mut list = Vec::new();
                let mut more = !self.closes(b']');
                while more {
                    self.blanks();
                    list.push(self.read_value(depth + 1)?);
                    more = self.comma(b']')?;
                }
                Some(Value::Array(list))
            }
            b'"' => self.read_string().map(Value::String),
            _ => {
                let place = self.value().ok()?;
                let word = self.text.get(place).unwrap_or_default();
                let number = || word.parse::<f64>().ok().map(|_| Value::Null);
                serde_json::from_str(word).ok().or_else(number).or_else(|| {
                    self.at = start;
                    None
                })
            }
        }
    }

    fn read_object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut fields = Map::new();
        let mut more = !self.closes(b'}');
        while more {
            self.blanks();
            let key = self.read_string()?;
            self.blanks();
            self.expect(b':').ok()?;
            self.blanks();
            fields.insert(key, self.read_value(depth + 1)?);
            more = self.comma(b'}')?;
        }
        Some(Value::Object(fields))
    }

    /// A string; a sign that must be escaped and is not counts as itself.
    fn read_string(&mut self) -> Option<String> {
        let place = self.string().ok()?;
        let quoted = self.text.get(place)?;
        let escaped = || serde_json::from_str(&quoted.replace(|c: char| c < ' ', " "));
        serde_json::from_str(quoted).or_else(|_| escaped()).ok()
    }

    /// Goes into an object or a list. Says whether it holds anything; none where it is something else.
    fn opens(&mut self, open: u8, close: u8) -> Option<bool> {
        self.blanks();
        (self.next()? == open).then(|| !self.closes(close))
    }

    /// Whether an object or a list is empty.
    fn closes(&mut self, close: u8) -> bool {
        self.blanks();
        let empty = self.peek() == Some(close);
        self.at += usize::from(empty);
        empty
    }

    /// Whether more follows a value. None where neither a comma nor the end does.
    fn comma(&mut self, close: u8) -> Option<bool> {
        self.blanks();
        match self.next()? {
            b',' => Some(true),
            byte => (byte == close).then_some(false),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong(match byte {
            b'{' => "an opening brace",
            b':' => "a colon",
            _ => "a quotation mark",
        }))
    }

    fn wrong(&self, expected: &str) -> String {
        let before = self.bytes.get(..self.at.min(self.bytes.len())).unwrap_or_default();
        let line = memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1) + 1;
        format!("{expected} is missing at line {line} column {column}")
    }

    /// A string with its quotes.
    fn string(&mut self) -> Result<Range<usize>, String> {
        let start = self.at;
        self.expect(b'"')?;
        // Most strings are keys and words, and those are over before a search for their end has begun.
        let near = self.bytes.get(self.at..).unwrap_or_default();
        for (length, byte) in near.iter().take(NEAR).enumerate() {
            match byte {
                b'"' => {
                    self.at += length + 1;
                    return Ok(start..self.at);
                }
                b'\\' => break,
                _ => {}
            }
        }
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Err(self.wrong("the end of a string"));
            };
            self.at += found + 1;
            if rest.get(found) == Some(&b'"') {
                return Ok(start..self.at);
            }
            // Whatever is escaped does not end the string.
            self.at += 1;
        }
    }

    /// A value of any kind.
    fn value(&mut self) -> Result<Range<usize>, String> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => self.nested().map(|()| start..self.at),
            _ => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let length =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
                self.at += length;
                if self.reading == Reading::Patient && length > 0 {
                    return Ok(start..self.at);
                }
                let scalar = self.text.get(start..self.at).unwrap_or_default();
                match serde_json::from_str::<Value>(scalar) {
                    Ok(_) => Ok(start..self.at),
                    Err(_) => {
                        self.at = start;
                        Err(self.wrong("a value"))
                    }
                }
            }
        }
    }

    /// A list of tools. A client sends the same with every request, and the same bytes end where they ended before.
    fn tools(&mut self) -> Result<Range<usize>, String> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let known = SEEN.with_borrow(|seen| seen.iter().find(|text| rest.starts_with(text)).map(|text| text.len()));
        if let Some(length) = known {
            self.at += length;
            return Ok(start..self.at);
        }
        let place = self.value()?;
        let text = self.bytes.get(place.clone()).unwrap_or_default();
        if text.starts_with(b"[") && (SMALL..LARGE).contains(&text.len()) {
            SEEN.with_borrow_mut(|seen| {
                seen.truncate(MOST_SEEN - 1);
                seen.insert(0, text.into());
            });
        }
        Ok(place)
    }

    /// An object or a list: to its own closing bracket, each bracket closed by its kind.
    fn nested(&mut self) -> Result<(), String> {
        // The kinds of the open brackets, the last in the lowest bit: deeper than this nobody nests on purpose.
        let (mut kinds, mut depth) = (0u128, 0u32);
        let mut outer = Vec::new();
        let mut last = 0;
        loop {
            let byte = self.peek();
            match byte {
                Some(b'"') => {
                    self.string()?;
                }
                Some(open @ (b'{' | b'[')) => {
                    if depth == u128::BITS && self.reading == Reading::Exact {
                        return Err(format!("nothing may be nested deeper than {depth}"));
                    }
                    if depth == u128::BITS {
                        outer.push(kinds);
                        depth = 0;
                    }
                    kinds = (kinds << 1) | u128::from(open == b'{');
                    depth += 1;
                    self.at += 1;
                }
                Some(close @ (b'}' | b']')) => {
                    if (kinds & 1 == 1) != (close == b'}') || last == b',' || last == b':' {
                        return Err(self.wrong("another closing bracket"));
                    }
                    kinds >>= 1;
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        let Some(before) = outer.pop() else { return Ok(()) };
                        (kinds, depth) = (before, u128::BITS);
                    }
                }
                Some(b' ' | b'\n' | b'\r' | b'\t') => {
                    self.at += 1;
                    continue;
                }
                Some(b',') if matches!(last, b',' | b':' | b'[' | b'{') => return Err(self.wrong("a value")),
                Some(_) => self.at += 1,
                None => return Err(self.wrong("a closing bracket")),
            }
            last = byte.unwrap_or_default();
        }
    }

    /// Only blanks may follow.
    fn end(&mut self) -> Result<(), String> {
        self.blanks();
        if self.at >= self.bytes.len() { Ok(()) } else { Err(self.wrong("the end of the body")) }
    }
}

thread_local! {
    /// Lists of tools that were skipped before, the newest first.
    static SEEN: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}
const TOOLS: &[&str] = &["tools", "functions"];
const MOST_SEEN: usize = 8;
/// Shorter lists are skipped as quickly as they are compared, longer ones take too much room.
const SMALL: usize = 256;
const LARGE: usize = 128 * 1024;
/// What is nested deeper is not read.
const DEEPEST: usize = 128;
/// The length of a word.
const NEAR: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-z\"\\\\{}]{0,6}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        // PARSE-4: what is skipped is what a reader would have read.
        #[test]
        fn the_same_fields_as_a_whole_reading(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                match &value {
                    Value::Object(map) => {
                        let found = fields(&text).unwrap();
                        prop_assert_eq!(found.len(), map.len());
                        for ((key, place), (known, inside)) in found.iter().zip(map) {
                            prop_assert_eq!(key.as_ref(), known);
                            prop_assert_eq!(&serde_json::from_str::<Value>(&text[place.clone()]).unwrap(), inside);
                        }
                    }
                    _ => prop_assert!(fields(&text).is_err()),
                }
            }
        }

        #[test]
        fn nothing_makes_it_panic(text in "[{}\\[\\]\":,\\\\a1 \n]{0,40}") {
            // What it takes for an object, a whole reading either takes too or refuses for what is inside a value.
            if fields(&text).is_err() {
                prop_assert!(!serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_object()
                    && value.as_object().is_some_and(|map| map.len() == text.matches(':').count())));
            }
        }
    }

    // A list that was seen before ends where it ended, whatever stands behind it.
    #[test]
    fn tools_that_were_seen_before_are_the_same_tools() {
        let list = |count: usize| {
            format!("[{}]", vec![r#"{"name": "tool", "description": "looks something up"}"#; count].join(","))
        };
        for count in [1, 20, 21, 20, 22, 20] {
            for behind in ["}", " , \"model\": \"m\"}"] {
                let text = format!("{{\"tools\": {}{behind}", list(count));
                let found = fields(&text).unwrap();
                assert_eq!(text.get(found[0].1.clone()), Some(list(count).as_str()));
            }
        }
        assert!(fields(&format!("{{\"tools\": {}]}}", list(20))).is_err());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, part) in [
            ("", "an opening brace"),
            ("[]", "an opening brace"),
            ("{\"a\": 1", "a comma or a closing brace"),
            ("{\"a\": tru}", "a value"),
            ("{\"a\": [}", "another closing bracket"),
            ("{\"a\": [1,]}", "another closing bracket"),
            ("{\"a\": {\"b\":}}", "another closing bracket"),
            ("{\"a\": [,1]}", "a value"),
            ("{\"a\": 1, \"\\u0061\": 2}", "twice"),
            ("{\"a\": {\"b\": 1}", "a comma or a closing brace"),
            ("{\"a\": \"x", "the end of a string"),
            ("{\"a\": 1} x", "the end of the body"),
            ("{\"a\": 1, \"a\": 2}", "twice"),
            ("{\"a\" 1}", "a colon"),
        ] {
            let error = fields(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(fields("{\n \"a\": x}").unwrap_err().contains("line 2"));
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(200), "]".repeat(200));
        assert!(fields(&deep).unwrap_err().contains("deeper"));
    }
}
