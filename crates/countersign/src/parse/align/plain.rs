//! Scalars: null, booleans, numbers, text and choices out of whatever was written in their place.

use super::fitted::{Fit, Node};
use super::fitter::{Fitter, Manner};
use super::kinds;
use super::scalar::{self, Extent, is_whole};
use super::shape::Shape;
use crate::parse::event::Kind;
use serde_json::{Number, Value};
use std::rc::Rc;

impl<'a> Fitter<'a> {
    /// Fits a value to a shape that has no parts.
    pub(super) fn scalar(&mut self, shape: &Shape, value: &'a Value) -> Option<Fit<'a>> {
        match (shape, value) {
            (Shape::Any, _) => Some(self.anything(value)),
            (Shape::Null, Value::Null) | (Shape::Boolean, Value::Bool(_)) | (Shape::Number, Value::Number(_)) => {
                Some(Fit::same(value))
            }
            (Shape::Text, Value::String(_)) => Some(match self.block_of(value) {
                Some(block) => Fit::made(Value::String(block.clone()), value, &kinds::BLOCK, 0.0),
                None => Fit::same(value),
            }),
            (Shape::Integer, Value::Number(number)) if is_whole(number) => Some(Fit::same(value)),
            (Shape::Choice(choice), value) if choice.contains(value) => Some(Fit::same(value)),
            (Shape::Null, _) => self.null(value),
            (Shape::Text, _) => self.text(value),
            (_, Value::String(text)) => self.read(shape, text, value),
            (Shape::Integer, Value::Number(number)) => self.round(number, value, &kinds::ROUNDED),
            (Shape::Choice(choice), Value::Number(_) | Value::Bool(_)) => {
                let (option, _) = choice.read(&value.to_string()).filter(|(_, extent)| *extent == Extent::Whole)?;
                Some(Fit::made(option.clone(), value, &kinds::CHOICE, 1.0))
            }
            (Shape::Boolean | Shape::Integer | Shape::Number | Shape::Choice(_), Value::Array(items)) => {
                self.one_of(shape, items, value)
            }
            (Shape::Boolean | Shape::Integer | Shape::Number | Shape::Choice(_), Value::Object(fields)) => {
                self.only_of(shape, fields, value)
            }
            _ => None,
        }
    }

    /// Anything fits, but an answer prefers a shape that says something.
    pub(super) fn anything(&self, value: &'a Value) -> Fit<'a> {
        let cost = if self.manner == Manner::Arguments { 0.0 } else { 5.0 };
        Fit { cost, ..Fit::same(value) }
    }

    fn null(&self, value: &'a Value) -> Option<Fit<'a>> {
        match value {
            Value::String(text) if scalar::is_null(text) => Some(Fit::made(Value::Null, value, &kinds::NULL, 1.0)),
            _ if self.manner == Manner::Arguments => None,
            // Where null is allowed, it is the last resort for what nothing else can hold.
            _ => Some(Fit::made(Value::Null, value, &kinds::DROPPED, 110.0)),
        }
    }

    fn text(&self, value: &'a Value) -> Option<Fit<'a>> {
        let container = value.is_array() || value.is_object();
        if value.is_null() || (container && self.manner == Manner::Arguments) {
            return None;
        }
        // A container is written as text only if that is what is taken in the end: it may be large.
        Some(Fit { node: Node::Written(value), ..Fit::made(Value::Null, value, &kinds::STRING, 2.0) })
    }

    /// Reads a text as a number, a boolean or a choice. A sentence says so only to who wants an answer.
    fn read(&self, shape: &Shape, text: &str, value: &'a Value) -> Option<Fit<'a>> {
        let (extent, fit) = match shape {
            Shape::Boolean => {
                let (boolean, extent) = scalar::boolean(text)?;
                let kind = by(extent, &kinds::BOOLEAN, &kinds::BOOLEAN_IN_PROSE);
                (extent, Fit::made(Value::Bool(boolean), value, kind, price(extent)))
            }
            Shape::Integer | Shape::Number => {
                let (number, extent) = scalar::number(text)?;
                let kind = by(extent, &kinds::NUMBER, &kinds::NUMBER_IN_PROSE);
                let whole = matches!(shape, Shape::Number) || is_whole(&number);
                let fit = match whole {
                    true => Fit::made(Value::Number(tidy(number, shape)), value, kind, price(extent)),
                    false => self.round(&number, value, kind)?,
                };
                (extent, fit)
            }
            Shape::Choice(choice) => {
                let (option, extent) = choice.read(text)?;
                let kind = by(extent, &kinds::CHOICE, &kinds::CHOICE_IN_PROSE);
                let cost = if extent == Extent::Whole { 0.5 } else { 2.0 };
                (extent, Fit::made(option.clone(), value, kind, cost))
            }
            _ => return None,
        };
        (extent == Extent::Whole || self.manner != Manner::Arguments).then_some(fit)
    }

    fn round(&self, number: &Number, value: &'a Value, kind: &'static Kind) -> Option<Fit<'a>> {
        let float = number.as_f64()?.round();
        #[expect(clippy::cast_possible_truncation, reason = "the bound is checked, and the number was rounded")]
        let whole = (float.abs() < EXACT).then_some(float as i64)?;
        (self.manner != Manner::Arguments).then(|| Fit::made(Value::from(whole), value, kind, 2.0))
    }

    /// The best item of a list in the place of a scalar. Two items that say different choices are no answer.
    fn one_of(&mut self, shape: &Shape, items: &'a [Value], value: &'a Value) -> Option<Fit<'a>> {
        if self.manner == Manner::Arguments && items.len() != 1 {
            return None;
        }
        let scalars = items.iter().filter(|item| !item.is_array() && !item.is_object());
        let mut fits = scalars.filter_map(|item| self.scalar(shape, item));
        let mut best = fits.next()?;
        for fit in fits {
            if matches!(shape, Shape::Choice(_)) && find_said(&fit) != find_said(&best) {
                return None;
            }
            if fit.cost < best.cost {
                best = fit;
            }
        }
        Some(Fit::instead(Rc::new(best), value, &kinds::ONE_OF_LIST, 1.0))
    }

    /// The scalar in an object with a single key.
    fn only_of(
        &mut self,
        shape: &Shape,
        fields: &'a serde_json::Map<String, Value>,
        value: &'a Value,
    ) -> Option<Fit<'a>> {
        if self.manner == Manner::Arguments || fields.len() != 1 {
            return None;
        }
        let inner =
            fields.values().next().filter(|inner| !inner.is_array() && !inner.is_object() && !inner.is_null())?;
        let fit = self.scalar(shape, inner)?;
        Some(Fit::instead(Rc::new(fit), value, &kinds::UNWRAPPED, 2.0))
    }
}

/// The scalar that a fit stands for.
fn find_said<'f>(fit: &'f Fit<'_>) -> Option<&'f Value> {
    match &fit.node {
        Node::Same(value) => Some(value),
        Node::Made(value) => Some(value),
        _ => None,
    }
}

/// An integer that was written as a float becomes an integer where one is wanted.
fn tidy(number: Number, shape: &Shape) -> Number {
    match (shape, number.as_f64()) {
        #[expect(clippy::cast_possible_truncation, reason = "the bound is checked, and the number has no fraction")]
        (Shape::Integer, Some(float)) if number.is_f64() && float.abs() < EXACT => (float as i64).into(),
        _ => number,
    }
}

fn by(extent: Extent, whole: &'static Kind, part: &'static Kind) -> &'static Kind {
    if extent == Extent::Whole { whole } else { part }
}

fn price(extent: Extent) -> f64 {
    if extent == Extent::Whole { 1.0 } else { 3.0 }
}

/// Below this every integer is a float exactly.
const EXACT: f64 = 9e15;
