//! A conversation on the screen: text as it comes, and what happens beside it.
//!
//! The answer goes to standard output. Where that is no terminal, everything else goes to standard error, so that a
//! program that reads the answer gets the answer. Whatever comes from the server is shown without control characters.

/// Claims, underlined and listed.
mod claims;
/// What happens beside the text.
mod lines;
/// Text that was streamed and may be drawn again.
mod streamed;

use super::canvas::{Canvas, Paint, clip, safe, safe_lines};
use claims::{Numbers, legend, underline, updates};
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use streamed::Streamed;

/// The screen of a conversation.
pub(crate) struct Screen {
    canvas: Canvas,
    aside: Aside,
    streamed: Streamed,
    numbers: Numbers,
    /// Lines that wait for the end of the answer, so that it stays whole and its claims can be underlined in place.
    waiting: Vec<String>,
    /// Who spoke last, where it is not the agent of the session.
    speaker: String,
    agent: String,
}

/// Where goes what is not the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// Between the text.
    Here,
    /// To standard error.
    Elsewhere,
}

/// How much of an event is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All of it, as it happens.
    Live,
    /// The same, and what the user said.
    Missed,
    /// A line.
    Short,
}

impl Screen {
    /// The screen for a conversation with an agent.
    pub(crate) fn new(canvas: Canvas, agent: &str) -> Self {
        let aside = if io::stdout().is_terminal() { Aside::Here } else { Aside::Elsewhere };
        let (streamed, numbers, waiting) = (Streamed::default(), Numbers::default(), Vec::new());
        Self { canvas, aside, streamed, numbers, waiting, speaker: String::new(), agent: agent.to_owned() }
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, event: &Value, detail: Detail) -> io::Result<()> {
        let word = |name| event.get(name).and_then(Value::as_str).unwrap_or_default();
        let payload = event.get("payload").unwrap_or(&Value::Null);
        match word("event_type") {
            "text_delta" if detail == Detail::Short => Ok(()),
            "text_delta" => self.delta(word("agent_source"), payload),
            "message" => self.message(payload, detail),
            "claims_updated" => {
                let changes = payload.get("claims").and_then(Value::as_array).cloned().unwrap_or_default();
                self.lines(updates(&self.canvas, &self.numbers, &changes))
            }
            kind @ ("note" | "material") if self.streamed.is_open() && self.aside == Aside::Here => {
                self.waiting.extend(lines::lines(&self.canvas, kind, payload));
                Ok(())
            }
            kind => {
                if ENDINGS.contains(&kind) {
                    self.streamed.end_line(&mut io::stdout())?;
                    self.show_waiting()?;
                }
                self.lines(lines::lines(&self.canvas, kind, payload))
            }
        }
    }

    /// A line about the conversation itself.
    pub(crate) fn remark(&mut self, text: &str) -> io::Result<()> {
        let line = self.canvas.paint(Paint::Dim, &safe(text));
        self.lines(vec![line])
    }

    /// Something that the server said, whole.
    pub(crate) fn quote(&mut self, text: &str) -> io::Result<()> {
        self.lines(text.lines().map(safe).collect())
    }

    /// Asks for a line.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        let text = self.canvas.paint(Paint::Bold, text);
        self.beside(&text)
    }

    fn delta(&mut self, source: &str, payload: &Value) -> io::Result<()> {
        let text = payload.get("content").and_then(Value::as_str).unwrap_or_default();
        let message = payload.get("message_id").and_then(Value::as_str).unwrap_or_default();
        if !self.streamed.is_of(message) {
            self.streamed.end_line(&mut io::stdout().lock())?;
            self.show_waiting()?;
            self.introduce(source)?;
            self.streamed.begin(message);
        }
        self.streamed.add(text);
        write_and_flush(&mut io::stdout().lock(), &safe_lines(text))
    }

    fn message(&mut self, payload: &Value, detail: Detail) -> io::Result<()> {
        let word = |name| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let text = word("content");
        if word("role") == "user" {
            return match detail {
                Detail::Live => Ok(()),
                _ => self.lines(vec![self.canvas.paint(Paint::Bold, &format!("› {}", self.short(text, detail)))]),
            };
        }
        if is_refusal(payload) {
            return self.lines(vec![self.canvas.paint(Paint::Red, &format!("✖ {}", safe(text)))]);
        }
        if word("to") != "user" {
            let line = format!("{} → {}: {}", safe(word("from")), safe(word("to")), clip(&safe(text), BETWEEN));
            let mut lines = vec![self.canvas.paint(Paint::Cyan, &line)];
            let claims = payload.get("claims").and_then(Value::as_array).cloned().unwrap_or_default();
            let numbers = self.numbers.of(&claims);
            lines.extend(legend(&self.canvas, &claims, &numbers));
            return self.lines(lines);
        }
        if detail == Detail::Short {
            let text = self.short(text, detail);
            return self.lines(vec![text]);
        }
        self.answer(word("message_id"), word("from"), text, payload)
    }

    /// A whole answer: what was streamed of it is drawn again with its claims, or listed under it.
    fn answer(&mut self, id: &str, from: &str, text: &str, payload: &Value) -> io::Result<()> {
        let mut out = io::stdout();
        let claims = payload.get("claims").and_then(Value::as_array).cloned().unwrap_or_default();
        let numbers = self.numbers.of(&claims);
        let was_streamed = self.streamed.is_of(id) && self.streamed.fits(text);
        if was_streamed && (claims.is_empty() || !self.streamed.can_be_drawn_again(&self.canvas)) {
            // The end of a text may come with the message only.
            let rest = self.streamed.rest_of(text).to_owned();
            write_and_flush(&mut out, &safe_lines(&rest))?;
            self.streamed.add(&rest);
        } else {
            if was_streamed {
                self.streamed.wipe(&mut out)?;
            } else {
                self.streamed.end_line(&mut out)?;
                self.introduce(from)?;
            }
            write_and_flush(&mut out, &underline(&self.canvas, text, &claims, &numbers))?;
            self.streamed.begin(id);
            self.streamed.add(text);
        }
        self.streamed.end_line(&mut out)?;
        self.show_waiting()?;
        self.lines(legend(&self.canvas, &claims, &numbers))
    }

    /// Says who speaks, where it is somebody else than before.
    fn introduce(&mut self, source: &str) -> io::Result<()> {
        let before = std::mem::replace(&mut self.speaker, source.to_owned());
        if before == source || source == self.agent && before.is_empty() {
            return Ok(());
        }
        self.lines(vec![self.canvas.paint(Paint::Cyan, &format!("{}:", safe(source)))])
    }

    fn short(&self, text: &str, detail: Detail) -> String {
        if detail == Detail::Short { clip(&safe(text), SHORT) } else { safe_lines(text) }
    }

    fn show_waiting(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        self.lines(waiting)
    }

    fn lines(&mut self, lines: Vec<String>) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        self.beside(&text)
    }

    /// Writes what is not the answer: the line of an answer on the same screen ends before it.
    fn beside(&mut self, text: &str) -> io::Result<()> {
        match self.aside {
            Aside::Here => {
                let mut out = io::stdout().lock();
                self.streamed.end_line(&mut out)?;
                write_and_flush(&mut out, text)
            }
            Aside::Elsewhere => write_and_flush(&mut io::stderr().lock(), text),
        }
    }
}

/// Whether a message says that a call was refused for good: it ends the turn, and stands in place of an answer.
pub(crate) fn is_refusal(payload: &Value) -> bool {
    let word = |name| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    word("from") == "countersign" && word("step").ends_with("/refused")
}

fn write_and_flush(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The events that end a turn.
const ENDINGS: &[&str] = &["completed", "failed", "stopped", "lost"];
/// How many columns of what agents say to each other are shown.
const BETWEEN: usize = 160;
/// How many columns of a message are shown when a whole conversation is told again.
const SHORT: usize = 160;
