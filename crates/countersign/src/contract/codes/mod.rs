//! The registry of finding codes: one file for each part of the line, every code once.

/// Declares codes and the list of them, so that none can be left out of the registry.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $layer:ident, $severity:ident $confidence:literal, $outcome:ident, $source:ident $kind:ident, {
        title: $title:literal, what: $what:literal, mend: $mend:literal, example: $example:literal $(,)?
    })*) => {
        use crate::contract::code::{Code, Kind, Layer, Outcome, Severity, Source};
        $(
            #[doc = $title]
            pub static $name: Code = Code {
                id: $id, layer: Layer::$layer, severity: Severity::$severity, confidence: $confidence,
                outcome: Outcome::$outcome, source: Source::$source, kind: Kind::$kind,
                title: $title, what: $what, mend: $mend, example: $example,
            };
        )*
        /// All codes of this part, in order.
        pub(crate) static ALL: &[&Code] = &[$(&$name),*];
    };
}

pub mod call;
pub mod meaning;
pub mod danger;
pub mod context;
pub mod provenance;
pub mod trust;
pub mod fact;
pub mod history;
pub mod result;
pub mod answer;
pub mod score;

use super::Code;

/// Every code, in the order of the line.
pub fn all() -> impl Iterator<Item = &'static Code> {
    let parts = [
        call::ALL,
        meaning::ALL,
        danger::ALL,
        context::ALL,
        provenance::ALL,
        trust::ALL,
        fact::ALL,
        history::ALL,
        result::ALL,
        answer::ALL,
        score::ALL,
    ];
    parts.into_iter().flatten().copied()
}

/// The code of a name.
pub fn find(id: &str) -> Option<&'static Code> {
    all().find(|code| code.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_complete() {
        let mut seen = HashSet::new();
        for code in all() {
            assert!(seen.insert(code.id), "{} stands twice", code.id);
            assert!((0.0..=1.0).contains(&code.confidence), "{}", code.id);
            for text in [code.title, code.what, code.mend, code.example] {
                assert!(!text.is_empty(), "{} lacks a text", code.id);
            }
            let name = code.id.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap();
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c == '-' || c == '_'), "{}", code.id);
        }
        assert!(find("call.unknown-tool").is_some());
        assert!(find("call.nothing").is_none());
    }
}
