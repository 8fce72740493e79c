//! How a finding is said: with both sides, and with a consequence that fits what the tool does.

use super::argument::Argument;
use super::asked::Asked;
use crate::contract::codes::meaning::SWAPPED;
use crate::contract::{Code, Finding, Language, Mode, Outcome};
use crate::policy::Effect;

/// What a rule found.
pub(crate) struct Slip {
    /// Where.
    pub pointer: String,
    /// What kind.
    pub code: &'static Code,
    /// How sure.
    pub strength: Strength,
    /// Both sides, in a sentence.
    pub evidence: String,
    /// What to do.
    pub hint: String,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    /// The two readings cannot both be right.
    Strong,
    /// There may be a reason that was not said.
    Weak,
}

impl Slip {
    /// A finding on an argument.
    pub(crate) fn on(
        asked: &Asked<'_>,
        argument: &Argument<'_>,
        code: &'static Code,
        strength: Strength,
        says: Says,
    ) -> Self {
        let pointer = asked.subject.values.pointer(argument.node);
        Self { pointer, code, strength, evidence: says.evidence, hint: says.hint }
    }

    /// The values of two arguments that were exchanged.
    pub(crate) fn exchanged(asked: &Asked<'_>, first: &Argument<'_>, second: &Argument<'_>) -> Self {
        let (one, two, language) = (first.node.key, second.node.key, asked.subject.language);
        let evidence = crate::localized!(
            language,
            "by the words of the conversation the values of `{one}` and `{two}` are exchanged",
            "按对话中的说法，`{one}` 和 `{two}` 的值颠倒了"
        );
        let hint = crate::localized!(language, "exchange `{one}` and `{two}`", "请交换 `{one}` 与 `{two}`");
        Self::on(asked, first, &SWAPPED, Strength::Strong, Says { evidence, hint })
    }

    /// The finding. A tool that only looks is never held up; a tool that acts waits for a person where the finding is sure.
    pub(crate) fn into_finding(self, asked: &Asked<'_>) -> Finding {
        let effects = &asked.subject.tool.effects.effects;
        let reads = !effects.is_empty() && effects.iter().all(|effect| *effect == Effect::Read);
        let mut finding = Finding::new(self.code, self.pointer, self.evidence).hint(self.hint);
        match (reads, self.strength) {
            (false, Strength::Strong) => finding.outcome = Outcome::Review,
            _ => finding.mode = Mode::Advise,
        }
        finding
    }
}

/// What is said of it, in the reader's language.
pub(crate) struct Says {
    /// Both sides, in a sentence.
    pub evidence: String,
    /// What to do.
    pub hint: String,
}

/// A number without needless zeros.
pub(crate) fn show(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    format!("{rounded}")
}

/// What to do where the two sides differ: look at the request again.
pub(crate) fn compare_hint(key: &str, language: Language) -> String {
    crate::localized!(
        language,
        "send what was asked for as `{key}`, or ask the user which is meant",
        "请按用户的要求填写 `{key}`，或询问用户"
    )
}
