//! The console's cookie: the key that a browser brings, and the token that shows that our own page sends it.
//!
//! A browser cannot put a key into a header by itself, so after the sign-in it keeps the key where no script can read
//! it. The server keeps nothing: the key is checked again on each request, and a revoked one stops at once. Because a
//! browser sends a cookie for any page that asks it to, what changes something needs the token beside it. The cookie
//! never goes to an upstream.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::Write;
use subtle::ConstantTimeEq;

/// Whether the browser reaches us by TLS, so far as we can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// It does: the cookie must not leave otherwise.
    Tls,
    /// It does not.
    Plain,
}

/// The key in the cookie of a request. What cannot be read is no key.
pub(super) fn key(headers: &HeaderMap) -> Option<String> {
    let coded = headers.get_all(COOKIE).iter().flat_map(pairs).find_map(ours)?;
    let bytes = URL_SAFE_NO_PAD.decode(coded).ok()?;
    String::from_utf8(bytes).ok().filter(|key| !key.is_empty())
}

/// The header that gives a browser its cookie; `None` where a key cannot be one.
pub(super) fn keep(key: &str, transport: Transport) -> Option<HeaderValue> {
    let secure = if transport == Transport::Tls { "; Secure" } else { "" };
    let coded = URL_SAFE_NO_PAD.encode(key);
    let mut value = HeaderValue::from_str(&format!("{NAME}={coded}{FLAGS}; Max-Age={AGE}{secure}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The header that takes it away again.
pub(super) fn forget() -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{NAME}={FLAGS}; Max-Age=0")).ok()
}

/// The token of a key: only who has read it from us can send it, and a page of another origin cannot read.
pub(super) fn token(key: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
    mac.update(PURPOSE);
    let mut text = String::new();
    for byte in mac.finalize().into_bytes() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Whether a request brings the token of its key.
pub(super) fn has_token(headers: &HeaderMap, key: &str) -> bool {
    let (Some(brought), Some(token)) = (headers.get(TOKEN), token(key)) else { return false };
    bool::from(brought.as_bytes().ct_eq(token.as_bytes()))
}

/// A `cookie` header without ours; `None` where nothing is left of it.
pub(super) fn without(value: &HeaderValue) -> Option<HeaderValue> {
    if !pairs(value).any(|pair| ours(pair).is_some()) {
        return Some(value.clone());
    }
    let others: Vec<&[u8]> = pairs(value).filter(|pair| ours(pair).is_none() && !pair.is_empty()).collect();
    if others.is_empty() { None } else { HeaderValue::from_bytes(&others.join(&b"; "[..])).ok() }
}

/// Whether a `set-cookie` header would set ours.
pub(super) fn is_set_by(value: &HeaderValue) -> bool {
    pairs(value).next().is_some_and(|pair| ours(pair).is_some())
}

fn pairs(value: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    value.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii)
}

/// What our cookie holds, where a pair is ours.
fn ours(pair: &[u8]) -> Option<&[u8]> {
    let rest = pair.strip_prefix(NAME.as_bytes())?.trim_ascii_start();
    rest.strip_prefix(b"=").map(<[u8]>::trim_ascii)
}

/// The header that carries the token.
pub(super) const TOKEN: &str = "x-countersign-csrf";
const NAME: &str = "countersign_console";
const FLAGS: &str = "; Path=/; HttpOnly; SameSite=Strict";
/// A working day, in seconds.
const AGE: u32 = 43_200;
const PURPOSE: &[u8] = b"countersign console";

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (COOKIE, value.parse().unwrap())).collect()
    }

    // SERVE-1
    #[test]
    fn a_key_comes_back_as_it_went() {
        for word in ["cs_1", "with spaces; and = signs", "schlüssel-钥匙", "x"] {
            let set = keep(word, Transport::Plain).unwrap();
            let pair = set.to_str().unwrap().split(';').next().unwrap().to_owned();
            assert_eq!(key(&headers(&["other=1", &format!("a=b; {pair};c=d")])).as_deref(), Some(word));
        }
        for none in
            ["", "countersign_console", "countersign_console=", "countersign_console=%%", "xcountersign_console=YQ"]
        {
            assert_eq!(key(&headers(&[none])), None, "{none}");
        }
        assert!(keep("a", Transport::Tls).unwrap().to_str().unwrap().ends_with("; Secure"));
    }

    // SERVE-1: a token belongs to one key.
    #[test]
    fn a_token_is_of_its_key() {
        let with = |token: &str| HeaderMap::from_iter([(TOKEN.parse().unwrap(), token.parse().unwrap())]);
        let right = token("one").unwrap();
        assert_eq!(right.len(), 64);
        assert!(has_token(&with(&right), "one"));
        for (wrong, key) in
            [(right.as_str(), "two"), ("", "one"), (&right.to_uppercase(), "one"), (&format!("{right}0"), "one")]
        {
            assert!(!has_token(&with(wrong), key), "{wrong}");
        }
        assert!(!has_token(&HeaderMap::new(), "one"));
    }

    // SERVE-1, SERVE-6: ours is cut out, the rest stays.
    #[test]
    fn our_cookie_is_cut_out_of_others() {
        for (whole, rest) in [
            ("a=1; b=2", Some("a=1; b=2")),
            ("a=1;b=2", Some("a=1;b=2")),
            ("a=1; countersign_console=xyz; b=2", Some("a=1; b=2")),
            ("countersign_console=xyz", None),
            (" countersign_console =xyz;; ", None),
            ("a=countersign_console=xyz", Some("a=countersign_console=xyz")),
            ("countersign_console=1; countersign_console=2; c=3", Some("c=3")),
        ] {
            let left = without(&whole.parse().unwrap());
            assert_eq!(left.as_ref().map(|value| value.to_str().unwrap()), rest, "{whole}");
        }
    }

    // SERVE-1: whoever could set it could sign a browser in as somebody else, or out.
    #[test]
    fn a_header_that_sets_our_cookie_is_known() {
        for (value, is) in [
            ("countersign_console=a2V5; Path=/", true),
            (" countersign_console = a2V5", true),
            ("countersign_console=", true),
            ("other=1; countersign_console=a2V5", false),
            ("xcountersign_console=1", false),
            ("", false),
        ] {
            assert_eq!(is_set_by(&value.parse().unwrap()), is, "{value}");
        }
    }
}
