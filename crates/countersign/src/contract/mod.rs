//! The shared words: what a call, a finding and a verdict are.
//!
//! Everything here is plain data. The types appear on the wire exactly as named in the contract, so that the
//! library, the command line and every route speak of the same thing. This module uses no other of ours.

pub mod language;
pub mod level;
pub mod tool;
pub mod digest;
pub mod call;
pub mod message;
pub mod context;
pub mod code;
pub mod codes;
pub mod checks;
pub mod patch;
pub(crate) mod finding;
pub(crate) mod question;
pub(crate) mod verdict;
pub(crate) mod report;
pub(crate) mod assessment;
pub(crate) mod schema;
pub(crate) mod step;
pub(crate) mod claim;
pub(crate) mod event;
pub mod payload;

pub use assessment::{ConfidenceAssessment, Recommendation, Signal, Signals, Support};
pub use call::{Arguments, FREE_TEXT, MAX_NAME, Object, ToolCall, ToolResult};
pub use claim::{Bound, Claim, ClaimKind, ClaimSource, ClaimStatus, ClaimUpdate, ClaimValue, MarkedMessage};
pub use code::{Code, Layer, Outcome, Severity};
pub use context::Context;
pub use event::{BadEventId, ContentType, EVENT_VERSION, EventId, EventType, Meta, Payload, Phase, StreamEvent};
pub use finding::{Correction, Finding};
pub use language::Language;
pub use level::{Level, Mode, VerificationLevel};
pub use message::{Message, Role};
pub use patch::{Op, PatchOp, Pointer};
pub use question::{Answer, Answers, Doubt, Passage, Question, Reading, ReadingOf};
pub use report::VerificationReport;
pub use step::{HallucinationDetectionResult, StepReport, ValidationResult};
pub use tool::{Annotations, RawSchema, SchemaText, Takes, ToolSpec};
pub use verdict::{Action, ReadingRecord, Status, Verdict, VerdictDetails};

/// The seed documents' name for [`Level`].
pub type ValidationLevel = Level;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    call::build_tables();
}
