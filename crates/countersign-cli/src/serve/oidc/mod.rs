//! Signing in by OpenID Connect: people prove to their own identity provider who they are, and it tells us.
//!
//! The authorization code flow with PKCE, state and nonce. What must be remembered between the two requests goes to the
//! browser, sealed, so that any node may finish what another began. What a person may do comes from one claim, by the table
//! of the configuration, and holds as long as the session. Programs keep using keys.

/// The ID token.
mod token;
/// The identity provider over HTTP.
mod provider;

use super::keys::Scope;
use super::sealed::Person;
use crate::config::{Grant, OidcConfig};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use provider::{Credentials, Metadata, discover, encode};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use tokio::sync::Mutex;

/// The sign-in by an identity provider.
pub(crate) struct Oidc {
    config: OidcConfig,
    redirect_uri: String,
    client: Client,
    metadata: Mutex<Option<(Instant, Metadata)>>,
}

/// What the browser keeps while somebody signs in, sealed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SignInState {
    state: String,
    nonce: String,
    verifier: String,
}

/// Why nobody was signed in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotSignedIn {
    /// The provider cannot be reached, or makes no sense.
    Away(String),
    /// It does not vouch for this sign-in.
    Refused(String),
    /// It knows the person, and nothing is granted to them.
    NothingGranted(String),
}

impl Oidc {
    /// For a server that browsers reach under an address.
    pub(crate) fn new(config: OidcConfig, own: &str) -> Result<Self, String> {
        let redirect_uri = format!("{own}{CALLBACK}");
        Ok(Self { config, redirect_uri, client: provider::client()?, metadata: Mutex::default() })
    }

    /// How long a session holds.
    pub(crate) fn session_age(&self) -> Duration {
        self.config.session_age
    }

    /// Begins a sign-in: where to send the browser, and what it must bring back.
    pub(crate) async fn begin(&self) -> Result<(String, SignInState), NotSignedIn> {
        let metadata = self.metadata().await?;
        let random = || random().ok_or_else(|| NotSignedIn::Away("there is no randomness".to_owned()));
        let kept = SignInState { state: random()?, nonce: random()?, verifier: random()? };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&kept.verifier));
        let scopes = self.config.scopes.join(" ");
        let asked = [
            ("response_type", "code"),
            ("client_id", &self.config.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", &scopes),
            ("state", &kept.state),
            ("nonce", &kept.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let query: Vec<String> = asked.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let joint = if metadata.authorization_endpoint.contains('?') { '&' } else { '?' };
        Ok((format!("{}{joint}{}", metadata.authorization_endpoint, query.join("&")), kept))
    }

    /// Ends a sign-in: who it is, and what they may do.
    pub(crate) async fn finish(
        &self,
        kept: &SignInState,
        state: &str,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<Person, NotSignedIn> {
        if !bool::from(kept.state.as_bytes().ct_eq(state.as_bytes())) {
            return Err(NotSignedIn::Refused("the state is not the one that was sent".to_owned()));
        }
        let metadata = self.metadata().await?;
        // RFC 9207: a code of another provider must not be tried here.
        if issuer.is_some_and(|issuer| issuer != metadata.issuer) {
            return Err(NotSignedIn::Refused("the answer is of another issuer".to_owned()));
        }
        let secret = self.config.client_secret.as_ref().map(|secret| secret.expose());
        let us = Credentials { id: &self.config.client_id, secret };
        let tokens = metadata.exchange(&self.client, &us, code, &kept.verifier, &self.redirect_uri).await;
        let tokens = tokens.map_err(NotSignedIn::Refused)?;
        let keys = metadata.keys(&self.client).await.map_err(NotSignedIn::Away)?;
        let expected = token::Expected {
            issuer: &metadata.issuer,
            client_id: &self.config.client_id,
            nonce: &kept.nonce,
            now: Timestamp::now().as_second(),
        };
        let claims = token::read(&tokens.id_token, &keys, &expected);
        let mut claims = claims.map_err(|why| NotSignedIn::Refused(format!("the ID token: {why}")))?;
        if !claims.contains_key(&self.config.claim) {
            let more = metadata.userinfo(&self.client, &tokens.access_token).await.map_err(NotSignedIn::Away)?;
            add(&mut claims, more);
        }
        self.person(&metadata.issuer, &claims)
    }

    /// Who it is, by what the provider says, and what is granted to them.
    fn person(&self, issuer: &str, claims: &Map<String, Value>) -> Result<Person, NotSignedIn> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let subject = text("sub").unwrap_or_default();
        let name = ["name", "preferred_username", "email"].into_iter().find_map(text).unwrap_or(subject);
        let scopes = granted(&self.config.grants, &held(claims, &self.config.claim));
        if scopes.is_empty() {
            return Err(NotSignedIn::NothingGranted(format!("no entry of oidc.grants fits `{subject}`")));
        }
        let digest = Sha256::digest(format!("{issuer}\n{subject}"));
        let id: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Person { id: format!("person_{id}"), name: name.chars().take(LONGEST_NAME).collect(), scopes })
    }

    async fn metadata(&self) -> Result<Metadata, NotSignedIn> {
        let mut kept = self.metadata.lock().await;
        if let Some((_, metadata)) = kept.as_ref().filter(|(at, _)| at.elapsed() < METADATA_AGE) {
            return Ok(metadata.clone());
        }
        let found = discover(&self.client, &self.config.issuer).await;
        let found = found.map_err(|why| NotSignedIn::Away(format!("{}: {why}", self.config.issuer)))?;
        *kept = Some((Instant::now(), found.clone()));
        Ok(found)
    }
}

/// Adds what the provider's page says; only about the same person, and over nothing that was signed.
fn add(claims: &mut Map<String, Value>, more: Map<String, Value>) {
    if more.get("sub") == claims.get("sub") {
        for (name, value) in more {
            claims.entry(name).or_insert(value);
        }
    }
}

/// The words of a claim: one, or several. An address that the provider has not verified is none.
fn held<'a>(claims: &'a Map<String, Value>, claim: &str) -> Vec<&'a str> {
    if claim == "email" && claims.get("email_verified").is_some_and(|verified| verified != &Value::Bool(true)) {
        return Vec::new();
    }
    match claims.get(claim) {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// All scopes of the entries that fit.
fn granted(grants: &[Grant], held: &[&str]) -> Vec<Scope> {
    let fitting = grants.iter().filter(|grant| held.iter().any(|word| grant.fits(word)));
    let mut scopes: Vec<Scope> = fitting.flat_map(|grant| grant.scopes.iter().copied().map(Scope::from)).collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

fn random() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

/// Where the provider sends the browser back to.
pub(crate) const CALLBACK: &str = "/console/oidc/callback";
/// How long what the provider says of itself is believed.
const METADATA_AGE: Duration = Duration::from_secs(300);
const LONGEST_NAME: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SERVE-1
    #[test]
    fn only_what_the_provider_vouches_for_is_granted() {
        let claims = |value: Value| value.as_object().cloned().unwrap();
        assert_eq!(held(&claims(json!({ "groups": ["a", 7, "b"] })), "groups"), ["a", "b"]);
        assert_eq!(held(&claims(json!({ "email": "a@b", "email_verified": true })), "email"), ["a@b"]);
        assert_eq!(held(&claims(json!({ "email": "a@b" })), "email"), ["a@b"]);
        for unverified in [json!(false), json!("true"), Value::Null] {
            let said = claims(json!({ "email": "a@b", "email_verified": unverified }));
            assert!(held(&said, "email").is_empty(), "{said:?}");
        }
        let mut signed = claims(json!({ "sub": "ann", "name": "Ann" }));
        add(&mut signed, claims(json!({ "sub": "bob", "groups": ["ops"] })));
        assert!(!signed.contains_key("groups"), "the page speaks of somebody else");
        add(&mut signed, claims(json!({ "sub": "ann", "groups": ["ops"], "name": "Root" })));
        assert_eq!((signed["groups"].clone(), signed["name"].clone()), (json!(["ops"]), json!("Ann")));
    }
}
