//! Signing in by the identity provider: off to it, and back with a code.
//!
//! Whatever goes wrong ends on our own page with a word for it; the reason is in the log and not in the address.

use crate::serve::cookie::{self, transport};
use crate::serve::error::ApiError;
use crate::serve::limits::Peer;
use crate::serve::oidc::{NotSignedIn, Oidc, SignInState};
use crate::serve::sealed::{Purpose, Unopened, Visitor};
use crate::serve::state::App;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// `GET /console/oidc`: off to the identity provider.
pub(crate) async fn begin(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ApiError> {
    let oidc = provider(&app)?;
    let (address, kept) = match oidc.begin().await {
        Ok(begun) => begun,
        Err(why) => return Ok(fail(&app, &headers, &why)),
    };
    let sealed = app.sealer.seal(Purpose::SignIn, &kept, SIGN_IN);
    let sealed = sealed.ok_or_else(|| ApiError::internal("a sign-in could not be sealed".to_owned()))?;
    Ok(redirect(&address, [cookie::keep_sign_in(&sealed, transport(&app.config, &headers), SIGN_IN)]))
}

/// What the provider sends back.
#[derive(Deserialize)]
pub(crate) struct Back {
    #[serde(default)]
    state: String,
    #[serde(default)]
    code: String,
    iss: Option<String>,
    error: Option<String>,
}

/// `GET /console/oidc/callback`: back from the identity provider.
pub(crate) async fn finish(
    State(app): State<Arc<App>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Query(back): Query<Back>,
) -> Result<Response, ApiError> {
    let oidc = provider(&app)?;
    // Whoever makes up codes is as slow as whoever makes up keys.
    app.limits.guess(peer.map(|Extension(peer)| peer)).map_err(ApiError::limited)?;
    let transport = transport(&app.config, &headers);
    let person = match check(&app, oidc, &headers, &back).await {
        Ok(person) => person,
        Err(why) => return Ok(fail(&app, &headers, &why)),
    };
    tracing::info!(person = person.id, name = person.name, "somebody signed in");
    let age = oidc.session_age();
    let sealed = app.sealer.seal(Purpose::Session, &Visitor::Person(person), age);
    let sealed = sealed.ok_or_else(|| ApiError::internal("a session could not be sealed".to_owned()))?;
    Ok(redirect("/", [cookie::keep(&sealed, transport, age), cookie::forget_sign_in(transport)]))
}

async fn check(
    app: &App,
    oidc: &Oidc,
    headers: &HeaderMap,
    back: &Back,
) -> Result<crate::serve::sealed::Person, NotSignedIn> {
    let refused = |why: &str| NotSignedIn::Refused(why.to_owned());
    let brought = cookie::sign_in(headers, transport(&app.config, headers));
    let brought = brought.ok_or_else(|| refused("this browser began no sign-in"))?;
    let kept: SignInState = app.sealer.open(Purpose::SignIn, &brought).map_err(|why| match why {
        Unopened::Expired => refused("the sign-in took too long"),
        Unopened::Foreign => refused("the sign-in was begun elsewhere"),
    })?;
    if back.error.is_some() || back.code.is_empty() {
        return Err(refused("the provider gave no code"));
    }
    oidc.finish(&kept, &back.state, &back.code, back.iss.as_deref()).await
}

fn provider(app: &App) -> Result<&Oidc, ApiError> {
    app.oidc.as_ref().ok_or_else(|| ApiError::not_found("this server has no identity provider; sign in with a key"))
}

/// Back to our own page, with a word for what is wrong.
fn fail(app: &App, headers: &HeaderMap, why: &NotSignedIn) -> Response {
    let (word, reason) = match why {
        NotSignedIn::Away(reason) => ("away", reason),
        NotSignedIn::Refused(reason) => ("refused", reason),
        NotSignedIn::NothingGranted(reason) => ("denied", reason),
    };
    tracing::warn!("nobody was signed in by the identity provider: {reason}");
    app.metrics.denied.of([if word == "away" { "503" } else { "401" }]).add_one();
    redirect(&format!("/?sign_in={word}"), [cookie::forget_sign_in(transport(&app.config, headers))])
}

fn redirect<const N: usize>(address: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(CACHE_CONTROL, "no-store")]).into_response();
    if let Ok(address) = HeaderValue::from_str(address) {
        response.headers_mut().insert(LOCATION, address);
    }
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// How long somebody may take at the provider.
const SIGN_IN: Duration = Duration::from_secs(600);
