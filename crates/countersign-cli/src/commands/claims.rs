//! `countersign claims`: what a message says that nobody has verified.

use super::Run;
use crate::args::ClaimsArgs;
use crate::engine::claims::claims_line;
use crate::engine::load_policy;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::claims;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::inspect::claims::ClaimsReport;
use countersign::policy::Policy;
use std::sync::Arc;

/// Marks the lines.
pub(crate) fn run(args: ClaimsArgs) -> Result<u8, Failure> {
    let policy = load_policy(&args.policy)?;
    let language = policy.language;
    Run::new(Source::of(args.lines.files)?, args.lines.output, language, ("messages", "条消息")).go(&Claims(policy))
}

struct Claims(Arc<Policy>);

impl Judge for Claims {
    type Report = ClaimsReport;

    fn judge(&self, line: &str) -> Result<ClaimsReport, BadLine> {
        claims_line(line, &self.0)
    }

    fn mark(&self, report: &ClaimsReport) -> Mark {
        claims::mark(report)
    }

    fn show(&self, _: &str, report: &ClaimsReport, canvas: &mut Canvas) {
        claims::draw(canvas, report);
    }

    fn code(&self, _: &ClaimsReport) -> Option<&'static str> {
        None
    }
}
