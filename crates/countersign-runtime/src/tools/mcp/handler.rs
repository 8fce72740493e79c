//! What a server may ask of us: hardly anything.
//!
//! It may say that its tools have changed. It is told that there are no roots; it may not ask our model, and our user only
//! where the operator lets its forms be answered with the values that it suggests itself.

use super::options::Questions;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, InputRequest, InputRequiredResult, InputResponses,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::Notify;

/// Answers a server.
pub(super) struct Handler {
    /// Woken when the server says that its tools have changed.
    pub(super) changed: Arc<Notify>,
    /// What becomes of its questions.
    pub(super) questions: Questions,
}

impl rmcp::ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        if self.questions == Questions::Defaults {
            let forms = ElicitationCapability::new().with_form(FormElicitationCapability::default());
            capabilities.elicitation = Some(forms);
        }
        let info = ClientConfig::new(capabilities, us);
        info.with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(reply(&request, self.questions))
    }
}

/// What is said to the questions of a call; nothing where one of them is not for us.
pub(super) fn replies(asked: &InputRequiredResult, questions: Questions) -> Option<InputResponses> {
    let one = |(id, request): (&String, &InputRequest)| match request {
        InputRequest::Elicitation(request) => {
            Some((id.clone(), serde_json::to_value(reply(&request.params, questions)).ok()?))
        }
        _ => None,
    };
    let requests = asked.input_requests.iter().flatten();
    if questions == Questions::Refuse { None } else { requests.map(one).collect() }
}

fn reply(request: &ElicitRequestParams, questions: Questions) -> ElicitResult {
    let suggested = match request {
        ElicitRequestParams::FormElicitationParams { requested_schema, .. } => {
            serde_json::to_value(requested_schema).ok().as_ref().and_then(suggestions)
        }
        _ => None,
    };
    match suggested.filter(|_| questions == Questions::Defaults) {
        Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
        None => ElicitResult::new(ElicitationAction::Decline),
    }
}

/// The values that a form suggests, where it suggests one for all that it needs.
fn suggestions(schema: &Value) -> Option<Value> {
    let fields = schema.get("properties")?.as_object()?;
    let suggested = fields.iter().filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())));
    let suggested: Map<String, Value> = suggested.collect();
    let mut needed = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    needed.all(|name| suggested.contains_key(name)).then_some(Value::Object(suggested))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // MCP-2: nobody is there to answer, so only what the server suggests is said.
    #[test]
    fn forms_are_answered_with_what_they_suggest() {
        let form = json!({"properties": {"name": {"type": "string", "default": "Ann"}, "age": {"type": "integer"}}, "required": ["name"]});
        assert_eq!(suggestions(&form), Some(json!({"name": "Ann"})));
        let more = json!({"properties": {"name": {"type": "string"}}, "required": ["name"]});
        assert_eq!(suggestions(&more), None);
    }
}
