//! The claims of one message, marked: what `countersign claims` and its route say.

use crate::claims::mark::needs_verify;
use crate::claims::marked;
use crate::contract::Claim;
use crate::policy::Policy;
use crate::wire::claims::ClaimsRequest;
use serde::Serialize;
use serde_json::Value;

/// A message with its claims.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimsReport {
    /// The caller's id.
    pub id: Value,
    /// The message, untouched.
    pub content: String,
    /// Whether a claim in it is not verified.
    pub needs_verify: bool,
    /// The claims, in order, without overlaps.
    pub claims: Vec<Claim>,
}

/// Finds and marks the claims of a message.
pub fn claims(request: ClaimsRequest, policy: &Policy) -> ClaimsReport {
    let claims = marked::claims(&request.text, &policy.claims);
    let needs_verify = needs_verify(&claims);
    ClaimsReport { id: request.id, content: request.text, needs_verify, claims }
}
