//! A tool that gives an opinion in the first person instead of data.

use crate::check_result::subject::Subject;
use crate::check_result::voice::voices;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::phrases::Phrases;
use std::sync::LazyLock;

/// First-person belief in the tool's own words.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    voices(subject)
        .into_iter()
        .filter_map(|voice| {
            let phrase = OPINION.find(&voice.text).map(|found| found.phrase.to_owned()).next()?;
            let evidence = localized!(subject.language, "the tool says “{phrase}”", "工具说“{phrase}”，无从核实");
            Some(Finding::new(&codes::UNVERIFIABLE, voice.pointer, evidence))
        })
        .collect()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&OPINION);
}

static OPINION: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/opinion.txt")));
