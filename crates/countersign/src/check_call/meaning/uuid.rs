//! UUIDs, where the name of the parameter says that it is one.

use super::value::Held;
use crate::check_call::prose::format::is_uuid;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::BAD_UUID;
use crate::contract::{Finding, Severity};
use crate::localized;

/// The finding on a text that is no UUID.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Uuid) || held.is_declared() {
        return None;
    }
    let text = held.text()?;
    let other = held.param.description.contains(" or ") || held.param.description.contains('或');
    if other || is_uuid(text) || held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence = localized!(held.language, "`{value}` is no UUID", "`{value}` 不是 UUID");
    let finding = held.finding(&BAD_UUID, evidence);
    // An id that the person gave cannot be put right by the model: it is passed on with a doubt.
    Some(if held.is_said_by_user() { finding.sure(0.6).graded(Severity::Warning) } else { finding })
}
