//! The call formats of open models, recognised from the text and the registered tools.
//!
//! Prose goes out as it comes. Where a marker, a tag or a bare JSON call begins, the engine enters a region and leaves
//! it where the region ends; each byte of a region is looked at a constant number of times. What turns out to be no
//! call is text again. The formats differ in their markers and in the way they write name and arguments, so there is
//! one list of tokens (`token`), one of tags (`tag`) and one reader for each way of writing arguments.

/// The formats by name.
mod table;
/// The registered tools.
mod tools;
/// Special tokens.
mod token;
/// Tags and their meanings.
mod tag;
/// What is before a place on its line.
mod line;
/// Where a JSON value ends.
mod tracker;
/// What may be a name.
mod word;
/// From JSON to calls.
mod payload;
/// Calls written as Python.
mod pythonic;
/// Gemma's arguments.
mod gemma;
/// What is mended here.
mod repairs;
/// The buffer, and how events leave it.
mod buffer;
/// What is seen of a call while it streams in.
mod sight;
/// Calls whose arguments are JSON.
mod region;
/// Message headers: `<|channel|>analysis<|message|>`.
mod header;
/// Parameters that are tags inside tags.
mod elements;
/// Calls whose arguments are tags.
mod xml;
/// Calls after words on their line, until what follows tells whether they are meant.
mod hold;
/// What is done where something may begin.
mod step;
/// Markup that quotes.
mod quoting;
/// Calls that begin their line with the name of their tool.
mod named;
/// What begins where prose stops.
mod prose;

pub(crate) use repairs::KINDS;
pub(crate) use table::Format;

use super::event::{Engine, Event, Finish, ParseOptions, Place, Repair, Span};
use super::markup::Input;
use crate::contract::ToolSpec;
use buffer::Buffer;
use header::Header;
use hold::Hold;
use line::{Line, Said};
use region::Region;
use serde_json::{Map, Value};
use std::sync::Arc;
use tag::Lexicon;
use tools::Tools;
use xml::Xml;

/// The tools that a model was given, looked at once for many outputs.
#[derive(Debug, Clone)]
pub struct KnownTools(Arc<Tools>);

impl KnownTools {
    /// Looks at tools.
    pub fn of(tools: &[ToolSpec]) -> Self {
        Self(Arc::new(Tools::of(tools)))
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether a name is that of a tool, perhaps slightly misspelt.
    pub(super) fn knows(&self, written: &str) -> bool {
        self.0.resolve(written).tool.is_some()
    }

    /// The registered name that was meant, with the schema of its arguments; without one, the name as it was written.
    pub(super) fn named(&self, written: &str) -> (String, Option<&Value>) {
        let named = self.0.resolve(written);
        (named.name, named.tool.map(|at| self.0.schema(at)))
    }

    /// Arguments written as Python writes them, all by name, and all names known.
    pub(super) fn python_arguments(&self, name: &str, inner: &str) -> Option<Map<String, Value>> {
        let tool = self.0.resolve(name).tool?;
        let call = format!("{name}({inner})");
        let [written] = <[_; 1]>::try_from(pythonic::read(&call, &self.0, &ParseOptions::default())?).ok()?;
        let properties = self.0.properties(tool)?;
        written.arguments.filter(|found| !found.is_empty() && found.keys().all(|key| properties.contains_key(key)))
    }
}

/// Reads prose with calls in it.
pub(super) struct FormatEngine {
    tools: Arc<Tools>,
    options: ParseOptions,
    format: Option<&'static Format>,
    lexicon: Lexicon,
    buffer: Buffer,
    state: State,
    /// Where the model's reasoning began, while it is in it.
    reasoning: Option<usize>,
    /// Whether a message header began it.
    channel: bool,
    /// Whether a thought has ended.
    thought: bool,
    line: Line,
    hold: Hold,
    /// Up to here a header was looked through, and nothing in it ended it: the next one is looked at from here on.
    headless: usize,
    /// Inside a message that is addressed to a person: nothing in it is a call.
    verbatim: bool,
    /// What was said before: after it words in brackets are no calls, unless their tool is registered.
    said: Said,
    calls: usize,
    /// Tags in the text of a parameter did not fit together: they open nothing any more.
    flat: bool,
    input: Input,
    finish: Finish,
}

enum State {
    Prose,
    Region(Box<Region>),
    Xml(Box<Xml>),
    Header(Header),
}

/// Whether a state can go on with what has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// It did something; look again.
    Again,
    /// It needs more text.
    Wait,
}

impl FormatEngine {
    /// Every format at once.
    pub(super) fn auto(tools: &[ToolSpec], options: ParseOptions) -> Self {
        Self::knowing(&KnownTools::of(tools), options)
    }

    /// The same with tools that were looked at before.
    pub(super) fn knowing(tools: &KnownTools, options: ParseOptions) -> Self {
        Self {
            tools: Arc::clone(&tools.0),
            options,
            format: None,
            lexicon: Lexicon::new(),
            buffer: Buffer::default(),
            state: State::Prose,
            reasoning: None,
            channel: false,
            thought: false,
            line: Line::default(),
            hold: Hold::default(),
            headless: 0,
            verbatim: false,
            said: Said::default(),
            calls: 0,
            flat: false,
            input: Input::Open,
            finish: Finish::Stop,
        }
    }

    /// One format.
    pub(super) fn of(format: &'static Format, tools: &[ToolSpec], options: ParseOptions) -> Self {
        Self { format: Some(format), ..Self::auto(tools, options) }
    }

    fn run(&mut self, out: &mut Vec<Event>) {
        while self.held(out, Self::advance) == Flow::Again {}
    }

    fn advance(&mut self, out: &mut Vec<Event>) -> Flow {
        match std::mem::replace(&mut self.state, State::Prose) {
            State::Prose => self.prose(out),
            State::Region(region) => self.region(*region, out),
            State::Xml(xml) => self.xml(xml, out),
            State::Header(header) => self.header(header, out),
        }
    }

    /// Where a call that begins now stands.
    fn place(&self) -> Place {
        match (self.reasoning, self.line.fence()) {
            (Some(_), _) => Place::Reasoning,
            (None, Some(_)) => Place::Fence,
            (None, None) => Place::Answer,
        }
    }

    /// Gives out everything before `to` as prose.
    fn flush(&mut self, to: usize, out: &mut Vec<Event>) {
        self.read_line(to);
        if let Some((text, span)) = self.buffer.take(to) {
            if self.reasoning.is_none() {
                self.said.take(&text);
            }
            out.push(match self.reasoning {
                Some(_) => Event::Reasoning { text, span },
                None => Event::Text { text, span },
            });
        }
    }

    /// Reads the line up to `to`.
    fn read_line(&mut self, to: usize) {
        self.line.at = self.line.at.max(self.buffer.done());
        if to > self.line.at {
            self.line.read(self.buffer.piece(self.line.at, to));
        }
    }

    /// Gives out everything before `to` as arguments. What is said about a place comes after what is before it.
    fn arguments_to(&mut self, index: usize, to: usize, out: &mut Vec<Event>) {
        if let Some((delta, span)) = self.buffer.take(to) {
            out.push(Event::ArgDelta { index, delta, span });
        }
    }

    /// Gives out everything before `to` as structure.
    fn markup(&mut self, to: usize, out: &mut Vec<Event>) {
        if let Some((text, span)) = self.buffer.take(to) {
            out.push(Event::Markup { text, span });
        }
        self.line.after_structure(to);
        self.hold.end = to;
    }

    /// Gives out everything before `to` as something that was not understood.
    fn report_unrecovered(&mut self, to: usize, reason: &str, out: &mut Vec<Event>) {
        if let Some((text, span)) = self.buffer.take(to) {
            out.push(Event::Unrecovered { text, reason: reason.to_owned(), span });
        }
        self.line.after_words(to);
    }
}

impl Engine for FormatEngine {
    fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        self.buffer.push(text);
        self.run(out);
        self.buffer.forget();
    }

    fn finish(&mut self, reason: Finish, out: &mut Vec<Event>) {
        self.input = Input::Ended;
        self.finish = reason;
        self.run(out);
        let end = self.buffer.end();
        self.flush(end, out);
        if let Some(start) = self.reasoning {
            let span = Span::new(start, end);
            out.push(Event::Repair(Repair::new(&repairs::UNCLOSED_REASONING, span, "", "")));
        }
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    token::build_tables();
    tag::build_tables();
}
