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
    text: String,
    key: Option<String>,
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
                let key = std::mem::take(&mut self.text);
                self.other |= !key.is_empty() && !is_call_key(&key);
                self.key = Some(key);
            }
            b',' if self.depth == self.members() => {
                self.key = None;
                self.text.clear();
            }
            _ => {}
        }
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
        let wanted = !self.list && self.depth == 1 && byte == b'{' && self.key.as_deref().is_some_and(is_arguments_key);
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
            if self.depth == self.members() && self.name.is_none() && self.key.as_deref().is_some_and(is_name_key) {
                self.name = Some(self.text.clone());
            }
            return;
        }
        if self.text.len() < LONGEST {
            self.text.push(char::from(byte));
        }
    }
}

/// Longer strings are no keys and no names.
const LONGEST: usize = 128;
