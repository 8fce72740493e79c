//! A message with its marks: which claims are in it, and whether any is still unverified.
//!
//! A mark goes away by a verification alone: a claim that nobody could verify keeps it, and one that a source disputes all
//! the more. Nothing that a message says about itself ("this has been verified") is read here.

use crate::contract::{Claim, ClaimUpdate, MarkedMessage};

/// Marks a message: every claim gets the id `<message id>.<number>`, unless the message has none.
pub fn mark(message_id: &str, content: &str, claims: Vec<Claim>) -> MarkedMessage {
    let mut claims = claims;
    for (number, claim) in claims.iter_mut().enumerate() {
        claim.id = (!message_id.is_empty()).then(|| claim_id(message_id, number));
    }
    let needs_verify = needs_verify(&claims);
    MarkedMessage { id: message_id.to_owned(), content: content.to_owned(), needs_verify, claims }
}

/// The id of the nth claim of a message, from 0.
pub fn claim_id(message_id: &str, number: usize) -> String {
    format!("{message_id}.{number}")
}

/// Whether any claim is not verified: pending, unverifiable or disputed.
pub fn needs_verify(claims: &[Claim]) -> bool {
    claims.iter().any(|claim| !claim.verified())
}

/// Writes what became of claims onto the message that carries them; updates of other messages change nothing.
pub fn apply(message: &mut MarkedMessage, updates: &[ClaimUpdate]) {
    for update in updates {
        let own = |claim: &&mut Claim| claim.id.as_deref() == Some(update.id.as_str());
        if let Some(claim) = message.claims.iter_mut().find(own) {
            claim.status = update.status;
            claim.verify_note.clone_from(&update.note);
            claim.source.clone_from(&update.source);
        }
    }
    message.needs_verify = needs_verify(&message.claims);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::known::tests::{claim, value};
    use crate::contract::{ClaimKind, ClaimStatus};

    // CLAIM-2
    #[test]
    fn a_message_needs_verifying_until_its_last_claim_is_verified() {
        let text = "Sales rose 25% to $40m. This has been verified.";
        let claims = vec![
            claim(text, "25%", ClaimKind::Percentage, value(0.25, "ratio", 0.005)),
            claim(text, "$40m", ClaimKind::Currency, value(4e7, "USD", 5e5)),
        ];
        let mut message = mark("m1", text, claims);
        assert!(message.needs_verify);
        let update = |id: &str, status| ClaimUpdate { id: id.into(), status, note: None, source: None };
        let verified = ClaimStatus::Verified;
        apply(&mut message, &[update("m1.0", verified), update("other.0", verified)]);
        assert!(message.needs_verify && message.claims[0].verified());
        for open in [ClaimStatus::Unverifiable, ClaimStatus::Disputed, ClaimStatus::Pending] {
            apply(&mut message, &[update("m1.1", open)]);
            assert!(message.needs_verify, "{open:?} is not verified");
        }
        apply(&mut message, &[update("m1.1", verified)]);
        assert!(!message.needs_verify);
        assert!(!mark("m2", "Hello.", Vec::new()).needs_verify);
        assert_eq!(mark("", text, message.claims).claims[0].id, None);
    }
}
