//! A value that was made to fit: what it became, what that cost, and which of two is the better one.
//!
//! Nothing is copied while branches are weighed against each other: a fit points into the value it came from and to the
//! fits of its parts. Only the one that is taken is written out, at the end and once.

use crate::parse::event::{Kind, Repair, Span};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Map, Value};
use std::io::{Result, Write};
use std::rc::Rc;

/// One way to make a value fit.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    /// What it became.
    pub node: Node<'a>,
    /// What it cost; less is better.
    pub cost: f64,
    /// Whether nothing was changed, in it or in its parts.
    pub pristine: bool,
    /// Whether something in it was kept though it does not fit.
    pub misfit: bool,
    /// What is worth knowing when it is weighed against another.
    pub marks: Marks,
    /// What was mended here, without the parts.
    pub mends: Vec<Mend<'a>>,
}

/// What a value became.
#[derive(Debug)]
pub(super) enum Node<'a> {
    /// It stayed as it was.
    Same(&'a Value),
    /// Something new.
    Made(Value),
    /// It was written as JSON text.
    Written(&'a Value),
    /// A list of parts.
    List(Vec<Rc<Fit<'a>>>),
    /// An object of parts.
    Object(Vec<(&'a str, Rc<Fit<'a>>)>),
    /// Another fit, with more to be said about it.
    Inner(Rc<Fit<'a>>),
}

/// What weighs beside the cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// An array or object.
    pub composite: bool,
    /// A list, which was made of a single value.
    pub wrapped: bool,
    /// A list.
    pub list: bool,
    /// A scalar made of a container.
    pub flattened: bool,
    /// An object whose only field is a text that was taken for it.
    pub implied_text: bool,
    /// An object of nothing but defaults.
    pub defaulted: bool,
    /// A list that lost all its items.
    pub emptied: bool,
}

/// What was mended: from this, by this kind.
#[derive(Debug, Clone)]
pub(super) struct Mend<'a> {
    /// The kind of repair.
    pub kind: &'static Kind,
    /// What was there.
    pub before: Before<'a>,
}

/// What was there before a mend.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    /// A value.
    Value(&'a Value),
    /// A key of an object.
    Key(&'a str),
}

impl<'a> Fit<'a> {
    /// The value as it is.
    pub(super) fn same(value: &'a Value) -> Self {
        let composite = value.is_array() || value.is_object();
        let marks = Marks { composite, list: value.is_array(), ..Marks::default() };
        Self { node: Node::Same(value), cost: 0.0, pristine: true, misfit: false, marks, mends: Vec::new() }
    }

    /// A new scalar in the place of `value`.
    pub(super) fn made(new: Value, value: &'a Value, kind: &'static Kind, cost: f64) -> Self {
        let flattened = value.is_array() || value.is_object();
        let marks = Marks { flattened, ..Marks::default() };
        Self { node: Node::Made(new), cost, pristine: false, misfit: false, marks, mends: vec![Mend::of(kind, value)] }
    }

    /// The value as it is, though it does not fit.
    pub(super) fn misfit(value: &'a Value) -> Self {
        Self { cost: MISFIT, pristine: false, misfit: true, ..Self::same(value) }
    }

    /// Another fit of a part of `value`, which stands for all of it.
    pub(super) fn instead(inner: Rc<Self>, value: &'a Value, kind: &'static Kind, cost: f64) -> Self {
        let marks = Marks { flattened: !inner.marks.composite, ..inner.marks };
        let (cost, misfit) = (inner.cost + cost, inner.misfit);
        Self { node: Node::Inner(inner), cost, pristine: false, misfit, marks, mends: vec![Mend::of(kind, value)] }
    }

    /// Whether the value need not be written again.
    pub(super) fn is_unchanged(&self) -> bool {
        matches!(self.node, Node::Same(_)) && self.mends.is_empty()
    }

    /// Writes the value out. The repairs of the parts follow those of the whole.
    pub(super) fn write(&self, span: Span, most: usize, repairs: &mut Vec<Repair>) -> Value {
        let first = repairs.len();
        let take = self.mends.len().min(most.saturating_sub(first));
        repairs.extend(self.mends.iter().take(take).map(|mend| mend.describe(span)));
        let value = match &self.node {
            Node::Same(value) => (*value).clone(),
            Node::Made(value) => value.clone(),
            Node::Written(value) => Value::String(write_spaced(value)),
            Node::List(items) => Value::Array(items.iter().map(|item| item.write(span, most, repairs)).collect()),
            Node::Object(fields) => {
                let fields = fields.iter().map(|(name, fit)| ((*name).to_owned(), fit.write(span, most, repairs)));
                Value::Object(fields.collect::<Map<_, _>>())
            }
            Node::Inner(inner) => inner.write(span, most, repairs),
        };
        let after = show_value(&value);
        for repair in repairs.iter_mut().skip(first).take(take) {
            repair.after.clone_from(&after);
        }
        value
    }
}

impl<'a> Mend<'a> {
    /// A mend of a value.
    pub(super) fn of(kind: &'static Kind, value: &'a Value) -> Self {
        Self { kind, before: Before::Value(value) }
    }

    /// A mend that concerns a key.
    pub(super) fn key(kind: &'static Kind, key: &'a str) -> Self {
        Self { kind, before: Before::Key(key) }
    }

    fn describe(&self, span: Span) -> Repair {
        match self.before {
            Before::Value(Value::String(text)) => Repair::new(self.kind, span, text, ""),
            Before::Value(value) => Repair::new(self.kind, span, &show_value(value), ""),
            Before::Key(key) => Repair::new(self.kind, span, key, ""),
        }
    }
}

/// Whether the first of two fits is strictly the better one. What is equal stays with the earlier branch.
pub(super) fn better(one: &Fit<'_>, other: &Fit<'_>) -> bool {
    if one.misfit != other.misfit {
        return other.misfit;
    }
    if one.pristine != other.pristine {
        return one.pristine;
    }
    let (left, right) = (one.marks, other.marks);
    // The worse marks first: a list made of one value, a text taken for an object, defaults only.
    let doubts = [
        (left.list && right.list, left.wrapped, right.wrapped),
        (left.list && right.list, left.emptied, right.emptied),
        (left.composite && right.composite, left.implied_text, right.implied_text),
        (left.composite && right.composite, left.defaulted, right.defaulted),
        (left.composite != right.composite, left.flattened, right.flattened),
    ];
    match doubts.iter().find(|(applies, left, right)| *applies && left != right) {
        Some((_, left, _)) => !left,
        None => one.cost < other.cost,
    }
}

/// A value in a few letters. A container is not written out, however large it is.
fn show_value(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Array(_) => "[…]".to_owned(),
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(_) => "{…}".to_owned(),
        Value::String(text) => Repair::new(&BLANK, Span::default(), text, "").before,
        scalar => scalar.to_string(),
    }
}

/// A value as JSON text with a blank after each comma and colon, as people write it.
fn write_spaced(value: &Value) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail, and what is written is UTF-8.
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, Spaced));
    written.ok().and_then(|()| String::from_utf8(out).ok()).unwrap_or_default()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }
}

/// What a part costs that is kept though it does not fit.
const MISFIT: f64 = 1000.0;

static BLANK: Kind = Kind { code: "", note: "", confidence: 0.0 };
