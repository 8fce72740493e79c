//! Permissions that a tool requires, against those that the caller really holds.
//!
//! The structured permission of the tool is asked for, never a sentence. Where the context lists what the caller
//! holds, that decides; else the sources are asked; where there is neither, nobody can say, and that is reported.

use super::questions::{Questions, Reply};
use crate::check_call::subject::Subject;
use crate::contract::codes::fact::MISSING_PERMISSION;
use crate::contract::{Context, Finding, Language, Question};
use crate::localized;
use crate::policy::facts::{PermissionSource, covers};
use serde_json::Value;

/// Checks every permission that the tool requires.
pub(super) fn run(subject: &Subject<'_>, questions: &mut Questions<'_>) {
    let required = &subject.tool.permissions;
    if required.is_empty() {
        return;
    }
    match subject.context.permissions() {
        Some(held) => {
            for permission in required.iter().filter(|permission| !held.iter().any(|held| covers(held, permission))) {
                questions.findings.push(missing(&subject.tool.spec.name, permission, None, questions.language));
            }
        }
        None => required.iter().for_each(|permission| ask(subject, permission, questions)),
    }
}

fn ask(subject: &Subject<'_>, permission: &str, questions: &mut Questions<'_>) {
    let tool = &subject.tool.spec.name;
    let sources = &subject.policy.facts.permissions;
    let (Some(user), false) = (user_of(subject.context), sources.is_empty()) else {
        let reason = match sources.is_empty() {
            true => localized!(
                questions.language,
                "`{tool}` requires `{permission}`, and neither the context nor a source says what the caller holds",
                "`{tool}` 需要权限 `{permission}`，但上下文和策略都没有说明调用者持有的权限"
            ),
            false => localized!(
                questions.language,
                "`{tool}` requires `{permission}`, and the context does not say who asks",
                "`{tool}` 需要权限 `{permission}`，但上下文没有说明调用者是谁"
            ),
        };
        let name = sources.first().map_or("permissions", |source| source.source.name.as_str());
        let policy = sources.first().map_or(subject.policy.facts.unanswered, |source| source.source.unanswered);
        return questions.silent(name, "/name".into(), reason, policy);
    };
    let mut note = None;
    let mut silent: Option<(&PermissionSource, String)> = None;
    for source in sources {
        let (name, user, permission) = (source.source.name.clone(), user.clone(), permission.to_owned());
        match questions.ask(Question::Permission { source: name, user, permission }) {
            Reply::Holds => return,
            Reply::Fails { note: said, .. } => note = note.or(said),
            Reply::Unknown(reason) => silent = silent.or(Some((source, reason))),
        }
    }
    match silent {
        Some((source, reason)) => {
            questions.silent(&source.source.name, "/name".into(), reason, source.source.unanswered);
        }
        None => questions.findings.push(missing(tool, permission, note.as_deref(), questions.language)),
    }
}

fn missing(tool: &str, permission: &str, note: Option<&str>, language: Language) -> Finding {
    let mut evidence = localized!(
        language,
        "`{tool}` requires the permission `{permission}`, which the caller does not hold",
        "`{tool}` 需要权限 `{permission}`，而调用者并不持有"
    );
    if let Some(note) = note {
        evidence.push_str(&localized!(language, " ({note})", "（{note}）"));
    }
    let hint = localized!(language, "ask somebody who holds `{permission}`", "请由持有 `{permission}` 权限的人操作");
    Finding::new(&MISSING_PERMISSION, "/name", evidence).hint(hint)
}

/// Who asks: `user.id`, `user_id`, or `user` where that is a name.
fn user_of(context: &Context) -> Option<String> {
    let of = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let found = context.user("id").or_else(|| context.0.get("user_id")).or_else(|| context.0.get("user"));
    found.and_then(of).filter(|user| !user.trim().is_empty())
}
