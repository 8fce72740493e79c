//! What a model really wrote: a request in, everything that is in it out.

use crate::check_call::effects::effects_of;
use crate::contract::{Role, ToolSpec};
use crate::parse::{Finish, Outcome, Protocol, Remark, Unfinished, chatter, read_output};
use crate::policy::Policy;
use crate::wire::WireError;
use crate::wire::outputs::ParseRequest;
use serde::Serialize;
use serde_json::Value;

/// The answer to a request of `parse`.
#[derive(Debug, Clone, Serialize)]
pub struct Reading {
    /// The caller's id.
    pub id: Value,
    /// What was read.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Reads a model's output. Fails only where the request names no known protocol or finish reason.
pub fn parse(request: &ParseRequest, policy: &Policy) -> Result<Reading, WireError> {
    let name = request.protocol.as_deref().unwrap_or("auto");
    let protocol = Protocol::from_name(name, request.schema.as_ref()).ok_or_else(|| unknown_protocol(name))?;
    parse_as(request, &protocol, policy)
}

/// Reads a model's output in a protocol that is at hand, such as one of the user's own.
pub fn parse_as(request: &ParseRequest, protocol: &Protocol, policy: &Policy) -> Result<Reading, WireError> {
    let reason = finish_reason(request.finish_reason.as_deref())?;
    let tools = request.tools.as_deref().unwrap_or_default();
    let outcome = read_output(protocol, tools, &request.chunks, reason, request.language);
    let mut outcome = hold_back_irreversible(outcome, tools, policy);
    outcome.findings.extend(empty_words(request.role, &outcome));
    Ok(Reading { id: request.id.clone(), outcome })
}

/// What was gathered of an assistant's output, as `parse` gives it.
pub(crate) fn settle(outcome: Outcome, tools: &[ToolSpec], policy: &Policy) -> Outcome {
    let mut outcome = hold_back_irreversible(outcome, tools, policy);
    outcome.findings.extend(empty_words(Role::Assistant, &outcome));
    outcome
}

/// What says nothing: a pseudo-answer of the model, a mere confirmation of the user.
fn empty_words(role: Role, outcome: &Outcome) -> Option<Remark> {
    if role == Role::User {
        let note = "a mere confirmation: log it and keep it out of the context".to_owned();
        return chatter::of_user(&outcome.text).map(|_| Remark { code: "chatter.confirmation-input", at: 0, note });
    }
    let silent = outcome.calls.is_empty() && outcome.tags.as_ref().is_none_or(Vec::is_empty);
    let note = "the whole answer only promises or acknowledges; nothing follows".to_owned();
    let pseudo = chatter::of_model(&outcome.remaining_text).filter(|_| silent);
    pseudo.map(|_| Remark { code: "answer.pseudo-answer", at: 0, note })
}

/// An error that lists the protocols.
pub fn unknown_protocol(name: &str) -> WireError {
    let known = Protocol::names().join(", ");
    WireError::at("protocol", format!("there is no protocol `{name}`; use one of {known}"))
}

/// Why an output ended, by its name.
pub fn finish_reason(reason: Option<&str>) -> Result<Finish, WireError> {
    match reason {
        None => Ok(Finish::Unsaid),
        Some("stop") => Ok(Finish::Stop),
        Some("length") => Ok(Finish::Length),
        Some("cancelled") => Ok(Finish::Cancelled),
        Some(other) => {
            let message = format!("`finish_reason` must be stop, length or cancelled, not `{other}`");
            Err(WireError::at("finish_reason", message))
        }
    }
}

/// A call left open when the model stopped by itself may run, unless what it does cannot be undone.
fn hold_back_irreversible(mut outcome: Outcome, tools: &[ToolSpec], policy: &Policy) -> Outcome {
    let lasting = |name: &str| tools.iter().any(|tool| tool.name == name && effects_of(tool, policy).irreversible);
    let (held, kept) =
        std::mem::take(&mut outcome.calls).into_iter().partition(|call| call.unclosed && lasting(&call.name));
    outcome.calls = kept;
    let held: Vec<crate::parse::Call> = held;
    outcome.complete &= held.is_empty();
    outcome.unfinished.extend(held.into_iter().map(|call| Unfinished::Call {
        name: call.name,
        arguments: Value::Object(call.arguments).to_string(),
        place: call.place,
    }));
    outcome
}
