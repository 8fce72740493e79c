//! What is wrong with an answer, as findings: each caps a step at `caution`.
//!
//! Precision before recall: a low value alone is no finding. A finding names the sentence, what it says and what the
//! context says instead.

use super::derived::{is_converted, is_derived};
use super::{consistency, logprobs, token_probability};
use crate::contract::codes::score::{CONFLICT, CONTRADICTION, DISPUTED, LOW_LOGPROBS, UNSUPPORTED};
use crate::contract::{ConfidenceAssessment, Finding, Language};
use crate::grounding::conflict::Conflict;
use crate::grounding::{self, Examined};
use crate::localized;
use crate::wire::requests::ScoreRequest;
use std::ops::Range;

/// The findings on an answer: a sentence in conflict with its context or absent from it, self-contradiction, more
/// facts disputed than verified, very low log-probabilities.
pub fn answer_findings(request: &ScoreRequest, assessment: &ConfidenceAssessment, language: Language) -> Vec<Finding> {
    let examined = if assessment.sentences.is_empty() { Vec::new() } else { grounding::examine(request) };
    let mut found: Vec<Finding> =
        examined.iter().filter_map(|sentence| on_sentence(request, sentence, language)).take(LIMIT).collect();
    found.extend(contradictions(&request.response, language));
    found.extend(find_dispute(request.fact_check, language));
    found.extend(guessing(request, language));
    found
}

fn on_sentence(request: &ScoreRequest, sentence: &Examined, language: Language) -> Option<Finding> {
    let text = |range: &Range<usize>| shorten(request.response.get(range.clone()).unwrap_or_default());
    let whole = text(&sentence.range);
    if let Some((conflict, evidence)) = &sentence.conflict {
        let at = |range: &Range<usize>| range.start + sentence.range.start..range.end + sentence.range.start;
        let evidence = shorten(evidence);
        let sentence = match conflict {
            Conflict::Number { said, found } | Conflict::Date { said, found } | Conflict::Status { said, found } => {
                let said = text(&at(said));
                localized!(
                    language,
                    "the answer says `{said}`, the context `{found}`: \"{whole}\"",
                    "回答说“{said}”，上下文是“{found}”：“{whole}”"
                )
            }
            Conflict::Denied => {
                localized!(
                    language,
                    "the answer and the context deny each other: \"{whole}\" against \"{evidence}\"",
                    "回答与上下文一肯定一否定：“{whole}”，而“{evidence}”"
                )
            }
            Conflict::Opposite => {
                localized!(
                    language,
                    "the answer says the opposite of the context: \"{whole}\" against \"{evidence}\"",
                    "回答与上下文相反：“{whole}”，而“{evidence}”"
                )
            }
            Conflict::Swapped => {
                localized!(
                    language,
                    "the answer swaps the sides of a comparison: \"{whole}\" against \"{evidence}\"",
                    "回答把比较的双方说反了：“{whole}”，而“{evidence}”"
                )
            }
        };
        return Some(Finding::new(&CONFLICT, POINTER, sentence));
    }
    if let Some(finding) = missing_values(request, sentence, &whole, language) {
        return Some(finding);
    }
    sentence.off_topic.then(|| {
        Finding::new(
            &UNSUPPORTED,
            POINTER,
            localized!(
                language,
                "nothing of this stands in the context: \"{whole}\"",
                "上下文中没有这句话的内容：“{whole}”"
            ),
        )
        .sure(0.55)
    })
}

/// Values of a sentence that its context neither holds nor lets follow.
fn missing_values(request: &ScoreRequest, sentence: &Examined, whole: &str, language: Language) -> Option<Finding> {
    let text = |range: &Range<usize>| shorten(request.response.get(range.clone()).unwrap_or_default());
    let follows = |range: &Range<usize>| {
        let behind = request.response.get(range.start..sentence.range.end).unwrap_or_default();
        is_derived(&text(range), &request.context) || is_converted(&shorten(behind), &request.context)
    };
    let missing: Vec<String> = sentence.missing.iter().filter(|range| !follows(range)).map(text).take(3).collect();
    let missing = missing.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    (!missing.is_empty()).then(|| {
        let evidence = localized!(
            language,
            "{missing} does not appear in the context: \"{whole}\"",
            "上下文中没有 {missing}：“{whole}”"
        );
        Finding::new(&UNSUPPORTED, POINTER, evidence)
    })
}

fn contradictions(response: &str, language: Language) -> Option<Finding> {
    let (first, second) = consistency::contradictions(response).into_iter().next()?;
    let text = |range: Range<usize>| shorten(response.get(range).unwrap_or_default());
    let (first, second) = (text(first), text(second));
    let evidence =
        localized!(language, "the answer says \"{first}\" and then \"{second}\"", "回答先说“{first}”，又说“{second}”");
    Some(Finding::new(&CONTRADICTION, POINTER, evidence))
}

/// More facts disputed than verified.
pub(crate) fn find_dispute(facts: Option<(f64, f64)>, language: Language) -> Option<Finding> {
    let (verified, disputed) = facts.filter(|(verified, disputed)| disputed > verified)?;
    let evidence = localized!(
        language,
        "{disputed} facts were disputed and {verified} verified",
        "{disputed} 个事实有争议，{verified} 个已核实"
    );
    Some(Finding::new(&DISPUTED, POINTER, evidence))
}

fn guessing(request: &ScoreRequest, language: Language) -> Option<Finding> {
    let all = request.logprobs.as_deref()?;
    let (mean, lowest) = (logprobs::mean(all)?, token_probability::lowest(all)?);
    (mean < LOW_MEAN || lowest < token_probability::VERY_LOW).then(|| {
        let evidence = localized!(
            language,
            "the tokens' log-probabilities are very low: mean {mean:.2}, lowest {lowest:.2}",
            "词元的对数概率很低：平均 {mean:.2}，最低 {lowest:.2}"
        );
        Finding::new(&LOW_LOGPROBS, POINTER, evidence)
    })
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(160).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// An answer is one text: its findings stand at its root.
const POINTER: &str = "";
/// Below this mean the model was guessing nearly everywhere.
const LOW_MEAN: f64 = -3.0;
/// More findings on sentences than this say nothing new.
const LIMIT: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ScorePolicy;
    use crate::score::assess;

    fn findings(response: &str, context: &str, language: Language) -> Vec<(&'static str, String)> {
        let ask = ScoreRequest { response: response.into(), context: vec![context.into()], ..Default::default() };
        let assessment = assess(&ask, &ScorePolicy::default());
        let found = answer_findings(&ask, &assessment, language);
        found.into_iter().map(|finding| (finding.code.id, finding.evidence)).collect()
    }

    // SCORE-3, SCORE-5
    #[test]
    fn a_finding_says_what_was_said_and_what_was_found() {
        let (answer, context) = ("The recycling rate was 87%.", "The recycling rate of batteries was 46%.");
        let english = findings(answer, context, Language::English);
        assert_eq!(english.len(), 1);
        assert_eq!(english[0].0, "answer.conflict");
        assert!(english[0].1.contains("`87%`") && english[0].1.contains("`46%`"), "{english:?}");
        let chinese = findings(answer, context, Language::Chinese);
        assert!(chinese[0].1.contains("上下文"), "{chinese:?}");
    }

    // SCORE-5
    #[test]
    fn a_text_without_end_gives_a_bounded_list() {
        let found = findings(&"It cost 987654 dollars. ".repeat(500), "It cost 12 dollars.", Language::English);
        assert!(!found.is_empty() && found.len() <= LIMIT, "{}", found.len());
    }
}
