//! What the policy asks of an argument: bounds and a format. It wins over every rule by name or description.

use super::date::day_of;
use super::value::Held;
use super::{address, email};
use crate::check_call::prose::format::{clock, is_uuid, iso};
use crate::check_call::prose::shape::Fit;
use crate::check_call::subject::Subject;
use crate::contract::codes::meaning::{BAD_ADDRESS, BAD_DATE, BAD_EMAIL, BAD_URL, BAD_UUID, OUT_OF_BOUNDS};
use crate::contract::{Code, Finding};
use crate::localized;

/// Whether the policy says anything about this tool's arguments.
pub(crate) fn is_special(subject: &Subject<'_>) -> bool {
    subject.policy.tool(&subject.tool.spec.name).any(|tool| !tool.arguments.is_empty())
}

/// The finding on a value that breaks the policy.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    let asked = held.asked()?;
    let quote = || held.quote();
    if let Some(number) = held.value().as_f64() {
        let (low, high) = (asked.bounds.minimum, asked.bounds.maximum);
        if low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high) {
            let bounds = format!("{}..{}", show_bound(low), show_bound(high));
            let number = quote();
            let evidence = localized!(
                held.language,
                "{number} is outside of {bounds}, the policy's bounds",
                "{number} 超出策略规定的范围 {bounds}"
            );
            return Some(held.finding(&OUT_OF_BOUNDS, evidence).sure(0.95));
        }
    }
    let (text, format) = (held.text()?, asked.format.as_deref()?);
    let code = find_broken_format(format, text)?;
    let value = quote();
    let evidence = localized!(
        held.language,
        "`{value}` is not in the format `{format}`, which the policy asks for",
        "`{value}` 不符合策略要求的格式 `{format}`"
    );
    Some(held.finding(code, evidence).sure(0.95))
}

fn show_bound(bound: Option<f64>) -> String {
    bound.map(|bound| bound.to_string()).unwrap_or_default()
}

/// The code for a text that does not have a format.
fn find_broken_format(format: &str, text: &str) -> Option<&'static Code> {
    let (code, sound): (&'static Code, bool) = match format {
        "date" => (&BAD_DATE, text.len() == 10 && day_of(text).is_some()),
        "date-time" => (&BAD_DATE, text.len() > 10 && iso(text) == Fit::Fits),
        "time" => (&BAD_DATE, clock(text) == Fit::Fits),
        "email" => (&BAD_EMAIL, email::is_one(text)),
        "uri" | "url" => (&BAD_URL, text.contains(':') && super::url::fault(text).is_none()),
        "uuid" => (&BAD_UUID, is_uuid(text)),
        "ipv4" | "ipv6" | "ip" => (&BAD_ADDRESS, address::is_one(text)),
        _ => return None,
    };
    (!sound).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_the_policy_are_held() {
        // CALL-4
        assert!(
            find_broken_format("date", "2026-02-28").is_none() && find_broken_format("date", "28.2.2026").is_some()
        );
        assert!(find_broken_format("email", "a@b.c").is_none() && find_broken_format("uuid", "1").is_some());
        assert!(find_broken_format("something-else", "x").is_none());
    }
}
