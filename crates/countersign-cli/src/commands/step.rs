//! `countersign step`: a whole agent step, call, result and answer.

use super::Run;
use crate::args::StepArgs;
use crate::engine::{Engine, Step};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::{step, verdict};
use crate::lines::{BadLine, Judge, Mark, Source};

/// Judges the lines.
pub fn run(args: StepArgs) -> Result<u8, Failure> {
    let engine = Engine::for_calls(&args.guard, args.verification_level)?;
    Run::new(Source::of(args.lines.files)?, args.lines.output, args.guard.base.language, ("steps", "个步骤"))
        .go(&Steps(engine))
}

struct Steps(Engine);

impl Judge for Steps {
    type Answer = Step;

    fn judge(&self, line: &str) -> Result<Step, BadLine> {
        self.0.step(line)
    }

    fn mark(&self, step: &Step) -> Mark {
        verdict::mark(step.0.status)
    }

    fn show(&self, line: &str, judged: &Step, canvas: &mut Canvas) {
        if let Ok(request) = self.0.read_step(line) {
            step::draw(canvas, &request, &judged.0);
        }
    }

    fn code(&self, step: &Step) -> Option<&'static str> {
        step.0.findings.first().map(|finding| finding.code.id)
    }
}
