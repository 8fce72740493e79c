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
/// Claims on their way: relayed messages, lineage, fact checks.
mod facts;

pub use error::SessionError;
pub use facts::{FactReport, Relay, Relayed, SessionClaims, message_draft};
pub use files::{FileMeta, Upload, plain_name};
pub use kind::{Analysis, FileKind};
pub use references::{Extent, Given, Reference, ReferenceType, References};
pub use session::{NewSession, Session, Sessions};
pub use things::{Thing, ThingKind};
