//! What a parser gives: events that cover the input exactly once, and the repairs it had to make.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A stretch of the input, as byte offsets into its UTF-8 text. Bytes that are no UTF-8 count as the replacement
/// character that stands for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// From `start` up to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// A point between two bytes.
    pub const fn at(place: usize) -> Self {
        Self::new(place, place)
    }

    /// The same stretch, `by` bytes further on.
    pub const fn shifted(self, by: usize) -> Self {
        Self::new(self.start + by, self.end + by)
    }
}

/// One thing that was read.
///
/// `Text`, `Reasoning`, `ArgDelta`, `Tag`, `Value`, `Markup` and `Unrecovered` cover the input: their spans follow each
/// other without gap or overlap. The others are points on the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Words for the reader.
    Text {
        /// The words.
        text: String,
        /// Where they are.
        span: Span,
    },
    /// Words the model said to itself.
    Reasoning {
        /// The words.
        text: String,
        /// Where they are.
        span: Span,
    },
    /// A call has begun, and its name is known.
    CallStart {
        /// Counts the calls of this parser, from 0.
        index: usize,
        /// The call's own id, where the format has one.
        id: Option<String>,
        /// The name, mended where that is certain.
        name: String,
        /// The name as it was written.
        raw_name: String,
        /// Where the call is.
        place: Place,
        /// Where it begins.
        at: usize,
    },
    /// A piece of a call's arguments, as it was written.
    ArgDelta {
        /// The call.
        index: usize,
        /// The piece.
        delta: String,
        /// Where it is.
        span: Span,
    },
    /// A call is over.
    CallEnd {
        /// The call.
        index: usize,
        /// Whether all of it was seen. Only a complete call may run.
        complete: bool,
        /// Whether its closing mark was missing and the model had stopped by itself: such a call must not run where it
        /// cannot be undone.
        unclosed: bool,
        /// The arguments; absent where they could not be read. Never `{}` because reading failed.
        arguments: Option<Map<String, Value>>,
        /// Where it ends.
        at: usize,
    },
    /// A whole tag of a tag protocol.
    Tag {
        /// What it says.
        tag: TagRead,
        /// Where it is, markup included.
        span: Span,
    },
    /// The value of a JSON answer.
    Value {
        /// The value.
        value: Value,
        /// Whether it was not cut by the end of the input.
        complete: bool,
        /// Where it is.
        span: Span,
    },
    /// Bytes that structure the output and say nothing themselves: markers, fences, stray closings.
    Markup {
        /// The bytes.
        text: String,
        /// Where they are.
        span: Span,
    },
    /// Something was mended.
    Repair(Repair),
    /// What looked like a call or a tag and could not be understood. Readers show it as text.
    Unrecovered {
        /// As it was written.
        text: String,
        /// Why it could not be understood.
        reason: String,
        /// Where it is.
        span: Span,
    },
}

impl Event {
    /// The stretch of input that the event covers; none for a point on the way.
    pub fn covered(&self) -> Option<Span> {
        match self {
            Self::Text { span, .. }
            | Self::Reasoning { span, .. }
            | Self::ArgDelta { span, .. }
            | Self::Tag { span, .. }
            | Self::Value { span, .. }
            | Self::Markup { span, .. }
            | Self::Unrecovered { span, .. } => Some(*span),
            Self::CallStart { .. } | Self::CallEnd { .. } | Self::Repair(_) => None,
        }
    }

    /// A delta as two, the second of which begins at `at` in the output. None where it does not fall apart there.
    pub(super) fn split_at(&self, at: usize) -> Option<(Self, Self)> {
        let span = self.covered()?;
        let cut = |text: &str| {
            let whole = text.len() == span.end - span.start;
            let place = at.checked_sub(span.start).filter(|place| whole && *place > 0)?;
            text.split_at_checked(place).map(|(front, back)| (front.to_owned(), back.to_owned()))
        };
        let (front, back) = (Span::new(span.start, at), Span::new(at, span.end));
        match self {
            Self::Text { text, .. } => {
                let (a, b) = cut(text)?;
                Some((Self::Text { text: a, span: front }, Self::Text { text: b, span: back }))
            }
            Self::Reasoning { text, .. } => {
                let (a, b) = cut(text)?;
                Some((Self::Reasoning { text: a, span: front }, Self::Reasoning { text: b, span: back }))
            }
            Self::Markup { text, .. } => {
                let (a, b) = cut(text)?;
                Some((Self::Markup { text: a, span: front }, Self::Markup { text: b, span: back }))
            }
            Self::ArgDelta { index, delta, .. } => {
                let (a, b) = cut(delta)?;
                let of = |delta, span| Self::ArgDelta { index: *index, delta, span };
                Some((of(a, front), of(b, back)))
            }
            _ => None,
        }
    }
}

/// Where a call is in the output. Policy decides whether a call outside the answer may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the answer itself.
    #[default]
    Answer,
    /// In the model's reasoning.
    Reasoning,
    /// In a fenced block.
    Fence,
}

/// Why the model's output ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// The model stopped by itself.
    #[default]
    Stop,
    /// Nobody said: what is open and could go on is not complete.
    Unsaid,
    /// The output was cut at a limit: what is open is not complete.
    Length,
    /// Somebody stopped it: what is open is not complete.
    Cancelled,
}

impl Finish {
    /// Whether the output is known to be cut.
    pub fn is_cut(self) -> bool {
        matches!(self, Self::Length | Self::Cancelled)
    }
}

/// One mend: what was wrong, where, and what was made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// What kind of mend.
    pub kind: &'static Kind,
    /// Where.
    pub span: Span,
    /// What was written, shortened.
    pub before: String,
    /// What it was read as, shortened.
    pub after: String,
}

/// A kind of repair, with a code that does not change.
#[derive(Debug, PartialEq)]
pub struct Kind {
    /// The code, such as `json.trailing-comma`.
    pub code: &'static str,
    /// What happened, in one sentence without a full stop.
    pub note: &'static str,
    /// How sure it is that this is what was meant, 0 to 1.
    pub confidence: f64,
}

/// A tag of a protocol, as it was understood.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TagRead {
    /// The tag's name in the protocol.
    pub tag: String,
    /// Its number, for a numbered tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Its fields, for a tag that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Map<String, Value>>,
    /// Its text, for a tag without fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the protocol calls the thing, such as `material3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether all of it was seen, or the model stopped by itself.
    #[serde(skip)]
    pub complete: bool,
    /// Whether its closing was missing at the end of the output.
    #[serde(skip)]
    pub unclosed: bool,
    /// Where it is.
    #[serde(skip)]
    pub place: Place,
}

impl TagRead {
    /// All that it says, in one piece.
    pub(super) fn words(&self) -> String {
        let fields = self.fields.iter().flat_map(Map::values).filter_map(Value::as_str);
        fields.chain(self.text.as_deref()).collect::<Vec<_>>().join("\n")
    }
}

/// What bounds a parser.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseOptions {
    /// The longest call, tag or JSON value that is kept, in bytes. What is longer comes out as text.
    pub max_region: usize,
    /// The deepest nesting of JSON. What is deeper is kept as text inside the value.
    pub max_depth: usize,
    /// The most repairs that are reported; the rest are made all the same.
    pub max_repairs: usize,
    /// What becomes of calls in fences and in reasoning.
    pub elsewhere: Elsewhere,
}

/// What becomes of calls that are outside the answer itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Elsewhere {
    /// They are told with their place. A fence after other words is an example all the same.
    #[default]
    Tell,
    /// They are text, and leave as they come.
    Text,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { max_region: 16 << 20, max_depth: 127, max_repairs: 1000, elsewhere: Elsewhere::Tell }
    }
}

impl Repair {
    /// A repair of `kind` at `span`. What was and what became of it are shortened.
    pub fn new(kind: &'static Kind, span: Span, before: &str, after: &str) -> Self {
        Self { kind, span, before: short(before), after: short(after) }
    }

    /// Whether this tells that a thought ended whose beginning nobody saw: what came before it was thought.
    pub fn ends_unopened_thought(&self) -> bool {
        self.kind.code == "reasoning.unopened"
    }
}

/// The same events with neighbouring deltas joined: what they are does not depend on how the input was split.
pub fn join_deltas(events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(Event::Text { text, span }), Event::Text { text: more, span: next })
            | (Some(Event::Reasoning { text, span }), Event::Reasoning { text: more, span: next })
            | (Some(Event::Markup { text, span }), Event::Markup { text: more, span: next }) => {
                text.push_str(&more);
                span.end = next.end;
            }
            (
                Some(Event::ArgDelta { index, delta, span }),
                Event::ArgDelta { index: same, delta: more, span: next },
            ) if *index == same => {
                delta.push_str(&more);
                span.end = next.end;
            }
            (_, event) => joined.push(event),
        }
    }
    joined
}

/// One way of reading: takes text in any pieces, gives events. Offsets in its events count from the first piece.
pub(super) trait Engine {
    /// Takes the next piece.
    fn push(&mut self, text: &str, out: &mut Vec<Event>);
    /// Nothing more comes.
    fn finish(&mut self, reason: Finish, out: &mut Vec<Event>);
}

/// At most [`SHORT`] characters, the rest told by an ellipsis.
fn short(text: &str) -> String {
    if text.len() <= SHORT {
        return text.to_owned();
    }
    match text.char_indices().nth(SHORT) {
        Some((cut, _)) => [text.get(..cut).unwrap_or_default(), "…"].concat(),
        None => text.to_owned(),
    }
}

/// Enough to recognise the place; a repair must not repeat the whole output.
const SHORT: usize = 60;
