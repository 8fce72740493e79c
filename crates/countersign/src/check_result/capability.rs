//! An ability or a permission that an answer claims and that nobody granted. (RESULT-7)
//!
//! Only actions that cannot be undone, on things that matter, are worth a finding. Where neither the permissions nor
//! the tools are known, nothing is said.

use super::action::{ACTIONS, ANYTHING, Action, starts_clause};
use super::subject::has_word;
use super::trace::Trace;
use crate::contract::codes::answer as codes;
use crate::contract::{Context, Finding, Language};
use crate::localized;
use crate::text::words::identifier_words;

/// An ability or permission that is claimed and that nobody granted.
pub(crate) fn capability(
    sentence: &str,
    lower: &str,
    trace: &Trace,
    context: &Context,
    language: Language,
) -> Option<Finding> {
    let (verb, thing) = find_claimed_ability(lower)?;
    let held = context.permissions();
    let words = [verb.tools, verb.able].concat();
    let permitted = held.as_ref().map(|held| {
        held.iter().any(|permission| {
            let lower = permission.to_lowercase();
            let grants = |list: &[&str]| list.iter().any(|word| lower.contains(word));
            *permission == "*"
                || lower.contains("admin")
                || (grants(&words) && (thing.is_none_or(grants) || lower.contains('*')))
        })
    });
    let given = trace.tools.map(|tools| tools.iter().any(|tool| gives(tool, &words)));
    let lacks = match (permitted, given) {
        (None, _) if only_looks(context) => true,
        (Some(permitted), _) if !permitted => true,
        (Some(_), given) => given == Some(false),
        (None, given) => given == Some(false),
    };
    lacks.then(|| {
        let shown: String = sentence.trim().chars().take(80).collect();
        let evidence = localized!(
            language,
            "the answer claims “{shown}”, which neither a permission nor a tool grants",
            "回答声称“{shown}”，但用户没有该权限，或没有工具能做到"
        );
        Finding::new(&codes::CAPABILITY, "", evidence)
    })
}

/// Whether a tool does one of some things, or may do anything. A query of something other than a database only asks.
fn gives(tool: &str, words: &[&str]) -> bool {
    let named = identifier_words(tool);
    let has = |list: &[&str]| named.iter().any(|word| list.contains(&word.as_str()));
    let anything = named.iter().any(|word| word != "query" && ANYTHING.contains(&word.as_str()));
    has(words) || anything || (has(&["query"]) && (named.len() == 1 || has(&["db", "database", "databases"])))
}

/// Whether the user's role allows no more than to look.
fn only_looks(context: &Context) -> bool {
    let role = context.role().unwrap_or_default().to_lowercase();
    matches!(role.as_str(), "viewer" | "reader" | "guest" | "readonly" | "read_only" | "read-only" | "访客" | "只读")
}

/// The action that a sentence says the speaker may or can do, and the thing it is done to.
fn find_claimed_ability(lower: &str) -> Option<(&'static Action, Option<&'static [&'static str]>)> {
    let english = [
        "i can ",
        "i am able to ",
        "i'm able to ",
        "i have permission to ",
        "i have the permission to ",
        "i am authorized to ",
        "i'm authorized to ",
        "i am allowed to ",
        "i have access to ",
        "i have the authority to ",
        "we can ",
    ];
    let chinese = ["我有权", "我有权限", "我可以", "我能够", "我能", "我被授权", "我拥有"];
    let thing = THINGS.iter().find(|words| words.iter().any(|word| has_word(lower, word))).copied();
    let action = GRAVE.iter().filter_map(|at| ACTIONS.get(*at)).find(|action| {
        let by_verb =
            english.iter().any(|start| action.able.iter().any(|verb| starts_clause(lower, &format!("{start}{verb}"))));
        let in_chinese = chinese.iter().any(|start| {
            lower.match_indices(start).any(|(at, _)| {
                let after: String = lower.get(at + start.len()..).unwrap_or_default().chars().take(8).collect();
                action.chinese.iter().any(|verb| after.contains(verb))
            })
        });
        by_verb || in_chinese
    })?;
    Some((action, thing)).filter(|_| thing.is_some())
}

/// Abilities that are worth a finding: those that cannot be undone. Indices into [`ACTIONS`].
const GRAVE: &[usize] = &[0, 1, 2, 3];
const THINGS: &[&[&str]] = &[
    &["database", "databases", "数据库", "db"],
    &["account", "accounts", "账户", "账号"],
    &["server", "servers", "服务器", "production", "生产环境"],
    &["user", "users", "用户"],
    &["file", "files", "文件"],
    &["record", "records", "记录", "table", "数据表", "data", "数据"],
    &["money", "funds", "payment", "payments", "资金", "款项", "钱", "转账"],
    &["email", "emails", "e-mail", "mail", "邮件"],
];
