//! The arguments against the tool's JSON Schema: every finding at once, each with its place and its mend.
//!
//! A valid call costs one pass of the compiled schema. Only an invalid one is walked again for its findings, and
//! each finding looks for a repair that is certain.

pub(crate) mod omit;
pub(crate) mod mend;
pub(crate) mod rename;
pub(crate) mod unwrap;
pub(crate) mod explain;

use super::compile::Schema;
use super::guard::Tool;
use crate::contract::{Finding, Language};
use crate::conversation::Conversation;
use serde_json::Value;

/// The places where these arguments still break the schema.
pub(crate) fn broken_places(schema: &Schema, arguments: &Value) -> Vec<String> {
    match &schema.validator {
        Some(validator) if !validator.is_valid(arguments) => validator
            .iter_errors(arguments)
            .map(|error| format!("/arguments{}", error.instance_path().as_str()))
            .collect(),
        _ => Vec::new(),
    }
}

/// What the schema says about these arguments (a JSON object); nothing where they are valid.
pub(crate) fn findings(
    tool: &Tool,
    schema: &Schema,
    arguments: &Value,
    said: &Conversation,
    language: Language,
) -> Vec<Finding> {
    match &schema.validator {
        None => vec![explain::bad_schema(schema, language)],
        Some(validator) if validator.is_valid(arguments) => Vec::new(),
        Some(validator) => match unwrap::find(tool, validator, arguments, language) {
            Some(finding) => vec![finding],
            None => explain::Explainer { tool, arguments, said, language }.findings(validator),
        },
    }
}
