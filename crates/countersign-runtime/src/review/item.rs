//! An item of the queue: what was asked, why it is here, and what became of it.

use super::error::ReviewError;
use super::state::ReviewState;
use crate::stream::timestamp;
use countersign::contract::ToolCall;
use countersign::contract::digest::{hex, sort_keys};
use countersign::decide::Binding;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What a person decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// A call before it is made.
    #[default]
    Call,
    /// What a tool gave.
    Result,
    /// What the model answered.
    Answer,
}

impl About {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Result => "result",
            Self::Answer => "answer",
        }
    }
}

/// What became of a result or an answer that a person was asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum Reviewed {
    /// It stands as it is.
    Accepted,
    /// This stands in its place.
    Replaced(Value),
    /// It is withheld: somebody rejected it, or nobody decided in time.
    Withheld,
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

/// A call, a result or an answer that a person must decide on.
#[derive(Debug, Clone)]
pub struct NewReview {
    /// What it is about.
    pub about: About,
    /// Whether somebody waits for the decision.
    pub waits: bool,
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
    /// Yes, with other arguments; for a result or an answer, with another text.
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
    /// The arguments to run, for an edit of a call.
    pub arguments: Option<Value>,
    /// What stands in the place of a result or an answer, for an edit of one.
    pub content: Option<Value>,
}

impl Resolution {
    /// Whether it can be said about this: a call is edited by its arguments, a result or an answer by its content.
    pub(super) fn check(&self, about: About) -> Result<(), ReviewError> {
        let unfit = |message: &str| Err(ReviewError::Unfit(message.to_owned()));
        match (about, self.decision, &self.content) {
            (About::Call, _, Some(_)) => unfit("`content` replaces a result or an answer; edit a call by `arguments`"),
            (About::Call, ..) => Ok(()),
            _ if self.arguments.is_some() => unfit("`arguments` are for a call; edit this by `content`"),
            (_, Decision::Edit, None) => unfit("an edit of a result or an answer needs `content`, its new text"),
            (About::Answer, Decision::Edit, Some(content))
                if content.as_str().is_none_or(|text| text.trim().is_empty()) =>
            {
                unfit("`content` must be the new text of the answer")
            }
            (_, Decision::Edit, Some(_)) | (_, _, None) => Ok(()),
            (_, _, Some(_)) => unfit("`content` goes with the decision `edit`"),
        }
    }
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
    /// The arguments to run, for an edit of a call.
    #[serde(default)]
    pub arguments: Option<Value>,
    /// What stands in the place of a result or an answer, for an edit of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Its name.
    pub review_id: String,
    /// What it is about; [`Review::about`] knows old items too.
    #[serde(default)]
    pub(super) about: About,
    /// Whether somebody waits for the decision.
    #[serde(default = "waited")]
    pub waits: bool,
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
    /// A new item that waits, under a name.
    pub(super) fn new(review_id: String, new: NewReview, now: i64, expires: i64) -> Self {
        Self {
            review_id,
            about: new.about,
            waits: new.waits,
            state: ReviewState::Pending,
            session_id: new.session_id,
            caller: new.binding.caller,
            tool: new.binding.tool,
            call: new.call,
            patch: new.patch,
            findings: new.findings,
            signals: new.signals,
            context: new.context,
            created_at: timestamp(now),
            expires_at: timestamp(expires),
            expires_at_ms: expires,
            policy_version: new.binding.policy_version,
            arguments_digest: new.binding.arguments_digest,
            reserved_by: None,
            reserved_key: None,
            reserved_until_ms: None,
            decided: None,
            used: false,
            conversation: new.conversation.now,
            request: new.request,
            made: new.origin.made,
            said: new.origin.said,
            verdict_id: new.origin.verdict_id,
        }
    }

    /// The call that was approved: as it was proposed, or with the arguments of the reviewer. Nobody who decides on a
    /// result or an answer has approved a call.
    pub(super) fn approved(&self) -> Option<ToolCall> {
        if self.about() != About::Call {
            return None;
        }
        let decided = self.decided.as_ref().filter(|_| self.state.is_yes())?;
        let name = self.call.get("name").and_then(Value::as_str)?.to_owned();
        let arguments = decided.arguments.as_ref().or_else(|| self.call.get("arguments")).cloned();
        Some(ToolCall { id: None, name, arguments: arguments.unwrap_or_default().into() })
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
            fields.insert("about".to_owned(), self.about().name().into());
            // The gateway's models write arguments as text; people read them, wherever they can be read.
            if let Some(arguments) = fields.get_mut("made").and_then(|made| made.get_mut("arguments"))
                && let Some(read) = arguments.as_str().and_then(|text| serde_json::from_str(text).ok())
            {
                *arguments = read;
            }
        }
        shown
    }

    /// What a person decides on.
    pub fn about(&self) -> About {
        // Results were told by their context alone once.
        let is_old_result = self.context.get("kind").and_then(Value::as_str) == Some("result");
        if self.about == About::Call && is_old_result { About::Result } else { self.about }
    }

    /// What became of a result or an answer; none while it waits.
    pub fn reviewed(&self) -> Option<Reviewed> {
        let content = || self.decided.as_ref().and_then(|decided| decided.content.clone());
        match self.state {
            ReviewState::Pending => None,
            ReviewState::Approved => Some(Reviewed::Accepted),
            ReviewState::Edited => Some(content().map_or(Reviewed::Accepted, Reviewed::Replaced)),
            ReviewState::Rejected | ReviewState::Expired => Some(Reviewed::Withheld),
        }
    }

    /// Why it was decided so, in the reviewer's words.
    pub fn reason(&self) -> Option<&str> {
        let reason = self.decided.as_ref().and_then(|decided| decided.reason.as_deref());
        reason.filter(|reason| !reason.trim().is_empty())
    }
}

/// Whoever made an item before there were others waited for it.
fn waited() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
