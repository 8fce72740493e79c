//! Where a JSON value ends, found while it streams in.
//!
//! Each byte is looked at once. Strings hide brackets and markers; brackets are only counted, so a wrong closer does not
//! lead astray. What is inside is read later, by the tolerant reader.

/// Follows one value.
#[derive(Debug, Clone, Default)]
pub(super) struct Tracker {
    depth: usize,
    /// The quote that ends the open string.
    quote: Option<u8>,
    escaped: bool,
}

/// What a byte meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The value goes on.
    More,
    /// This byte ended the value.
    End,
}

impl Tracker {
    /// Takes the next byte of the value; the first must open it.
    pub(super) fn take(&mut self, byte: u8) -> Seen {
        if let Some(quote) = self.quote {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == quote {
                self.quote = None;
            }
            return Seen::More;
        }
        match byte {
            b'"' | b'\'' => self.quote = Some(byte),
            b'{' | b'[' | b'(' => self.depth += 1,
            b'}' | b']' | b')' => self.depth = self.depth.saturating_sub(1),
            _ => return Seen::More,
        }
        if self.depth == 0 && self.quote.is_none() { Seen::End } else { Seen::More }
    }

    /// Whether the bytes so far end inside a string.
    pub(super) fn in_string(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether the next byte is inside a string, and not escaped.
    pub(super) fn in_plain_string(&self) -> bool {
        self.quote.is_some() && !self.escaped
    }

    /// Whether nothing is open: no string, no bracket.
    pub(super) fn outside(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }

    /// How many brackets are open, outside strings.
    pub(super) fn open_brackets(&self) -> Option<usize> {
        self.quote.is_none().then_some(self.depth)
    }

    /// Begins or ends a string whose mark is no quote.
    pub(super) fn toggle(&mut self) {
        self.quote = if self.quote.is_some() { None } else { Some(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        let mut tracker = Tracker::default();
        text.bytes().position(|byte| tracker.take(byte) == Seen::End).map(|at| at + 1)
    }

    #[test]
    fn strings_hide_brackets() {
        assert_eq!(end_of(r#"{"a": "}]\"}"} rest"#), Some(14));
        assert_eq!(end_of("[f(x='a]')] rest"), Some(11));
        assert_eq!(end_of(r#"{"a": [1, 2}"#), None);
    }
}
