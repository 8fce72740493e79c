//! UUIDs, where the name of the parameter says that it is one.

use super::value::Held;
use crate::check_call::prose::format::is_uuid;
use crate::check_call::role::Role;
use crate::contract::Finding;
use crate::contract::codes::meaning::BAD_UUID;
use crate::say;

/// The finding on a text that is no UUID.
pub fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Uuid) || held.is_declared() {
        return None;
    }
    let text = held.text()?;
    let other = held.param.description.contains(" or ") || held.param.description.contains('或');
    if other || is_uuid(text) || held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence = say!(held.language, "`{value}` is no UUID", "`{value}` 不是 UUID");
    Some(held.finding(&BAD_UUID, evidence))
}
