//! Secrets in the arguments, except where one belongs: a password parameter may carry a password.

use super::text::Text;
use crate::check_call::role::Role;
use crate::check_call::secrets;
use crate::contract::Finding;
use crate::contract::codes::danger::SECRET;
use crate::localized;

/// The finding on a text that holds a secret. Its evidence shows four characters at most.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    if text.is(Role::Secret) {
        return None;
    }
    let found = secrets::find(text.text).into_iter().next()?;
    let kind = found.kind;
    let shown: String = text.text.get(found.range)?.chars().take(4).collect();
    let key = text.key();
    let evidence = localized!(
        text.language,
        "`{key}` holds a secret ({kind}): `{shown}…`",
        "`{key}` 含有机密信息（{kind}）：`{shown}…`"
    );
    Some(text.finding(&SECRET, evidence))
}
