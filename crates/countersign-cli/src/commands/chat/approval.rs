//! What waits for a person, a call, a result or an answer, and what the person at the terminal says about it.

use serde_json::{Value, json};

/// Something that waits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waiting {
    /// The review.
    pub review: String,
    /// What it is about.
    pub about: About,
    /// The call.
    pub call_id: String,
    /// The proposed arguments.
    pub arguments: Value,
    /// What the next line is.
    pub asked: Asked,
}

/// What is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A call: its arguments can be edited.
    Call,
    /// A result: it can be replaced.
    Result,
    /// An answer: it can be replaced, and its words are known to the queue alone.
    Answer,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Approve, edit or reject.
    Decision,
    /// The arguments of an edit, or the text that stands in its place.
    Edit,
}

/// What a line means.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A decision, as the server takes it.
    Decision(Value),
    /// The arguments, or the text, come next.
    Edit,
    /// Nothing that we know.
    Unclear(String),
}

impl Waiting {
    /// From the event that says so.
    pub(super) fn of(payload: &Value) -> Self {
        let word = |name| payload.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = payload.pointer("/call/arguments").cloned().unwrap_or(json!({}));
        let about = match word("about").as_str() {
            "result" => About::Result,
            "answer" => About::Answer,
            _ => About::Call,
        };
        Self { review: word("review_id"), about, call_id: word("call_id"), arguments, asked: Asked::Decision }
    }

    /// The question.
    pub(super) fn question(&self) -> &'static str {
        match (self.asked, self.about) {
            (Asked::Decision, About::Call) => "approve, edit, reject? [a/e/r] ",
            (Asked::Decision, About::Result) => "accept, replace, reject the result? [a/e/r] ",
            (Asked::Decision, About::Answer) => "accept, replace, reject the answer? [a/e/r] ",
            (Asked::Edit, About::Call) => "all arguments, as JSON: ",
            (Asked::Edit, _) => "the text in its place: ",
        }
    }

    /// Reads a line: `a`, `e`, `e {"all": "arguments"}` or `e the new text`, `r` or `r the reason`.
    pub(super) fn read(&self, line: &str) -> Said {
        let line = line.trim();
        if self.asked == Asked::Edit {
            return self.read_edit(line);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word.to_ascii_lowercase().as_str(), rest.trim()) {
            ("a" | "accept" | "approve" | "y" | "yes", "") => Said::Decision(json!({"decision": "approve"})),
            ("r" | "reject" | "n" | "no", "") => Said::Decision(json!({"decision": "reject"})),
            ("r" | "reject" | "n" | "no", reason) => Said::Decision(json!({"decision": "reject", "reason": reason})),
            ("e" | "edit" | "replace", "") => Said::Edit,
            ("e" | "edit" | "replace", edit) => self.read_edit(edit),
            _ if self.about == About::Call => {
                Said::Unclear("type a to approve, e to edit the arguments, r (and a reason) to reject".to_owned())
            }
            _ => Said::Unclear("type a to accept, e and a text to replace, r (and a reason) to reject".to_owned()),
        }
    }

    fn read_edit(&self, line: &str) -> Said {
        if self.about != About::Call {
            return match line {
                "" => Said::Unclear("the text is empty".to_owned()),
                text => Said::Decision(json!({"decision": "edit", "content": text})),
            };
        }
        match serde_json::from_str(line) {
            Ok(arguments @ Value::Object(_)) => Said::Decision(json!({"decision": "edit", "arguments": arguments})),
            Ok(_) => Said::Unclear("the arguments must be a JSON object".to_owned()),
            Err(error) => Said::Unclear(format!("the arguments are no JSON: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // REVIEW-2
    #[test]
    fn lines_are_decisions() {
        let waiting = Waiting::of(&json!({"review_id": "rev_1", "call_id": "c", "call": {"arguments": {"to": "ann"}}}));
        assert_eq!(waiting.read(" A "), Said::Decision(json!({"decision": "approve"})));
        assert_eq!(waiting.read("r not now"), Said::Decision(json!({"decision": "reject", "reason": "not now"})));
        assert_eq!(waiting.read("e"), Said::Edit);
        let edit = Said::Decision(json!({"decision": "edit", "arguments": {"to": "bob"}}));
        assert_eq!(waiting.read("e {\"to\": \"bob\"}"), edit);
        let waiting = Waiting { asked: Asked::Edit, ..waiting };
        assert_eq!(waiting.read("{\"to\": \"bob\"}"), edit);
        for unclear in ["", "a please", "[1]", "{"] {
            assert!(matches!(waiting.read(unclear), Said::Unclear(_)), "{unclear}");
        }
        let first = Waiting { asked: Asked::Decision, ..waiting };
        assert!(matches!(first.read("a please"), Said::Unclear(_)), "nothing is approved by half a word");
    }

    // REVIEW-1: a result or an answer is replaced by a text, whatever it looks like.
    #[test]
    fn a_result_or_an_answer_is_replaced_by_text() {
        for about in ["result", "answer"] {
            let waiting = Waiting::of(&json!({"review_id": "rev_1", "about": about}));
            assert_eq!(waiting.read("accept"), Said::Decision(json!({"decision": "approve"})));
            let edit = Said::Decision(json!({"decision": "edit", "content": "营业时间是 9 点到 17 点。"}));
            assert_eq!(waiting.read("e 营业时间是 9 点到 17 点。"), edit);
            let waiting = Waiting { asked: Asked::Edit, ..waiting };
            assert_eq!(
                waiting.read("{\"a\": 1}"),
                Said::Decision(json!({"decision": "edit", "content": "{\"a\": 1}"}))
            );
            assert!(matches!(waiting.read("  "), Said::Unclear(_)));
        }
    }
}
