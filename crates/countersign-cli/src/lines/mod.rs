//! JSON lines in, one answer each out, in input order, on all cores, in bounded memory.
//!
//! `source` opens what is read, `split` cuts it into chunks of whole lines, `judge` answers the lines of a
//! chunk, and `pipeline` moves chunks through the threads. Nothing here knows what a command does with a line: it
//! implements `Judge`. A line that cannot be read costs its own answer and no other.

pub(crate) mod source;
pub(crate) mod split;
pub(crate) mod judge;
pub(crate) mod pipeline;

pub(crate) use judge::{BadLine, Judge, Shape};
pub(crate) use source::Source;
