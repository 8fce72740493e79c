//! Reviews for people: what waits, and one item in full.

use super::canvas::{Canvas, Paint, clip, safe};
use serde_json::Value;

/// A line for each item.
pub fn list(canvas: &mut Canvas, reviews: &[Value]) {
    if reviews.is_empty() {
        let nothing = canvas.say("nothing waits", "没有等待审核的调用").to_owned();
        canvas.line(&nothing);
    }
    for review in reviews {
        let call = format!("{} {}", word(review, "tool"), review.pointer("/call/arguments").unwrap_or(&Value::Null));
        let id = canvas.paint(Paint::Bold, &word(review, "review_id"));
        let line = format!("{id}  {}  {}", word(review, "state"), clip(&safe(&call), CALL));
        canvas.line(&line);
    }
}

/// One item in full.
pub fn show(canvas: &mut Canvas, review: &Value) {
    let id = canvas.paint(Paint::Bold, &word(review, "review_id"));
    canvas.line(&format!("{id}  {}", word(review, "state")));
    let arguments = review.pointer("/call/arguments").unwrap_or(&Value::Null);
    canvas.line(&format!("  call      {} {}", word(review, "tool"), safe(&arguments.to_string())));
    let why = review.pointer("/context/explanation").and_then(Value::as_str).unwrap_or_default();
    canvas.line(&format!("  why       {}", safe(why)));
    for finding in review.get("findings").and_then(Value::as_array).into_iter().flatten() {
        canvas.line(&format!("  finding   {}: {}", word(finding, "code"), word(finding, "evidence")));
    }
    for message in review.pointer("/context/messages").and_then(Value::as_array).into_iter().flatten() {
        let said = message.get("content").and_then(Value::as_str).unwrap_or_default();
        canvas.line(&format!("  {:<9} {}", word(message, "role"), clip(&safe(said), SAID)));
    }
    canvas.line(&format!("  expires   {}", word(review, "expires_at")));
    if let Some(decided) = review.get("decided").filter(|decided| !decided.is_null()) {
        let who =
            Some(word(decided, "reviewer")).filter(|who| !who.is_empty()).unwrap_or_else(|| "somebody".to_owned());
        canvas.line(&format!("  decided   {} by {who}: {}", word(decided, "decision"), word(decided, "reason")));
    }
}

fn word(value: &Value, name: &str) -> String {
    safe(value.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// How many columns of a call are listed.
const CALL: usize = 100;
/// How many columns of what was said are shown.
const SAID: usize = 160;
