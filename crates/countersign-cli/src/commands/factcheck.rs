//! `countersign factcheck`: what becomes of the claims of a message when somebody looks.

use super::Run;
use crate::args::FactCheckArgs;
use crate::engine::factcheck::{FactCheckReport, FactChecks, open_library};
use crate::engine::load_policy;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::factcheck;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;

/// Looks up the claims of the lines.
pub(crate) fn run(args: FactCheckArgs) -> Result<u8, Failure> {
    let policy = load_policy(&args.policy)?;
    let language = policy.language;
    let judge = FactChecks::new(policy, &args.policy, open_library(args.kb.as_deref())?, &args.judge)?;
    let what = ("messages", "条消息");
    Run::new(Source::of(args.lines.files)?, args.lines.output, language, what).go(&Look(judge))
}

struct Look(FactChecks);

impl Judge for Look {
    type Report = FactCheckReport;

    fn judge(&self, line: &str) -> Result<FactCheckReport, BadLine> {
        self.0.line(line)
    }

    fn mark(&self, report: &FactCheckReport) -> Mark {
        factcheck::mark(&report.summary)
    }

    fn show(&self, _: &str, report: &FactCheckReport, canvas: &mut Canvas) {
        let title = factcheck::mark(&report.summary);
        canvas.title(title, &report.id, "");
        factcheck::draw(canvas, &report.content, &report.claims);
        for (trouble, times) in &report.troubles {
            factcheck::trouble(canvas, trouble, *times);
        }
        canvas.line("");
    }

    fn code(&self, _: &FactCheckReport) -> Option<&'static str> {
        None
    }
}
