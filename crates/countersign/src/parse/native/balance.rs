//! Where a JSON value ends, told without parsing it: brackets and quotes alone, one byte at a time.
//!
//! A stream cuts a value anywhere, so the question "is it whole now?" is asked after every piece. Asking a real parser
//! each time would cost the square of the input; this remembers its state between the pieces. It never says whether
//! the value is valid, only whether its brackets are closed.

/// How far a value has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    depth: usize,
    quoted: bool,
    escaped: bool,
    closed: bool,
    last: u8,
}

impl Balance {
    /// Takes one byte.
    pub(super) fn take(&mut self, byte: u8) {
        if self.quoted {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.quoted = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.closed = self.closed || self.depth == 0;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
    }

    /// Takes a piece of text.
    pub(super) fn take_all(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.take(byte));
    }

    /// Whether a value was opened and closed, and nothing is open now.
    pub(super) fn is_closed(&self) -> bool {
        self.closed && self.depth == 0 && !self.quoted
    }

    /// Whether the place is inside a string.
    pub(super) fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// Whether a value ended just here inside another one, so that only a comma or a closing bracket may follow.
    pub(super) fn wants_separator(&self) -> bool {
        let ends_value = matches!(self.last, b'}' | b']' | b'"') || self.last.is_ascii_alphanumeric();
        self.depth > 0 && !self.quoted && ends_value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_closed_when_its_brackets_are() {
        let closed = |text: &str| {
            let mut balance = Balance::default();
            balance.take_all(text);
            balance.is_closed()
        };
        for text in ["{}", r#"{"a":"}"}"#, r#" {"a":"\"}"} "#, "[{}]", "{}{}"] {
            assert!(closed(text), "{text}");
        }
        for text in ["", " ", "{", r#"{"a":"}"#, r#"{"a":"\"}"#, "[{}", "{}{", "1"] {
            assert!(!closed(text), "{text}");
        }
    }
}
