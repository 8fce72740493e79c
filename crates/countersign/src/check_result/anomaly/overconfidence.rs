//! A tool that is too sure of itself.

use crate::check_result::subject::Subject;
use crate::check_result::voice::voices;
use crate::contract::codes::result as codes;
use crate::contract::{Finding, Severity};
use crate::say;
use crate::text::phrases::Phrases;
use std::sync::LazyLock;

/// Absolutes in the tool's own words. One weak word ("always") only warns, because plain facts use it too.
pub fn check(subject: &Subject) -> Vec<Finding> {
    voices(subject)
        .into_iter()
        .filter_map(|voice| {
            let strong = STRONG.find(&voice.text).map(|found| found.phrase.to_owned()).next();
            let weak: Vec<String> = WEAK.find(&voice.text).map(|found| found.phrase.to_owned()).collect();
            let phrase = strong.clone().or_else(|| weak.first().cloned())?;
            let evidence = say!(subject.language, "the tool says “{phrase}”", "工具使用了“{phrase}”这样的绝对措辞");
            let finding = Finding::new(&codes::OVERCONFIDENT, voice.pointer, evidence);
            let several = weak.iter().any(|other| *other != phrase);
            Some(if strong.is_some() || several { finding } else { finding.graded(Severity::Warning) })
        })
        .collect()
}

static STRONG: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/overconfident.txt")));
static WEAK: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/overconfident_weak.txt")));
