//! `countersign check`: tool calls, before they run.

use super::Run;
use crate::args::CheckArgs;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::verdict;
use crate::lines::{BadLine, Judge, Source};
use crate::tally::Mark;
use countersign::contract::Verdict;
use serde_json::{Value, json};

/// Checks the lines, or the one call of `--call`.
pub(crate) fn run(args: CheckArgs) -> Result<u8, Failure> {
    let engine = Engine::for_calls(&args.guard, None)?;
    let sources = match args.call {
        Some(call) => vec![Source::Text(read_call(&call)?)],
        None => Source::of(args.lines.files)?,
    };
    Run::new(sources, args.lines.output, args.guard.base.language, ("calls", "次调用")).go(&Check(engine))
}

/// The line of `--call`: the call itself, or a whole line.
fn read_call(json: &str) -> Result<String, Failure> {
    let help = "write it as '{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}'";
    let value: Value =
        serde_json::from_str(json).map_err(|error| Failure::with_help(format!("--call is not JSON: {error}"), help))?;
    if !value.is_object() {
        return Err(Failure::with_help("--call must be a JSON object", help));
    }
    Ok(if value.get("call").is_some() { value.to_string() } else { json!({"call": value}).to_string() })
}

struct Check(Engine);

impl Judge for Check {
    type Report = Verdict;

    fn judge(&self, line: &str) -> Result<Verdict, BadLine> {
        self.0.check(line)
    }

    fn mark(&self, verdict: &Verdict) -> Mark {
        verdict::mark(verdict.status)
    }

    fn show(&self, line: &str, verdict: &Verdict, canvas: &mut Canvas) {
        if let Ok(request) = self.0.read_check(line) {
            canvas.speak(self.0.check_language(&request));
            verdict::draw(canvas, &request.call, verdict);
        }
    }

    fn code(&self, verdict: &Verdict) -> Option<&'static str> {
        verdict.findings.first().map(|finding| finding.code.id)
    }
}
