//! Does the result have the form it should have? (RESULT-2)
//!
//! Against the tool's output schema, else against the shape this tool returned before, and against the policy's
//! declared shapes. Output schemas are open: a field nobody declared is fine, and so is null in an optional field.
//! References are never followed to the network.

use super::subject::{Subject, ToolKind};
use crate::contract::codes::result as codes;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::policy::results::JsonType;
use crate::text::lists::word_list;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Map, Value};

/// An output schema, compiled once for many results.
#[derive(Debug)]
pub struct CompiledOutput {
    validator: Validator,
    schema: Value,
}

impl CompiledOutput {
    /// Compiles a schema; `None` where it is not usable JSON Schema.
    pub fn new(schema: &Value) -> Option<Self> {
        let declared = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let draft = if declared.contains("draft-07") { Draft::Draft7 } else { Draft::Draft202012 };
        let options = jsonschema::options().with_draft(draft).should_validate_formats(true);
        Some(Self { validator: options.build(schema).ok()?, schema: schema.clone() })
    }

    /// What a content breaks.
    pub fn findings(&self, content: &Value, language: Language) -> Vec<Finding> {
        let errors = self.validator.iter_errors(content).filter(|error| !self.is_forgiven(error, content));
        errors.take(MAX_FINDINGS).map(|error| finding(&error, language)).collect()
    }

    /// Null in a field that may be left out says the same as leaving it out, and an unknown field is no harm.
    fn is_forgiven(&self, error: &ValidationError, content: &Value) -> bool {
        match error.kind() {
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => true,
            Kind::Type { .. } | Kind::Enum { .. } | Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
                let pointer = error.instance_path().as_str();
                content.pointer(pointer).is_some_and(Value::is_null) && !self.is_required(pointer)
            }
            _ => false,
        }
    }

    fn is_required(&self, pointer: &str) -> bool {
        let Some((parent, key)) = pointer.rsplit_once('/') else { return true };
        let mut schema = &self.schema;
        for step in parent.split('/').skip(1) {
            let below = schema.get("properties").and_then(|properties| properties.get(step));
            match below.or_else(|| schema.get("items")) {
                Some(below) => schema = below,
                None => return true,
            }
        }
        let listed = schema.get("required").and_then(Value::as_array);
        listed.is_some_and(|required| required.iter().any(|name| name.as_str() == Some(key)))
    }
}

/// The finding of one schema error.
fn finding(error: &ValidationError, language: Language) -> Finding {
    let pointer = error.instance_path().as_str().to_owned();
    let seen = brief(error.instance());
    let place = if pointer.is_empty() { localized!(language, "the content", "内容") } else { format!("`{pointer}`") };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let evidence = localized!(language, "{place} lacks `{name}`", "{place} 缺少 `{name}`");
            Finding::new(&codes::MISSING_FIELD, format!("{pointer}/{name}"), evidence)
        }
        kind => {
            let keyword = kind.keyword();
            let rule = match kind {
                Kind::Enum { options } => format!("enum {}", brief(options)),
                Kind::Format { format } => format!("format {format}"),
                Kind::Pattern { pattern } => format!("pattern {pattern}"),
                Kind::Minimum { limit } | Kind::Maximum { limit } => format!("{keyword} {limit}"),
                _ => keyword.to_owned(),
            };
            let evidence = localized!(
                language,
                "{place} is {seen}, which its output schema does not allow ({rule})",
                "{place} 为 {seen}，不符合输出模式（{rule}）"
            );
            Finding::new(&codes::FORMAT, pointer, evidence)
        }
    }
}

/// Runs all of this file's checks.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let content = &subject.result.content;
    let mut found = Vec::new();
    let mut is_known = false;
    if let Some(schema) = subject.schema {
        match CompiledOutput::new(schema) {
            Some(compiled) => {
                is_known = true;
                found.extend(compiled.findings(content, subject.language));
            }
            None => {
                let evidence = localized!(subject.language, "the output schema cannot be used", "输出模式无法使用");
                found.push(Finding::new(&codes::BAD_SCHEMA, "", evidence));
            }
        }
    }
    if found.is_empty() {
        found.extend(check_declared(subject));
    }
    if found.is_empty() && !is_known {
        found.extend(earlier_shape(subject));
    }
    if found.is_empty() {
        found.extend(empty(subject, is_known));
        found.extend(blank(subject));
    }
    found.extend(check_rules(subject));
    found
}

/// The policy's declared shape.
fn check_declared(subject: &Subject) -> Vec<Finding> {
    let content = &subject.result.content;
    let Some(shape) = subject.rules.shape(&subject.call.name) else { return Vec::new() };
    let seen = JsonType::of(content).name();
    if let Some(kind) = shape.kind.filter(|kind| *kind != JsonType::of(content)) {
        let (name, kind) = (&subject.call.name, kind.name());
        let evidence = localized!(
            subject.language,
            "`{name}` returns type `{kind}` by policy, this is `{seen}`",
            "按策略 `{name}` 应返回 {kind}，实际为 {seen}"
        );
        return vec![Finding::new(&codes::FORMAT, "", evidence)];
    }
    let absent = |name: &&String| content.as_object().is_some_and(|map| !map.contains_key(name.as_str()));
    let missing = shape.required.iter().filter(absent);
    let evidence = |name: &String| {
        localized!(
            subject.language,
            "the content lacks `{name}`, which the policy requires",
            "内容缺少策略要求的 `{name}`"
        )
    };
    missing.map(|name| Finding::new(&codes::MISSING_FIELD, format!("/{name}"), evidence(name))).collect()
}

/// The policy's rules.
fn check_rules(subject: &Subject) -> Vec<Finding> {
    let about: Vec<_> = subject.rules.rules.iter().filter(|rule| rule.is_about(&subject.call.name)).collect();
    if about.is_empty() {
        return Vec::new();
    }
    let mut variables = Map::new();
    variables.insert("result".into(), subject.result.content.clone());
    variables.insert("arguments".into(), Value::Object(subject.arguments.clone()));
    variables.insert("tool".into(), subject.call.name.clone().into());
    variables.insert("context".into(), Value::Object(subject.context.0.clone()));
    let broken = about.into_iter().filter(|rule| !rule.holds(&variables));
    let reason = |(english, chinese): &(String, Option<String>)| match (subject.language, chinese) {
        (Language::Chinese, Some(chinese)) => chinese.clone(),
        _ => english.clone(),
    };
    broken.map(|rule| Finding::new(&codes::RULE, "", reason(&rule.reason))).collect()
}

/// The shape that earlier results of the same tool share: their type, and for objects their keys.
fn earlier_shape(subject: &Subject) -> Option<Finding> {
    let earlier = subject.context.0.get("results")?.as_array()?;
    let own = |result: &&Value| {
        ["name", "tool", "tool_name"]
            .iter()
            .any(|key| result.get(*key).and_then(Value::as_str).is_some_and(|name| name == subject.call.name))
    };
    let before: Vec<&Value> = earlier.iter().filter(own).filter_map(|result| result.get("content")).collect();
    let kind = JsonType::of(before.first()?);
    if kind == JsonType::Null || before.iter().any(|content| JsonType::of(content) != kind) {
        return None;
    }
    let content = &subject.result.content;
    let seen = JsonType::of(content);
    if seen != kind {
        let (kind, seen) = (kind.name(), seen.name());
        let evidence = localized!(
            subject.language,
            "earlier results of this tool were of type {kind}, this one is of type {seen}",
            "此工具之前的结果类型为 {kind}，这次为 {seen}"
        );
        return Some(Finding::new(&codes::SHAPE, "", evidence));
    }
    let map = content.as_object()?;
    let common = before.first()?.as_object()?.keys().filter(|key| before.iter().all(|b| b.get(key.as_str()).is_some()));
    let common: Vec<&String> = common.collect();
    let kept = common.iter().filter(|key| map.contains_key(key.as_str())).count();
    let lost = !common.is_empty() && kept * 2 < common.len();
    lost.then(|| {
        let names = common.iter().take(5).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let evidence = localized!(
            subject.language,
            "earlier results of this tool had {names}; this one lacks most of them",
            "此工具之前的结果都有 {names}，这次大多缺失"
        );
        Finding::new(&codes::SHAPE, "", evidence)
    })
}

/// Nothing, where something was due.
fn empty(subject: &Subject, is_known: bool) -> Option<Finding> {
    let content = &subject.result.content;
    let is_empty = match content {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Object(map) => map.values().all(Value::is_null),
        _ => false,
    };
    let allowed = is_known && !matches!(content, Value::Object(_));
    if !is_empty || allowed || may_be_empty(subject) {
        return None;
    }
    let name = &subject.call.name;
    let evidence = localized!(subject.language, "`{name}` returned nothing", "`{name}` 没有返回任何内容");
    Some(Finding::new(&codes::EMPTY, "", evidence))
}

/// A blank string in a field that names or answers.
fn blank(subject: &Subject) -> Option<Finding> {
    let object = subject.parts.objects.first().filter(|object| object.depth == 0)?;
    let entry = object.find(NAMING).filter(|entry| entry.value.as_str().is_some_and(|text| text.trim().is_empty()))?;
    let required = subject.schema?.get("required")?.as_array()?.iter().any(|name| name.as_str() == Some(entry.key));
    let key = entry.key;
    required.then(|| {
        let evidence = localized!(subject.language, "`{key}` is required and blank", "必填的 `{key}` 为空");
        Finding::new(&codes::EMPTY, object.at(entry), evidence)
    })
}

/// Tools that do something and say nothing, files that are empty, commands that are silent.
fn may_be_empty(subject: &Subject) -> bool {
    let lower = subject.description().to_lowercase();
    let silent = [
        "returns nothing",
        "no output",
        "no return",
        "returns no",
        "returns null",
        "may be empty",
        "or null",
        "无返回",
        "不返回",
        "没有返回",
        "可能为空",
        "返回空",
    ];
    let text = subject.result.content.is_string();
    silent.iter().any(|phrase| lower.contains(phrase))
        || matches!(subject.kind, ToolKind::Runs)
        || (text && subject.kind == ToolKind::Carries)
        || super::effect::acts(&subject.call.name)
}

/// A value, short enough for a sentence.
pub(crate) fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 80 { text } else { format!("{}…", text.chars().take(80).collect::<String>()) }
}

const NAMING: &[&str] = word_list!("check_result", "format/naming");
const MAX_FINDINGS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // RESULT-2
    #[test]
    fn output_schemas_are_open_and_optional_nulls_clean() {
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "a": {"type": "integer"}, "b": {"type": "string", "format": "date"},
            "c": {"type": "object", "properties": {"d": {"type": "string"}}, "required": ["d"]}}, "required": ["a"]});
        let compiled = CompiledOutput::new(&schema).unwrap();
        let codes = |content: Value| -> Vec<&str> {
            compiled.findings(&content, Language::English).iter().map(|f| f.code.id).collect()
        };
        assert!(codes(json!({"a": 1, "b": null, "extra": true})).is_empty());
        assert_eq!(codes(json!({"a": null})), ["result.format"]);
        assert_eq!(codes(json!({"b": "2026-02-30"})), ["result.format", "result.missing-field"]);
        assert_eq!(codes(json!({"a": 1, "c": {"d": null}})), ["result.format"]);
        assert_eq!(codes(json!("text")), ["result.format"]);
        assert!(CompiledOutput::new(&json!({"type": "objekt"})).is_none());
    }
}
