//! What was called before: repeats, and loops without progress.

use super::subject::{Check, Said, Subject};
use crate::contract::Mode;

/// The check.
pub const CHECK: Check = Check { name: "repeat", mode: Mode::Enforce, run };

fn run(_subject: &Subject<'_>, _said: &mut Said) {}
