//! `countersign parse`: what a model really wrote.

use super::Run;
use crate::args::ParseArgs;
use crate::engine::parse::{ParseDefaults, read_parse_line};
use crate::engine::{load_policy, load_tools};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::reading;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::inspect::parse::Reading;
use countersign::policy::Policy;
use std::sync::Arc;

/// Parses the lines.
pub(crate) fn run(args: ParseArgs) -> Result<u8, Failure> {
    let policy = load_policy(&args.policy)?;
    let language = policy.language;
    let tools = args.tools.as_deref().map(load_tools).transpose()?;
    let judge = Parse { defaults: ParseDefaults::new(tools, args.protocol)?, policy };
    Run::new(Source::of(args.lines.files)?, args.lines.output, language, ("outputs", "段输出")).go(&judge)
}

struct Parse {
    defaults: ParseDefaults,
    policy: Arc<Policy>,
}

impl Judge for Parse {
    type Report = Reading;

    fn judge(&self, line: &str) -> Result<Reading, BadLine> {
        self.defaults.parse(line, &self.policy)
    }

    fn mark(&self, reading: &Reading) -> Mark {
        reading::mark(&reading.outcome)
    }

    fn show(&self, line: &str, reading: &Reading, canvas: &mut Canvas) {
        if let Ok(request) = read_parse_line(line) {
            reading::draw(canvas, &request.chunks.concat(), reading);
        }
    }

    fn code(&self, _: &Reading) -> Option<&'static str> {
        None
    }
}
