//! The one who fits: walks over a value and the shapes of its schema at the same time.
//!
//! Each pair of a value and a shape is fitted once and remembered, so the work is bounded by the size of the value times
//! the size of the schema, and never by the number of ways through its unions. A pair that is met again while it is
//! still being fitted does not fit: recursive schemas end there. A budget in steps bounds even that product.

use super::blocks::Blocks;
use super::fitted::{Fit, better};
use super::kinds;
use super::shape::{Id, Shape, Shapes};
use crate::parse::event::{ParseOptions, Repair, Span};
use crate::parse::json;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::cell::OnceCell;
use std::rc::Rc;

/// For whom a value is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// An answer that must have the schema's shape: what does not belong is left out, what is missing is filled in.
    Answer,
    /// An answer that was cut: what is missing had not come yet.
    Cut,
    /// The arguments of a tool call: only what is certain is mended, the rest stays for the checks to see.
    Arguments,
}

/// Fits values to the shapes of one schema.
pub(super) struct Fitter<'a> {
    /// The schema.
    pub shapes: &'a Shapes,
    /// For whom.
    pub manner: Manner,
    /// Whether a part was kept as it is because fitting it would take too long.
    pub exhausted: bool,
    held: &'a Held<'a>,
    known: FxHashMap<(Id, usize), Known<'a>>,
    steps: usize,
    depth: usize,
}

/// What is known about a pair of shape and value.
enum Known<'a> {
    Open,
    Done(Option<Rc<Fit<'a>>>),
}

impl<'a> Fitter<'a> {
    /// A fitter for the value that `held` was made of.
    pub(super) fn new(shapes: &'a Shapes, held: &'a Held<'a>, manner: Manner) -> Self {
        let steps = STEPS + held.nodes.saturating_mul(STEPS_PER_NODE);
        Self { shapes, manner, exhausted: false, held, known: FxHashMap::default(), steps, depth: 0 }
    }

    /// Writes a fit out, with what was mended.
    pub(super) fn write(&self, fit: &Fit<'a>, span: Span, options: &ParseOptions) -> (Value, Vec<Repair>) {
        let mut repairs = Vec::new();
        if self.exhausted {
            repairs.push(Repair::new(&kinds::BUDGET, span, "", ""));
        }
        let value = fit.write(span, options.max_repairs, &mut repairs);
        (value, repairs)
    }

    /// Fits a value to a shape.
    pub(super) fn fit(&mut self, id: Id, value: &'a Value) -> Option<Rc<Fit<'a>>> {
        if self.steps == 0 || self.depth > DEPTH {
            self.exhausted = true;
            return Some(Rc::new(Fit::misfit(value)));
        }
        self.steps -= 1;
        let shapes = self.shapes;
        let shape = shapes.shape(id);
        if !matches!(shape, Shape::Union(_) | Shape::List(_) | Shape::Object(_)) {
            return self.scalar(shape, value).map(Rc::new);
        }
        if let Shape::Union(branches) = shape
            && branches.iter().any(|branch| shapes.shape(*branch).is_plainly(value))
            && self.block_of(value).is_none()
        {
            return Some(Rc::new(Fit::same(value)));
        }
        let pair = (id, std::ptr::from_ref(value).addr());
        match self.known.get(&pair) {
            Some(Known::Open) => return None,
            Some(Known::Done(fit)) => return fit.clone(),
            None => {}
        }
        self.known.insert(pair, Known::Open);
        self.depth += 1;
        let fit = match shape {
            Shape::Union(branches) => self.union(branches, value),
            Shape::List(list) => self.list(id, list, value).map(Rc::new),
            Shape::Object(object) => self.object(id, object, value).map(Rc::new),
            _ => None,
        };
        self.depth -= 1;
        self.known.insert(pair, Known::Done(fit.clone()));
        fit
    }

    /// Fits a part of a container. In a call, what does not fit is kept for the checks to see.
    pub(super) fn part(&mut self, id: Id, value: &'a Value) -> Option<Rc<Fit<'a>>> {
        let fit = self.fit(id, value);
        fit.or_else(|| (self.manner == Manner::Arguments).then(|| Rc::new(Fit::misfit(value))))
    }

    /// The best branch. Those that may leave the value as it is come first: if one does, the others need not be tried.
    fn union(&mut self, branches: &[Id], value: &'a Value) -> Option<Rc<Fit<'a>>> {
        let mut best: Option<Rc<Fit<'a>>> = None;
        for likely in [true, false] {
            for branch in branches.iter().filter(|branch| likely == self.shapes.shape(**branch).may_hold(value)) {
                let Some(fit) = self.fit(*branch, value) else { continue };
                let sure = fit.pristine && fit.cost == 0.0;
                if best.as_ref().is_none_or(|best| better(&fit, best)) {
                    best = Some(fit);
                }
                if sure {
                    break;
                }
            }
            if best.as_ref().is_some_and(|best| best.pristine) {
                break;
            }
        }
        // Of branches that all fail somewhere none is the one that was meant.
        match best {
            Some(best) if best.misfit && self.manner == Manner::Arguments => Some(Rc::new(Fit::misfit(value))),
            best => best,
        }
    }

    /// The JSON that a string holds.
    pub(super) fn decoded(&self, value: &Value) -> Option<&'a Value> {
        self.held.decoded(value)
    }

    /// What a string says that was a block of text.
    pub(super) fn block_of(&self, value: &Value) -> Option<&'a String> {
        self.held.blocks?.get(value.as_str()?)
    }

    /// The best of several values for one shape.
    pub(super) fn best_of(&mut self, id: Id, values: impl Iterator<Item = &'a Value>) -> Option<Rc<Fit<'a>>> {
        let mut best: Option<Rc<Fit<'a>>> = None;
        for value in values {
            let Some(fit) = self.fit(id, value) else { continue };
            if best.as_ref().is_none_or(|best| better(&fit, best)) {
                best = Some(fit);
            }
        }
        best
    }
}

/// What the strings of a value hold: JSON that was written as text. Each is read at most once, when it is asked for.
pub(super) struct Held<'v> {
    cells: FxHashMap<usize, (&'v str, OnceCell<Option<Value>>)>,
    options: &'v ParseOptions,
    blocks: Option<&'v Blocks<'v>>,
    nodes: usize,
}

impl<'v> Held<'v> {
    /// Looks through a value for strings that begin like JSON.
    pub(super) fn new(value: &'v Value, options: &'v ParseOptions) -> Self {
        let mut held = Self { cells: FxHashMap::default(), options, blocks: None, nodes: 0 };
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            held.nodes += 1;
            match value {
                Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
                    held.nodes += text.len() / LETTERS_PER_NODE;
                    held.cells.insert(std::ptr::from_ref(value).addr(), (text, OnceCell::new()));
                }
                Value::Array(items) => open.extend(items),
                Value::Object(fields) => open.extend(fields.values()),
                _ => {}
            }
        }
        held
    }

    /// The same, where some strings were blocks of text.
    pub(super) fn with_blocks(self, blocks: &'v Blocks<'v>) -> Self {
        Self { blocks: Some(blocks).filter(|blocks| !blocks.is_empty()), ..self }
    }

    fn decoded(&self, value: &Value) -> Option<&Value> {
        let (text, cell) = self.cells.get(&std::ptr::from_ref(value).addr())?;
        let read = || {
            let one = json::read_one(text, self.options);
            let all = text.get(one.end..).is_some_and(|rest| rest.trim().is_empty());
            one.value.filter(|value| one.complete && all && (value.is_array() || value.is_object()))
        };
        cell.get_or_init(read).as_ref()
    }
}

/// Steps that every value may take.
const STEPS: usize = 20_000;

/// Steps for each part of a value: a generous number of branches that look at it.
const STEPS_PER_NODE: usize = 128;

/// The letters of JSON text that count as one part of a value.
const LETTERS_PER_NODE: usize = 4;

/// How deep shapes and values may be followed together. The stack of a small thread holds this many steps.
const DEPTH: usize = 300;
