//! Who asks, and may they: the key of a request, and the scope that its path wants.
//!
//! A key comes in a header or, from the console, in its cookie. A browser sends a cookie for any page that asks it to,
//! so a request with one must come from our own page, and what changes something must bring the page's token.

use super::cookie;
use super::error::ApiError;
use super::keys::{Caller, Refusal, Scope};
use super::limits::Peer;
use super::origin;
use super::sealed::{Purpose, Unopened, Visitor};
use super::state::App;
use axum::extract::{MatchedPath, Request};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method};
use std::time::Duration;

/// Lets a request in. The paths that are open need no key, but take one.
pub(super) fn admit(app: &App, request: &Request) -> Result<Caller, ApiError> {
    if !app.keys.is_locked() {
        return Ok(Caller::anyone());
    }
    let path = request.uri().path();
    let room = room(request);
    if room == Room::Linked {
        return Ok(Caller::nobody());
    }
    let header = key(request.headers());
    let visitor = visitor(app, request.headers());
    let admitted = match &visitor {
        None => app.keys.admit(header),
        Some(Ok(who)) => admit_visitor(app, who),
        Some(Err(refusal)) => Err(*refusal),
    };
    let caller = match admitted {
        Ok(caller) => caller,
        Err(refusal) => return turn_away(app, request, room, refusal),
    };
    if let Some(Ok(who)) = &visitor {
        check_page(app, request, who)?;
    }
    match room {
        Room::Scoped(scope) if !caller.may(scope) => {
            app.metrics.denied.of(["403"]).add_one();
            Err(ApiError::out_of_scope(path, scope.name()))
        }
        _ => Ok(caller),
    }
}

/// Who is signed in with the console's cookie; `None` where there is none, or a key in a header, which wins.
pub(super) fn visitor(app: &App, headers: &HeaderMap) -> Option<Result<Visitor, Refusal>> {
    if key(headers).is_some() {
        return None;
    }
    let sealed = cookie::session(headers, cookie::transport(&app.config, headers))?;
    Some(app.sealer.open(Purpose::Session, &sealed).map_err(|why| match why {
        Unopened::Expired => Refusal::Missing,
        Unopened::Foreign => Refusal::Unknown,
    }))
}

/// A key is looked up again each time; a person was vouched for, as long as there is somebody who vouches.
fn admit_visitor(app: &App, who: &Visitor) -> Result<Caller, Refusal> {
    match who {
        Visitor::Key(key) => app.keys.admit(Some(key)),
        Visitor::Person(person) if app.oidc.is_some() => Ok(person.clone().into()),
        Visitor::Person(_) => Err(Refusal::Unknown),
    }
}

/// Somebody without a key that opens anything. What is open stays open; where the answer would say whether a key is right,
/// a wrong one counts as a guess.
fn turn_away(app: &App, request: &Request, room: Room, refusal: Refusal) -> Result<Caller, ApiError> {
    let tells = room != Room::Open || request.uri().path() == SESSION && !is_sign_in(request);
    if refusal == Refusal::Unknown && tells {
        guess(app, request.extensions().get().copied())?;
    }
    if room == Room::Open { Ok(Caller::nobody()) } else { Err(refuse(app, refusal)) }
}

/// Whether a key that somebody types opens anything; on a server without keys everybody is in already.
pub(super) fn sign_in(app: &App, peer: Option<Peer>, key: &str) -> Result<Caller, ApiError> {
    let admitted = app.keys.admit(Some(key).filter(|key| !key.is_empty()));
    admitted.or_else(|refusal| {
        if refusal == Refusal::Unknown {
            guess(app, peer)?;
        }
        Err(refuse(app, refusal))
    })
}

/// A wrong key: refused as such, and after too many of them for a while without a word about it.
fn guess(app: &App, peer: Option<Peer>) -> Result<(), ApiError> {
    app.limits.guess(peer).map_err(|wait| {
        app.metrics.denied.of(["429"]).add_one();
        ApiError::limited(wait)
    })
}

/// Whether a request is one that somebody types a key for.
pub(super) fn is_sign_in(request: &Request) -> bool {
    request.method() == Method::POST && request.uri().path() == SESSION
}

/// A request with the cookie: it must come from our own page and be meant by it. Sign-in is rate-limited by client address.
fn check_page(app: &App, request: &Request, who: &Visitor) -> Result<(), ApiError> {
    let own = origin::check_own(&app.config, request.headers(), request.uri());
    let looks = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let meant = looks || is_sign_in(request) || cookie::has_token(request.headers(), &app.sealer.token(who));
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
    /// Nothing but itself: a link that was sent to a reviewer is a key of its own, for one decision. Whatever key or cookie
    /// comes with it counts for nothing.
    Linked,
    /// Any key.
    Keyed,
    /// A key with a scope.
    Scoped(Scope),
}

/// Everything wants a key that is not named as open: a new route is closed until somebody decides otherwise. What no route
/// takes may be carried upstream, and is asked for its scope there.
fn room(request: &Request) -> Room {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    room_of(request.method(), request.uri().path(), route)
}

fn room_of(method: &Method, path: &str, route: Option<&str>) -> Room {
    if route == Some(REVIEW_LINK) {
        return Room::Linked;
    }
    if OPEN.contains(&path) || path.starts_with(CONSOLE) {
        return Room::Open;
    }
    let Some(rest) = route.and_then(|route| route.strip_prefix("/v1/")) else { return Room::Keyed };
    let looks = matches!(*method, Method::GET | Method::HEAD);
    match rest.split('/').next().unwrap_or_default() {
        "sessions" | "stop" => Room::Scoped(Scope::Sessions),
        // Every key sees what is its own.
        "reviews" if looks => Room::Keyed,
        "verdicts" | "stats" | "policy" | "conversations" => Room::Keyed,
        "reviews" => Room::Scoped(Scope::Review),
        _ => Room::Scoped(Scope::Engine),
    }
}

/// The key in a request's headers. `countersign-key` wins: the others may be for the upstream.
pub(super) fn key(headers: &HeaderMap) -> Option<&str> {
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
/// The page of a link that was sent to a reviewer.
const REVIEW_LINK: &str = "/review/{link}";

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1
    #[test]
    fn every_path_that_is_not_named_wants_a_key() {
        for path in ["/livez", "/readyz", "/", "/console/console.js", "/console/session"] {
            assert_eq!(room_of(&Method::GET, path, Some(path)), Room::Open, "{path}");
        }
        for path in
            ["/health", "/metrics", "/openapi.json", "/nowhere", "/livez/", "//livez", "/console", "/consoles/x"]
        {
            assert_eq!(room_of(&Method::GET, path, Some(path)), Room::Keyed, "{path}");
        }
        for (method, path, scope) in [
            (Method::POST, "/v1/check", Scope::Engine),
            (Method::POST, "/v1/chat/completions", Scope::Engine),
            (Method::GET, "/v1/sessions/7/events", Scope::Sessions),
            (Method::GET, "/v1/stop", Scope::Sessions),
            (Method::POST, "/v1/reviews/3/decision", Scope::Review),
            (Method::DELETE, "/v1/reviews/3/reserve", Scope::Review),
        ] {
            assert_eq!(room_of(&method, path, Some(path)), Room::Scoped(scope), "{path}");
        }
        for path in ["/v1/reviews", "/v1/reviews/3", "/v1/verdicts", "/v1/stats", "/v1/policy"] {
            assert_eq!(room_of(&Method::GET, path, Some(path)), Room::Keyed, "{path}");
        }
        assert_eq!(room_of(&Method::GET, "/v1/files", None), Room::Keyed);
        assert_eq!(room_of(&Method::POST, "/review/x", Some(REVIEW_LINK)), Room::Linked);
        assert_eq!(room_of(&Method::GET, "/review/x/y", None), Room::Keyed);
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
