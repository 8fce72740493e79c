//! What is done where something may begin in prose.

use super::State;
use super::line::Opener;
use crate::parse::event::Kind;

/// What to do at a place.
pub(super) enum Step {
    /// So many bytes are prose.
    Prose(usize),
    /// A line ends.
    LineBreak,
    /// It cannot be said yet.
    Wait,
    /// So many bytes end or begin a message or a thought.
    Boundary(usize),
    /// So many bytes are structure that says nothing, mended where it should not be there.
    Marker(usize, Option<&'static Kind>),
    /// A state begins here.
    Enter(State, Opener),
}
