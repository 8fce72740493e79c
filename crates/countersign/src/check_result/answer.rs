//! The model's answer as such: is it an answer, or only an acknowledgement?

use super::anomaly::pseudo_answer::excuse;
use crate::contract::codes::answer as codes;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::parse::chatter::of_model;

/// An answer that only promises or acknowledges (好的，收到您的指令…, "Sure, I will …"), or begins with an excuse ("As an AI
/// language model …").
pub fn answer_findings(response: &str, language: Language) -> Vec<Finding> {
    let text = response.trim();
    let found = excuse(text).or_else(|| of_model(text).map(|_| text.chars().take(MAX_SHOWN).collect()));
    let evidence = |phrase: String| {
        localized!(
            language,
            "the answer is an excuse or an acknowledgement: “{phrase}”",
            "回答只是推托或应答：“{phrase}”"
        )
    };
    found.map(|phrase| Finding::new(&codes::PSEUDO, "", evidence(phrase))).into_iter().collect()
}

/// As much of the answer as is needed to recognise it.
const MAX_SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-5, SCORE-5, T30
    #[test]
    fn an_acknowledgement_alone_is_no_answer() {
        let is_pseudo = |text: &str| !answer_findings(text, Language::English).is_empty();
        for text in [
            "好的，收到您的指令。",
            "好的，我会尽快为您处理，请稍候。",
            "Sure, I will look into it.",
            "Understood. I'll get right on it!",
            "Of course! Let me check that for you.",
            "As an AI language model, I don't have access to real-time weather data.",
            "作为人工智能语言模型，我无法获取实时天气。",
        ] {
            assert!(is_pseudo(text), "{text}");
        }
        for text in [
            "Sure, the capital of France is Paris.",
            "好的，北京今天晴，最高气温 12 度。",
            "Okay. The order ships on Monday and costs 20 euros.",
            "Yes.",
            "No problem, which city do you mean?",
            "You're welcome!",
            "The meeting is at nine.",
            "",
        ] {
            assert!(!is_pseudo(text), "{text}");
        }
    }
}
