//! E-mail addresses that cannot be one. A name before the address and several addresses are fine.

use super::value::Held;
use crate::check_call::role::Role;
use crate::contract::Finding;
use crate::contract::codes::meaning::BAD_EMAIL;
use crate::localized;

/// The finding on a text that cannot be an address.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Email) || held.is_declared() {
        return None;
    }
    let text = held.text()?;
    if !is_named(held) || is_list(text) || held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence = localized!(held.language, "`{value}` is no e-mail address", "`{value}` 不是电子邮件地址");
    Some(held.finding(&BAD_EMAIL, evidence))
}

/// Whether the name says that the value is an address. A description alone may speak of something else, and a
/// parameter called `email` may be the letter itself.
fn is_named(held: &Held<'_>) -> bool {
    let key = held.key().to_ascii_lowercase();
    let named =
        ["email", "emails", "email_address", "emailaddress", "e_mail", "e-mail"].iter().any(|end| key.ends_with(end));
    let text = held.param.description.to_lowercase();
    let letter = [
        "content", "body", "text of", "draft", "subject", "template", "whether", " or ", "username", "id of", "内容",
        "正文", "或",
    ];
    named && !letter.iter().any(|word| text.contains(word))
}

/// Whether a text is one address or several.
fn is_list(text: &str) -> bool {
    text.split([',', ';', '\n', '，', '；']).map(str::trim).filter(|part| !part.is_empty()).all(is_one)
}

/// Whether a text is one address, with or without a name before it.
pub(crate) fn is_one(text: &str) -> bool {
    let text = text.trim();
    let inner = text.rsplit_once('<').and_then(|(_, rest)| rest.strip_suffix('>')).unwrap_or(text);
    let inner = inner.strip_prefix("mailto:").unwrap_or(inner);
    let Some((local, host)) = inner.rsplit_once('@') else { return false };
    let sound =
        |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@');
    sound(local) && sound(host) && !host.starts_with('.') && !host.ends_with('.') && !host.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told() {
        // CALL-4
        for good in [
            "ann@example.com",
            "Ann Lee <ann@example.com>",
            "a@b.c, d@e.f",
            "张@例子.中国",
            "root@localhost",
            "a+b@c.d",
        ] {
            assert!(is_list(good), "{good}");
        }
        for bad in
            ["ann at example", "ann@", "@example.com", "ann@ex ample.com", "ann@@example.com", "ann@.com", "a@b.c, bob"]
        {
            assert!(!is_list(bad), "{bad}");
        }
    }
}
