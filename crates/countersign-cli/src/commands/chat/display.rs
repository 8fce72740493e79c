//! Where events go: to the screen of a person, or as JSON lines to a program.

use crate::failure::{Failure, tell};
use crate::human::canvas::{is_hidden, safe};
use crate::human::chat::{Detail, Screen};
use serde_json::Value;
use std::io::{self, Write};

/// Where events go.
pub(super) enum Display {
    /// To a person.
    Screen(Box<Screen>),
    /// To a program: each event as a line. What is said beside them goes to standard error.
    Lines,
}

impl Display {
    /// Shows an event.
    pub(super) fn show(&mut self, event: &Value, detail: Detail) -> Result<(), Failure> {
        let shown = match self {
            Self::Screen(screen) => screen.show(event, detail),
            Self::Lines => {
                let mut out = io::stdout().lock();
                out.write_all(escape(&event.to_string()).as_bytes()).and_then(|()| out.write_all(b"\n"))?;
                out.flush()
            }
        };
        Ok(shown?)
    }

    /// Says something about the conversation itself.
    pub(super) fn remark(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Screen(screen) => Ok(screen.remark(text)?),
            Self::Lines => {
                tell(&safe(text));
                Ok(())
            }
        }
    }

    /// Shows something that the server has.
    pub(super) fn quote(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Screen(screen) => Ok(screen.quote(text)?),
            Self::Lines => Ok(()),
        }
    }

    /// Asks for a line.
    pub(super) fn prompt(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Screen(screen) => Ok(screen.prompt(text)?),
            Self::Lines => {
                tell(text.trim_end());
                Ok(())
            }
        }
    }
}

/// JSON in which nothing can repaint a terminal: the same value, with more of it escaped.
fn escape(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_control() || is_hidden(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
    }
    shown
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::writing(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn escaped_json_is_the_same_value() {
        let value = json!({"a": "\u{1b}[2J\u{9b}\u{202e}\u{e0041}文"});
        let text = escape(&value.to_string());
        assert!(!text.chars().any(|c| c.is_control() || is_hidden(c)), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
