//! URLs that cannot be one: blanks inside, a broken scheme, no host. A URL without scheme is left alone.

use super::value::Held;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::BAD_URL;
use crate::contract::{Finding, Severity};
use crate::localized;
use crate::text::words::identifier_words;

/// The finding on a text that cannot be a URL.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    if !held.is(Role::Url) || held.is_declared() {
        return None;
    }
    let text = held.text()?;
    // `link` and `endpoint` may be a title or a route; only a name that says URL is held to be one.
    let named = held.key().to_ascii_lowercase().contains("url");
    let fault = fault(text).filter(|fault| match fault {
        Fault::Scheme | Fault::Host => true,
        Fault::Blank => named,
        Fault::Word => identifier_words(held.key()).last().is_some_and(|word| word == "url"),
    })?;
    if held.is_named_by_tool() {
        return None;
    }
    let value = held.quote();
    let evidence = match fault {
        Fault::Blank => {
            localized!(held.language, "`{value}` has blanks inside: no URL", "`{value}` 含有空白，不是网址")
        }
        Fault::Scheme => localized!(held.language, "`{value}` has a broken scheme", "`{value}` 的协议部分写错了"),
        Fault::Host => localized!(held.language, "`{value}` has no host", "`{value}` 没有主机名"),
        Fault::Word => localized!(held.language, "`{value}` is a word and no URL", "`{value}` 只是一个词，不是网址"),
    };
    let finding = held.finding(&BAD_URL, evidence);
    // A tool may take a short name where others take a URL.
    Some(if fault == Fault::Word { finding.graded(Severity::Warning) } else { finding })
}

/// What is wrong with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Blanks inside.
    Blank,
    /// A scheme that is none.
    Scheme,
    /// No host where one is due.
    Host,
    /// A single word.
    Word,
}

/// What is wrong with a text as a URL; `None` where nothing is.
pub(crate) fn fault(text: &str) -> Option<Fault> {
    let head = text.split(['?', '#']).next().unwrap_or_default();
    if head.contains(|c: char| c.is_whitespace() || c.is_control()) {
        // Several URLs in one text are a list, which some tools take.
        let all = text.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
        let list = all.clone().all(|part| part.contains("://"));
        return (!list).then_some(Fault::Blank);
    }
    let lower: String = head.chars().take(16).flat_map(char::to_lowercase).collect();
    for scheme in ["http", "https"] {
        let Some(rest) = lower.strip_prefix(scheme) else { continue };
        if let Some(rest) = rest.strip_prefix("://") {
            let bare = rest.is_empty() || rest.starts_with(['/', ':', '.', '@']);
            return bare.then_some(Fault::Host);
        }
        if rest.starts_with([':', ';', '/']) {
            return Some(Fault::Scheme);
        }
    }
    let broken =
        ["htp:", "htps:", "httpp:", "htttp:", "htttps:", "hhtp", "htpp", "ttp:", "ttps:", "hxxp:", "hxxps:", "://"];
    if broken.iter().any(|begin| lower.starts_with(begin)) {
        return Some(Fault::Scheme);
    }
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let word = !text.is_empty() && text.chars().all(letters) && !text.eq_ignore_ascii_case("localhost");
    word.then_some(Fault::Word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_a_url_is_found() {
        // CALL-4
        for bad in [
            "htp:/example",
            "http:/example.com",
            "https://",
            "http:///x",
            "the home page",
            "https//example.com",
            "://x",
            "http://:80",
            "not-a-url",
            "nope",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
        for good in [
            "https://example.com/a?q=a b",
            "example.com/x",
            "/relative",
            "ftp://host/file",
            "mailto:a@b.c",
            "http://[::1]:80/",
            "https://a.b https://c.d",
            "spotify:track:1",
            "data:text/plain,x",
            "https://例子.中国/路径",
            "httpbin.org",
            "localhost",
            "localhost:8080",
            "#top",
            "",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
    }
}
