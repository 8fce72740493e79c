//! The rules by which calls are judged: the policy of the moment, and whoever answers its questions.

use crate::ask::{Asker, judge_in};
use crate::review::Review;
use countersign::check_call::Guard;
use countersign::contract::{Context, ToolCall, Verdict};
use countersign::conversation::Conversation;
use countersign::policy::Policy;
use countersign::wire::messages::read_messages;
use countersign::wire::requests::CheckRequest;
use countersign::wire::tools::read_tools;
use rustc_hash::FxHasher;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The rules of the moment.
pub struct Rules {
    /// The policy.
    pub policy: Arc<Policy>,
    /// Who answers questions about the world.
    pub asker: Option<Arc<Asker>>,
}

/// Where the rules come from. They may change between two turns, never within one.
pub type RulesSource = Arc<dyn Fn() -> Arc<Rules> + Send + Sync>;

/// The guard of a session's tools.
pub(super) fn guard(rules: &Rules, tools: &[Value]) -> Guard {
    let list = Value::Array(tools.to_vec()).to_string();
    Guard::new(Some(read_tools(&list).unwrap_or_default()), Arc::clone(&rules.policy))
}

/// Guards that were made before: a session asks for the same one again and again.
#[derive(Default)]
pub(super) struct Guards {
    made: Mutex<HashMap<u64, Made>>,
}

/// A guard, with the rules and the tools that it was made for.
type Made = (Arc<Rules>, String, Arc<Guard>);

impl Guards {
    /// The guard of some tools under the rules of the moment.
    pub(super) fn guard(&self, rules: &Arc<Rules>, tools: &[Value]) -> Arc<Guard> {
        let list = serde_json::to_string(tools).unwrap_or_default();
        let mut hasher = FxHasher::default();
        list.hash(&mut hasher);
        let key = hasher.finish();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((under, of, guard)) = made.get(&key)
            && Arc::ptr_eq(under, rules)
            && *of == list
        {
            return Arc::clone(guard);
        }
        if made.len() >= MAX_GUARDS {
            made.clear();
        }
        let guard = Arc::new(guard(rules, tools));
        made.insert(key, (Arc::clone(rules), list, Arc::clone(&guard)));
        guard
    }
}

/// A conversation in the OpenAI shape, as the engine reads it.
pub(super) fn conversation(messages: &[Value]) -> Conversation {
    Conversation::of(read_messages(&Value::Array(messages.to_vec())))
}

/// Judges a call in its conversation.
pub(super) fn judge(rules: &Rules, guard: &Guard, said: &Conversation, context: &Value, call: ToolCall) -> Verdict {
    let request = CheckRequest {
        id: Value::Null,
        tools: None,
        messages: Vec::new(),
        call,
        context: Context(context.as_object().cloned().unwrap_or_default()),
        level: None,
        language: None,
    };
    judge_in(guard, &request, said, rules.asker.as_deref())
}

/// Judges a reviewer's arguments. What a person typed counts as known: it stands in the conversation as theirs.
pub fn recheck(rules: &Rules, review: &Review, arguments: &Value) -> Verdict {
    let field = |name: &str| review.request.get(name).cloned().unwrap_or_default();
    let list = |value: Value| value.as_array().cloned().unwrap_or_default();
    let guard = guard(rules, &list(field("tools")));
    let mut messages = list(field("messages"));
    messages.push(json!({"role": "user", "content": typed(arguments)}));
    let call = ToolCall { id: None, name: review.tool.clone(), arguments: arguments.clone().into() };
    judge(rules, &guard, &conversation(&messages), &field("context"), call)
}

/// Every value that a person typed, a line each.
fn typed(arguments: &Value) -> String {
    match arguments {
        Value::Object(map) => map.values().map(typed).collect::<Vec<_>>().join("\n"),
        Value::Array(items) => items.iter().map(typed).collect::<Vec<_>>().join("\n"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// So many guards are kept.
const MAX_GUARDS: usize = 256;
