//! Arbitrary bytes as a `verify` line.
#![no_main]

use countersign::check_result::verify;
use countersign::policy::Policy;
use countersign::wire::requests::read_verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = serde_json::from_slice(bytes) else { return };
    let Ok(request) = read_verify(&body) else { return };
    let report = verify(&request, &Policy::standard());
    assert!((0.0..=1.0).contains(&report.confidence) && report.checks_passed <= report.total_checks);
});
