//! Arbitrary bytes as a `step` line: the call, the result and the answer.
#![no_main]

use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_step;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = serde_json::from_slice(bytes) else { return };
    let Ok(mut request) = read_step(&body) else { return };
    let guard = Guard::new(request.check.tools.take(), Policy::standard());
    let report = inspect::step(&guard, &request, &Answers::default());
    assert!((0.0..=1.0).contains(&report.score));
    assert!(serde_json::to_string(&report).is_ok());
});
