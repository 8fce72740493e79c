//! Paths that no system can have: control characters inside. Where a path leads is the business of `danger`.

use super::value::Held;
use crate::check_call::role::Role;
use crate::contract::Finding;
use crate::contract::codes::meaning::BAD_PATH;
use crate::localized;

/// The finding on a text that cannot be a path.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Path) || held.is(Role::FreeText) {
        return None;
    }
    let text = held.text()?;
    let control = text.chars().find(|c| c.is_control() && *c != '\n')?;
    let (number, value) = (control as u32, held.quote().replace(char::is_control, "·"));
    let evidence = localized!(
        held.language,
        "the path `{value}` holds the control character {number}",
        "路径 `{value}` 含有控制字符 {number}"
    );
    Some(held.finding(&BAD_PATH, evidence))
}
