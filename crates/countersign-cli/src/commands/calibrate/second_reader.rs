//! What the policy's second reader would add to calls that people have decided on, and what it would cost.
//!
//! A line is one of `check` with a `label`: whether the call was right, or what the review decided. Each is judged with the
//! second reader and without it; the difference is what it adds.

use crate::args::PolicyFile;
use crate::engine::{bad_line, open_sources};
use crate::failure::Failure;
use crate::human::canvas::{Canvas, Paint};
use crate::lines::BadLine;
use countersign::check_call::Guard;
use countersign::contract::{Answer, Verdict};
use countersign::conversation::Conversation;
use countersign::lines::guards::Guards;
use countersign::lines::not_json;
use countersign::policy::Policy;
use countersign::score::calibrate::read_label;
use countersign::wire::requests::ToolLine;
use countersign_runtime::{Asker, judge_in};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// The engine with the second reader and without it.
pub(super) struct Trial {
    with: Guards,
    without: Guards,
    asker: Asker,
    outcome: TrialOutcome,
}

/// What the readings came to.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct TrialOutcome {
    /// Reviewed calls.
    calls: usize,
    /// Calls that were read.
    read: usize,
    /// Wrong calls, and how many of them the checks stop by themselves.
    wrong: usize,
    wrong_stopped: usize,
    /// Wrong calls that only the reader doubts.
    wrong_added: usize,
    /// Right calls, and those of them that the reader doubts.
    right: usize,
    right_added: usize,
    /// Readings that did not take place.
    silent: usize,
    /// Lines that could not be used.
    pub(super) malformed: usize,
    /// What it took.
    tokens: u64,
    seconds: f64,
}

impl Trial {
    /// A trial of a policy's second reader.
    pub(super) fn of(policy: &Arc<Policy>, file: &PolicyFile) -> Result<Self, Failure> {
        if policy.judge.is_none() {
            let help = "add `[judge]` with `url` and `model` to the policy, and give it with --policy";
            return Err(Failure::with_help("the policy names no second reader", help));
        }
        let guards = |policy: Arc<Policy>| Guards::new(Guard::new(None, Arc::clone(&policy)), policy);
        let alone = Arc::new(Policy { judge: None, ..policy.as_ref().clone() });
        let asker = open_sources(policy, file)?.ok_or_else(|| Failure::unusable("the policy has nobody to ask"))?;
        Ok(Self { with: guards(Arc::clone(policy)), without: guards(alone), asker, outcome: TrialOutcome::default() })
    }

    /// Judges a reviewed call both ways.
    pub(super) fn add(&mut self, line: &str) -> Result<(), BadLine> {
        let parsed = ToolLine::parse(line).map_err(not_json).map_err(bad_line)?;
        let (with, without) = (self.with.of(parsed.tools), self.without.of(parsed.tools));
        let (with, without) = (with.map_err(bad_line)?, without.map_err(bad_line)?);
        let mut request = parsed.check().map_err(bad_line)?;
        let body: Value = serde_json::from_str(line).map_err(not_json).map_err(bad_line)?;
        let label = body.get("label").and_then(read_label);
        let right = label.ok_or_else(|| BadLine("`label` must be true where the call was right, else false".into()))?;
        let conversation = Conversation::of(std::mem::take(&mut request.messages));
        let alone = judge_in(&without, &request, &conversation, Some(&self.asker));
        let began = Instant::now();
        let read = judge_in(&with, &request, &conversation, Some(&self.asker));
        self.outcome.count(right, &alone, &read, began.elapsed().as_secs_f64());
        Ok(())
    }

    /// What it came to.
    pub(super) fn finish(self) -> TrialOutcome {
        self.outcome
    }
}

impl TrialOutcome {
    fn count(&mut self, right: bool, alone: &Verdict, read: &Verdict, seconds: f64) {
        self.calls += 1;
        for reading in &read.readings {
            self.read += 1;
            self.seconds += seconds;
            match &reading.answer {
                Answer::Read { tokens, .. } => self.tokens += tokens.unwrap_or_default(),
                _ => self.silent += 1,
            }
        }
        let doubted = read.findings.iter().any(|finding| finding.code.id == "fact.second-reader");
        let added = usize::from(doubted && !alone.status.is_refused());
        match right {
            true => {
                self.right += 1;
                self.right_added += added;
            }
            false => {
                self.wrong += 1;
                self.wrong_stopped += usize::from(alone.status.is_refused());
                self.wrong_added += added;
            }
        }
    }
}

/// Draws the report.
pub(super) fn draw(canvas: &mut Canvas, outcome: &TrialOutcome) {
    let head = format!("{} {}", outcome.calls, canvas.say("reviewed calls", "次已复核的调用"));
    let head = canvas.paint(Paint::Bold, &head);
    canvas.line(&head);
    let TrialOutcome { wrong, wrong_stopped, wrong_added, right, right_added, read, silent, tokens, .. } = outcome;
    let mean = outcome.seconds / (*read).max(1) as f64;
    for (english, chinese) in [
        (
            format!(
                "of {wrong} wrong calls the checks stop {wrong_stopped}, and the second reader doubts {wrong_added} more"
            ),
            format!("{wrong} 次错误调用中，检查拦下 {wrong_stopped} 次，第二读者另外质疑 {wrong_added} 次"),
        ),
        (
            format!("of {right} right calls it doubts {right_added}"),
            format!("{right} 次正确调用中，它误疑 {right_added} 次"),
        ),
        (
            format!("{read} readings took {tokens} tokens and {mean:.2} s each; {silent} did not take place"),
            format!("共 {read} 次阅读，{tokens} 个 token，平均 {mean:.2} 秒；{silent} 次未能进行"),
        ),
    ] {
        let line = canvas.say(&english, &chinese).to_owned();
        canvas.line(&format!("  {line}"));
    }
}
