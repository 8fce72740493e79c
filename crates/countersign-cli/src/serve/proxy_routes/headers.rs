//! What goes upstream of a request's headers: everything but what belongs to the connection, to us, and to our keys.
//!
//! A client's credential goes upstream only where it is the client's own: where keys of ours are wanted, the header
//! that carried one is taken out, and the upstream's key comes from the configuration. None is invented.

use crate::serve::cookie;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderName, HeaderValue};
use countersign_runtime::gateway::upstream::{Api, Upstream, is_hop};

/// Whether keys of ours are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    /// No: a client's credential is its own.
    Open,
    /// Yes.
    Locked,
}

/// Whether the body is sent as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// It is, and so is its length.
    Kept,
    /// Its length is for whoever sends it to say.
    Dropped,
}

/// The headers for an upstream.
pub(super) fn upstream(headers: &HeaderMap, to: &Upstream, door: Door, length: Length) -> HeaderMap {
    let named: Vec<&str> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|v| v.split(','))
        .collect();
    let hop =
        |name: &HeaderName| is_hop(name) || named.iter().any(|word| word.trim().eq_ignore_ascii_case(name.as_str()));
    let ours = |name: &HeaderName| {
        name.as_str().starts_with("countersign") || name.as_str() == cookie::TOKEN || *name == HOST || *name == EXPECT
    };
    let mut out = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let dropped = *name == CONTENT_LENGTH && length == Length::Dropped;
        if dropped || hop(name) || ours(name) {
            continue;
        }
        // The console's cookie holds a key of ours; cookies of the upstream are the client's own.
        let kept = if *name == COOKIE { cookie::without(value) } else { Some(value.clone()) };
        if let Some(kept) = kept {
            out.append(name, kept);
        }
    }
    if door == Door::Locked {
        credentials(headers, to, &mut out);
    }
    out
}

/// Whether the operator's key is sent along, where keys of ours are wanted.
pub(super) fn uses_operators_key(headers: &HeaderMap, to: &Upstream) -> bool {
    let own =
        [AUTHORIZATION, X_API_KEY].iter().filter_map(|name| headers.get(name)).any(|value| !is_ours(headers, value));
    to.key.is_some() && !own
}

/// Whether a credential is the key that opens this server: the only one there is, or the one that was named apart.
fn is_ours(headers: &HeaderMap, value: &HeaderValue) -> bool {
    headers.get("countersign-key").is_none_or(|key| value.as_bytes().ends_with(key.as_bytes()))
}

/// Our key goes out, the configured one in; a client that names ours apart may bring its own.
fn credentials(headers: &HeaderMap, to: &Upstream, out: &mut HeaderMap) {
    for name in [AUTHORIZATION, X_API_KEY] {
        if out.get(&name).is_some_and(|value| is_ours(headers, value)) {
            out.remove(&name);
        }
    }
    let Some(key) = to.key.as_ref().filter(|_| uses_operators_key(headers, to)) else { return };
    let (name, text) = match to.api {
        Api::OpenAi => (AUTHORIZATION, format!("Bearer {key}")),
        Api::Anthropic => (X_API_KEY, key.clone()),
    };
    if let Ok(mut value) = HeaderValue::from_str(&text) {
        value.set_sensitive(true);
        out.insert(name, value);
    }
}

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_runtime::models::DemoModel;

    fn sent(pairs: &[(&'static str, &'static str)], door: Door, api: Api) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let mut to = Upstream::demo(api, DemoModel::default());
        to.key = Some("sk-up".into());
        let out = upstream(&headers, &to, door, Length::Dropped);
        out.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect()
    }

    // SERVE-6: unknown headers go upstream, those of the connection and ours do not.
    #[test]
    fn headers_of_the_request_go_and_those_of_the_connection_stay() {
        let out = sent(
            &[
                ("user-agent", "me"),
                ("x-strange", "1"),
                ("connection", "close, x-hop"),
                ("x-hop", "1"),
                ("host", "here"),
                ("countersign-context", "{}"),
                ("content-length", "7"),
                ("authorization", "Bearer mine"),
            ],
            Door::Open,
            Api::OpenAi,
        );
        let expected = [("user-agent", "me"), ("x-strange", "1"), ("authorization", "Bearer mine")];
        assert_eq!(out, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    // SERVE-1: our keys never leave, and no credential is invented.
    #[test]
    fn our_keys_stay_here() {
        let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(
            sent(&[("authorization", "Bearer ours")], Door::Locked, Api::OpenAi),
            pair("authorization", "Bearer sk-up")
        );
        assert_eq!(sent(&[("x-api-key", "ours")], Door::Locked, Api::Anthropic), pair("x-api-key", "sk-up"));
        let own = [("countersign-key", "ours"), ("authorization", "Bearer own")];
        assert_eq!(sent(&own, Door::Locked, Api::OpenAi), pair("authorization", "Bearer own"));
        let twice = [("countersign-key", "ours"), ("authorization", "Bearer ours")];
        assert_eq!(sent(&twice, Door::Locked, Api::OpenAi), pair("authorization", "Bearer sk-up"));
        assert_eq!(sent(&[], Door::Open, Api::OpenAi), vec![]);
        for door in [Door::Open, Door::Locked] {
            let cookies = [("cookie", "a=1; countersign_console=a2V5"), ("x-countersign-csrf", "0")];
            let out = sent(&cookies, door, Api::OpenAi);
            assert!(out.contains(&("cookie".to_owned(), "a=1".to_owned())), "{out:?}");
            assert!(!format!("{out:?}").contains("a2V5") && !format!("{out:?}").contains("csrf"), "{out:?}");
        }
    }
}
