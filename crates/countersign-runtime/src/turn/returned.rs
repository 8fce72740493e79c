//! What came back from a tool: verified, and written down for the audit.
//!
//! The audit of a result goes to the disk with the result's event, in one commit where the store can, and the turn never
//! waits for it alone: a result that could not be audited is shown all the same, because it stands in the log.

use super::ending::Ending;
use super::rules;
use super::turn_context::AgentRun;
use crate::examination::{Examination, ResultOrigin};
use crate::store::Change;
use crate::stream::Draft;
use crate::tools::{Order, Outcome};
use countersign::check_result;
use countersign::contract::{Context, ToolCall, ToolResult, VerificationReport};
use countersign::wire::requests::VerifyRequest;
use futures_util::future::{Either, select};
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;

impl AgentRun<'_> {
    /// Writes the events of a result, and beside them its record for the audit.
    pub(super) async fn write_examined(&self, events: Vec<Draft>, examined: Change) -> Result<(), Ending> {
        let records = Arc::clone(self.context.sessions.records());
        let kept = Box::pin(async move {
            if let Err(error) = records.apply_in_company(vec![examined]).await {
                tracing::warn!(%error, "a result is missing in the audit");
            }
        });
        let writing = pin!(self.outbox.write(events));
        // The audit is queued first and waits for the events, which are urgent: one commit for both.
        match select(kept, writing).await {
            Either::Left(((), writing)) => writing.await,
            Either::Right((written, kept)) => {
                // A store of records that is away has its deadlines, and ends this by itself.
                tokio::spawn(kept);
                written
            }
        }
    }

    /// The result for the audit.
    pub(super) fn examined(&self, order: &Order, outcome: &Outcome, report: &VerificationReport) -> Change {
        let session = self.context.session;
        let examination = Examination {
            place: ResultOrigin::Session(&session.session_id),
            call_id: Some(order.call_id()),
            tool: order.name(),
            content: &outcome.content,
            is_error: outcome.is_error,
            report,
            policy_version: &self.context.rules.policy.version,
            key: Some(session.caller.as_str()).filter(|key| !key.is_empty()),
        };
        Change::Insert(examination.record(), None)
    }

    /// Verifies what came back.
    pub(super) fn verify(&self, order: &Order, outcome: &Outcome) -> VerificationReport {
        let arguments = Value::Object(order.arguments().clone());
        let call_id = Some(order.call_id().to_owned());
        let call = ToolCall { id: call_id.clone(), name: order.name().to_owned(), arguments: arguments.into() };
        let content = countersign::wire::messages::unwrap_content(outcome.content.clone());
        let result = ToolResult { call_id, content, is_error: outcome.is_error, ..ToolResult::default() };
        let request = VerifyRequest {
            id: Value::Null,
            tool: rules::spec_of(&self.tools.guard, order.name()).cloned(),
            call,
            result,
            context: Context(self.context.session.context.as_object().cloned().unwrap_or_default()),
            level: None,
            language: None,
        };
        check_result::verify(&request, &self.context.rules.policy)
    }
}
