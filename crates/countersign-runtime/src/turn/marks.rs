//! A message between agents as a model reads it: every claim that is not verified is marked in words.
//!
//! A model cannot see a badge. The words tell what nobody looked up from what nobody could verify and from what a source
//! disputes.

use countersign::contract::{ClaimStatus, Language, MarkedMessage};

/// A message with its claims marked in words, for a model to read.
pub(super) fn with_marks(message: &MarkedMessage, language: Language) -> String {
    let mut told = String::with_capacity(message.content.len() + 32 * message.claims.len());
    let mut at = 0;
    for claim in &message.claims {
        let mark = match (language, claim.status) {
            (_, ClaimStatus::Verified) => continue,
            (Language::Chinese, ClaimStatus::Disputed) => "【有争议】",
            (Language::Chinese, ClaimStatus::Unverifiable) => "【无法验证】",
            (Language::Chinese, ClaimStatus::Pending) => "【未验证】",
            (_, ClaimStatus::Disputed) => " [disputed]",
            (_, ClaimStatus::Unverifiable) => " [could not be verified]",
            (_, ClaimStatus::Pending) => " [not verified]",
        };
        if let Some(piece) = message.content.get(at..claim.end) {
            told.push_str(piece);
            told.push_str(mark);
            at = claim.end;
        }
    }
    told.push_str(message.content.get(at..).unwrap_or_default());
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign::claims::mark::{apply, mark};
    use countersign::claims::marked;
    use countersign::contract::ClaimUpdate;
    use countersign::policy::Policy;

    // CLAIM-2: the four states are told apart in words, in both languages.
    #[test]
    fn the_states_are_told_apart() {
        let text = "Staff numbers grew by 7%.";
        let mut message = mark("m", text, marked::claims(text, &Policy::standard().claims));
        let id = message.claims[0].id.clone().unwrap();
        for (status, english, chinese) in [
            (ClaimStatus::Pending, "7% [not verified].", "7%【未验证】."),
            (ClaimStatus::Unverifiable, "7% [could not be verified].", "7%【无法验证】."),
            (ClaimStatus::Disputed, "7% [disputed].", "7%【有争议】."),
            (ClaimStatus::Verified, "7%.", "7%."),
        ] {
            apply(&mut message, &[ClaimUpdate { id: id.clone(), status, note: None, source: None }]);
            assert!(with_marks(&message, Language::English).ends_with(english));
            assert!(with_marks(&message, Language::Chinese).ends_with(chinese));
        }
    }
}
