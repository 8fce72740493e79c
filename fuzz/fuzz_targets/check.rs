//! Arbitrary bytes as a `check` line: never a panic, and the verdict can always be written.
#![no_main]

use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = serde_json::from_slice(bytes) else { return };
    let Ok(mut request) = read_check(&body) else { return };
    let guard = Guard::new(request.tools.take(), Policy::standard());
    let verdict = inspect::check(&guard, &request, &Answers::default());
    assert!(serde_json::to_string(&verdict).is_ok());
    assert!((0.0..=1.0).contains(&verdict.score));
});
