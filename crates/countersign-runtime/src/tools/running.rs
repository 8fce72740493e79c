//! A tool, run: in a task of its own, with a deadline, and with an end to what it may say.
//!
//! Whoever waits may go away: the task ends with the wait. A panic stays in the task. What cannot be known is said to be
//! unknown, and only of a tool that may change something.

use super::order::Order;
use super::tool::{Ran, Reach, Tool, ToolContext, ToolTrouble};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::JoinSet;

/// What became of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The result, or the reason that there is none.
    pub content: Value,
    /// Whether it failed.
    pub is_error: bool,
    /// Whether that is known.
    pub knowledge: Knowledge,
    /// What is worth a warning.
    pub remarks: Vec<Remark>,
}

/// Whether it is known what a tool did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// It is.
    Known,
    /// It may have done it, or not.
    Unknown,
}

/// Something that people should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// In a word: `tool_timeout`, `tool_panicked`, `tool_failed`, `tool_output_cut`, `outcome_unknown`, `wrong_call_id`.
    pub code: &'static str,
    /// In a sentence.
    pub message: String,
}

/// Runs a tool. It ends in time, whatever the tool does.
pub async fn run(tool: &Arc<Tool>, order: Order, place: ToolContext) -> Outcome {
    // A set of one: what is in it ends when it is dropped.
    let mut alone = JoinSet::new();
    let (runner, sent) = (Arc::clone(&tool.runner), order.clone());
    alone.spawn(async move { runner.run(&sent, &place).await });
    let name = order.name();
    match tokio::time::timeout(tool.limits.timeout, alone.join_next()).await {
        Ok(Some(Ok(Ok(ran)))) => build_outcome(ran, &order, tool.limits.output),
        Ok(Some(Ok(Err(trouble)))) => build_trouble(&trouble, tool.reach, name),
        Ok(Some(Err(_)) | None) => {
            let message = format!("the tool {name:?} broke off by a fault of its own");
            build_interrupted(tool.reach, Remark { code: "tool_panicked", message })
        }
        Err(_) => {
            let message = format!("the tool {name:?} gave no result in {} s", tool.limits.timeout.as_secs_f64());
            build_interrupted(tool.reach, Remark { code: "tool_timeout", message })
        }
    }
}

fn build_outcome(ran: Ran, order: &Order, most: usize) -> Outcome {
    let Ran { content, is_error, call_id, cut } = ran;
    if let Some(other) = call_id.filter(|id| id != order.call_id()) {
        let message =
            format!("the tool {:?} answered for the call {other:?} instead of {:?}", order.name(), order.call_id());
        return build_failure(Remark { code: "wrong_call_id", message });
    }
    let (content, cut) = cap(content, most, cut);
    let remark = (cut > 0).then(|| Remark {
        code: "tool_output_cut",
        message: format!("{cut} bytes of what the tool {:?} gave were left out", order.name()),
    });
    Outcome { content, is_error, knowledge: Knowledge::Known, remarks: remark.into_iter().collect() }
}

fn build_trouble(trouble: &ToolTrouble, reach: Reach, name: &str) -> Outcome {
    let remark = Remark { code: "tool_failed", message: format!("{name}: {trouble}") };
    match trouble {
        ToolTrouble::Unknown(_) => build_interrupted(reach, remark),
        ToolTrouble::NotRun(_) | ToolTrouble::Failed(_) => build_failure(remark),
    }
}

/// It was under way when it broke off.
fn build_interrupted(reach: Reach, remark: Remark) -> Outcome {
    if reach == Reach::Reads {
        return build_failure(remark);
    }
    let content = format!("{}. {UNKNOWN}", remark.message);
    let unknown = Remark { code: "outcome_unknown", message: content.clone() };
    Outcome { content: content.into(), is_error: true, knowledge: Knowledge::Unknown, remarks: vec![remark, unknown] }
}

fn build_failure(remark: Remark) -> Outcome {
    let content = remark.message.clone().into();
    Outcome { content, is_error: true, knowledge: Knowledge::Known, remarks: vec![remark] }
}

/// As much of a result as is kept, and how many bytes were left out.
fn cap(content: Value, most: usize, cut: usize) -> (Value, usize) {
    let text = match content {
        Value::String(text) => text,
        other => {
            let text = other.to_string();
            if text.len() <= most {
                return (other, cut);
            }
            text
        }
    };
    let (kept, left_out) = text.split_at_checked(text.floor_char_boundary(most)).unwrap_or((&text, ""));
    let cut = cut + left_out.len();
    if cut == 0 {
        return (Value::String(text), 0);
    }
    (Value::String(format!("{kept}\n[{cut} bytes left out]")), cut)
}

/// What the model is told when nobody knows.
pub const UNKNOWN: &str =
    "The outcome is unknown: it may have been done, or not. Do not call it again before you have checked.";
