//! Builds every table of the engine at once: patterns, phrase lists, word lists, the shipped policy.
//!
//! Each is built when it is first needed, which suits a command that needs few of them. A server calls this at its start
//! instead, so that its first request is as fast as its second.

use crate::{
    check_call, check_result, claims, coding, contract, conversation, grounding, inspect, parse, policy, text,
};

/// Builds the tables. What is built already costs nothing.
pub fn build() {
    contract::build_tables();
    text::build_tables();
    parse::build_tables();
    policy::build_tables();
    conversation::build_tables();
    check_call::build_tables();
    check_result::build_tables();
    grounding::build_tables();
    claims::build_tables();
    inspect::build_tables();
    coding::build_tables();
}
