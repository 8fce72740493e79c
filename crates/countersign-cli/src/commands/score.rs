//! `countersign score`: how far an answer can be trusted.

use super::Run;
use crate::args::ScoreArgs;
use crate::engine;
use crate::failure::Failure;
use crate::human::assessment;
use crate::human::canvas::Canvas;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::contract::ConfidenceAssessment;
use countersign::policy::Policy;
use std::sync::Arc;

/// Scores the lines.
pub(crate) fn run(args: ScoreArgs) -> Result<u8, Failure> {
    let policy = engine::load_policy(&args.policy)?;
    let language = policy.language;
    Run::new(Source::of(args.lines.files)?, args.lines.output, language, ("answers", "个回答")).go(&Score(policy))
}

struct Score(Arc<Policy>);

impl Judge for Score {
    type Report = ConfidenceAssessment;

    fn judge(&self, line: &str) -> Result<ConfidenceAssessment, BadLine> {
        engine::score_line(line, &self.0)
    }

    fn mark(&self, answer: &ConfidenceAssessment) -> Mark {
        assessment::mark(answer.recommendation)
    }

    fn show(&self, line: &str, answer: &ConfidenceAssessment, canvas: &mut Canvas) {
        if let Ok(request) = engine::read_score_line(line) {
            assessment::draw(canvas, &request.response, answer);
        }
    }

    fn code(&self, _: &ConfidenceAssessment) -> Option<&'static str> {
        None
    }
}
