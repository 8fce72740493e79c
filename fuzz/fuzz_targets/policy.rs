//! Arbitrary text as a policy: refused with a reason, or usable.
#![no_main]

use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|text: &str| {
    match Policy::from_toml(text) {
        Ok(policy) => {
            let body = serde_json::json!({"tools": [{"name": "send_mail"}], "call": {"name": "send_mail", "arguments": {"to": "a@b.c"}}});
            let mut request = read_check(&body).unwrap();
            let guard = Guard::new(request.tools.take(), Arc::new(policy));
            let _ = inspect::check(&guard, &request, &Answers::default());
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            if let Some(span) = error.span {
                assert!(text.get(span).is_some(), "a span that does not fit the text");
            }
        }
    }
});
