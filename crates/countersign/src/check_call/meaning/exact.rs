//! Whole numbers beyond 64 bits: a JSON reader has rounded them before anybody could look.
//!
//! Only where the schema asks for an integer: 6.02e23 is a fine number, and a rounded id is another id. And only where the
//! rounded one would run: the gateway releases arguments as they are written, with all their digits.

use super::super::schema::mend::is_rounded;
use super::value::Held;
use crate::contract::Finding;
use crate::contract::codes::meaning::INEXACT;
use crate::localized;
use serde_json::Value;

/// The finding, where an integer was rounded.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    let Value::Number(number) = held.value() else { return None };
    let types = &held.param.types;
    let whole = !types.is_empty() && types.iter().all(|kind| kind == "integer" || kind == "null");
    if !whole || !is_rounded(number) || held.keeps_numbers() {
        return None;
    }
    let (key, language) = (held.key(), held.language);
    let evidence = localized!(
        language,
        "`{key}` is too large to be kept exactly; it was read as {number}",
        "`{key}` 过大，无法精确保存，读作 {number}"
    );
    let hint = localized!(language, "send it as a string, if the tool takes one", "如工具支持，请以字符串给出");
    Some(held.finding(&INEXACT, evidence).hint(hint))
}

#[cfg(test)]
mod tests {
    use crate::check_call::schema::mend::is_rounded;
    use serde_json::Value;

    #[test]
    fn only_what_was_rounded_is_rounded() {
        // CALL-3
        let rounded = |text: &str| match serde_json::from_str(text).unwrap() {
            Value::Number(number) => is_rounded(&number),
            _ => false,
        };
        assert!(rounded("123456789012345678901234567890") && rounded("18446744073709551616"));
        assert!(!rounded("18446744073709551615") && !rounded("9007199254740993") && !rounded("0.5"));
    }
}
