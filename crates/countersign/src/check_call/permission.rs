//! Who asks, and whether they may: the rules of the policy.
//!
//! A rule that denies is asked first by its selectors, which cost nothing, and only then by its expression. A deny
//! rule whose expression fails counts as denying: nobody could say that the call is allowed.

use super::subject::{Check, Said, Subject};
use crate::contract::codes::context::{DENIED, REVIEW, RULE_FAILED, WARNED};
use crate::contract::{Finding, Language, Mode};
use crate::policy::rules::{Rule, RuleEffect, user_variable};
use crate::say;
use serde_json::{Map, Value, json};

/// The check.
pub const CHECK: Check = Check { name: "permission", mode: Mode::Enforce, run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let about = |rule: &&Rule| rule.is_about(&subject.tool.spec.name, &subject.tool.effects.effects);
    let mut variables = None;
    for rule in subject.policy.rules.iter().filter(about) {
        let variables = variables.get_or_insert_with(|| variables_of(subject));
        match rule.holds(variables) {
            Ok(true) => said.findings.push(finding(rule, subject)),
            Ok(false) => {}
            Err(reason) => said.findings.push(failed(rule, &reason, subject.language)),
        }
    }
}

fn finding(rule: &Rule, subject: &Subject<'_>) -> Finding {
    let code = match rule.effect {
        RuleEffect::Deny => &DENIED,
        RuleEffect::Review => &REVIEW,
        RuleEffect::Warn => &WARNED,
    };
    let (name, tool) = (&rule.name, &subject.tool.spec.name);
    let reason = match (subject.language, &rule.reason) {
        (Language::Chinese, (_, Some(chinese))) => chinese,
        (_, (english, _)) => english,
    };
    Finding::new(
        code,
        "/name",
        say!(subject.language, "`{tool}`: {reason} (rule `{name}`)", "`{tool}`：{reason}（规则 `{name}`）"),
    )
}

fn failed(rule: &Rule, reason: &str, language: Language) -> Finding {
    let name = &rule.name;
    let evidence = say!(language, "rule `{name}` could not be evaluated: {reason}", "规则 `{name}` 无法求值：{reason}");
    match rule.effect {
        RuleEffect::Deny => Finding::new(&RULE_FAILED, "/name", evidence),
        RuleEffect::Review => Finding::new(&REVIEW, "/name", evidence),
        RuleEffect::Warn => Finding::new(&WARNED, "/name", evidence),
    }
}

fn variables_of(subject: &Subject<'_>) -> Map<String, Value> {
    let mut variables = Map::new();
    let tool = &subject.tool;
    variables.insert(
        "tool".into(),
        json!({"name": tool.spec.name, "effects": tool.effects.effects, "irreversible": tool.effects.irreversible}),
    );
    variables.insert("arguments".into(), Value::Object(subject.arguments.clone()));
    variables.insert("context".into(), Value::Object(subject.context.0.clone()));
    variables.insert("user".into(), user_variable(subject.context));
    variables
}
