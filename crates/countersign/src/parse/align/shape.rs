//! The shapes that a value can be fitted to: what is left of a JSON Schema when it is boiled down.
//!
//! Bounds such as `minimum` and `pattern` are left out: they say whether a value is right, not what it was meant to be,
//! and judging is the business of `check_call`.

use super::choice::Choice;
use super::scalar::is_whole;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The number of a shape.
pub(super) type Id = usize;

/// What a value should be.
#[derive(Debug)]
pub(super) enum Shape {
    /// Anything.
    Any,
    /// Nothing at all.
    Never,
    /// null.
    Null,
    /// true or false.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// A number.
    Number,
    /// A string.
    Text,
    /// One of a few values.
    Choice(Choice),
    /// An array.
    List(List),
    /// An object.
    Object(Object),
    /// One of several shapes.
    Union(Vec<Id>),
}

impl Shape {
    /// Whether a scalar is exactly of this kind. This is asked first, and for most scalars nothing else.
    pub(super) fn is_plainly(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_)) => true,
            (Self::Integer, Value::Number(number)) => is_whole(number),
            _ => false,
        }
    }

    /// Whether a value of this kind can stay as it is.
    pub(super) fn may_hold(&self, value: &Value) -> bool {
        match self {
            Self::Any | Self::Union(_) => true,
            Self::Never => false,
            Self::Null => value.is_null(),
            Self::Boolean => value.is_boolean(),
            Self::Integer | Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::Choice(_) => !value.is_array() && !value.is_object(),
            Self::List(list) => value.is_array() || !list.typed,
            Self::Object(object) => value.is_object() || !object.typed,
        }
    }
}

/// What an array should hold.
#[derive(Debug)]
pub(super) struct List {
    /// The first items, each with its own shape.
    pub first: Vec<Id>,
    /// All further items.
    pub items: Option<Id>,
    /// Whether the schema says that it must be an array.
    pub typed: bool,
}

/// What an object should hold.
#[derive(Debug)]
pub(super) struct Object {
    /// The named fields, in the schema's order.
    pub fields: Vec<Field>,
    /// The fields by name, then by alias.
    pub by_name: FxHashMap<String, usize>,
    /// The fields by folded name or alias; absent inside where two share it.
    pub by_folded: FxHashMap<String, Option<usize>>,
    /// What other keys hold.
    pub rest: Rest,
    /// What other keys look like.
    pub keys: Option<Id>,
    /// Whether the schema says that it must be an object.
    pub typed: bool,
}

/// A named field.
#[derive(Debug)]
pub(super) struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub shape: Id,
    /// Whether it must be there.
    pub required: bool,
    /// What it is when it is not there.
    pub default: Option<Value>,
}

/// What the keys hold that the schema does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// The schema does not say: an answer has no use for them, a tool call keeps them.
    Unsaid,
    /// There are none.
    Closed,
    /// Anything.
    Open,
    /// Values of this shape.
    Of(Id),
}

/// All shapes of a schema.
#[derive(Debug)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
}

impl Shapes {
    /// All shapes, in the order of their numbers; the first is the schema itself.
    pub(super) fn new(shapes: Vec<Shape>) -> Self {
        Self { shapes }
    }

    /// The shape with this number.
    pub(super) fn shape(&self, id: Id) -> &Shape {
        self.shapes.get(id).unwrap_or(&Shape::Any)
    }

    /// Whether null fits as it is.
    pub(super) fn takes_null(&self, id: Id) -> bool {
        self.reaches(id, |shape| match shape {
            Shape::Null => true,
            Shape::Choice(choice) => choice.contains(&Value::Null),
            _ => false,
        })
    }

    /// Whether the shape or one branch of its union is such.
    pub(super) fn reaches(&self, id: Id, is: impl Fn(&Shape) -> bool) -> bool {
        let mut open = vec![id];
        let mut seen = 0;
        while let Some(id) = open.pop() {
            seen += 1;
            match self.shape(id) {
                Shape::Union(branches) if seen < MOST_BRANCHES => open.extend(branches.iter().rev()),
                shape if is(shape) => return true,
                _ => {}
            }
        }
        false
    }
}

/// More branches than this are not looked through for null.
const MOST_BRANCHES: usize = 256;
