//! A model as judge: asked last, believed least. It is asked only where no document, computation or checker said
//! anything, so it can never overrule one; and it disputes a claim only with a quotation that is in a passage.

use super::guarded::Guarded;
use super::opinion::{Opinion, Side, Weights, clipped};
pub use crate::ask::model::ModelError as JudgeError;
use countersign::claims::settle::Subject;
use countersign::contract::{ClaimSource, Language};
use countersign::localized;

/// Somebody who reads passages and judges. Called from several threads at once.
pub trait Judge: Send + Sync {
    /// Judges one claim.
    fn judge(&self, doubt: &Doubt) -> Result<Judgement, JudgeError>;
}

/// What a judge is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The claim's words.
    pub claim: String,
    /// The sentence it is in.
    pub sentence: String,
    /// What the sources have on it: where it is, and the words.
    pub passages: Vec<(String, String)>,
    /// The language of the sentence.
    pub language: Language,
}

/// What a judge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// For, against or neither.
    pub said: Said,
    /// The words of a passage that it goes by.
    pub quote: Option<String>,
    /// Why, in a sentence.
    pub reason: Option<String>,
}

/// For, against or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The claim is true.
    Supports,
    /// It is not.
    Conflicts,
    /// It cannot tell.
    Unknown,
}

/// Asks a judge about a claim.
pub(super) fn ask(
    judge: &Guarded<dyn Judge>,
    subject: &Subject,
    passages: Vec<(String, String)>,
    weights: &Weights,
) -> Result<Option<Opinion>, String> {
    let doubt = Doubt {
        claim: subject.claim.text.clone(),
        sentence: clipped(subject.sentence()),
        passages: passages.clone(),
        language: subject.claim.language,
    };
    let judgement = judge.ask(move |judge| judge.judge(&doubt))?;
    Ok(opinion(subject, &judgement, &passages, weights))
}

fn opinion(
    subject: &Subject,
    judgement: &Judgement,
    passages: &[(String, String)],
    weights: &Weights,
) -> Option<Opinion> {
    let side = match judgement.said {
        Said::Supports => Side::Supports,
        Said::Conflicts => Side::Conflicts,
        Said::Unknown => return None,
    };
    let quote = judgement.quote.as_deref().map(str::trim).filter(|quote| quote.chars().count() >= SHORTEST);
    let quoted = quote.and_then(|quote| {
        let (place, _) = passages.iter().find(|(_, text)| text.contains(quote))?;
        Some((place.clone(), quote.to_owned()))
    });
    if side == Side::Conflicts && quoted.is_none() {
        return None;
    }
    let weight = if quoted.is_some() { weights.model_quoting } else { weights.model };
    let reason = judgement.reason.as_deref().map(clipped).unwrap_or_default();
    let language = subject.claim.language;
    let note = match &quoted {
        Some((place, quote)) => {
            localized!(language, "a model reads {place} so: “{quote}” {reason}", "模型依据 {place}：“{quote}”{reason}")
        }
        None => {
            localized!(language, "a model says so, without a document: {reason}", "仅模型判断，无文档依据：{reason}")
        }
    };
    let (place, passage) = quoted.map_or((None, None), |(place, quote)| (Some(place), Some(quote)));
    let source = ClaimSource { name: "model".into(), place, passage, start: None, end: None };
    Some(Opinion { side, weight, note: note.trim_end().to_owned(), source })
}

/// A shorter quotation says nothing.
const SHORTEST: usize = 4;
