//! The arguments against the tool's JSON Schema: every finding at once, each with its place and its mend.
//!
//! A valid call costs one pass of the compiled schema. Only an invalid one is walked again for its findings, and
//! each finding looks for a repair that is certain.

pub mod close;
pub mod compile;
pub mod omit;
pub mod mend;
pub mod explain;

use super::guard::Tool;
use crate::contract::{Finding, Language};
use compile::Schema;
use serde_json::{Map, Value};

/// What the schema says about these arguments; nothing where they are valid.
pub fn findings(tool: &Tool, schema: &Schema, arguments: &Map<String, Value>, language: Language) -> Vec<Finding> {
    let Some(validator) = &schema.validator else {
        return vec![explain::bad_schema(schema, language)];
    };
    let instance = Value::Object(arguments.clone());
    explain::errors(tool, validator, &instance, language)
}
