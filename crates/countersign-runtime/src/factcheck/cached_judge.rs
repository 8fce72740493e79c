//! A judge that is asked about one thing once: the same claim with the same passages gets the same judgement.

use super::judge::{Doubt, Judge, JudgeError, Judgement};
use rustc_hash::FxHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// A judge with a memory.
pub struct CachedJudge {
    judge: Arc<dyn Judge>,
    known: Mutex<HashMap<u64, (Doubt, Judgement)>>,
}

impl CachedJudge {
    /// Remembers what a judge says.
    pub fn new(judge: Arc<dyn Judge>) -> Self {
        Self { judge, known: Mutex::default() }
    }
}

impl Judge for CachedJudge {
    fn judge(&self, doubt: &Doubt) -> Result<Judgement, JudgeError> {
        let key = digest(doubt);
        let find =
            |known: &HashMap<u64, (Doubt, Judgement)>| known.get(&key).filter(|(same, _)| same == doubt).cloned();
        if let Some((_, judgement)) = find(&self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(judgement);
        }
        // A failure is not remembered: the next one may be answered.
        let judgement = self.judge.judge(doubt)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, (doubt.clone(), judgement.clone()));
        Ok(judgement)
    }
}

fn digest(doubt: &Doubt) -> u64 {
    let mut hasher = FxHasher::default();
    (&doubt.claim, &doubt.sentence, &doubt.passages).hash(&mut hasher);
    hasher.finish()
}

/// So many judgements are remembered.
const MAX_KNOWN: usize = 4096;

#[cfg(test)]
mod tests {
    use super::super::judge::Said;
    use super::*;
    use countersign::contract::Language;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counting(AtomicUsize);

    impl Judge for Counting {
        fn judge(&self, doubt: &Doubt) -> Result<Judgement, JudgeError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            match doubt.claim.as_str() {
                "away" => Err(JudgeError::Service("away".into())),
                _ => Ok(Judgement { said: Said::Unknown, quote: None, reason: None }),
            }
        }
    }

    // CLAIM-3: the same question is asked once; a failure is asked again.
    #[test]
    fn one_question_is_asked_once() {
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let judge = CachedJudge::new(Arc::clone(&counting) as Arc<dyn Judge>);
        let doubt = |claim: &str| Doubt {
            claim: claim.to_owned(),
            sentence: String::new(),
            passages: Vec::new(),
            language: Language::English,
        };
        for claim in ["a", "a", "b", "a", "away", "away"] {
            let _ = judge.judge(&doubt(claim));
        }
        assert_eq!(counting.0.load(Ordering::Relaxed), 4);
    }
}
