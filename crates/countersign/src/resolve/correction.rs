//! How the correction of a call ended, once it has (CALL-10): which call was made first, which one stands for it now, and
//! how often the model was asked.

use super::calls::{Disposition, Slot};
use crate::contract::Status;
use crate::feedback::attempts::CorrectionOutcome;

impl<T> Slot<T> {
    /// The outcome; none while the model is being asked, and for a call that it was never asked to correct.
    pub fn correction(&self) -> Option<CorrectionOutcome> {
        let original = self.original.clone()?;
        let (attempts, verdict) = (self.attempt, &self.judged.verdict);
        let failed = |error: &str| CorrectionOutcome::Failed { error: error.to_owned(), attempts };
        Some(match &self.disposition {
            Disposition::SendBack(_) => return None,
            Disposition::Release(cleared) => {
                CorrectionOutcome::Corrected { original, suggestion: cleared.call().clone(), attempts }
            }
            // It is right now; that a person decides on what cannot be undone is no fault of it.
            Disposition::AskPerson(_) if matches!(verdict.status, Status::Approved | Status::Caution) => {
                let suggestion = verdict.call.as_ref().unwrap_or(&self.judged.call).clone();
                CorrectionOutcome::Corrected { original, suggestion, attempts }
            }
            Disposition::AskPerson(_) => failed(&verdict.explanation),
            Disposition::Refuse(refusal) => failed(&refusal.note),
        })
    }
}
