//! Arbitrary text: spans in order, without overlaps, on character boundaries, right in UTF-16, and the same twice.
#![no_main]

use countersign::claims::find::find;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let claims = find(text);
    let mut end = 0;
    for claim in &claims {
        assert!(claim.start >= end && claim.end > claim.start);
        assert_eq!(text.get(claim.start..claim.end), Some(claim.text.as_str()));
        assert_eq!(text[..claim.start].encode_utf16().count(), claim.utf16_start);
        assert_eq!(text[..claim.end].encode_utf16().count(), claim.utf16_end);
        end = claim.end;
    }
    assert_eq!(claims, find(text));
});
