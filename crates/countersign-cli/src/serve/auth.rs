//! Who asks, and may they: the key of a request, and the scope that its path wants.
//!
//! A key comes in a header or, from the console, in its cookie. A browser sends a cookie for any page that asks it to,
//! so a request with one must come from our own page, and what changes something must bring the page's token.

use super::cookie;
use super::error::ApiError;
use super::keys::{Caller, Refusal, Scope};
use super::origin;
use super::state::App;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method};
use std::time::Duration;

/// Lets a request in. The paths that are open need no key, but take one.
pub fn admit(app: &App, request: &Request) -> Result<Caller, ApiError> {
    if !app.keys.is_locked() {
        return Ok(Caller::anyone());
    }
    let path = request.uri().path();
    let room = room(path);
    let header = key(request.headers());
    let cookie = if header.is_none() { cookie::key(request.headers()) } else { None };
    let caller = match app.keys.admit(header.or(cookie.as_deref())) {
        Ok(caller) => caller,
        Err(_) if room == Room::Open => return Ok(Caller { key_id: None, scopes: [].into() }),
        Err(refusal) => return Err(refuse(app, refusal)),
    };
    if let Some(key) = cookie {
        check_page(app, request, &key)?;
    }
    match room {
        Room::Scoped(scope) if !caller.may(scope) => {
            app.metrics.denied.of(["403"]).add_one();
            let message = format!("this key does not open {path}: it needs the scope `{}`", scope.name());
            Err(ApiError::forbidden(message).with_code("insufficient_scope"))
        }
        _ => Ok(caller),
    }
}

/// Whether a key that somebody types opens anything; on a server without keys everybody is in already.
pub fn sign_in(app: &App, key: &str) -> Result<Caller, ApiError> {
    app.keys.admit(Some(key).filter(|key| !key.is_empty())).map_err(|refusal| refuse(app, refusal))
}

/// Whether a request is one that somebody types a key for.
pub fn is_sign_in(request: &Request) -> bool {
    request.method() == Method::POST && request.uri().path() == SESSION
}

/// A request with the cookie: from our own page, and meant by it. Signing in anew is looked at by who does it.
fn check_page(app: &App, request: &Request, key: &str) -> Result<(), ApiError> {
    let own = origin::check_own(&app.config, request.headers(), request.uri());
    let looks = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let meant = looks || is_sign_in(request) || cookie::has_token(request.headers(), key);
    let checked = own.and_then(|()| {
        let message = format!("a request with the console's cookie needs the header `{}`", cookie::TOKEN);
        if meant { Ok(()) } else { Err(ApiError::forbidden(message).with_code("csrf")) }
    });
    checked.inspect_err(|_| app.metrics.denied.of(["403"]).add_one())
}

/// What a path wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Nothing.
    Open,
    /// Any key.
    Keyed,
    /// A key with a scope.
    Scoped(Scope),
}

/// Everything wants a key that is not named as open: a new route is closed until somebody decides otherwise.
fn room(path: &str) -> Room {
    if OPEN.contains(&path) || path.starts_with(CONSOLE) {
        return Room::Open;
    }
    let Some(rest) = path.strip_prefix("/v1/") else { return Room::Keyed };
    let first = rest.split('/').next().unwrap_or_default();
    Room::Scoped(match first {
        "sessions" | "stop" => Scope::Sessions,
        "reviews" => Scope::Review,
        "verdicts" | "policy" | "stats" => Scope::Review,
        _ => Scope::Engine,
    })
}

/// The key in a request's headers. `countersign-key` wins: the others may be for the upstream.
pub fn key(headers: &HeaderMap) -> Option<&str> {
    let plain = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let bearer = || {
        let (scheme, word) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(word.trim())
    };
    plain("countersign-key").or_else(bearer).or_else(|| plain("x-api-key")).filter(|word| !word.is_empty())
}

fn refuse(app: &App, refusal: Refusal) -> ApiError {
    let status = if refusal == Refusal::SourceAway { "503" } else { "401" };
    app.metrics.denied.of([status]).add_one();
    match refusal {
        Refusal::Missing => ApiError::unauthorized(
            "an API key is needed: send it as `Authorization: Bearer KEY`, `x-api-key` or `countersign-key`",
        )
        .with_code("missing_api_key"),
        Refusal::Unknown => ApiError::unauthorized("this API key is not valid"),
        Refusal::SourceAway => {
            ApiError::unavailable("keys cannot be checked at the moment; try again", Duration::from_secs(2))
        }
    }
}

const OPEN: &[&str] = &["/", "/livez", "/readyz"];
/// The built files of the console, and signing in to it.
const CONSOLE: &str = "/console/";
const SESSION: &str = "/console/session";

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn every_path_that_is_not_named_wants_a_key() {
        for path in ["/livez", "/readyz", "/", "/console/console.js", "/console/session"] {
            assert_eq!(room(path), Room::Open, "{path}");
        }
        for path in
            ["/health", "/metrics", "/openapi.json", "/nowhere", "/livez/", "//livez", "/console", "/consoles/x"]
        {
            assert_eq!(room(path), Room::Keyed, "{path}");
        }
        for (path, scope) in [
            ("/v1/check", Scope::Engine),
            ("/v1/chat/completions", Scope::Engine),
            ("/v1/sessions/7/events", Scope::Sessions),
            ("/v1/stop", Scope::Sessions),
            ("/v1/reviews/3/decision", Scope::Review),
            ("/v1/policy/replay", Scope::Review),
        ] {
            assert_eq!(room(path), Room::Scoped(scope), "{path}");
        }
    }

    #[test]
    fn a_key_comes_in_three_headers() {
        let with = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            key(&headers).map(str::to_owned)
        };
        assert_eq!(with(&[("authorization", "Bearer one")]).as_deref(), Some("one"));
        assert_eq!(with(&[("authorization", "bearer  one ")]).as_deref(), Some("one"));
        assert_eq!(with(&[("x-api-key", "two")]).as_deref(), Some("two"));
        assert_eq!(with(&[("authorization", "Bearer up"), ("countersign-key", "three")]).as_deref(), Some("three"));
        assert_eq!(with(&[("authorization", "Basic one")]), None);
        assert_eq!(with(&[("x-api-key", " ")]), None);
    }
}
