//! Rules of a policy: the example of `docs/policy-rules.md`, and the calls that were made before, in every dialect.

use countersign::check_call::Guard;
use countersign::contract::{Answers, Verdict};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use serde_json::{Value, json};
use std::sync::Arc;

fn judge(policy: &str, body: &Value) -> Verdict {
    let mut request = read_check(body).unwrap();
    let guard = Guard::new(request.tools.take(), Arc::new(Policy::from_toml(policy).unwrap()));
    inspect::check(&guard, &request, &Answers::default())
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    let about = verdict.findings.iter().map(|finding| finding.code.id);
    about.filter(|code| code.starts_with("context.")).collect()
}

/// The policy that is in the documentation.
fn documented() -> String {
    let text = include_str!("../../../../docs/policy-rules.md");
    text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

fn refund(order: &str, amount: f64, messages: Value, context: Value) -> Value {
    let parameters =
        json!({"type": "object", "properties": {"order_id": {"type": "string"}, "items": {"type": "array"}}});
    json!({"id": 1, "tools": [{"name": "refund_order", "input_schema": parameters}], "messages": messages, "context": context,
        "call": {"name": "refund_order", "arguments": {"order_id": order, "items": [{"amount": 1.5}, {"amount": amount}]}}})
}

/// One look-up before the call, as each dialect writes it.
fn dialects() -> Vec<(&'static str, Value)> {
    let asked = json!({"role": "user", "content": "refund A-1 and A-2 please"});
    let arguments = json!({"order_id": "A-1"});
    let chat = json!([asked,
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": arguments.to_string()}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "{\"total\": 12}"}]);
    let messages = json!([asked,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_order", "input": arguments}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "{\"total\": 12}"}]}]}]);
    let responses = json!([asked,
        {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": arguments.to_string()},
        {"type": "function_call_output", "call_id": "c1", "output": "{\"total\": 12}"}]);
    vec![("chat", chat), ("messages", messages), ("responses", responses)]
}

// CALL-5: the documentation's own example.
#[test]
fn the_documented_policy_does_what_it_says() {
    let policy = documented();
    for (dialect, said) in dialects() {
        let looked_up = judge(&policy, &refund("A-1", 20.0, said.clone(), json!({})));
        assert_eq!(codes(&looked_up), [""; 0], "{dialect}: {:?}", looked_up.findings);
        let another = judge(&policy, &refund("A-2", 20.0, said.clone(), json!({})));
        assert_eq!(codes(&another), ["context.denied"], "{dialect}");
        let large = judge(&policy, &refund("A-1", 900.0, said, json!({})));
        assert_eq!(codes(&large), ["context.review"], "{dialect}");
    }
    let nothing = judge(&policy, &refund("A-1", 20.0, json!([]), json!({})));
    assert_eq!(codes(&nothing), ["context.denied"]);
    let mail = |to: Value| {
        let parameters =
            json!({"type": "object", "properties": {"to": {"type": "array", "items": {"type": "string"}}}});
        let tools = json!([{"name": "send_mail", "description": "Sends a mail.", "input_schema": parameters}]);
        judge(&policy, &json!({"id": 1, "tools": tools, "call": {"name": "send_mail", "arguments": {"to": to}}}))
    };
    assert_eq!(codes(&mail(json!(["a@example.com", "b@example.com"]))), [""; 0]);
    assert_eq!(codes(&mail(json!(["a@example.com", "b@elsewhere.com"]))), ["context.denied"]);
}

// CALL-5: what the rules see of the calls before.
#[test]
fn previous_calls_come_from_the_messages_unless_the_caller_lists_them() {
    let rule =
        |when: &str| format!("[[rules]]\nname = \"r\"\nwhen = '''{when}'''\neffect = \"deny\"\nreason = \"x\"\n");
    let whole = rule(
        "context.previous_calls == [{'name': 'get_order', 'arguments': {'order_id': 'A-1'}, 'id': 'c1', 'result': {'total': 12}}]",
    );
    for (dialect, said) in dialects() {
        let verdict = judge(&whole, &refund("A-1", 2.0, said.clone(), json!({})));
        assert_eq!(codes(&verdict), ["context.denied"], "{dialect}: {:?}", verdict.findings);
        let own = json!({"previous_calls": [{"name": "other", "arguments": {}}]});
        let verdict = judge(&whole, &refund("A-1", 2.0, said, own));
        assert_eq!(codes(&verdict), [""; 0], "{dialect}");
    }
    // It is there, and empty, where nothing was called; a call that still waits is not before itself.
    let none = rule("has(context.previous_calls) && size(context.previous_calls) == 0");
    assert_eq!(codes(&judge(&none, &refund("A-1", 2.0, json!([]), json!({})))), ["context.denied"]);
    let (_, chat) = dialects().remove(0);
    let waiting = json!([chat[0], chat[1]]);
    assert_eq!(codes(&judge(&none, &refund("A-1", 2.0, waiting, json!({})))), ["context.denied"]);
}
