//! Builds every table of engine and runtime at once, for a server that starts.
//!
//! The dictionary of Chinese words is large and serves the knowledge base alone, so it is built where there is one.

use crate::{gateway, kb, redact, store, tools};

/// Builds the tables. What is built already costs nothing.
pub fn build() {
    countersign::tables::build();
    redact::build_tables();
    store::build_tables();
    tools::build_tables();
    gateway::build_tables();
}

/// Builds the dictionary that the knowledge base reads Chinese with.
pub fn build_dictionary() {
    kb::build_tables();
}
