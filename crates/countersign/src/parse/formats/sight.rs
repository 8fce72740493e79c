//! The name and the arguments of a call in JSON, seen while it streams in.
//!
//! Only members of the outermost object count. What is seen early is used to say early that a call has begun; what it
//! holds is read when all of it is there.

use super::payload::{is_arguments_key, is_call_key, is_name_key};

/// What has been seen of an object.
#[derive(Debug, Clone, Default)]
pub(super) struct Sight {
    depth: usize,
    quote: bool,
    escaped: bool,
    /// The string that is open, or the last one, as far as it may be a key or a name.
    text: Text,
    key: Option<Key>,
    name: Option<String>,
    /// Whether the objects stand in a list.
    list: bool,
    /// The last byte outside strings that is no blank.
    previous: u8,
    /// Whether the list holds something else than objects: calls in Python.
    python: bool,
    /// Whether a member came that no call has.
    other: bool,
    /// Where the arguments begin and end.
    arguments: (Option<usize>, Option<usize>),
}

impl Sight {
    /// Takes the next byte of the value, which is at `at`.
    pub(super) fn take(&mut self, byte: u8, at: usize) {
        if self.quote {
            self.in_string(byte);
            return;
        }
        self.python |= self.list
            && self.depth == 1
            && self.previous == b'['
            && !matches!(byte, b'{' | b' ' | b'\n' | b'\r' | b'\t');
        if !byte.is_ascii_whitespace() {
            self.previous = byte;
        }
        match byte {
            b'"' => {
                self.quote = true;
                self.text.clear();
            }
            b'{' | b'[' => self.open(byte, at),
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if let (1, (Some(_), end @ None)) = (self.depth, &mut self.arguments) {
                    *end = Some(at + 1);
                }
            }
            b':' if self.depth == self.members() => {
                let key = self.text.as_str();
                self.other |= !self.text.is_empty() && !key.is_some_and(is_call_key);
                self.key = Some(Key::of(key.unwrap_or_default()));
                self.text.clear();
            }
            b',' if self.depth == self.members() => {
                self.key = None;
                self.text.clear();
            }
            _ => {}
        }
    }

    /// Whether the next byte is inside a string, and not escaped.
    pub(super) fn in_plain_string(&self) -> bool {
        self.quote && !self.escaped
    }

    /// Takes bytes of a string that neither end it nor escape anything.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.text.extend(bytes);
    }

    /// How many brackets are open where the members of the first object stand.
    fn members(&self) -> usize {
        1 + usize::from(self.list)
    }

    /// The name, once it is known.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| !self.list)
    }

    /// The name of the first object, in a list too.
    pub(super) fn first_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|_| !self.python)
    }

    /// Whether a member came that no call has.
    pub(super) fn has_other_members(&self) -> bool {
        self.other && !self.python
    }

    /// Where the arguments begin, once they have, and where they end.
    pub(super) fn arguments(&self) -> (Option<usize>, Option<usize>) {
        self.arguments
    }

    fn open(&mut self, byte: u8, at: usize) {
        self.list |= self.depth == 0 && byte == b'[';
        let wanted = !self.list && self.depth == 1 && byte == b'{' && self.key == Some(Key::Arguments);
        if wanted && self.arguments.0.is_none() {
            self.arguments.0 = Some(at);
        }
        self.depth += 1;
    }

    fn in_string(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.quote = false;
            if self.depth == self.members() && self.name.is_none() && self.key == Some(Key::Name) {
                self.name = Some(self.text.read());
            }
            return;
        }
        self.text.push(byte);
    }
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Name,
    Arguments,
    Other,
}

impl Key {
    fn of(key: &str) -> Self {
        match key {
            _ if is_name_key(key) => Self::Name,
            _ if is_arguments_key(key) => Self::Arguments,
            _ => Self::Other,
        }
    }
}

/// A string, byte by byte, up to the longest that is of use. Each byte counts as the character of its number.
#[derive(Debug, Clone, Default)]
struct Text {
    bytes: Vec<u8>,
    /// How much of it the characters take.
    len: usize,
}

impl Text {
    fn clear(&mut self) {
        self.bytes.clear();
        self.len = 0;
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn push(&mut self, byte: u8) {
        if self.len < LONGEST {
            self.bytes.push(byte);
            self.len += char::from(byte).len_utf8();
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        let fits = bytes.get(..LONGEST.saturating_sub(self.len).min(bytes.len())).filter(|fits| fits.is_ascii());
        match fits {
            Some(fits) => {
                self.bytes.extend_from_slice(fits);
                self.len += fits.len();
            }
            None => bytes.iter().for_each(|byte| self.push(*byte)),
        }
    }

    /// The string, if it is ASCII: no other is a key.
    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| text.is_ascii())
    }

    fn read(&self) -> String {
        self.bytes.iter().copied().map(char::from).collect()
    }
}

/// Longer strings are no keys and no names.
const LONGEST: usize = 128;
