//! Marking claims: a message in, its claims out.

use super::{bad_line, not_json};
use crate::lines::BadLine;
use countersign::inspect::claims::{ClaimsReport, claims};
use countersign::policy::Policy;
use countersign::wire::claims::read_claims;

/// Marks the claims of a line.
pub(crate) fn claims_line(line: &str, policy: &Policy) -> Result<ClaimsReport, BadLine> {
    let body = serde_json::from_str(line).map_err(not_json)?;
    Ok(claims(read_claims(body).map_err(bad_line)?, policy))
}
