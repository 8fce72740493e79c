//! Hosted conversations and what belongs to them: notes, materials, files, references and claims.
//!
//! Everything here is one session's and one user's. What belongs to another is not there: it is never shown, never put
//! before a model, and asking for it tells nothing of it.

/// Why something could not be done.
mod error;
/// A session.
mod session;
/// Notes and materials.
mod things;
/// Kinds of files.
mod kind;
/// What a file is, by its content and its name.
pub mod sniff;
/// Uploaded files.
mod files;
/// What a message refers to.
mod references;
/// What of a session is evidence for its claims.
mod evidence;
/// What is known of a session's claims.
mod known;
/// A session, taken in.
mod import;
/// Claims on their way: relayed messages, lineage, fact checks.
mod facts;
/// Fact checks that nobody asked for.
mod checks;

pub use checks::CheckUnderWay;
pub use error::SessionError;
pub use facts::{FactReport, Relay, Relayed, SessionClaims, message_draft};
pub use files::{FileMeta, Upload, plain_name};
pub use import::{Import, Imported};
pub use kind::{Analysis, FileKind};
pub use known::{MessageFacts, read_message, read_updates};
pub use references::{Extent, Given, Reference, ReferenceType, References};
pub use session::{NewSession, Session, Sessions};
pub use things::{Author, Thing, ThingKind};
