//! Whose web page a request may come from.
//!
//! A server without keys trusts whoever can reach its loopback address, and every page in the user's browser can. So
//! there a page from elsewhere is refused by its `Origin`, and a name that was pointed at us by its `Host` (DNS
//! rebinding). A server with keys needs neither: a page has no key.

use super::error::ApiError;
use crate::config::Config;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST, ORIGIN, USER_AGENT, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Uri};
use memchr::memmem;
use std::net::IpAddr;

/// Checks a request to a server without keys.
pub(super) fn check(config: &Config, headers: &HeaderMap, uri: &Uri) -> Result<(), ApiError> {
    if is_sent_link(config, headers, uri) {
        return Ok(());
    }
    if is_browser(headers)
        && let Some(host) = host(headers, uri)
        && !is_ours(config, host)
    {
        let message = format!("this server has no keys and does not answer under the name `{}`", name(host));
        return Err(ApiError::forbidden(message).with_code("host_not_allowed"));
    }
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    if is_allowed(config, origin) || is_loopback_origin(origin) {
        return Ok(());
    }
    let message = "pages of this origin may not call this server; see access.allowed_origins";
    Err(ApiError::forbidden(message).with_code("origin_not_allowed"))
}

/// Whether somebody follows a link that was sent to them, under the public name. Only links are open under that name: the
/// rest of a server without keys stays on its machine.
fn is_sent_link(config: &Config, headers: &HeaderMap, uri: &Uri) -> bool {
    let Some(public) = config.public_url.as_deref() else { return false };
    let known = |host: &str| authority(public).is_some_and(|at| name(at).eq_ignore_ascii_case(name(host)));
    let scheme_and_name = public.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let own = |origin: &HeaderValue| origin.as_bytes().eq_ignore_ascii_case(scheme_and_name.as_bytes());
    // One plain segment: nothing that another server, or a later look at the path, could read as another place.
    let plain = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    uri.path().strip_prefix("/review/").is_some_and(plain)
        && host(headers, uri).is_some_and(known)
        && headers.get(ORIGIN).is_none_or(own)
}

/// Checks a request that brings the console's cookie, or asks for it: no page but our own may send one.
pub(super) fn check_own(config: &Config, headers: &HeaderMap, uri: &Uri) -> Result<(), ApiError> {
    let own = headers.get(ORIGIN).is_none_or(|origin| is_own(config, headers, uri, origin));
    if own && !is_fetched_from_elsewhere(headers) {
        return Ok(());
    }
    Err(ApiError::forbidden(FOREIGN).with_code("origin_not_allowed"))
}

/// Whether a page of another origin loads this without naming itself, as a picture or a script. A page on another port of
/// this host brings the cookie too. Somebody who follows a link comes from another page as well, and may.
fn is_fetched_from_elsewhere(headers: &HeaderMap) -> bool {
    let said = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let navigates = matches!(said("sec-fetch-mode"), Some(b"navigate"));
    matches!(said("sec-fetch-site"), Some(b"cross-site" | b"same-site")) && !navigates
}

/// Whether somebody asks for this on purpose: a program, or our own page that follows a stream. A page of another origin can
/// have any address loaded, as a picture or a script, by whoever looks at it; that is nobody who watches.
pub(super) fn is_meant(config: &Config, headers: &HeaderMap, uri: &Uri) -> bool {
    let said = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let origin = headers.get(ORIGIN);
    let follows = said("accept").is_some_and(|kinds| memmem::find(kinds, b"text/event-stream").is_some());
    match said("sec-fetch-site") {
        Some(b"same-origin") => true,
        Some(_) => follows && origin.is_some_and(|origin| is_allowed(config, origin)),
        // A browser that does not say whose page asks, or no browser.
        None => {
            let known = |origin| is_own(config, headers, uri, origin) || is_allowed(config, origin);
            origin.is_none_or(known) && (follows || !is_browser(headers))
        }
    }
}

/// Whether a page is this server's: it came from the name that the browser asks now, or from the one that we are known
/// under.
fn is_own(config: &Config, headers: &HeaderMap, uri: &Uri, origin: &HeaderValue) -> bool {
    let Some((scheme, page)) = origin.to_str().ok().and_then(|origin| origin.split_once("://")) else { return false };
    let asked = uri.authority().map(|at| at.as_str()).or_else(|| headers.get(HOST)?.to_str().ok());
    let same = asked.is_some_and(|asked| asked.eq_ignore_ascii_case(page));
    let known = config.advertise.as_deref().is_some_and(|address| {
        address.starts_with(&format!("{scheme}://"))
            && authority(address).is_some_and(|at| at.eq_ignore_ascii_case(page))
    });
    // Where the browser came by TLS, a page that did not may be anybody's.
    known || same && (scheme == "https" || !came_by_tls(config, headers))
}

/// Whether the browser came by TLS: to us, or to a proxy that says so.
pub(super) fn came_by_tls(config: &Config, headers: &HeaderMap) -> bool {
    if config.tls.is_some() {
        return true;
    }
    let said = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(',').next().unwrap_or_default().trim().eq_ignore_ascii_case("https")
}

/// Whether a browser asks: only a browser can be sent to us under another name by a page. It always names itself, or the
/// page, whatever the page does.
fn is_browser(headers: &HeaderMap) -> bool {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let telling = [ORIGIN.as_str(), "referer", "sec-fetch-site", "sec-fetch-mode"];
    agent.starts_with("Mozilla/") || telling.into_iter().any(|name| headers.contains_key(name))
}

/// Whether a page of this origin may read our answers.
pub(super) fn is_allowed(config: &Config, origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    config.access.allowed_origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
}

/// Lets the browser hand our answer to the page.
pub(super) fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(VARY, HeaderValue::from_static("origin"));
    let exposed = "x-request-id, x-process-time, retry-after, countersign-verdict";
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
}

/// Answers the browser's question before the request.
pub(super) fn allow_request(headers: &mut HeaderMap) {
    let methods = "GET, POST, PUT, DELETE, OPTIONS";
    let names = "authorization, content-type, x-api-key, countersign-key, last-event-id";
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(names));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}

/// Whom the client thinks it talks to; an old client does not say.
fn host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    match uri.host() {
        Some(host) => Some(host),
        // A host that is no text is nobody's name.
        None => headers.get(HOST).map(|host| host.to_str().unwrap_or("?")),
    }
}

fn is_ours(config: &Config, host: &str) -> bool {
    let name = name(host);
    is_loopback(name)
        || config.listen.ip().to_string() == name
        || config.access.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
        || config
            .advertise
            .as_deref()
            .is_some_and(|address| authority(address).is_some_and(|at| self::name(at) == name))
}

fn is_loopback_origin(origin: &HeaderValue) -> bool {
    origin.to_str().ok().and_then(authority).is_some_and(|authority| is_loopback(name(authority)))
}

fn authority(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

/// A host without its port and brackets.
fn name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

fn is_loopback(name: &str) -> bool {
    // The two names that nearly everybody uses, before anything is parsed.
    name == "127.0.0.1"
        || name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        || name.len() > LOCAL.len() && name.to_ascii_lowercase().ends_with(LOCAL)
}

/// What a page of another origin is told.
pub(super) const FOREIGN: &str = "pages of another origin may not use the console's sign-in";
/// Browsers resolve names under it to loopback, whatever DNS says.
const LOCAL: &str = ".localhost";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::raw::RawConfig;

    fn config() -> Config {
        let mut raw = RawConfig { data_dir: Some(":memory:".to_owned()), ..RawConfig::default() };
        raw.access.allowed_origins = Some(vec!["https://console.example.com".to_owned()]);
        raw.access.allowed_hosts = Some(vec!["agents.internal".to_owned()]);
        Config::of(raw).unwrap()
    }

    fn answer(host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        headers.insert(USER_AGENT, "Mozilla/5.0".parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        check(&config(), &headers, &Uri::from_static("/v1/check")).is_ok()
    }

    // SERVE-1: the cookie goes with pictures and scripts of a page on another port too.
    #[test]
    fn what_another_page_loads_is_refused() {
        let taken = |site: Option<&'static str>, mode: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            for (name, value) in [("sec-fetch-site", site), ("sec-fetch-mode", mode)] {
                if let Some(value) = value {
                    headers.insert(name, HeaderValue::from_static(value));
                }
            }
            check_own(&config(), &headers, &Uri::from_static("/v1/reviews")).is_ok()
        };
        assert!(taken(None, None) && taken(Some("same-origin"), Some("cors")) && taken(Some("none"), Some("navigate")));
        for site in ["same-site", "cross-site"] {
            assert!(!taken(Some(site), Some("no-cors")) && !taken(Some(site), None), "{site}");
            assert!(taken(Some(site), Some("navigate")), "{site}");
        }
    }

    #[test]
    fn only_pages_and_names_of_ours_get_through() {
        for host in ["127.0.0.1:7420", "localhost:7420", "[::1]:7420", "localhost", "agents.internal:80", "a.localhost"]
        {
            assert!(answer(host, None), "{host}");
        }
        for host in ["evil.example:7420", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", ""] {
            assert!(!answer(host, None), "{host}");
        }
        for origin in
            ["http://localhost:3000", "http://127.0.0.1:7420", "http://[::1]:5", "https://console.example.com"]
        {
            assert!(answer("127.0.0.1", Some(origin)), "{origin}");
        }
        for origin in
            ["null", "https://evil.example", "http://localhost.evil.example", "https://console.example.com.evil"]
        {
            assert!(!answer("127.0.0.1", Some(origin)), "{origin}");
        }
    }
}
