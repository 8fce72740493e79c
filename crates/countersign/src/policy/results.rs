//! What tool results are held to: declared shapes and CEL rules, by tool.
//!
//! What a tool must return is the operator's knowledge, so it is in the policy and never in the code. A tool's
//! own output schema is checked in any case; this is for what no schema says.

use super::pattern::Pattern;
use super::rules::{Condition, Fault};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The `[results]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawResults {
    /// The shape that a tool's results have, by name pattern.
    pub tools: BTreeMap<String, RawShape>,
    /// Conditions that results must satisfy.
    pub rules: Vec<RawResultRule>,
}

/// One `[results.tools."pattern"]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawShape {
    /// The JSON type of the content: `object`, `array`, `string`, `number`, `boolean` or `null`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Fields that must be there.
    pub required: Vec<String>,
}

/// One `[[results.rules]]` table.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RawResultRule {
    /// Which tools, as patterns; all where empty.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What must hold, in CEL, over `result`, `arguments`, `tool` and `context`.
    pub when: String,
    /// Why, in a sentence for people.
    pub reason: String,
    /// The same in Chinese.
    #[serde(default)]
    pub reason_zh: Option<String>,
}

/// What results are held to.
#[derive(Debug, Clone, Default)]
pub struct ResultsPolicy {
    /// Declared shapes; later entries win.
    pub shapes: Vec<Shape>,
    /// Rules, in order.
    pub rules: Vec<ResultRule>,
}

/// The declared shape of a tool's results.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Which tools.
    pub tools: Pattern,
    /// The type of the content.
    pub kind: Option<JsonType>,
    /// Fields that must be there.
    pub required: Vec<String>,
}

/// A rule that results must satisfy.
#[derive(Debug, Clone)]
pub struct ResultRule {
    /// Why, in English and where given in Chinese.
    pub reason: (String, Option<String>),
    tools: Vec<Pattern>,
    when: Condition,
}

/// The JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// Text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Nothing.
    Null,
}

impl ResultsPolicy {
    /// Puts a file's words over what is there.
    pub fn overlay(&mut self, raw: RawResults) -> Result<(), Fault> {
        for (name, shape) in raw.tools {
            let kind = shape.kind.as_deref().map(|kind| {
                let help = Some("use object, array, string, number, boolean or null".to_owned());
                JsonType::from_name(kind).ok_or_else(|| (kind.to_owned(), format!("unknown type `{kind}`"), help))
            });
            self.shapes.push(Shape { tools: Pattern::new(name), kind: kind.transpose()?, required: shape.required });
        }
        for rule in raw.rules {
            self.rules.push(ResultRule {
                reason: (rule.reason, rule.reason_zh),
                tools: rule.tools.into_iter().map(Pattern::new).collect(),
                when: Condition::compile(&rule.when, VARIABLES)?,
            });
        }
        Ok(())
    }

    /// The shape declared for a tool; the last entry wins.
    pub fn shape(&self, tool: &str) -> Option<&Shape> {
        self.shapes.iter().rev().find(|shape| shape.tools.matches(tool))
    }
}

impl ResultRule {
    /// Whether the rule is about a tool.
    pub fn is_about(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(tool))
    }

    /// Whether the condition holds. A rule that reads a field which is absent has nothing to say and holds.
    pub fn holds(&self, variables: &Map<String, Value>) -> bool {
        self.when.holds(variables).unwrap_or(true)
    }
}

impl JsonType {
    /// The type of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" | "list" => Self::Array,
            "string" => Self::String,
            "number" | "integer" => Self::Number,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            _ => return None,
        })
    }

    /// The type of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Object(_) => Self::Object,
            Value::Array(_) => Self::Array,
            Value::String(_) => Self::String,
            Value::Number(_) => Self::Number,
            Value::Bool(_) => Self::Boolean,
            Value::Null => Self::Null,
        }
    }

    /// The name, as JSON Schema writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

const VARIABLES: &[&str] = &["result", "arguments", "tool", "context"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use serde_json::json;

    // RESULT-2
    #[test]
    fn the_seed_rules_stand_in_the_policy() {
        let seed = Policy::seed();
        assert_eq!(seed.results.shape("search").unwrap().required, ["results"]);
        assert_eq!(seed.results.shape("fetch_url").unwrap().kind, Some(JsonType::String));
        assert_eq!(seed.results.shape("calculate").unwrap().kind, Some(JsonType::Number));
        let broken = |result: Value| {
            let variables = json!({"result": result, "arguments": {}, "tool": "any", "context": {}});
            seed.results.rules.iter().any(|rule| rule.is_about("any") && !rule.holds(variables.as_object().unwrap()))
        };
        assert!(broken(json!({"count": -3})) && broken(json!({"score": -0.5})));
        assert!(!broken(json!({"count": 0})) && !broken(json!({"other": -3})) && !broken(json!("text")));
    }

    #[test]
    fn an_unknown_type_and_a_broken_rule_are_refused() {
        assert!(Policy::from_toml("[results.tools.a]\ntype = \"objekt\"\n").unwrap_err().message.contains("objekt"));
        assert!(Policy::from_toml("[[results.rules]]\nwhen = 'result.a ==' \nreason = 'x'\n").is_err());
    }
}
