//! What the schema's errors mean, in our words.

use super::compile::Schema;
use crate::check_call::guard::Tool;
use crate::contract::codes::call::{BAD_SCHEMA, NO_VARIANT};
use crate::contract::{Finding, Language};
use crate::say;
use jsonschema::Validator;
use serde_json::Value;

/// One finding for each error.
pub fn errors(_tool: &Tool, validator: &Validator, instance: &Value, _language: Language) -> Vec<Finding> {
    validator
        .iter_errors(instance)
        .map(|error| {
            Finding::new(&NO_VARIANT, format!("/arguments{}", error.instance_path().as_str()), error.to_string())
        })
        .collect()
}

/// The finding for a schema that cannot be used.
pub fn bad_schema(schema: &Schema, language: Language) -> Finding {
    let fault = schema.fault.as_deref().unwrap_or_default();
    let evidence = say!(language, "the tool's schema cannot be used: {fault}", "工具的 schema 无法使用：{fault}");
    Finding::new(&BAD_SCHEMA, "/arguments", evidence)
}
