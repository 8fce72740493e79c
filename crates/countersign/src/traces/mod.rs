//! Recorded traces, read into one form: what was said, called and returned, and where in the file it is written.
//!
//! A file is told by its content and never by its name. A record is a line, or an element of one large document. Each
//! format has a reader of its own; all of them are forgiving, because a trace is what somebody else's program left
//! behind: what cannot be read is said and skipped.

/// The common form.
pub mod form;
/// A record, and lines in it.
pub mod record;
/// One exchange with a model, in any provider's shape.
pub mod exchange;
/// Requests that repeat their history, joined into conversations.
pub mod linker;
/// Spans of one trace, put together.
pub mod spans;
/// One reader for each format.
pub mod readers;
/// Which format it is.
pub mod tell;

pub use form::{Format, Step, Tokens, Trace};
pub use readers::Reader;
pub use record::Record;
pub use tell::tell;
