//! Marking claims: a message in, its claims out.

use super::bad_line;
use crate::lines::BadLine;
use countersign::inspect::claims::ClaimsReport;
use countersign::lines;
use countersign::policy::Policy;

/// Marks the claims of a line.
pub(crate) fn claims_line(line: &str, policy: &Policy) -> Result<ClaimsReport, BadLine> {
    lines::claims(line, policy).map_err(bad_line)
}
