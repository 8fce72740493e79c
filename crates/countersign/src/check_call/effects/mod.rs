//! What a tool does to the world: the one place that tells it.
//!
//! The operator's word counts alone. Where there is none, annotations, name, description and schema are read together. This
//! decides how careful we are, so each of them may only raise our care: `get_and_delete_all` deletes, and `obliterate` does
//! what its description says. A tool of which nothing is known has no known effect.

/// Verbs and what they do.
pub(crate) mod lexicon;
/// What a description says.
pub(crate) mod description;

use super::role::{Role, Roles};
use crate::contract::ToolSpec;
use crate::contract::language::is_han;
use crate::policy::{Effect, Policy};
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use lexicon::{RECORDS, Verb};
use serde_json::Value;

/// What is known about a tool's effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// What it does.
    pub effects: Vec<Effect>,
    /// Whether what it does cannot be undone.
    pub irreversible: bool,
}

/// The effects of a tool: the policy's word, else what its annotations, its name, its description and its schema say.
pub fn effects_of(spec: &ToolSpec, policy: &Policy) -> Effects {
    let by_policy = policy.tool(&spec.name).find_map(|tool| tool.effects.clone());
    let effects = by_policy.unwrap_or_else(|| read_effects(spec));
    let lasting = effects.iter().any(|effect| matches!(effect, Effect::Delete | Effect::Pay | Effect::Send));
    let irreversible = policy.tool(&spec.name).find_map(|tool| tool.irreversible).unwrap_or(lasting);
    Effects { effects, irreversible }
}

/// What a tool says of itself.
fn read_effects(spec: &ToolSpec) -> Vec<Effect> {
    let described = description::effects(&spec.description);
    // A thing in front of a name (`email_lookup`) is no deed where the description only looks.
    let looks = !described.is_empty() && described.iter().all(|effect| *effect == Effect::Read);
    let mut named = if looks && begins_with_thing(&spec.name) { vec![Effect::Read] } else { all_by_name(&spec.name) };
    if hands_over(spec) {
        named.retain(|effect| *effect != Effect::Pay);
    }
    let mut effects = named.clone();
    let reads = named == [Effect::Read];
    for effect in described {
        // Who is called `get` is not made a writer by one word; what cannot be undone is believed.
        let lasting = matches!(effect, Effect::Delete | Effect::Pay | Effect::Send);
        if lasting || named.is_empty() || (!reads && effect != Effect::Read) {
            effects.push(effect);
        }
    }
    if spec.annotations.destructive == Some(true) {
        effects.push(Effect::Delete);
    }
    if effects.is_empty() && spec.annotations.read_only == Some(true) {
        effects.push(Effect::Read);
    }
    effects.extend(by_schema(spec, &effects));
    effects.sort_unstable();
    effects.dedup();
    effects
}

/// Whether what a tool transfers is no money: `transfer_to_nurse`, `transfer_call`. The schema has no amount, and neither the
/// name nor the description speaks of one.
pub(crate) fn hands_over(spec: &ToolSpec) -> bool {
    let words = identifier_words(&spec.name);
    let first = words.iter().find(|word| lexicon::verb(word).is_some());
    let Some(schema) = spec.input.as_ref().filter(|_| first.is_some_and(|first| first == "transfer")) else {
        return false;
    };
    let schema: Value = serde_json::from_str(schema.0.get()).unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut names = properties.into_iter().flat_map(|properties| properties.keys());
    let amount = names.any(|name| Roles::of(name, "", None).has(Role::Amount));
    let described = spec.description.to_ascii_lowercase();
    let spoken = words.iter().map(String::as_str).chain(described.split(|c: char| !c.is_ascii_alphabetic()));
    let money = spoken.into_iter().any(|word| MONEY.contains(&word));
    words.len() > 1
        && properties.is_some()
        && !amount
        && !money
        && !["转账", "汇款", "资金"].iter().any(|word| described.contains(word))
}

/// What the parameters add: an amount that is sent is paid, and a tool that takes a command runs it.
fn by_schema(spec: &ToolSpec, known: &[Effect]) -> Option<Effect> {
    let sends = known.contains(&Effect::Send) && !known.contains(&Effect::Pay);
    if !sends && !known.is_empty() {
        return None;
    }
    let schema: Value = serde_json::from_str(spec.input.as_ref()?.0.get()).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    let has = |role: Role| properties.keys().any(|name| Roles::of(name, "", None).has(role));
    match sends {
        true => has(Role::Amount).then_some(Effect::Pay),
        false => has(Role::Command).then_some(Effect::Execute),
    }
}

/// Every effect that a name tells of: its first verb's, and those after an "and".
pub fn all_by_name(name: &str) -> Vec<Effect> {
    if name.contains(is_han) {
        return description::effects(name);
    }
    let words = identifier_words(name);
    let mut found: Vec<Effect> = by_name(name).into_iter().collect();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| ["and", "then", "or"].contains(&word.as_str())) {
        let verb = words.get(at + 1).and_then(|word| lexicon::verb(word));
        found.extend(verb.filter(|verb| !verb.thing).map(|verb| verb.effect));
    }
    let money = words.iter().any(|word| ["money", "funds", "cash"].contains(&word.as_str()));
    if money && found.contains(&Effect::Send) {
        found.push(Effect::Pay);
    }
    found
}

/// The effect that the first verb of a name tells of. `send_get_request` reads, whatever it says first.
pub fn by_name(name: &str) -> Option<Effect> {
    let words = identifier_words(name);
    if let Some(effect) = find_trade(&words) {
        return Some(effect);
    }
    let verbs: Vec<Verb> = words.iter().filter_map(|word| lexicon::verb(word)).collect();
    let first = verbs.first()?;
    // What is only drafted or shown is not sent: `draft_reply`, `preview_email`.
    if first.thing && words.first().is_some_and(|word| ["draft", "preview", "simulate"].contains(&word.as_str())) {
        return None;
    }
    // A thing before a verb that only looks: `email_search`, `payment_get_status`.
    let looks = || verbs.iter().skip(1).find(|verb| !verb.thing || verb.effect == Effect::Read);
    match first.effect {
        Effect::Send if words.iter().any(|word| ["get", "query", "fetch"].contains(&word.as_str())) => {
            Some(Effect::Read)
        }
        Effect::Send | Effect::Pay if first.thing && looks().is_some_and(|verb| verb.effect == Effect::Read) => {
            Some(Effect::Read)
        }
        first => Some(first),
    }
}

/// Whether the only verb of a name is a thing as well.
fn begins_with_thing(name: &str) -> bool {
    let words = identifier_words(name);
    let mut verbs = words.iter().filter_map(|word| lexicon::verb(word));
    words.len() > 1 && find_trade(&words).is_none() && verbs.clone().next().is_some() && verbs.all(|verb| verb.thing)
}

/// Names of trade, where a word may be a deed or a thing: `order_pizza` buys, `order_status` reads, `place_order` buys.
fn find_trade(words: &[String]) -> Option<Effect> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let first = words.first()?.as_str();
    let done = |word: &String| lexicon::verb(word).is_some_and(|verb| !verb.thing && verb.effect != Effect::Read);
    if has(&[
        "order", "orders", "payment", "payments", "refund", "refunds", "purchase", "transfer", "checkout", "charge",
        "email", "emails", "mail", "message", "messages", "post", "posts", "sms",
    ]) && words.last().is_some_and(|last| RECORDS.contains(&last.as_str()))
        && !words.iter().any(|word| DEEDS.contains(&word.as_str()) || done(word))
    {
        return Some(Effect::Read);
    }
    let ordered = first == "order" && words.len() > 1 || (["place", "submit"].contains(&first) && has(&["order"]));
    let returned = first == "return" && has(&["item", "items", "order", "product", "products", "goods", "purchase"]);
    (ordered || returned || (first == "checkout" && (words.len() == 1 || has(&["cart", "basket", "order"]))))
        .then_some(Effect::Pay)
}

/// Words by which a transfer is one of money.
const MONEY: &[&str] = &[
    "money", "fund", "funds", "cash", "balance", "payment", "bank", "wallet", "savings", "credit", "credits", "points",
    "crypto", "amount", "currency", "account", "accounts", "wire", "iban", "token", "tokens", "coins", "shares",
    "miles",
];
/// Verbs that change a record, whatever record it is.
const DEEDS: &[&str] = word_list!("check_call", "effects/deeds");

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
        for reads in ["email_search", "message_history", "payment_get_status"] {
            assert_eq!(by_name(reads), Some(Effect::Read), "{reads}");
        }
    }

    fn told_of(name: &str, description: &str, properties: Value) -> Effects {
        let tool = serde_json::json!([{"name": name, "description": description,
            "input_schema": {"type": "object", "properties": properties}}]);
        let specs = crate::wire::tools::read_tools(&tool.to_string()).unwrap();
        effects_of(&specs[0], &Policy::standard())
    }

    #[test]
    fn name_description_and_schema_tell_together() {
        // CALL-6, MEANING-4
        let none = || serde_json::json!({});
        for (name, description, effect) in [
            ("get_and_delete_all", "", Effect::Delete),
            ("obliterate", "Deletes everything", Effect::Delete),
            ("send_money", "", Effect::Pay),
            ("fetch_inbox", "Fetches mail and deletes it from the server", Effect::Delete),
            ("settle_up", "Pays what is due", Effect::Pay),
            ("删除文件", "", Effect::Delete),
            ("cleanup", "删除所有数据", Effect::Delete),
        ] {
            let told = told_of(name, description, none());
            assert!(told.effects.contains(&effect) && told.irreversible, "{name}: {told:?}");
        }
        assert!(told_of("send", "", serde_json::json!({"amount": {}, "to": {}})).effects.contains(&Effect::Pay));
        assert_eq!(told_of("terminal", "", serde_json::json!({"command": {}})).effects, [Effect::Execute]);
    }

    #[test]
    fn readers_stay_readers() {
        // CALL-6, MEANING-4
        for (name, description) in [
            ("get_trash", "Returns deleted items"),
            ("list_payments", "List payments of an account"),
            ("email_preview", "Preview of an e-mail before it is sent"),
            ("draft_reply", "Drafts a reply; it is not sent."),
            ("get_send_status", "Get the send status"),
            ("read_file", "Reads a file. Does not delete anything."),
            ("search_flights", "Search flights and compare prices"),
            ("currency_converter", "Converts an amount to another currency"),
            ("get_permissions", "Get read and write permissions"),
            ("recycle_bin", "查询已删除的文件"),
        ] {
            let told = told_of(name, description, serde_json::json!({"amount": {}, "to": {}}));
            let acts = told.effects.iter().any(|effect| *effect != Effect::Read);
            assert!(!acts, "{name}: {told:?}");
        }
    }
}
