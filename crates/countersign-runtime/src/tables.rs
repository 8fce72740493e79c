//! Builds every table of engine and runtime at once, for a server that starts.

use crate::{gateway, redact, store, tools};

/// Builds the tables. What is built already costs nothing.
pub fn build() {
    countersign::tables::build();
    redact::build_tables();
    store::build_tables();
    tools::build_tables();
    gateway::build_tables();
}
