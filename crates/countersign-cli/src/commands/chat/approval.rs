//! A call that waits for a person, and what the person at the terminal says about it.

use serde_json::{Value, json};

/// A call that waits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waiting {
    /// The review.
    pub review: String,
    /// The call.
    pub call_id: String,
    /// The proposed arguments.
    pub arguments: Value,
    /// What the next line is.
    pub asked: Asked,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Approve, edit or reject.
    Decision,
    /// The arguments of an edit.
    Arguments,
}

/// What a line means.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A decision, as the server takes it.
    Decision(Value),
    /// The arguments come next.
    Edit,
    /// Nothing that we know.
    Unclear(String),
}

impl Waiting {
    /// From the event that says so.
    pub(super) fn of(payload: &Value) -> Self {
        let word = |name| payload.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let arguments = payload.pointer("/call/arguments").cloned().unwrap_or(json!({}));
        Self { review: word("review_id"), call_id: word("call_id"), arguments, asked: Asked::Decision }
    }

    /// The question.
    pub(super) fn question(&self) -> &'static str {
        match self.asked {
            Asked::Decision => "approve, edit, reject? [a/e/r] ",
            Asked::Arguments => "all arguments, as JSON: ",
        }
    }

    /// Reads a line: `a`, `e`, `e {"all": "arguments"}`, `r` or `r the reason`.
    pub(super) fn read(&self, line: &str) -> Said {
        let line = line.trim();
        if self.asked == Asked::Arguments {
            return read_edit(line);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word.to_ascii_lowercase().as_str(), rest.trim()) {
            ("a" | "approve" | "y" | "yes", "") => Said::Decision(json!({"decision": "approve"})),
            ("r" | "reject" | "n" | "no", "") => Said::Decision(json!({"decision": "reject"})),
            ("r" | "reject" | "n" | "no", reason) => Said::Decision(json!({"decision": "reject", "reason": reason})),
            ("e" | "edit", "") => Said::Edit,
            ("e" | "edit", arguments) => read_edit(arguments),
            _ => Said::Unclear("type a to approve, e to edit the arguments, r (and a reason) to reject".to_owned()),
        }
    }
}

fn read_edit(line: &str) -> Said {
    match serde_json::from_str(line) {
        Ok(arguments @ Value::Object(_)) => Said::Decision(json!({"decision": "edit", "arguments": arguments})),
        Ok(_) => Said::Unclear("the arguments must be a JSON object".to_owned()),
        Err(error) => Said::Unclear(format!("the arguments are no JSON: {error}")),
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
        let waiting = Waiting { asked: Asked::Arguments, ..waiting };
        assert_eq!(waiting.read("{\"to\": \"bob\"}"), edit);
        for unclear in ["", "a please", "[1]", "{"] {
            assert!(matches!(waiting.read(unclear), Said::Unclear(_)), "{unclear}");
        }
        let first = Waiting { asked: Asked::Decision, ..waiting };
        assert!(matches!(first.read("a please"), Said::Unclear(_)), "nothing is approved by half a word");
    }
}
