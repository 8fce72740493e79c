//! An open container: what it is, and what it waits for.

use crate::parse::event::Span;

/// An open container.
pub(super) struct Frame {
    /// What it is.
    pub shape: Shape,
    /// Where it begins in the text.
    pub start: usize,
    /// How many keys lay on the stack when it opened.
    pub keys: usize,
    /// How many values lay on the stack when it opened.
    pub values: usize,
    /// The comma after the last value, while nothing has followed it.
    pub comma: Option<Span>,
    /// Whether a comma is due: a value has been read, and no comma since.
    pub due: bool,
}

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `[…]`
    Array,
    /// `{…}`
    Object,
    /// Elements in curly brackets. One object alone is itself.
    Set,
    /// Elements in round brackets. One alone is itself.
    Tuple,
    /// A call whose one argument is meant.
    Call,
    /// A call whose named arguments are members.
    Named,
    /// Members in square brackets.
    Table,
    /// Members that no bracket opened.
    Implied,
}

impl Frame {
    /// A container that opens at `start`.
    pub(super) const fn new(shape: Shape, start: usize, keys: usize, values: usize) -> Self {
        Self { shape, start, keys, values, comma: None, due: false }
    }
}

impl Shape {
    /// Whether it holds members, not elements.
    pub(super) const fn has_members(self) -> bool {
        matches!(self, Self::Object | Self::Named | Self::Table | Self::Implied)
    }

    /// Whether round brackets enclose it.
    pub(super) const fn is_round(self) -> bool {
        matches!(self, Self::Tuple | Self::Call | Self::Named)
    }

    /// What holds members between the same brackets as these elements.
    pub(super) const fn with_members(self) -> Option<Self> {
        match self {
            Self::Array => Some(Self::Table),
            Self::Tuple | Self::Call => Some(Self::Named),
            _ => None,
        }
    }

    /// Whether `closer` closes it.
    pub(super) const fn closed_by(self, closer: u8) -> bool {
        match self {
            Self::Array | Self::Table => closer == b']',
            Self::Object | Self::Set => closer == b'}',
            Self::Tuple | Self::Call | Self::Named => closer == b')',
            Self::Implied => false,
        }
    }
}
