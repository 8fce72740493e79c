//! Arbitrary text: mentions in order, without overlaps, on character boundaries, finite, and the same twice.
#![no_main]

use countersign::text::mentions::{Reading, What};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let reading = Reading::of(text);
    let mut end = 0;
    for mention in &reading.mentions {
        assert!(mention.range.start >= end && mention.range.end > mention.range.start);
        assert!(reading.lower.get(mention.range.clone()).is_some());
        if let What::Number(quantity) = &mention.what {
            assert!(quantity.value.is_finite() && reading.lower.get(quantity.noun.clone()).is_some());
        }
        end = mention.range.end;
    }
    assert_eq!(reading.mentions, Reading::of(text).mentions);
});
