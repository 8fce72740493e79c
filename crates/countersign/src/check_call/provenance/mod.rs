//! Where the values come from.
//!
//! A value that the model must have got from somewhere, and that does not appear in what was said, is fabricated. Most
//! values are there as they are, and cost one search. Only for the others the ways are walked by which people
//! infer: other names, other units, arithmetic, dates in relation to now. What can be inferred is never flagged.
//! Nothing is said where there is no conversation to miss a value in.

/// Everything that a value may come from.
pub(crate) mod sources;
/// What a value looks like.
pub(crate) mod shape;
/// Things with several names.
pub(crate) mod alias;
/// Numbers that follow from numbers.
pub(crate) mod numbers;
/// Dates and times that follow.
pub(crate) mod moments;
/// Names and terms that follow.
pub(crate) mod names;
/// Ids that follow.
pub(crate) mod ids;
/// What a fabricated id may have been meant to be.
pub(crate) mod nearest;

use super::params::Param;
use super::request;
use super::role::Role;
use super::subject::{Check, Node, Said, Subject};
use crate::contract::codes::provenance::{FABRICATED_ID, FABRICATED_VALUE};
use crate::contract::{Finding, Outcome};
use crate::conversation::numbers::Number;
use crate::localized;
use crate::policy::Effect;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use serde_json::Value;
use shape::{Shape, points_at_a_record};
use sources::{Declared, Sources, folded};

/// The check.
pub(crate) const CHECK: Check = Check { name: "provenance", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let Some(sources) = Sources::of(subject) else { return };
    for node in subject.values.leaves().filter(|node| !is_own(node)) {
        let found = match node.value {
            Value::String(text) if text.len() <= MAX_VALUE => judge_text(text, node, &sources),
            Value::Number(number) => judge_number(&number.to_string(), node, &sources),
            _ => None,
        };
        let explained = |node: &Node<'_>| request::explains(subject, node);
        if let Some(fabricated) = found.filter(|found| is_expected(found, node, subject) && !explained(node)) {
            said.findings.push(finding(&fabricated, node, subject));
        }
    }
}

/// Whether a value is the model's own thinking, which comes from nowhere else.
fn is_own(node: &Node<'_>) -> bool {
    identifier_words(node.key).iter().any(|word| matches!(word.as_str(), "thought" | "thoughts" | "reasoning"))
}

/// Whether a value could be expected to come from somewhere. In an object that the schema leaves open the model composes
/// a query or a document: there only what points at one record, and what is paid, has a source.
fn is_expected(found: &Fabricated, node: &Node<'_>, subject: &Subject<'_>) -> bool {
    if subject.tool.schema.is_none() || !subject.values.is_composed(node) {
        return true;
    }
    let text = node.value.as_str().unwrap_or(&found.folded);
    node.roles.has(Role::Amount) || (found.shape == Shape::Id && points_at_a_record(text, node.key, node.roles))
}

/// What was fabricated.
#[derive(Debug)]
struct Fabricated {
    shape: Shape,
    folded: String,
    origin: Origin,
}

/// Where a value that nobody gave may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Unknown,
    /// The tool's own text shows it as an example.
    Example,
}

impl Fabricated {
    fn new(shape: Shape, folded: String, origin: Origin) -> Self {
        Self { shape, folded, origin }
    }
}

fn judge_text(text: &str, node: &Node<'_>, sources: &Sources<'_>) -> Option<Fabricated> {
    if is_offered(node.value, node.param) {
        return None;
    }
    let folded = folded(text);
    if sources.said(&folded) {
        return None;
    }
    let shape = Shape::of(text, &node.last_word(), node.roles);
    if shape == Shape::Free || is_new_name(text, node, sources) || is_constant(text, node, shape) {
        return None;
    }
    let origin = match sources.declared(node, text, &folded) {
        Declared::Given => return None,
        Declared::AsExample if shape != Shape::Id || !points_at_a_record(text, node.key, node.roles) => return None,
        Declared::AsExample => Origin::Example,
        Declared::Nowhere => Origin::Unknown,
    };
    if ids::is_placeholder(&folded) && shape != Shape::Prose {
        return Some(Fabricated::new(Shape::Id, folded, origin));
    }
    let follows = match shape {
        Shape::Id => ids::follows(&folded, sources),
        Shape::Number(number) => is_knob(node) || numbers::follows(&number, node, sources),
        Shape::Moment => moments::follows(text, sources),
        Shape::Words => names::follow(text, &folded, sources),
        Shape::Prose => !names::are_strange(&folded, sources),
        Shape::Free => true,
    };
    (!follows).then_some(Fabricated::new(shape, folded, origin))
}

fn judge_number(text: &str, node: &Node<'_>, sources: &Sources<'_>) -> Option<Fabricated> {
    if matches!(text, "0" | "1" | "0.0" | "1.0" | "-1") || is_offered(node.value, node.param) {
        return None;
    }
    if sources.said(text) {
        return None;
    }
    // Where a place lies is known like its name.
    if text.contains('.') && (node.roles.has(Role::Latitude) || node.roles.has(Role::Longitude)) {
        return None;
    }
    let shape = Shape::of_number(text, node.roles);
    let declared = || sources.declared(node, text, text);
    let follows = match shape {
        Shape::Id => declared() == Declared::Given || ids::follows(text, sources),
        Shape::Number(number) => {
            is_setting(&number, node.param)
                || is_knob(node)
                || numbers::follows(&number, node, sources)
                || (node.key.to_ascii_lowercase().contains("month") && moments::month_follows(number.value, sources))
                || (node.last_word() == "year" && moments::is_this_year(number.value, sources))
                || declared() != Declared::Nowhere
                || sources.tool().numbers().has_number(&number)
        }
        _ => true,
    };
    (!follows).then(|| {
        let origin = if declared() == Declared::AsExample { Origin::Example } else { Origin::Unknown };
        Fabricated::new(shape, text.to_owned(), origin)
    })
}

/// Whether a word is written as constants are, and stands where they do: it belongs to the tool's own vocabulary. A
/// single word in capitals may as well be a name.
fn is_constant(text: &str, node: &Node<'_>, shape: Shape) -> bool {
    let capitals = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    shape == Shape::Words && capitals && text.len() >= 5 && (node.is_item() || text.contains('_'))
}

/// Whether a name is the caller's to choose: a path that a tool writes was not there before, and "a name for the
/// picture" names what is being made.
fn is_new_name(text: &str, node: &Node<'_>, sources: &Sources<'_>) -> bool {
    let roles = node.roles;
    let says = |phrase: &str| node.param.is_some_and(|param| param.description.to_lowercase().contains(phrase));
    if roles.has(Role::Name) && !roles.has(Role::Id) && says("name for ") {
        return true;
    }
    let path = roles.has(Role::Path) || (text.contains('/') && !text.contains("://")) || text.contains('\\');
    path && sources.tool_has(Effect::Write)
}

/// Whether a number is left to the model: optional, and small and whole, of the size of a constant of nature, or in the
/// place of a default that the tool has for it.
fn is_setting(number: &Number, param: Option<&Param>) -> bool {
    let small = number.value <= 100.0 && (number.value.fract() == 0.0 || number.value == 0.5);
    let usual = small || number.value >= 1e8 || number.value <= 1e-5;
    // A year and a price are no settings, whatever the tool takes where they are absent.
    let tuned = |param: &Param| {
        !param.roles.has(Role::Amount)
            && param.last_word != "year"
            && param.default.as_ref().and_then(Value::as_f64).is_some_and(|own| own > 0.0)
    };
    param.is_some_and(|param| !param.required && (usual || tuned(param)))
}

/// Whether a number tunes how the tool works, which nobody speaks of: a timeout, how often to try again.
fn is_knob(node: &Node<'_>) -> bool {
    let last = node.last_word();
    KNOBS.contains(&&*last) || identifier_words(node.key).iter().any(|word| ANYWHERE.contains(&word.as_str()))
}

/// Whether the schema itself offers a value. Its examples are read with the rest of its text.
fn is_offered(value: &Value, param: Option<&Param>) -> bool {
    param.is_some_and(|param| !param.allowed.is_empty() || param.default.as_ref() == Some(value))
}

fn finding(fabricated: &Fabricated, node: &Node<'_>, subject: &Subject<'_>) -> Finding {
    let pointer = subject.values.pointer(node);
    let secret = node.param.is_some_and(|param| param.roles.has(Role::Secret));
    let (key, value) = (node.key, if secret { "`***`".to_owned() } else { show_value(node.value) });
    let language = subject.language;
    let evidence = match fabricated.origin {
        Origin::Unknown => localized!(
            language,
            "`{key}` is {value}, which does not appear in the conversation, in earlier results or in the tool's own text",
            "`{key}` 的值是 {value}，在对话、先前的结果和工具说明中都没有出现过"
        ),
        Origin::Example => localized!(
            language,
            "`{key}` is {value}, which is only an example in the tool's own description; nobody gave it",
            "`{key}` 的值是 {value}，它只是工具说明中的示例，没有人给出过这个值"
        ),
    };
    if fabricated.shape != Shape::Id {
        let hint = localized!(
            language,
            "take `{key}` from the conversation, or ask the user",
            "请从对话中取得 `{key}`，或询问用户"
        );
        let mut finding = Finding::new(&FABRICATED_VALUE, pointer, evidence).hint(hint);
        // Nobody gets back what was paid too much.
        if node.roles.has(Role::Amount) && subject.tool.effects.effects.contains(&Effect::Pay) {
            finding.outcome = Outcome::Review;
        }
        return finding;
    }
    let near = || nearest::nearest(&fabricated.folded, subject.conversation.messages());
    let hint = match (!secret).then(near).flatten() {
        Some(near) => {
            localized!(language, "the nearest value in the conversation is `{near}`", "对话中最接近的值是 `{near}`")
        }
        None => {
            localized!(language, "look `{key}` up with a tool, or ask the user", "请用工具查询 `{key}`，或询问用户")
        }
    };
    let mut finding = Finding::new(&FABRICATED_ID, pointer, evidence).hint(hint);
    if subject.tool.effects.irreversible {
        finding.outcome = Outcome::Review;
    }
    finding
}

/// A value as it is shown to people.
fn show_value(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let short: String = text.chars().take(MAX_SHOWN).collect();
    if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}

/// Longer values are texts that the model wrote.
const MAX_VALUE: usize = 400;
const MAX_SHOWN: usize = 80;
/// Names of knobs.
const ANYWHERE: &[&str] =
    &["timeout", "retries", "retry", "ttl", "concurrency", "backoff", "tokens", "polling", "cache"];
const KNOBS: &[&str] = word_list!("check_call", "provenance/knobs");

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    alias::build_tables();
}

#[cfg(test)]
mod tests {
    use crate::check_call::Guard;
    use crate::contract::{Answers, Finding, Status, Verdict};
    use crate::inspect;
    use crate::policy::Policy;
    use crate::wire::requests::read_check;
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn judge(tool: &str, arguments: Value, said: &str, policy: &str) -> Verdict {
        let parameters = json!({"type": "object", "properties": {
            "account": {"type": "string", "description": "The account"}, "password": {"type": "string"},
            "city": {"type": "string", "description": "The city"}}});
        let body = json!({"id": 1, "tools": [{"name": tool, "description": "Does it.", "parameters": parameters}],
            "messages": said, "call": {"name": tool, "arguments": arguments}});
        let mut request = read_check(&body).unwrap();
        let guard = Guard::new(request.tools.take(), Arc::new(Policy::from_toml(policy).unwrap()));
        inspect::check(&guard, &request, &Answers::default())
    }

    fn of_provenance(verdict: &Verdict) -> Vec<&Finding> {
        verdict.findings.iter().filter(|finding| finding.code.id.starts_with("provenance.fabricated")).collect()
    }

    #[test]
    fn an_id_for_an_irreversible_tool_asks_a_person() {
        // CALL-8
        let made_up = || json!({"account": "AC-77120-9"});
        let said = "please close things down and delete account AC-10022-4";
        assert_eq!(judge("delete_account", made_up(), said, "").status, Status::RequiresReview);
        assert_eq!(judge("get_account", made_up(), said, "").status, Status::Caution);
        // A made-up name only advises, and so does everything where the policy says shadow.
        let city = json!({"city": "Rotterdam"});
        assert_eq!(judge("delete_account", city, said, "").status, Status::Caution);
        let shadow = judge("delete_account", made_up(), said, "[checks]\nprovenance = \"shadow\"");
        assert_eq!((shadow.status, of_provenance(&shadow).len(), shadow.shadow.len()), (Status::Approved, 0, 1));
        let known = judge("delete_account", made_up(), said, "known = [\"AC-77120-9\"]");
        assert!(of_provenance(&known).is_empty());
    }

    #[test]
    fn an_amount_needs_a_reason() {
        // CALL-8
        let pay = |name: &str, amount: f64, said: &str| {
            let parameters = json!({"type": "object", "properties": {name: {"type": "number"}}, "required": [name]});
            let body = json!({"id": 1, "tools": [{"name": "pay_bill", "description": "Pays.", "parameters": parameters}],
                "messages": said, "call": {"name": "pay_bill", "arguments": {name: amount}}});
            let mut request = read_check(&body).unwrap();
            let guard = Guard::new(request.tools.take(), Arc::new(Policy::from_toml("").unwrap()));
            inspect::check(&guard, &request, &Answers::default()).status
        };
        for wrong in [3800.0, 38000.0, 38.0, 3.8, 760.0, 190.0, 4560.0] {
            assert_eq!(pay("amount", wrong, "please pay the bill of $380"), Status::RequiresReview, "{wrong}");
        }
        for (name, right, said) in [
            ("amount", 380.0, "please pay the bill of $380"),
            ("amount_cents", 38000.0, "please pay the bill of $380"),
            ("amount", 190.0, "please pay half of the bill of $380"),
            ("amount", 3000.0, "please pay 3k of the bill"),
            ("amount", 30000.0, "请付账单3万元"),
            ("amount", 4560.0, "please pay the bill, $380 a month for a year"),
        ] {
            assert_eq!(pay(name, right, said), Status::Approved, "{right} {said}");
        }
    }

    #[test]
    fn the_nearest_value_is_named_and_secrets_are_not() {
        // CALL-8
        let verdict = judge("get_account", json!({"account": "AC-77120-9"}), "look at account AC-10022-4", "");
        let hint = &of_provenance(&verdict)[0].correction.as_ref().unwrap().note;
        assert!(hint.contains("AC-10022-4"), "{hint}");
        let verdict = judge("get_account", json!({"password": "hunter2024x"}), "look at it, my key is beetle1999q", "");
        let shown = serde_json::to_string(&verdict.findings).unwrap();
        assert!(
            !of_provenance(&verdict).is_empty() && !shown.contains("hunter2024x") && !shown.contains("beetle1999q")
        );
    }

    // MEANING-3: today is known where the request says what time it is; the digits of a clock ground nothing else.
    #[test]
    fn a_clock_grounds_the_date_and_nothing_else() {
        let book = |name: &str, value: serde_json::Value, context: serde_json::Value| {
            let parameters = json!({"type": "object", "properties": {name: {}}, "required": [name]});
            let body = json!({"tools": [{"name": "book_room", "description": "Books.", "parameters": parameters}],
                "messages": "please book the large room", "call": {"name": "book_room", "arguments": {name: value}},
                "context": context});
            let mut request = read_check(&body).unwrap();
            let guard = Guard::new(request.tools.take(), Arc::new(Policy::from_toml("").unwrap()));
            of_provenance(&inspect::check(&guard, &request, &Answers::default())).is_empty()
        };
        let clock = json!({"now": "2026-03-14T09:37:52+01:00", "timezone": "Europe/Oslo"});
        for (name, value) in
            [("date", json!("2026-03-14")), ("year", json!(2026)), ("start_time", json!("09:37")), ("month", json!(3))]
        {
            assert!(book(name, value.clone(), clock.clone()), "{name} {value}");
        }
        for (name, value) in
            [("amount", json!(37)), ("amount", json!(52)), ("date", json!("2026-09-14")), ("city", json!("Oslo"))]
        {
            let bare = book(name, value.clone(), json!({}));
            assert!(!bare, "{name} {value}");
            assert_eq!(book(name, value.clone(), clock.clone()), bare, "{name} {value}");
        }
    }

    #[test]
    fn hostile_values_end() {
        let said = "a1 ".repeat(40_000);
        for value in ["9".repeat(300), "-".repeat(300), "1,".repeat(150), "é".repeat(100), "{}/\\:".repeat(40)] {
            let _ = judge("get_account", json!({"account": value, "city": value}), &said, "");
        }
    }
}
