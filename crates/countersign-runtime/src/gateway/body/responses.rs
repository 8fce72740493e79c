//! To be written.
use crate::gateway::held::{Held, Settled};
use countersign::contract::ToolSpec;
use serde_json::Value;

pub(super) fn read(_body: &mut Value, _tools: Option<&[ToolSpec]>) -> Held {
    Held::default()
}

pub(super) fn write(_body: &mut Value, _held: &Held, _settled: &Settled) {}
