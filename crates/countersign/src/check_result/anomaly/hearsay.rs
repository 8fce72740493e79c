//! Hedged hearsay from a tool that should look something up.

use crate::check_result::subject::Subject;
use crate::check_result::voice::{looks_up, voices};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::phrases::Phrases;
use std::sync::LazyLock;

/// What people say, in the words of a look-up. A summary may report what others say.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    if !looks_up(subject) {
        return Vec::new();
    }
    voices(subject)
        .into_iter()
        .filter_map(|voice| {
            let phrase = HEARSAY.find(&voice.text).map(|found| found.phrase.to_owned()).next()?;
            let evidence =
                localized!(subject.language, "the tool passes on hearsay: “{phrase}”", "工具转述传闻：“{phrase}”");
            Some(Finding::new(&codes::HEARSAY, voice.pointer, evidence))
        })
        .collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&HEARSAY);
}

static HEARSAY: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/hearsay.txt")));
