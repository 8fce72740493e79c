//! The streams of hosted models: chat completions, messages and responses, streamed or whole.
//!
//! A `NativeStream` takes what the server sends, in any pieces, and gives the same events as every other reader. It
//! is there because servers differ from their own manuals: an index is missing, an id is used twice, a stream just
//! ends. It never makes up arguments, and never calls a call complete that may have been cut.

/// Where a JSON value ends.
mod balance;
/// From bytes to chunks.
mod framing;
/// What is mended here.
pub(crate) mod repairs;
/// The events of one frame and their spans.
mod page;
/// The arguments of a call.
mod arguments;
/// Calls put together from their pieces.
mod calls;
/// One turn: its calls, its end, its facts.
mod turn;
/// Reading foreign objects.
mod fields;
/// Chat completions.
mod openai;
/// Messages.
mod anthropic;
/// Responses.
mod responses;

pub use calls::Form;
pub use repairs::KINDS;
pub use turn::StreamFacts;

use super::event::{Engine, Event, Finish, ParseOptions};
use framing::{Frame, FrameKind, Framing};
use page::Page;
use serde_json::{Map, Value};
use turn::Turn;

/// A protocol of hosted models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI chat completions and what is compatible with them.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// OpenAI responses.
    Responses,
}

impl Dialect {
    /// The dialect that a protocol name stands for.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "openai" => Some(Self::OpenAi),
            "anthropic" => Some(Self::Anthropic),
            "responses" => Some(Self::Responses),
            _ => None,
        }
    }
}

/// Reads one turn as a server sends it: an event stream, a JSON body, or several of them in lines or in a list.
#[derive(Debug)]
pub struct NativeStream {
    framing: Framing,
    reader: Reader,
    turn: Turn,
    frames: Vec<Frame>,
    repairs_left: usize,
}

impl NativeStream {
    /// A reader of one dialect.
    pub fn new(dialect: Dialect, options: &ParseOptions) -> Self {
        let reader = match dialect {
            Dialect::OpenAi => Reader::OpenAi(openai::Reader::default()),
            Dialect::Anthropic => Reader::Anthropic(anthropic::Reader::default()),
            Dialect::Responses => Reader::Responses(responses::Reader::default()),
        };
        Self {
            framing: Framing::new(options),
            reader,
            turn: Turn::new(options),
            frames: Vec::new(),
            repairs_left: options.max_repairs,
        }
    }

    /// Takes the next piece of the input.
    pub fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        let mut frames = std::mem::take(&mut self.frames);
        self.framing.push(text, &mut frames);
        frames.drain(..).for_each(|frame| self.read(&frame, out));
        self.frames = frames;
    }

    /// Takes a chunk that somebody has read already: an object, or a list of them.
    pub fn take(&mut self, chunk: &Value, out: &mut Vec<Event>) {
        let mut page = Page::new(self.framing.end(), "", &mut self.repairs_left, out);
        for object in objects(chunk) {
            self.reader.read(object, None, &mut self.turn, &mut page);
        }
        page.close();
    }

    /// Takes the end mark that a server sends after its last chunk.
    pub fn done(&mut self, out: &mut Vec<Event>) {
        let mut page = Page::new(self.framing.end(), "", &mut self.repairs_left, out);
        self.turn.over(&mut page);
        page.close();
    }

    /// Nothing more comes: what is open ends here.
    pub fn finish(&mut self, reason: Finish, out: &mut Vec<Event>) {
        let mut frames = Vec::new();
        let closing = self.framing.finish(&mut frames);
        frames.iter().for_each(|frame| self.read(frame, out));
        let mut page = Page::new(self.framing.end(), "", &mut self.repairs_left, out);
        self.turn.finish(reason, closing, &mut page);
        page.close();
    }

    /// How the call with this number is written.
    pub fn form(&self, index: usize) -> Form {
        self.turn.calls.form(index)
    }

    /// What the server has told about the turn so far.
    pub fn facts(&self) -> &StreamFacts {
        &self.turn.facts
    }

    fn read(&mut self, frame: &Frame, out: &mut Vec<Event>) {
        let mut page = Page::new(frame.start, &frame.raw, &mut self.repairs_left, out);
        match &frame.kind {
            FrameKind::Markup => {}
            FrameKind::Done => self.turn.over(&mut page),
            FrameKind::Broken(reason) => {
                self.turn.calls.spoil_open();
                page.unrecovered(&frame.raw, *reason);
            }
            FrameKind::Chunk { values, event, repairs } => {
                repairs.iter().for_each(|repair| page.mended(repair.clone()));
                for object in values.iter().flat_map(objects) {
                    self.reader.read(object, event.as_deref(), &mut self.turn, &mut page);
                }
            }
        }
        page.close();
    }
}

impl Engine for NativeStream {
    fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        Self::push(self, text, out);
    }

    fn finish(&mut self, reason: Finish, out: &mut Vec<Event>) {
        Self::finish(self, reason, out);
    }
}

/// The reader of a dialect, with what it remembers.
#[derive(Debug)]
enum Reader {
    OpenAi(openai::Reader),
    Anthropic(anthropic::Reader),
    Responses(responses::Reader),
}

impl Reader {
    /// Reads one object. Some servers name the event only in its own line.
    fn read(&mut self, object: &Map<String, Value>, event: Option<&str>, turn: &mut Turn, page: &mut Page) {
        let mut named = None;
        let object = match event {
            Some(event) if !matches!(self, Self::OpenAi(_)) && !object.contains_key("type") => {
                let mut object = object.clone();
                object.insert("type".to_owned(), event.into());
                &*named.insert(object)
            }
            _ => object,
        };
        match self {
            Self::OpenAi(reader) => reader.read(object, turn, page),
            Self::Anthropic(reader) => reader.read(object, turn, page),
            Self::Responses(reader) => reader.read(object, turn, page),
        }
    }
}

/// The objects of a value: itself, or those of a list.
fn objects(value: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let list = value.as_array().into_iter().flatten().filter_map(Value::as_object);
    value.as_object().into_iter().chain(list)
}
