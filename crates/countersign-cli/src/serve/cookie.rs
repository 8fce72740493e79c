//! The console's cookies: who is signed in, and a sign-in that is on its way, sealed both.
//!
//! A browser cannot put a key into a header by itself, so after the sign-in it keeps what we sealed where no script can read
//! it. The server keeps nothing: a key in it is checked again on each request, and a revoked one stops at once. Because a
//! browser sends a cookie for any page that asks it to, what changes something needs a token beside it. The cookies never
//! go to an upstream.

use super::origin;
use crate::config::Config;
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// Whether the browser reaches us by TLS, so far as we can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// It does: the cookie must not leave otherwise.
    Tls,
    /// It does not.
    Plain,
}

/// How the browser of a request reaches us: by TLS where we speak it, where our known address says so, or where a proxy does.
pub(super) fn transport(config: &Config, headers: &HeaderMap) -> Transport {
    let advertised = config.advertise.as_deref().is_some_and(|address| address.starts_with("https://"));
    if advertised || origin::came_by_tls(config, headers) { Transport::Tls } else { Transport::Plain }
}

/// Who is signed in, sealed.
pub(super) fn session(headers: &HeaderMap, transport: Transport) -> Option<String> {
    find(headers, SESSION, transport)
}

/// The header that gives a browser its session.
pub(super) fn keep(sealed: &str, transport: Transport, age: Duration) -> Option<HeaderValue> {
    set(SESSION, sealed, transport, age)
}

/// The header that takes it away again.
pub(super) fn forget(transport: Transport) -> Option<HeaderValue> {
    set(SESSION, "", transport, Duration::ZERO)
}

/// A sign-in that is on its way, sealed.
pub(super) fn sign_in(headers: &HeaderMap, transport: Transport) -> Option<String> {
    find(headers, SIGN_IN, transport)
}

/// The header that lets a browser remember the sign-in that it began.
pub(super) fn keep_sign_in(sealed: &str, transport: Transport, age: Duration) -> Option<HeaderValue> {
    set(SIGN_IN, sealed, transport, age)
}

/// The header that ends it.
pub(super) fn forget_sign_in(transport: Transport) -> Option<HeaderValue> {
    set(SIGN_IN, "", transport, Duration::ZERO)
}

/// Whether a request brings a token: only who has read it from us can send it, and a page of another origin cannot read.
pub(super) fn has_token(headers: &HeaderMap, token: &str) -> bool {
    headers.get(TOKEN).is_some_and(|brought| bool::from(brought.as_bytes().ct_eq(token.as_bytes())))
}

/// A `cookie` header without ours; `None` where nothing is left of it.
pub(super) fn without(value: &HeaderValue) -> Option<HeaderValue> {
    if !pairs(value).any(is_ours) {
        return Some(value.clone());
    }
    let others: Vec<&[u8]> = pairs(value).filter(|pair| !is_ours(pair) && !pair.is_empty()).collect();
    if others.is_empty() { None } else { HeaderValue::from_bytes(&others.join(&b"; "[..])).ok() }
}

/// Whether a `set-cookie` header would set one of ours.
pub(super) fn is_set_by(value: &HeaderValue) -> bool {
    pairs(value).next().is_some_and(is_ours)
}

fn find(headers: &HeaderMap, name: &str, transport: Transport) -> Option<String> {
    let name = format!("{}{name}", transport.prefix());
    let found = headers.get_all(COOKIE).iter().flat_map(pairs).find_map(|pair| value_of(&name, pair))?;
    std::str::from_utf8(found).ok().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn set(name: &str, value: &str, transport: Transport, age: Duration) -> Option<HeaderValue> {
    // The way back from an identity provider is a link on another site; everything else is ours.
    let site = if name == SIGN_IN { "Lax" } else { "Strict" };
    let secure = if transport == Transport::Tls { "; Secure" } else { "" };
    let (prefix, age) = (transport.prefix(), age.as_secs());
    let text = format!("{prefix}{name}={value}; Path=/; HttpOnly; SameSite={site}; Max-Age={age}{secure}");
    let mut header = HeaderValue::from_str(&text).ok()?;
    header.set_sensitive(!value.is_empty());
    Some(header)
}

impl Transport {
    /// What is before the names. A browser takes `__Host-` from this host alone and over TLS alone, so that neither another
    /// name of the domain nor whoever sits on the wire can put a cookie of theirs beside ours.
    const fn prefix(self) -> &'static str {
        match self {
            Self::Tls => HOST,
            Self::Plain => "",
        }
    }
}

fn pairs(value: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    value.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii)
}

fn is_ours(pair: impl AsRef<[u8]>) -> bool {
    let pair = pair.as_ref();
    let pair = pair.strip_prefix(HOST.as_bytes()).unwrap_or(pair);
    [SESSION, SIGN_IN].into_iter().any(|name| value_of(name, pair).is_some())
}

fn value_of<'a>(name: &str, pair: &'a [u8]) -> Option<&'a [u8]> {
    let rest = pair.strip_prefix(name.as_bytes())?.trim_ascii_start();
    rest.strip_prefix(b"=").map(<[u8]>::trim_ascii)
}

/// The header that carries the token.
pub(super) const TOKEN: &str = "x-countersign-csrf";
const SESSION: &str = "countersign_console";
const SIGN_IN: &str = "countersign_sign_in";
const HOST: &str = "__Host-";

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (COOKIE, value.parse().unwrap())).collect()
    }

    // SERVE-1
    #[test]
    fn a_session_comes_back_as_it_went() {
        let set = keep("sealed-1", Transport::Plain, HOUR).unwrap();
        assert_eq!(set, "countersign_console=sealed-1; Path=/; HttpOnly; SameSite=Strict; Max-Age=3600");
        let pair = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        let brought = headers(&["other=1", &format!("a=b; {pair};c=d")]);
        assert_eq!(session(&brought, Transport::Plain).as_deref(), Some("sealed-1"));
        assert_eq!(session(&brought, Transport::Tls), None, "a cookie that came without TLS may be anybody's");
        for none in ["", "countersign_console", "countersign_console=", "xcountersign_console=YQ"] {
            assert_eq!(session(&headers(&[none]), Transport::Plain), None, "{none}");
        }
        let set = keep("sealed-2", Transport::Tls, HOUR).unwrap();
        let text = set.to_str().unwrap();
        assert!(text.starts_with("__Host-countersign_console=") && text.ends_with("; Secure"), "{text}");
        let brought = headers(&[text.split(';').next().unwrap()]);
        assert_eq!(session(&brought, Transport::Tls).as_deref(), Some("sealed-2"));
        assert_eq!(sign_in(&brought, Transport::Tls), None);
        let on_its_way = keep_sign_in("sealed-3", Transport::Tls, HOUR).unwrap();
        assert!(on_its_way.to_str().unwrap().contains("; SameSite=Lax;"), "{on_its_way:?}");
        assert_eq!(
            forget(Transport::Plain).unwrap(),
            "countersign_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        );
    }

    // SERVE-1
    #[test]
    fn a_token_is_compared_whole() {
        let with = |token: &str| HeaderMap::from_iter([(TOKEN.parse().unwrap(), token.parse().unwrap())]);
        assert!(has_token(&with("0af3"), "0af3"));
        for wrong in ["", "0AF3", "0af", "0af30"] {
            assert!(!has_token(&with(wrong), "0af3"), "{wrong}");
        }
        assert!(!has_token(&HeaderMap::new(), "0af3"));
    }

    // SERVE-1, SERVE-6: ours are cut out, the rest stays.
    #[test]
    fn our_cookies_are_cut_out_of_others() {
        for (whole, rest) in [
            ("a=1; b=2", Some("a=1; b=2")),
            ("a=1;b=2", Some("a=1;b=2")),
            ("a=1; countersign_console=xyz; b=2", Some("a=1; b=2")),
            ("countersign_console=xyz", None),
            ("__Host-countersign_console=xyz; a=1", Some("a=1")),
            ("__Host-countersign_sign_in=xyz; countersign_sign_in=1", None),
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
            ("__Host-countersign_console=a2V5; Path=/; Secure", true),
            ("countersign_sign_in=a2V5", true),
            ("countersign_consoles=a2V5", false),
            ("theirs=1; Path=/countersign_console=", false),
        ] {
            assert_eq!(is_set_by(&value.parse().unwrap()), is, "{value}");
        }
    }
}
