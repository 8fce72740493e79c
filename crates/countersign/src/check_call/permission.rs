//! Who asks, and whether they may: the rules of the policy.
//!
//! A rule that denies is asked first by its selectors, which cost nothing, and only then by its expression. A deny
//! rule whose expression fails counts as denying: nobody could say that the call is allowed.

use super::subject::{Check, Said, Subject};
use crate::contract::codes::context::{DENIED, REVIEW, RULE_FAILED, WARNED};
use crate::contract::{Finding, Language};
use crate::localized;
use crate::policy::rules::{Rule, RuleEffect, user_variable};
use serde_json::{Value, json};

/// The check.
pub(crate) const CHECK: Check = Check { name: "permission", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let about = |rule: &&Rule| rule.is_about(&subject.tool.spec.name, &subject.tool.effects.effects);
    for rule in subject.policy.rules.iter().filter(about) {
        match rule.holds(subject.context, |name| variable(name, rule, subject)) {
            Ok(true) => said.findings.push(finding(rule, subject)),
            Ok(false) => {}
            Err(reason) => said.findings.push(report_failure(rule, &reason, subject.language)),
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
        localized!(subject.language, "`{tool}`: {reason} (rule `{name}`)", "`{tool}`：{reason}（规则 `{name}`）"),
    )
}

fn report_failure(rule: &Rule, reason: &str, language: Language) -> Finding {
    let name = &rule.name;
    let evidence =
        localized!(language, "rule `{name}` could not be evaluated: {reason}", "规则 `{name}` 无法求值：{reason}");
    match rule.effect {
        RuleEffect::Deny => Finding::new(&RULE_FAILED, "/name", evidence),
        RuleEffect::Review => Finding::new(&REVIEW, "/name", evidence),
        RuleEffect::Warn => Finding::new(&WARNED, "/name", evidence),
    }
}

/// A variable that an expression reads.
fn variable(name: &str, rule: &Rule, subject: &Subject<'_>) -> Option<Value> {
    let tool = &subject.tool;
    let (effects, irreversible) = (&tool.effects.effects, tool.effects.irreversible);
    match name {
        "tool" => Some(json!({"name": tool.spec.name, "effects": effects, "irreversible": irreversible})),
        "arguments" => Some(Value::Object(subject.arguments.clone())),
        "context" => Some(context_variable(rule, subject)),
        "user" => Some(user_variable(subject.context)),
        _ => None,
    }
}

/// The context, with the calls that were made before where the caller did not list them and the rule asks for them.
fn context_variable(rule: &Rule, subject: &Subject<'_>) -> Value {
    let mut context = subject.context.0.clone();
    if rule.reads_previous_calls() && !context.contains_key("previous_calls") {
        context.insert("previous_calls".to_owned(), subject.conversation.previous_calls());
    }
    Value::Object(context)
}
