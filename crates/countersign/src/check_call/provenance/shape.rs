//! What a value looks like, and with that how it could have been got.

use super::super::role::{Role, Roles};
use crate::contract::language::is_han;
use crate::conversation::numbers::Number;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// An id, account, e-mail, path, URL, phone: nothing that anybody can infer.
    Id,
    /// A number.
    Number(Number),
    /// A date or a time.
    Moment,
    /// A few words: a name, a place, a term.
    Words,
    /// Words that the model writes itself.
    Prose,
    /// Nothing that needs a source.
    Free,
}

impl Shape {
    /// The shape of a string in its parameter.
    pub(crate) fn of(value: &str, last_word: &str, roles: Roles) -> Self {
        if value.chars().count() < 2 || WORDLESS.contains(&value.to_ascii_lowercase().as_str()) {
            return Self::Free;
        }
        if is_moment(value) {
            return Self::Moment;
        }
        let settled = [Role::Command, Role::Sql, Role::ResultSize].iter().any(|role| roles.has(*role));
        if settled || VOCABULARY.contains(&last_word) || is_expression(value) {
            return Self::Free;
        }
        let written = roles.has(Role::FreeText);
        let spaces = value.split_whitespace().count();
        if written && !(spaces == 1 && is_id(value)) {
            return if spaces > 1 { Self::Prose } else { Self::Free };
        }
        if let Some(number) = plain_number(value) {
            let id = roles.has(Role::Id) || roles.has(Role::Phone) || roles.has(Role::Secret);
            return if id || value.len() > 6 { Self::Id } else { Self::Number(number) };
        }
        if is_id(value) || (roles.has(Role::Id) || NUMBERED.contains(&last_word)) && is_numbered(value) {
            return Self::Id;
        }
        match spaces {
            0 => Self::Free,
            1..=8 => Self::Words,
            _ => Self::Prose,
        }
    }

    /// The shape of a number in its parameter.
    pub(crate) fn of_number(text: &str, roles: Roles) -> Self {
        let Some(number) = Number::read(text).filter(|_| !roles.has(Role::ResultSize)) else { return Self::Free };
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let id = roles.has(Role::Id) || roles.has(Role::Phone);
        if id && digits >= 3 && !text.contains('.') { Self::Id } else { Self::Number(number) }
    }
}

/// Whether a value is a formula, a query or a pattern, which a model writes itself.
fn is_expression(value: &str) -> bool {
    let signs = value.chars().filter(|c| "(){}[]=<>|*~^$\\\"".contains(*c)).count();
    signs >= 4 || (value.contains('*') && value.contains(['/', '.', '*']) && !value.contains(' '))
}

/// Whether a value points at one record, so that an example of it is of no use: an order, an account, a person's
/// address. A choice from a common stock (a model, a voice, a resolution) is none, and neither is a path or a URL.
pub(crate) fn points_at_a_record(value: &str, key: &str, roles: Roles) -> bool {
    // People sort by an order and buy one; only the second has a number.
    let chosen = |word: &String| VOCABULARY.contains(&word.as_str()) && word != "order";
    if value.contains(['/', '\\']) || identifier_words(key).iter().any(chosen) {
        return false;
    }
    if let Some((name, host)) = value.split_once('@') {
        return !name.is_empty() && host.contains('.');
    }
    let is_file = value.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end));
    let letters = value.chars().any(char::is_alphabetic);
    let named = [Role::Id, Role::Phone, Role::Secret].iter().any(|role| roles.has(*role));
    let sized = value.split_once(['x', 'X']).is_some_and(|(a, b)| {
        [a, b].iter().all(|side| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let coded = digits(value) >= if letters { 4 } else { 6 };
    !is_file && !sized && ((named && digits(value) >= 2) || coded)
}

/// Digits alone, with a sign, a currency or a percentage at most.
fn plain_number(value: &str) -> Option<Number> {
    let bare = value.trim_matches(['$', '€', '£', '¥', '%', ' ', '+']);
    bare.starts_with(|c: char| c.is_ascii_digit() || c == '-').then(|| Number::read(bare)).flatten()
}

/// Whether a string without spaces mixes letters and digits, or has the form of an address.
pub(crate) fn is_id(value: &str) -> bool {
    if value.contains(char::is_whitespace) || value.chars().any(is_han) {
        // A phone number may hold spaces.
        return !value.chars().any(char::is_alphabetic) && digits(value) >= 7;
    }
    if value.contains('@') || value.contains("://") || (value.contains('/') && value.len() > 3) {
        return true;
    }
    if value.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end)) {
        return true;
    }
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    (digits(value) >= 2 && letters >= 1 && value.len() >= 4) || (letters == 0 && digits(value) >= 5)
}

/// A number with Chinese signs around it, as courts and offices have them: （2024）京0105民初1234号.
fn is_numbered(value: &str) -> bool {
    let signs = value.chars().filter(|c| is_han(*c)).count();
    !value.contains(char::is_whitespace) && signs >= 1 && digits(value) >= 5 && digits(value) > signs
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

fn is_extension(end: &str) -> bool {
    (2..=5).contains(&end.len())
        && end.bytes().all(|b| b.is_ascii_alphanumeric())
        && !end.bytes().all(|b| b.is_ascii_digit())
}

/// `2023-05-09`, `09/05/2023`, `2023-05-09T10:00:00Z`, `17:30`, `5:30 PM`.
fn is_moment(value: &str) -> bool {
    let value = value.trim();
    if value.len() > 35 || !value.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let groups: Vec<&str> = value.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let marks = |mark: char| value.matches(mark).count();
    // The minus of `2023-05-09T10:00:00-04:00` is no mark of its date.
    let day = value.split(['T', 't', ' ']).next().unwrap_or_default();
    let dated = ['-', '/', '.'].iter().any(|mark| day.matches(*mark).count() == 2)
        && groups.len() >= 3
        && groups.iter().take(3).all(|group| group.len() <= 4)
        && groups.iter().take(3).filter(|group| group.len() == 4).count() == 1
        && groups.iter().take(3).filter(|group| group.len() <= 2).count() == 2;
    let clocked = marks(':') >= 1
        && (2..=3).contains(&groups.len())
        && groups.iter().all(|group| group.len() <= 2)
        && marks('.') == 0;
    let month =
        groups.len() == 2 && value.len() == 7 && marks('-') == 1 && groups.first().is_some_and(|y| y.len() == 4);
    dated || clocked || month
}

/// Last words of parameters that take the number of a record.
const NUMBERED: &[&str] = &["no", "number", "code", "ref", "reference"];

/// Words for nothing.
const WORDLESS: &[&str] = word_list!("check_call", "provenance/shape/wordless");

/// Last words of parameters whose values people choose from a common stock: nobody has to say them.
const VOCABULARY: &[&str] = word_list!("check_call", "provenance/shape/vocabulary");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_apart() {
        // CALL-8
        let roles = |key: &str| Roles::of(key, "", None);
        let last = |key: &str| identifier_words(key).pop().unwrap_or_default();
        let shape = |value: &str, key: &str| Shape::of(value, &last(key), roles(key));
        for id in
            ["ORD-99321", "a@b.com", "/etc/hosts", "report.pdf", "4OG6T3", "+1 555 0100 222", "9876543", "https://a.b"]
        {
            assert_eq!(shape(id, "x"), Shape::Id, "{id}");
        }
        assert_eq!(shape("12345", "account"), Shape::Id);
        assert_eq!(shape("（2024）京0105民初1234号", "case_no"), Shape::Id);
        assert_ne!(shape("海淀区中关村大街27号院100086", "address"), Shape::Id);
        for moment in ["2023-05-09", "9/5/2023", "2023-05-09T10:00:00Z", "17:30", "5:30 PM", "2023-05"] {
            assert_eq!(shape(moment, "x"), Shape::Moment, "{moment}");
        }
        assert_eq!(shape("San Francisco, CA", "city"), Shape::Words);
        assert_eq!(shape("please do it", "message"), Shape::Prose);
        assert_eq!(shape("celsius", "unit"), Shape::Free);
        assert_eq!(shape("none", "x"), Shape::Free);
        assert!(matches!(shape("$1,200", "amount"), Shape::Number(_)));
        for (value, key) in
            [("ORD-12345", "order_id"), ("ORD-12345", "order"), ("C-77", "customer_id"), ("a@b.com", "to")]
        {
            assert!(points_at_a_record(value, key, roles(key)), "{value}");
        }
        for (value, key) in [
            ("gpt-4-0613", "model_id"),
            ("1920x1080", "size"),
            ("/a/b1234", "path"),
            ("a1234.pdf", "x"),
            ("A4", "paper"),
        ] {
            assert!(!points_at_a_record(value, key, roles(key)), "{value}");
        }
        assert_eq!(Shape::of_number("12446", Roles::of("order_id", "", None)), Shape::Id);
        assert_eq!(Shape::of_number("50", Roles::of("limit", "", None)), Shape::Free);
    }
}
