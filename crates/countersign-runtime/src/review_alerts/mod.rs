//! Word to people that something waits for them (SERVE-2, REVIEW-1): at once, in one message for several, not at night, and
//! again to somebody else before it is too late.
//!
//! What was told to whom is in the audit, and that is what is looked at: after a restart, or on another node, nobody is told
//! twice, and what was not told is told. A message that cannot be sent is tried until the item is decided or has expired.
//! Nothing here decides.

/// When somebody is not to be disturbed.
mod quiet_hours;
/// Who is told of what, and when.
mod channel;
/// Links that decide, signed.
mod link;
/// What a message says.
mod notice;
/// Who has been told, by the audit.
mod told;
/// Looks at what waits, and tells.
mod teller;

pub use channel::{Channel, Moment, Show};
pub use link::{BadLink, Link, LinkKey, SHORTEST_KEY};
pub use quiet_hours::QuietHours;
pub use teller::{LinkSource, Teller, TellerOptions};
