//! An item of the queue: what was asked, why it is here, and what became of it.

use countersign::contract::{RawSchema, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// It waits.
    Pending,
    /// Somebody said yes.
    Approved,
    /// Somebody said yes to other arguments.
    Edited,
    /// Somebody said no.
    Rejected,
    /// Nobody said anything in time, which is a no.
    Expired,
}

impl ReviewState {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    /// Whether the call may run.
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Approved | Self::Edited)
    }
}

/// What an approval is bound to, beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Who calls: the key, and in sessions the user and the session after it.
    pub caller: String,
    /// Which tool.
    pub tool: String,
    /// The digest of what the tool says of itself.
    pub tool_digest: String,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// The version of the policy.
    pub policy_version: String,
}

impl Binding {
    /// All of it in one digest.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.caller, &self.tool, &self.tool_digest, &self.arguments_digest, &self.policy_version] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hex(&hash.finalize())
    }
}

/// The conversation that a call came up in.
///
/// A client of the gateway sends its whole history each time and has no name for it. So a conversation is known by what was
/// said in it: whoever goes on from the words that an approval was given on is in the same conversation, and finds it again;
/// whoever comes from elsewhere, even with the same first words, is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its name as it stands now.
    pub now: String,
    /// Its names while it was shorter.
    pub earlier: Vec<String>,
}

impl Conversation {
    /// One that has a name of its own, which does not change.
    pub fn named(name: &str) -> Self {
        Self { now: name.to_owned(), earlier: Vec::new() }
    }

    /// One that is known by what was said, step by step; `origin` is what was said before the first step, where it is kept
    /// elsewhere under a name.
    pub fn of_steps(origin: &str, steps: impl IntoIterator<Item = Value>) -> Self {
        let mut now = hex(&Sha256::digest(origin.as_bytes()));
        let mut earlier = Vec::new();
        for step in steps {
            let next = hex(&Sha256::digest(format!("{now}{}", sort_keys(&step)).as_bytes()));
            earlier.push(std::mem::replace(&mut now, next));
        }
        // Before anything was said all conversations are the same.
        Self { now, earlier: earlier.into_iter().skip(1).collect() }
    }

    /// Whether something that came up under a name came up in this conversation.
    pub fn has_been(&self, name: &str) -> bool {
        self.now == name || self.earlier.iter().any(|known| known == name)
    }
}

/// Who decides. With keys a name comes from the key; what somebody calls themselves stands beside it and never instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reviewer {
    /// The id of their key.
    pub key: Option<String>,
    /// What the key is called.
    pub key_name: Option<String>,
    /// What they call themselves.
    pub called: Option<String>,
}

impl Reviewer {
    /// The name to write down.
    pub fn name(&self) -> Option<String> {
        match (self.key_name.as_ref().or(self.key.as_ref()), &self.called) {
            (Some(key), Some(called)) if called != key => Some(format!("{key} ({called})")),
            (Some(key), _) => Some(key.clone()),
            (None, called) => called.clone(),
        }
    }
}

/// The digest of a tool as it was shown to the model, and so to whoever approves a call of it.
pub fn tool_digest(tool: Option<&ToolSpec>) -> String {
    let Some(tool) = tool else { return String::new() };
    let schema = |raw: &Option<RawSchema>| raw.as_ref().and_then(|raw| serde_json::from_str(raw.0.get()).ok());
    let (input, output): (Option<Value>, Option<Value>) = (schema(&tool.input), schema(&tool.output));
    arguments_digest(&json!({"name": tool.name, "description": tool.description, "input": input, "output": output}))
}

/// The digest of arguments, whatever the order of their keys.
pub fn arguments_digest(arguments: &Value) -> String {
    hex(&Sha256::digest(sort_keys(arguments).to_string().as_bytes()))
}

fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by(|one, two| one.0.cmp(two.0));
            Value::Object(pairs.into_iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sort_keys).collect()),
        other => other.clone(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A call that a person must decide on.
#[derive(Debug, Clone)]
pub struct NewReview {
    /// What an approval would be bound to.
    pub binding: Binding,
    /// The conversation it came up in.
    pub conversation: Conversation,
    /// The session, where there is one.
    pub session_id: Option<String>,
    /// The proposed call: `{id?, name, arguments}`.
    pub call: Value,
    /// The corrections, as patches on it.
    pub patch: Value,
    /// What was found.
    pub findings: Value,
    /// What moved the decision.
    pub signals: Value,
    /// What was said before it, shortened.
    pub context: Value,
    /// What is needed to check it again: tools, messages, context.
    pub request: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// What an item comes from, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The call as the model made it.
    pub made: Option<Value>,
    /// What the model said beside it.
    pub said: String,
    /// The verdict in the audit.
    pub verdict_id: Option<String>,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes.
    Approve,
    /// Yes, with other arguments.
    Edit,
    /// No.
    Reject,
}

/// What a person says about an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// What.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// The arguments to run, for an edit.
    pub arguments: Option<Value>,
}

/// What a person has said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// What.
    pub decision: Decision,
    /// Who: by their key, else as they call themselves.
    #[serde(default)]
    pub reviewer: Option<String>,
    /// With which key, where there are keys.
    #[serde(default)]
    pub key: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// The arguments to run, for an edit.
    #[serde(default)]
    pub arguments: Option<Value>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Its name.
    pub review_id: String,
    /// What became of it.
    pub state: ReviewState,
    /// The session, where there is one.
    pub session_id: Option<String>,
    /// Who calls.
    pub caller: String,
    /// The tool.
    pub tool: String,
    /// The proposed call.
    pub call: Value,
    /// The corrections.
    pub patch: Value,
    /// What was found.
    pub findings: Value,
    /// What moved the decision.
    pub signals: Value,
    /// What was said before it.
    pub context: Value,
    /// When it was made, in RFC 3339.
    pub created_at: String,
    /// When it is too late, in RFC 3339.
    pub expires_at: String,
    /// The same in milliseconds since 1970.
    pub expires_at_ms: i64,
    /// The version of the policy.
    pub policy_version: String,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// Who has it.
    #[serde(default)]
    pub reserved_by: Option<String>,
    /// With which key, where there are keys.
    #[serde(default)]
    pub reserved_key: Option<String>,
    /// Until when, in milliseconds since 1970.
    #[serde(default)]
    pub reserved_until_ms: Option<i64>,
    /// What was said.
    #[serde(default)]
    pub decided: Option<Decided>,
    /// Whether the approval was used.
    #[serde(default)]
    pub used: bool,
    /// The conversation's name when it came up.
    #[serde(default)]
    pub conversation: String,
    /// What is needed to check it again.
    #[serde(default)]
    pub request: Value,
    /// The call as the model made it.
    #[serde(default)]
    pub made: Option<Value>,
    /// What the model said beside it.
    #[serde(default)]
    pub said: String,
    /// The verdict in the audit.
    #[serde(default)]
    pub verdict_id: Option<String>,
}

impl Review {
    /// The call to run, after a yes.
    pub fn cleared(&self) -> Option<Value> {
        let decided = self.decided.as_ref().filter(|_| self.state.is_yes())?;
        let mut call = self.call.clone();
        if let (Some(arguments), Some(call)) = (&decided.arguments, call.as_object_mut()) {
            call.insert("arguments".to_owned(), arguments.clone());
        }
        Some(call)
    }

    /// The key whose call it is; empty, or nobody's, where there are no keys.
    pub fn owner(&self) -> &str {
        self.caller.split('/').next().unwrap_or_default()
    }

    /// The item for people: without what only serves to check it again.
    pub fn shown(&self) -> Value {
        let mut shown = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = shown.as_object_mut() {
            fields.shift_remove("request");
            fields.shift_remove("conversation");
            fields.shift_remove("said");
            fields.insert("about".to_owned(), self.about().into());
            // The gateway's models write arguments as text; people read them, wherever they can be read.
            if let Some(arguments) = fields.get_mut("made").and_then(|made| made.get_mut("arguments"))
                && let Some(read) = arguments.as_str().and_then(|text| serde_json::from_str(text).ok())
            {
                *arguments = read;
            }
        }
        shown
    }

    /// What a person decides on: a call before it is made, or a result before the model sees it.
    pub fn about(&self) -> &'static str {
        if self.context.get("kind").and_then(Value::as_str) == Some("result") { "result" } else { "call" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // REVIEW-1
    #[test]
    fn a_binding_holds_for_one_call_only() {
        let binding = |caller: &str, tool: &str, arguments: Value, policy: &str| {
            Binding {
                caller: caller.into(),
                tool: tool.into(),
                tool_digest: String::new(),
                arguments_digest: arguments_digest(&arguments),
                policy_version: policy.into(),
            }
            .digest()
        };
        let one = binding("ann", "pay", json!({"to": "bob", "amount": 5}), "1");
        assert_eq!(
            one,
            binding("ann", "pay", json!({"amount": 5, "to": "bob"}), "1"),
            "the order of keys says nothing"
        );
        assert_ne!(one, binding("eve", "pay", json!({"to": "bob", "amount": 5}), "1"));
        assert_ne!(one, binding("ann", "pay", json!({"to": "bob", "amount": 50}), "1"));
        assert_ne!(one, binding("ann", "pay", json!({"to": "bob", "amount": 5}), "2"));
        assert_ne!(binding("a", "bc", json!({}), "1"), binding("ab", "c", json!({}), "1"), "parts do not run together");
    }

    // REVIEW-1: a tool that says something else of itself is another tool, and the order of its schema's keys says nothing.
    #[test]
    fn a_tool_is_known_by_what_it_says_of_itself() {
        let tool = |text: &str| {
            let read = countersign::wire::tools::read_tools(text).unwrap();
            tool_digest(read.first())
        };
        let one =
            tool(r#"[{"name": "pay", "description": "d", "input_schema": {"type": "object", "properties": {}}}]"#);
        let two = r#"[{"name": "pay", "description": "d", "input_schema": {"properties": {}, "type": "object"}, "cache_control": {"type": "ephemeral"}}]"#;
        assert_eq!(one, tool(two));
        assert_ne!(
            one,
            tool(r#"[{"name": "pay", "description": "e", "input_schema": {"type": "object", "properties": {}}}]"#)
        );
        assert_ne!(one, tool(r#"[{"name": "pay", "description": "d", "input_schema": {"type": "object"}}]"#));
    }

    // REVIEW-2: going on is the same conversation, going another way is not.
    #[test]
    fn a_conversation_is_known_by_what_was_said() {
        let of = |origin: &str, said: &[&str]| Conversation::of_steps(origin, said.iter().map(|said| json!(said)));
        let here = of("", &["a", "b"]);
        for later in [of("", &["a", "b"]), of("", &["a", "b", "c"]), of("", &["a", "b", "c", "d"])] {
            assert!(later.has_been(&here.now));
        }
        for other in [
            of("", &["a"]),
            of("", &["a", "c"]),
            of("", &["b", "a"]),
            of("", &["ab"]),
            of("x", &["a", "b"]),
            of("", &[]),
        ] {
            assert!(!other.has_been(&here.now), "{other:?}");
        }
        assert!(!here.has_been(&of("", &[]).now), "the beginning of all is no conversation");
        assert!(Conversation::named("ses_1").has_been("ses_1") && !Conversation::named("ses_1").has_been(""));
    }

    // REVIEW-1: a name that somebody gives themselves stands beside their key's and never instead.
    #[test]
    fn a_reviewers_name_is_their_keys() {
        let of = |key: Option<&str>, key_name: Option<&str>, called: Option<&str>| {
            let [key, key_name, called] = [key, key_name, called].map(|word| word.map(str::to_owned));
            Reviewer { key, key_name, called }.name()
        };
        assert_eq!(of(Some("key_1"), Some("ops"), Some("boss")).as_deref(), Some("ops (boss)"));
        assert_eq!(of(Some("key_1"), Some("ops"), None).as_deref(), Some("ops"));
        assert_eq!(of(Some("key_1"), None, Some("boss")).as_deref(), Some("key_1 (boss)"));
        assert_eq!(of(None, None, Some("ann")).as_deref(), Some("ann"));
        assert_eq!(of(None, None, None), None);
    }
}
