//! What the description asks for: ranges, formats and allowed values that stand only in its words.

use super::bounds::{self, Certain, clamped};
use super::date::plain_day;
use super::value::{Held, quote};
use crate::check_call::prose::shape::Fit;
use crate::check_call::prose::{Allowed, Format, Formats, Prose, Range};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::{AGAINST_DESCRIPTION, BAD_DATE};
use crate::contract::{Finding, PatchOp, Severity};
use crate::localized;
use crate::text::lists::word_list;
use serde_json::Value;

/// The finding on a value that its description does not allow.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    let prose: &Prose = &held.param.prose;
    if !prose.binds() {
        return None;
    }
    match held.value() {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let range = prose.range.as_ref().and_then(|range| out_of(held, range, number));
            range.or_else(|| among(held, prose.allowed.as_deref()?, &quote(&held.value().to_string())))
        }
        Value::String(_) => {
            let text = held.text()?;
            let form = prose.formats.as_ref().and_then(|formats| form(held, formats, text));
            form.or_else(|| among(held, prose.allowed.as_deref()?, text)).or_else(|| {
                let number = text.parse::<f64>().ok().filter(|_| held.param.takes("string"))?;
                out_of(held, prose.range.as_ref()?, number)
            })
        }
        Value::Array(items) => items_of(held, prose, items),
        _ => None,
    }
}

/// What a list's description says of its form binds each of its texts, where the items say nothing themselves.
fn items_of(held: &Held<'_>, prose: &Prose, items: &[Value]) -> Option<Finding> {
    let own = held.param.items.as_deref().is_some_and(|items| items.prose.binds() || !items.allowed.is_empty());
    let texts = items.iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    if own || held.is(Role::FreeText) {
        return None;
    }
    let formats = prose.formats.as_deref()?;
    texts.into_iter().find_map(|text| form(held, formats, text))
}

fn out_of(held: &Held<'_>, range: &Range, number: f64) -> Option<Finding> {
    if range.holds(number) || held.is_named_by_tool() {
        return None;
    }
    let low = range.low.filter(|_| held.param.minimum.is_none());
    let high = range.high.filter(|_| held.param.maximum.is_none());
    let below = low.filter(|low| number < low.at || (number == low.at && !low.inclusive));
    let above = high.filter(|high| number > high.at || (number == high.at && !high.inclusive));
    let bound = below.or(above)?;
    if held.is(Role::ResultSize) && held.value().is_number() && bound.inclusive {
        let certain = bounds::is_a_size(held);
        return Some(clamped(held, bound.at, number, certain).sure(range.confidence));
    }
    let value = held.quote();
    let (least, most) = (show_bound(low.map(|low| low.at)), show_bound(high.map(|high| high.at)));
    let evidence = localized!(
        held.language,
        "{value} is outside of {least}..{most}, which the description states",
        "{value} 超出描述中规定的范围 {least}..{most}"
    );
    let finding = held.finding(&AGAINST_DESCRIPTION, evidence);
    let nearest = held.value().is_number() && bound.inclusive;
    let finding = if nearest { clamp_proposed(held, finding, bound.at) } else { finding };
    Some(grade(finding, range.confidence))
}

fn clamp_proposed(held: &Held<'_>, finding: Finding, bound: f64) -> Finding {
    let proposal = clamped(held, bound, bound, Certain::No);
    match proposal.correction {
        Some(correction) => finding.propose(correction.note, correction.patch),
        None => finding,
    }
}

fn show_bound(bound: Option<f64>) -> String {
    bound.map(|bound| bound.to_string()).unwrap_or_default()
}

fn form(held: &Held<'_>, formats: &Formats, text: &str) -> Option<Finding> {
    let fit = formats.fit(text);
    if fit == Fit::Fits || held.is_declared() || held.is_named_by_tool() || is_a_word_for_none(text) {
        return None;
    }
    let (value, wanted) = (if held.is(Role::Secret) { held.quote() } else { quote(text) }, formats.names());
    if fit == Fit::Impossible {
        let evidence = localized!(held.language, "`{value}` does not exist ({wanted})", "`{value}` 不存在（{wanted}）");
        return Some(held.finding(&BAD_DATE, evidence));
    }
    if formats.are_dates() && is_a_list_of(formats, text) {
        return None;
    }
    let evidence = localized!(
        held.language,
        "`{value}` is not in the form {wanted}, which the description asks for",
        "`{value}` 不符合描述要求的格式 {wanted}"
    );
    let hint = localized!(held.language, "Send the value as {wanted}.", "请按 {wanted} 的格式填写。");
    let finding = held.finding(&AGAINST_DESCRIPTION, evidence).hint(hint);
    // A date of another precision is often accepted; a form of letters may have been meant loosely.
    let near = formats.are_dates() && crate::check_call::prose::format::iso(text) == Fit::Fits;
    // An id that the person gave cannot be put right by the model.
    let given = formats.any.contains(&Format::Uuid) && held.is_said_by_user();
    match in_form(formats, text) {
        Some(day) => Some(rewritten(held, finding, text, day)),
        None => Some(grade(finding, if near || given { 0.6 } else { formats.confidence })),
    }
}

/// A day that exists and has one reading only, in the form that the description asks for.
fn in_form(formats: &Formats, text: &str) -> Option<String> {
    let (year, month, day) = plain_day(text)?;
    let [Format::Shape(shape)] = formats.any.as_slice() else { return None };
    shape.write(year, month, day)
}

/// The day is right and only its form is not: many tools take it, so it is a warning with a proposal.
fn rewritten(held: &Held<'_>, finding: Finding, text: &str, day: String) -> Finding {
    let note = localized!(held.language, "Write `{text}` as `{day}`.", "请将 `{text}` 写作 `{day}`。");
    let patch = vec![PatchOp::replace(finding.pointer.clone(), Value::String(day))];
    let finding = if held.value().is_string() { finding.propose(note, patch) } else { finding.hint(note) };
    grade(finding, 0.75)
}

/// Words that stand for no value, whatever the form.
fn is_a_word_for_none(text: &str) -> bool {
    const NONE: &[&str] = word_list!("check_call", "meaning/prose/none");
    NONE.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text is several values of the form: a span or a list.
fn is_a_list_of(formats: &Formats, text: &str) -> bool {
    let marks = [" to ", " - ", ",", " / ", "/", "~", " and ", "至", "到"];
    marks.iter().any(|mark| {
        let mut parts = text.split(mark).map(str::trim).peekable();
        text.contains(mark) && parts.peek().is_some() && parts.all(|part| formats.fit(part) == Fit::Fits)
    })
}

fn among(held: &Held<'_>, allowed: &Allowed, text: &str) -> Option<Finding> {
    if allowed.holds(text) || held.is_declared() || held.is_named_by_tool() || is_a_word_for_none(text) {
        return None;
    }
    let value = held.quote();
    let list = allowed.values.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
    let evidence = localized!(
        held.language,
        "`{value}` is none of the values that the description allows: {list}",
        "`{value}` 不在描述允许的取值之中：{list}"
    );
    let hint = localized!(held.language, "Use one of: {list}.", "请使用其中之一：{list}。");
    Some(grade(held.finding(&AGAINST_DESCRIPTION, evidence).hint(hint), allowed.confidence))
}

/// A reading that is sure refuses; one that is less sure warns.
fn grade(finding: Finding, confidence: f64) -> Finding {
    let finding = finding.sure(confidence);
    if confidence < SURE { finding.graded(Severity::Warning) } else { finding }
}

const SURE: f64 = 0.8;
