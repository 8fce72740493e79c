//! The order of steps: a tool that the policy lets run only after others have succeeded.
//!
//! `[tools.refund_order] requires = ["get_order"]`: the call is refused until a result of `get_order` that tells of
//! success is in the conversation. The model is told which step is missing, so it can take it and come back.

use super::subject::{Check, Said, Subject};
use crate::contract::Finding;
use crate::contract::codes::call::MISSING_STEP;
use crate::localized;

/// The check.
pub const CHECK: Check = Check { name: "steps", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let (language, name) = (subject.language, &subject.tool.spec.name);
    for required in subject.policy.tool(name).flat_map(|tool| &tool.requires) {
        if subject.conversation.has_succeeded(required) {
            continue;
        }
        let step = required.as_str();
        let evidence = localized!(
            language,
            "`{name}` requires `{step}` to have succeeded first, and it has not in this conversation",
            "`{name}` 要求先成功调用 `{step}`，而本次对话中还没有"
        );
        let advice = localized!(
            language,
            "call `{step}` first, then make this call again",
            "请先调用 `{step}`，再重新发出此调用"
        );
        said.findings.push(Finding::new(&MISSING_STEP, "/name", evidence).hint(advice));
    }
}
