//! Cuts what a server sends into chunks: lines of an event stream, or JSON bodies one after the other.
//!
//! The two may even be mixed, as proxies do when an error body ends a stream. Each byte belongs to exactly one frame,
//! frames come in order, and where they are cut does not depend on how the input was split. Nothing is read into a
//! chunk here: what it says is the business of the dialects. Memory is bounded by the longest region.

use super::balance::Balance;
use crate::parse::event::{ParseOptions, Repair};
use crate::parse::json::{self, One};
use serde_json::Value;

/// A stretch of the input and what it is.
#[derive(Debug)]
pub(super) struct Frame {
    /// Where it begins.
    pub(super) start: usize,
    /// As it was sent.
    pub(super) raw: String,
    /// What it is.
    pub(super) kind: FrameKind,
}

/// What a frame is.
#[derive(Debug)]
pub(super) enum FrameKind {
    /// Blank lines, comments, names of events.
    Markup,
    /// The JSON of a chunk or of a body, mostly one value.
    Chunk { values: Vec<Value>, event: Option<String>, repairs: Vec<Repair> },
    /// The end mark `[DONE]`.
    Done,
    /// What should have been a chunk and cannot be read.
    Broken(&'static str),
}

/// The cutter.
#[derive(Debug)]
pub(super) struct Framing {
    mode: Mode,
    /// Where `raw` begins in the input.
    offset: usize,
    /// The region that is being read.
    raw: String,
    max_region: usize,
    options: ParseOptions,
    /// Whether the beginning of this region was given up because it was too long.
    overlong: bool,
    lines: Lines,
    bodies: Bodies,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// Only blanks so far.
    Start,
    Lines,
    Bodies,
}

/// What is remembered between the lines of an event.
#[derive(Debug, Default)]
struct Lines {
    /// Where the current line begins in `raw`.
    at: usize,
    /// Whether the last byte was a carriage return, which may be half of a line's end.
    carriage_return: bool,
    /// The data of the event so far, where its first line did not close it.
    data: String,
    balance: Balance,
    event: Option<String>,
}

/// What is remembered inside a body.
#[derive(Debug, Default)]
struct Bodies {
    /// Where the current value begins in `raw`.
    value: Option<usize>,
    balance: Balance,
    /// Lists that are open around the values.
    lists: usize,
    /// Whether something else than a value is on this line.
    stray: bool,
    /// Whether only blanks stood on this line so far.
    fresh: bool,
}

impl Framing {
    pub(super) fn new(options: &ParseOptions) -> Self {
        // A region must hold one character at least.
        Self {
            mode: Mode::Start,
            offset: 0,
            raw: String::new(),
            max_region: options.max_region.max(4),
            options: options.clone(),
            overlong: false,
            lines: Lines::default(),
            bodies: Bodies { fresh: true, ..Bodies::default() },
        }
    }

    /// Takes the next piece; gives the frames that end in it.
    pub(super) fn push(&mut self, text: &str, frames: &mut Vec<Frame>) {
        let mut rest = text;
        while !rest.is_empty() {
            let used = match self.mode {
                Mode::Start => self.start(rest, frames),
                Mode::Lines => self.line(rest, frames),
                Mode::Bodies => self.body(rest, frames),
            };
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// Nothing more comes. Says whether every list that was opened around bodies was closed.
    pub(super) fn finish(&mut self, frames: &mut Vec<Frame>) -> Closing {
        match self.mode {
            Mode::Lines => {
                self.end_line(frames);
                if !self.raw.is_empty() {
                    self.emit(FrameKind::Broken(CUT), frames);
                }
            }
            Mode::Bodies if self.bodies.value.is_some() => self.emit(FrameKind::Broken(CUT), frames),
            Mode::Bodies if self.bodies.stray => self.end_stray(frames),
            Mode::Bodies | Mode::Start => self.emit(FrameKind::Markup, frames),
        }
        if self.bodies.lists == 0 { Closing::Closed } else { Closing::Open }
    }

    /// How far the input has come.
    pub(super) fn end(&self) -> usize {
        self.offset + self.raw.len()
    }

    /// Blanks before anything else; the first other character tells the form.
    fn start(&mut self, text: &str, frames: &mut Vec<Frame>) -> usize {
        let blanks = text.len() - text.trim_start_matches(is_blank).len();
        self.hold(text.get(..blanks).unwrap_or_default(), frames);
        match text.as_bytes().get(blanks) {
            Some(b'{' | b'[') => self.mode = Mode::Bodies,
            Some(_) => self.mode = Mode::Lines,
            None => {}
        }
        blanks
    }

    /// Adds to the region. One that grows too long is given up piece by piece.
    fn hold(&mut self, text: &str, frames: &mut Vec<Frame>) {
        let mut rest = text;
        while self.raw.len() + rest.len() > self.max_region {
            let cut = rest.floor_char_boundary(self.max_region.saturating_sub(self.raw.len()));
            let (fits, more) = rest.split_at_checked(cut).unwrap_or((rest, ""));
            self.raw.push_str(fits);
            rest = more;
            let between = self.mode == Mode::Bodies && self.bodies.value.is_none() && !self.bodies.stray;
            self.overlong = self.mode != Mode::Start && !between;
            self.emit(if self.overlong { FrameKind::Broken(TOO_LONG) } else { FrameKind::Markup }, frames);
        }
        self.raw.push_str(rest);
    }

    /// Gives the region out as one frame.
    fn emit(&mut self, kind: FrameKind, frames: &mut Vec<Frame>) {
        let raw = std::mem::take(&mut self.raw);
        let start = self.offset;
        self.offset += raw.len();
        self.lines.at = 0;
        self.lines.data.clear();
        self.lines.balance = Balance::default();
        if !raw.is_empty() {
            frames.push(Frame { start, raw, kind });
        }
    }
}

/// Whether all lists around bodies were closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Closing {
    Closed,
    Open,
}

/// Event streams.
impl Framing {
    /// Takes up to the end of a line.
    fn line(&mut self, text: &str, frames: &mut Vec<Frame>) -> usize {
        if std::mem::take(&mut self.lines.carriage_return) {
            let newline = usize::from(text.starts_with('\n'));
            self.raw.push_str(text.get(..newline).unwrap_or_default());
            self.end_line(frames);
            return newline;
        }
        let Some(end) = memchr::memchr2(b'\n', b'\r', text.as_bytes()) else {
            self.hold(text, frames);
            return text.len();
        };
        self.hold(text.get(..=end).unwrap_or_default(), frames);
        if text.as_bytes().get(end) == Some(&b'\r') {
            self.lines.carriage_return = true;
        } else {
            self.end_line(frames);
        }
        end + 1
    }

    /// Reads a whole line.
    fn end_line(&mut self, frames: &mut Vec<Frame>) {
        self.lines.carriage_return = false;
        if std::mem::take(&mut self.overlong) {
            return self.emit(FrameKind::Broken(TOO_LONG), frames);
        }
        let line = self.raw.get(self.lines.at..).unwrap_or_default();
        let (field, value) = field(line.trim_matches(is_blank));
        let waiting = !self.lines.data.is_empty();
        match field {
            Field::Data if value == DONE && !waiting => self.emit(FrameKind::Done, frames),
            Field::Data if value.is_empty() && !waiting => self.emit(FrameKind::Markup, frames),
            Field::Data if waiting => {
                let value = value.to_owned();
                self.more_data(&value, frames);
            }
            Field::Data => match chunk(value, self.lines.event.clone(), &self.options) {
                FrameKind::Broken(_) if value.starts_with(['{', '[']) => {
                    let value = value.to_owned();
                    self.more_data(&value, frames);
                }
                kind => self.emit(kind, frames),
            },
            Field::Blank if waiting => self.emit(FrameKind::Broken(BROKEN), frames),
            Field::Blank => {
                self.lines.event = None;
                self.emit(FrameKind::Markup, frames);
            }
            Field::Event => {
                self.lines.event = Some(value.chars().take(MAX_EVENT).collect());
                self.aside(frames);
            }
            Field::Comment => self.aside(frames),
            Field::None => self.emit(FrameKind::Broken(NO_LINE), frames),
        }
    }

    /// A line of data that is not a chunk by itself: part of one that has several lines, or broken.
    fn more_data(&mut self, value: &str, frames: &mut Vec<Frame>) {
        if !self.lines.data.is_empty() {
            self.lines.data.push('\n');
        }
        self.lines.data.push_str(value);
        self.lines.balance.take_all(value);
        if self.lines.balance.is_closed() {
            let kind = chunk(&self.lines.data, self.lines.event.clone(), &self.options);
            self.emit(kind, frames);
        } else if self.lines.balance.is_quoted() {
            // A string cannot hold a raw end of line: the chunk is broken, and the next line begins a new one.
            self.emit(FrameKind::Broken(BROKEN), frames);
        } else {
            self.lines.at = self.raw.len();
        }
    }

    /// A line that says nothing, alone or between two lines of data.
    fn aside(&mut self, frames: &mut Vec<Frame>) {
        if self.lines.data.is_empty() {
            self.emit(FrameKind::Markup, frames);
        } else {
            self.lines.at = self.raw.len();
        }
    }
}

/// JSON bodies: one, or several in lines or in a list.
impl Framing {
    /// Takes up to the end of a value, or all.
    fn body(&mut self, text: &str, frames: &mut Vec<Frame>) -> usize {
        for (at, byte) in text.bytes().enumerate() {
            let step = if self.bodies.value.is_some() { self.in_value(byte) } else { self.between(byte) };
            let (used, end) = match step {
                Step::On => continue,
                Step::Value => (at + 1, End::Value),
                Step::Broken => (at, End::Broken),
                Step::Stray => (at + 1, End::Stray),
                Step::Lines => (at, End::Lines),
                Step::Open => (at, End::Separators),
                Step::OpenStray => (at, End::Blanks),
            };
            self.hold(text.get(..used).unwrap_or_default(), frames);
            self.end_body(end, frames);
            return used;
        }
        self.hold(text, frames);
        text.len()
    }

    /// One byte inside a value.
    fn in_value(&mut self, byte: u8) -> Step {
        let balance = &mut self.bodies.balance;
        if byte == b'\n' {
            // Neither a raw end of line in a string nor a value after a value is JSON: a line of JSON lines was cut.
            self.bodies.fresh = true;
            if balance.is_quoted() {
                return Step::Broken;
            }
        } else if byte == b'{' && self.bodies.fresh && balance.wants_separator() {
            return Step::Broken;
        } else if !byte.is_ascii_whitespace() {
            self.bodies.fresh = false;
        }
        balance.take(byte);
        if balance.is_closed() { Step::Value } else { Step::On }
    }

    /// One byte between values.
    fn between(&mut self, byte: u8) -> Step {
        let fresh = self.bodies.fresh;
        self.bodies.fresh = byte == b'\n' || (fresh && byte.is_ascii_whitespace());
        match byte {
            b'\n' if self.bodies.stray => return Step::Stray,
            _ if self.bodies.stray => {}
            b'{' => return Step::Open,
            b'[' => self.bodies.lists += 1,
            b']' => self.bodies.lists = self.bodies.lists.saturating_sub(1),
            b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if fresh => return Step::Lines,
            _ => return Step::OpenStray,
        }
        Step::On
    }

    /// Gives out what has ended.
    fn end_body(&mut self, end: End, frames: &mut Vec<Frame>) {
        let value = self.bodies.value.take();
        let overlong = std::mem::take(&mut self.overlong);
        match end {
            End::Value if !overlong => {
                let json = self.raw.get(value.unwrap_or_default()..).unwrap_or_default();
                let kind = chunk(json, None, &self.options);
                self.emit(kind, frames);
            }
            End::Value => self.emit(FrameKind::Broken(TOO_LONG), frames),
            End::Broken => self.emit(FrameKind::Broken(BROKEN), frames),
            End::Stray => self.end_stray(frames),
            End::Separators => {
                self.bodies.value = Some(self.raw.len());
                self.bodies.balance = Balance::default();
            }
            End::Blanks => {
                self.emit(FrameKind::Markup, frames);
                self.bodies.stray = true;
            }
            End::Lines => {
                self.emit(FrameKind::Markup, frames);
                self.mode = Mode::Lines;
            }
        }
    }

    /// Something between the values that is none.
    fn end_stray(&mut self, frames: &mut Vec<Frame>) {
        self.bodies.stray = false;
        // The bracket before it was taken for that of a list.
        let done = self.raw.trim_matches(is_blank) == DONE.trim_start_matches('[');
        if done {
            self.bodies.lists = self.bodies.lists.saturating_sub(1);
        }
        self.emit(if done { FrameKind::Done } else { FrameKind::Broken(BROKEN) }, frames);
    }
}

/// What a byte of a body does.
enum Step {
    On,
    Open,
    OpenStray,
    Value,
    Broken,
    Stray,
    Lines,
}

/// What ends in a body.
enum End {
    Separators,
    Blanks,
    Value,
    Broken,
    Stray,
    Lines,
}

/// What a line of an event stream is.
enum Field {
    Data,
    Event,
    Comment,
    Blank,
    None,
}

/// A line's field and its value. A line of bare JSON is data too; a doubled `data:` is one.
fn field(line: &str) -> (Field, &str) {
    if line.is_empty() {
        return (Field::Blank, "");
    }
    if line.starts_with(['{', '[']) {
        return (Field::Data, line);
    }
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let mut value = value.trim();
    if name.eq_ignore_ascii_case("data") {
        while let Some(inner) = value.strip_prefix("data:") {
            value = inner.trim_start();
        }
        return (Field::Data, value);
    }
    match name.to_ascii_lowercase().as_str() {
        "" => (Field::Comment, value),
        "event" => (Field::Event, value),
        "id" | "retry" => (Field::Comment, value),
        _ => (Field::None, value),
    }
}

/// The values of a chunk's text. `null` says nothing, as an empty line does.
fn chunk(text: &str, event: Option<String>, options: &ParseOptions) -> FrameKind {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter::<Value>().collect();
    match values {
        Ok(values) if values.iter().all(Value::is_null) => FrameKind::Markup,
        Ok(values) if values.iter().all(|value| value.is_object() || value.is_array()) => {
            FrameKind::Chunk { values, event, repairs: Vec::new() }
        }
        Ok(_) => FrameKind::Broken(BROKEN),
        Err(_) => nearly(text, event, options),
    }
}

/// A chunk that differs from JSON inside a value only, as when a server writes `-Infinity` for a probability or sends
/// half of a character. One whose structure is damaged may lack anything and is not mended.
fn nearly(text: &str, event: Option<String>, options: &ParseOptions) -> FrameKind {
    // Pieces of arguments are JSON themselves: two halves of a character are put together there.
    let calls = ["\"arguments\"", "\"partial_json\""].iter().any(|key| text.contains(key));
    let text = &*if calls { json::keep_halves(text) } else { text.into() };
    let One { value, end, complete, repairs } = json::read_one(text, options);
    let alone = text.get(end..).is_some_and(|rest| rest.trim().is_empty());
    let harmless = repairs.iter().all(|repair| HARMLESS.contains(&repair.kind.code));
    match value {
        Some(value @ Value::Object(_)) if complete && alone && harmless && repairs.len() < options.max_repairs => {
            FrameKind::Chunk { values: vec![value], event, repairs }
        }
        _ => FrameKind::Broken(BROKEN),
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{feff}'
}

/// Repairs that leave the structure of a chunk as it was sent.
const HARMLESS: &[&str] =
    &["json.no-such-value", "json.lone-surrogate", "json.number", "json.raw-control", "json.too-deep"];
const DONE: &str = "[DONE]";
const CUT: &str = "the stream ends inside a chunk";
const BROKEN: &str = "the chunk is no valid JSON";
const TOO_LONG: &str = "the chunk is longer than is kept";
const NO_LINE: &str = "this is no line of an event stream";
/// The longest name of an event that is kept.
const MAX_EVENT: usize = 128;
