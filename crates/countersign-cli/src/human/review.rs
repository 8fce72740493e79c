//! Reviews for people: what waits, and one item in full.

use super::canvas::{Canvas, Paint, clip, columns, safe};
use jiff::Timestamp;
use serde_json::Value;

/// A table of items: the name, which any command takes, what became of it, the time that is left, the call, and why it is here.
pub(crate) fn list(canvas: &mut Canvas, reviews: &[Value], now: Timestamp) {
    if reviews.is_empty() {
        let nothing = canvas.say("nothing waits", "没有等待审核的事项").to_owned();
        return canvas.line(&nothing);
    }
    let names = short_names(reviews);
    let rows: Vec<[String; 3]> = reviews
        .iter()
        .zip(names)
        .map(|(review, name)| [name, word(review, "state"), time_left(canvas, review, now)])
        .collect();
    let heads =
        [("REVIEW", "审核"), ("STATE", "状态"), ("TIME LEFT", "剩余时间")].map(|words| canvas.word(words).to_owned());
    let width = |at: usize| rows.iter().chain([&heads]).filter_map(|row| row.get(at)).map(|cell| columns(cell)).max();
    let widths = [0, 1, 2].map(|at| width(at).unwrap_or_default());
    let head = row(&heads, widths) + canvas.say("CALL", "调用");
    canvas.line(&canvas.paint(Paint::Dim, &head));
    for (review, cells) in reviews.iter().zip(&rows) {
        canvas.line(&format!("{}{}", row(cells, widths), clip(&call(review), CALL)));
        let why = reason(review);
        if !why.is_empty() {
            let why = canvas.paint(Paint::Dim, &clip(&why, CALL));
            canvas.line(&format!("{}{why}", " ".repeat(widths.iter().sum::<usize>() + GAP * widths.len())));
        }
    }
}

/// What happened to an item, in a line: that it waits and how long, or what became of it and by whom.
pub(crate) fn show_change(canvas: &mut Canvas, review: &Value, now: Timestamp) {
    let state = word(review, "state");
    let (symbol, paint) = match state.as_str() {
        "pending" => ("?", Paint::Magenta),
        "approved" | "edited" => ("✔", Paint::Green),
        _ => ("✖", Paint::Red),
    };
    let mark = canvas.paint(paint, &format!("{symbol} {state}"));
    let who = review.pointer("/decided/reviewer").and_then(Value::as_str).map(|who| format!("  by {}", safe(who)));
    let about =
        if state == "pending" { format!("  {}", time_left(canvas, review, now)) } else { who.unwrap_or_default() };
    canvas.line(&format!("{mark}  {}{about}  {}", word(review, "review_id"), clip(&call(review), CALL)));
}

/// A decision, in a line.
pub(crate) fn show_decision(canvas: &mut Canvas, review: &Value) {
    let state = word(review, "state");
    let (symbol, paint) = if state == "rejected" { ("✖", Paint::Red) } else { ("✔", Paint::Green) };
    let mark = canvas.paint(paint, &format!("{symbol} {state}"));
    let because = review.pointer("/decided/reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
    let because = because.map(|reason| format!(": {}", clip(&safe(reason), CALL))).unwrap_or_default();
    canvas.line(&format!("{mark}  {}  {}{because}", word(review, "review_id"), clip(&call(review), CALL)));
}

/// As much of each name as tells it from the others.
fn short_names(reviews: &[Value]) -> Vec<String> {
    let names: Vec<String> = reviews.iter().map(|review| word(review, "review_id")).collect();
    let is_one = |start: &str| names.iter().filter(|name| name.starts_with(start)).count() == 1;
    let short = |name: &String| {
        let cuts = name.char_indices().map(|(at, _)| at).skip(SHORT_NAME);
        let mut starts = cuts.filter_map(|at| name.get(..at));
        starts.find(|start| is_one(start)).map_or_else(|| name.clone(), str::to_owned)
    };
    names.iter().map(short).collect()
}

fn time_left(canvas: &Canvas, review: &Value, now: Timestamp) -> String {
    let expires = review.get("expires_at").and_then(Value::as_str).and_then(|text| text.parse::<Timestamp>().ok());
    let Some(expires) = expires.filter(|_| word(review, "state") == "pending") else { return "–".to_owned() };
    match expires.as_second() - now.as_second() {
        seconds if seconds <= 0 => canvas.say("none", "无").to_owned(),
        seconds if seconds < 60 => format!("{seconds} s"),
        seconds if seconds < 2 * 60 * 60 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / (60 * 60)),
    }
}

/// What is decided on, or what a person made of it: a call, the result of one, an answer.
fn call(review: &Value) -> String {
    let about = word(review, "about");
    if about == "result" || about == "answer" {
        let replaced = review.pointer("/decided/content");
        let own = review.get("context").and_then(|context| context.get(&about));
        let content = text_of(replaced.or(own).unwrap_or(&Value::Null));
        let tool = Some(word(review, "tool")).filter(|tool| !tool.is_empty());
        return format!("{}: {}", tool.map_or(about.clone(), |tool| format!("{about} of {tool}")), safe(&content));
    }
    let edited = review.pointer("/decided/arguments").filter(|arguments| !arguments.is_null());
    let arguments = edited.or_else(|| review.pointer("/call/arguments")).unwrap_or(&Value::Null);
    format!("{} {}", word(review, "tool"), safe(&arguments.to_string()))
}

/// Why it is here: what was found and not repaired, else what the verdict says.
fn reason(review: &Value) -> String {
    let found = review.get("findings").and_then(Value::as_array).into_iter().flatten();
    let applied = |finding: &Value| finding.pointer("/correction/applied") == Some(&Value::Bool(true));
    let left = found.filter(|finding| !applied(finding) && finding.get("severity") != Some(&Value::from("info")));
    let evidence = left.filter_map(|finding| finding.get("evidence")).find_map(Value::as_str);
    let why = evidence.or_else(|| review.pointer("/context/explanation").and_then(Value::as_str));
    safe(why.unwrap_or_default())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn row(cells: &[String; 3], widths: [usize; 3]) -> String {
    let padded =
        |(cell, width): (&String, usize)| format!("{cell}{}", " ".repeat(width.saturating_sub(columns(cell)) + GAP));
    cells.iter().zip(widths).map(padded).collect()
}

/// One item in full.
pub(crate) fn show(canvas: &mut Canvas, review: &Value) {
    let id = canvas.paint(Paint::Bold, &word(review, "review_id"));
    canvas.line(&format!("{id}  {}", word(review, "state")));
    subject(canvas, review);
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

/// What is decided on: a call, the result with its call, the answer with its question and its score.
fn subject(canvas: &mut Canvas, review: &Value) {
    let about = word(review, "about");
    let context = |name: &str| review.get("context").and_then(|context| context.get(name)).map(text_of);
    if about != "answer" {
        let arguments = review.pointer("/call/arguments").unwrap_or(&Value::Null);
        canvas.line(&format!("  call      {} {}", word(review, "tool"), safe(&arguments.to_string())));
    }
    if let Some(question) = context("question") {
        canvas.line(&format!("  question  {}", safe(&question)));
    }
    if about == "result" || about == "answer" {
        canvas.line(&format!("  {about:<9} {}", safe(&context(&about).unwrap_or_default())));
    }
    if about == "answer" {
        let score = review.pointer("/signals/score").and_then(Value::as_f64).unwrap_or_default();
        let status = review.pointer("/signals/status").and_then(Value::as_str).unwrap_or_default();
        canvas.line(&format!("  score     {score:.2} {}", safe(status)));
    }
    if let Some(content) = review.pointer("/decided/content") {
        canvas.line(&format!("  replaced  {}", safe(&text_of(content))));
    }
}

fn word(value: &Value, name: &str) -> String {
    safe(value.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// How many columns of a call are listed.
const CALL: usize = 100;
/// How many characters of a name are shown at least: `rev_` and eight more.
const SHORT_NAME: usize = 12;
/// Blanks between two columns.
const GAP: usize = 2;
/// How many columns of what was said are shown.
const SAID: usize = 160;
