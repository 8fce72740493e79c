//! `countersign verify`: what a tool returned.

use super::Run;
use crate::args::VerifyArgs;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::report;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::contract::VerificationReport;

/// Verifies the lines.
pub(crate) fn run(args: VerifyArgs) -> Result<u8, Failure> {
    let engine = Engine::for_results(&args.base, args.level)?;
    Run::new(Source::of(args.lines.files)?, args.lines.output, args.base.language, ("results", "个结果"))
        .go(&Verify(engine))
}

struct Verify(Engine);

impl Judge for Verify {
    type Report = VerificationReport;

    fn judge(&self, line: &str) -> Result<VerificationReport, BadLine> {
        self.0.verify(line)
    }

    fn mark(&self, report: &VerificationReport) -> Mark {
        report::mark(report)
    }

    fn show(&self, line: &str, report: &VerificationReport, canvas: &mut Canvas) {
        if let Ok(request) = self.0.read_verify(line) {
            report::draw(canvas, &request.result.content, report);
        }
    }

    fn code(&self, report: &VerificationReport) -> Option<&'static str> {
        report.findings.first().map(|finding| finding.code.id)
    }
}
