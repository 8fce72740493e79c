//! The name: registered, meant, or invented.

use super::guard::{Guard, Tool};
use crate::contract::{Finding, Language};

/// What a name leads to.
#[derive(Debug)]
pub struct Resolved<'a> {
    /// The tool, where one is named or clearly meant.
    pub tool: Option<&'a Tool>,
    /// What is wrong with the name.
    pub finding: Option<Finding>,
}

/// Resolves a name against the registered tools.
pub fn resolve<'a>(guard: &'a Guard, name: &str, _language: Language) -> Resolved<'a> {
    let registry = guard.registry();
    let tool = registry.and_then(|registry| registry.find(name)).and_then(|at| guard.tool(at));
    Resolved { tool, finding: None }
}
