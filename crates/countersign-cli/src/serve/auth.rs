//! Who asks, and may they: the key of a request, and the scope that its path wants.

use super::error::ApiError;
use super::keys::{Caller, Refusal, Scope};
use super::state::App;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use std::time::Duration;

/// Lets a request in. The paths that are open need no key, but take one.
pub fn admit(app: &App, path: &str, headers: &HeaderMap) -> Result<Caller, ApiError> {
    if !app.keys.is_locked() {
        return Ok(Caller::anyone());
    }
    let room = room(path);
    let caller = match app.keys.admit(key(headers)) {
        Ok(caller) => caller,
        Err(_) if room == Room::Open => return Ok(Caller { key_id: None, scopes: [].into() }),
        Err(refusal) => return Err(refuse(app, refusal)),
    };
    match room {
        Room::Scoped(scope) if !caller.may(scope) => {
            app.metrics.denied.of(["403"]).add_one();
            let message = format!("this key does not open {path}: it needs the scope `{}`", scope.name());
            Err(ApiError::forbidden(message).with_code("insufficient_scope"))
        }
        _ => Ok(caller),
    }
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
    if OPEN.contains(&path) {
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

/// The key of a request. `countersign-key` wins: the others may be for the upstream.
fn key(headers: &HeaderMap) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn every_path_that_is_not_named_wants_a_key() {
        for path in ["/livez", "/readyz", "/"] {
            assert_eq!(room(path), Room::Open, "{path}");
        }
        for path in ["/health", "/metrics", "/openapi.json", "/nowhere", "/livez/", "//livez"] {
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
