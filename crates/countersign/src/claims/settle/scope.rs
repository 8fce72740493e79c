//! Whether two sentences speak of the same case: the same quarter, both as fact or both as forecast, both of an average
//! or both of a total. Where they do not, their numbers may differ in peace.

use crate::text::phrases::Phrases;
use crate::text::rows::rows;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What narrows the sense of a sentence, each as a name of its own.
pub(crate) fn scope(text: &str) -> BTreeSet<&'static str> {
    LISTED.phrases.find(text).filter_map(|found| LISTED.sense(found.phrase)).collect()
}

struct Listed {
    phrases: Phrases,
    senses: Vec<(&'static str, &'static str)>,
}

impl Listed {
    fn sense(&self, phrase: &str) -> Option<&'static str> {
        let at = self.senses.binary_search_by(|(listed, _)| (*listed).cmp(phrase)).ok()?;
        self.senses.get(at).map(|(_, sense)| *sense)
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&LISTED);
}

/// Lines of `sense: phrase, phrase`.
static LISTED: LazyLock<Listed> = LazyLock::new(|| {
    let mut senses: Vec<(&str, &str)> = Vec::new();
    for (sense, phrases) in rows(include_str!("../data/scope.txt")).filter_map(|row| row.split_once(':')) {
        senses.extend(phrases.split(',').map(|phrase| (phrase.trim(), sense.trim())));
    }
    senses.sort_unstable();
    Listed { phrases: Phrases::new(senses.iter().map(|(phrase, _)| *phrase)), senses }
});

#[cfg(test)]
mod tests {
    use super::*;

    // CLAIM-3
    #[test]
    fn another_quarter_a_forecast_and_an_average_are_another_case() {
        assert_eq!(scope("Revenue grew 25% in Q3"), scope("第三季度营收增长25%"));
        assert_ne!(scope("Revenue grew 25% in the third quarter"), scope("Revenue grew 25% in the second quarter"));
        assert_ne!(scope("Revenue is expected to grow 25%"), scope("Revenue grew 25%"));
        assert_ne!(scope("平均价格20元"), scope("价格20元"));
        assert!(scope("Revenue grew 25%").is_empty());
    }
}
