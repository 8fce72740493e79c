//! What a tool does to the world, read from policy, annotations and the verbs of its name.
//!
//! This decides how careful we are, so a name may only raise our care: a tool that says `get` is taken at its
//! word, because nothing is refused for reading, and a tool with no known verb has no known effect.

use crate::contract::ToolSpec;
use crate::policy::{Effect, Policy};
use crate::text::words::identifier_words;

/// What is known about a tool's effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// What it does.
    pub effects: Vec<Effect>,
    /// Whether what it does cannot be undone.
    pub irreversible: bool,
}

/// The effects of a tool: the policy's word first, then its annotations, then its name.
pub fn effects_of(spec: &ToolSpec, policy: &Policy) -> Effects {
    let named = by_name(&spec.name);
    let annotated = match (spec.annotations.destructive, spec.annotations.read_only) {
        (Some(true), _) => Some(Effect::Delete),
        (_, Some(true)) if named.is_none() => Some(Effect::Read),
        _ => None,
    };
    let by_policy = policy.tool(&spec.name).find_map(|tool| tool.effects.clone());
    let effects = by_policy.unwrap_or_else(|| {
        let mut effects: Vec<Effect> = annotated.into_iter().chain(named).collect();
        effects.sort_unstable();
        effects.dedup();
        effects
    });
    let lasting = effects.iter().any(|effect| matches!(effect, Effect::Delete | Effect::Pay | Effect::Send));
    let irreversible = policy.tool(&spec.name).find_map(|tool| tool.irreversible).unwrap_or(lasting);
    Effects { effects, irreversible }
}

/// The effect that the first verb of a name tells of. `send_get_request` reads, whatever it says first.
pub fn by_name(name: &str) -> Option<Effect> {
    let words = identifier_words(name);
    if let Some(effect) = traded(&words) {
        return Some(effect);
    }
    let effect =
        |word: &String| VERBS.iter().find(|(verbs, _)| verbs.contains(&word.as_str())).map(|(_, effect)| *effect);
    match words.iter().find_map(effect)? {
        Effect::Send if words.iter().any(|word| ["get", "query", "fetch"].contains(&word.as_str())) => {
            Some(Effect::Read)
        }
        first => Some(first),
    }
}

/// Names of trade, where a word may be a deed or a thing: `order_pizza` buys, `order_status` reads, `place_order` buys.
fn traded(words: &[String]) -> Option<Effect> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let first = words.first()?.as_str();
    if has(&[
        "order", "orders", "payment", "payments", "refund", "refunds", "purchase", "transfer", "checkout", "charge",
    ]) && words.last().is_some_and(|last| RECORDS.contains(&last.as_str()))
        && !words.iter().any(|word| DEEDS.contains(&word.as_str()))
    {
        return Some(Effect::Read);
    }
    let ordered = first == "order" && words.len() > 1 || (["place", "submit"].contains(&first) && has(&["order"]));
    let returned = first == "return" && has(&["item", "items", "order", "product", "products", "goods", "purchase"]);
    (ordered || returned || (first == "checkout" && (words.len() == 1 || has(&["cart", "basket", "order"]))))
        .then_some(Effect::Pay)
}

const RECORDS: &[&str] =
    &["status", "details", "detail", "history", "info", "information", "summary", "tracking", "methods", "list"];
/// Verbs that change a record, whatever record it is.
const DEEDS: &[&str] = &["update", "set", "change", "edit", "modify", "delete", "cancel", "create", "add", "make"];

const VERBS: &[(&[&str], Effect)] = &[
    (
        &[
            "get",
            "list",
            "search",
            "find",
            "fetch",
            "read",
            "lookup",
            "look",
            "check",
            "view",
            "show",
            "query",
            "calculate",
            "compute",
            "estimate",
            "count",
            "describe",
            "retrieve",
            "compare",
            "analyze",
            "analyse",
            "convert",
            "translate",
            "summarize",
            "summarise",
            "predict",
            "validate",
            "verify",
            "explain",
            "browse",
            "display",
            "recommend",
            "is",
            "has",
        ],
        Effect::Read,
    ),
    (
        &[
            "delete",
            "remove",
            "drop",
            "purge",
            "erase",
            "destroy",
            "wipe",
            "truncate",
            "revoke",
            "uninstall",
            "cancel",
            "rm",
            "rmdir",
        ],
        Effect::Delete,
    ),
    (
        &[
            "pay", "payment", "transfer", "purchase", "buy", "charge", "refund", "withdraw", "remit", "wire", "invest",
            "donate",
        ],
        Effect::Pay,
    ),
    (
        &[
            "send",
            "email",
            "mail",
            "publish",
            "tweet",
            "retweet",
            "notify",
            "sms",
            "post",
            "reply",
            "forward",
            "broadcast",
            "message",
        ],
        Effect::Send,
    ),
    (
        &[
            "write", "update", "create", "edit", "set", "modify", "insert", "upload", "save", "put", "move", "rename",
            "add", "append", "change", "assign", "register", "book", "reserve", "schedule", "mv", "cp", "mkdir",
            "touch", "replace", "close", "resolve", "place", "order", "submit", "grant", "enable", "disable", "merge",
            "commit", "push", "patch",
        ],
        Effect::Write,
    ),
    (&["run", "execute", "exec", "eval", "shell", "bash", "command", "deploy", "invoke"], Effect::Execute),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_verb_tells() {
        // CALL-6
        assert_eq!(by_name("get_sent_emails"), Some(Effect::Read));
        assert_eq!(by_name("mcp__files__deleteFile"), Some(Effect::Delete));
        assert_eq!(by_name("Payment_1_MakePayment"), Some(Effect::Pay));
        assert_eq!(by_name("SendEmail"), Some(Effect::Send));
        assert_eq!(by_name("sender_statistics"), None);
        assert_eq!(by_name("send_get_request"), Some(Effect::Read));
        for buys in ["place_order", "order_pizza", "purchase_ticket", "checkout", "return_items", "apply_refund"] {
            assert_eq!(by_name(buys), Some(Effect::Pay), "{buys}");
        }
        for reads in ["get_order", "list_orders", "order_status", "payment_history", "refund_status"] {
            assert_eq!(by_name(reads), Some(Effect::Read), "{reads}");
        }
        assert_eq!(by_name("book_room"), Some(Effect::Write));
        assert_eq!(by_name("git_checkout"), None);
        assert_eq!(by_name("update_order_status"), Some(Effect::Write));
    }
}
