//! `countersign step`: a whole agent step, call, result and answer.

use super::Run;
use crate::args::StepArgs;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::{step, verdict};
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::contract::StepReport;

/// Judges the lines.
pub(crate) fn run(args: StepArgs) -> Result<u8, Failure> {
    let engine = Engine::for_calls(&args.guard, args.verification_level)?;
    Run::new(Source::of(args.lines.files)?, args.lines.output, args.guard.base.language, ("steps", "个步骤"))
        .go(&Steps(engine))
}

struct Steps(Engine);

impl Judge for Steps {
    type Report = StepReport;

    fn judge(&self, line: &str) -> Result<StepReport, BadLine> {
        self.0.step(line)
    }

    fn mark(&self, step: &StepReport) -> Mark {
        verdict::mark(step.status)
    }

    fn show(&self, line: &str, judged: &StepReport, canvas: &mut Canvas) {
        if let Ok(request) = self.0.read_step(line) {
            canvas.speak(self.0.step_language(&request));
            step::draw(canvas, &request, judged);
        }
    }

    fn code(&self, step: &StepReport) -> Option<&'static str> {
        step.findings.first().map(|finding| finding.code.id)
    }
}
