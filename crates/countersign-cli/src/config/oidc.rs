//! Who vouches for people: an OpenID Connect provider, and what its words grant.

use super::checks::{Invalid, MOMENT, Valid, address, span};
use super::raw::RawOidc;
use super::secret::Secret;
use crate::args::KeyScope;
use clap::ValueEnum;
use countersign::policy::pattern::Pattern;
use std::collections::BTreeMap;
use std::time::Duration;

/// The identity provider.
#[derive(Debug, Clone)]
pub(crate) struct OidcConfig {
    /// Its address, as it writes itself.
    pub issuer: String,
    /// Our name there.
    pub client_id: String,
    /// Our secret there.
    pub client_secret: Option<Secret>,
    /// Where browsers reach this server.
    pub address: Option<String>,
    /// What is asked for; `openid` is among it.
    pub scopes: Vec<String>,
    /// The claim that grants.
    pub claim: String,
    /// What its values grant.
    pub grants: Vec<Grant>,
    /// How long somebody stays signed in.
    pub session_age: Duration,
}

/// What a value of the claim grants.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pattern: Pattern,
    /// What it opens.
    pub scopes: Vec<KeyScope>,
}

impl Grant {
    /// Whether a value of the claim is meant.
    pub(crate) fn fits(&self, word: &str) -> bool {
        self.pattern.matches(word)
    }
}

impl OidcConfig {
    pub(super) fn of(raw: RawOidc) -> Valid<Option<Self>> {
        let Some(issuer) = raw.issuer else {
            return match raw.client_id {
                Some(_) => Err(missing("oidc.issuer")),
                None => Ok(None),
            };
        };
        let client_id = raw.client_id.ok_or_else(|| missing("oidc.client_id"))?;
        let mut scopes = raw.scopes.unwrap_or_else(|| ["openid", "profile", "email"].map(str::to_owned).to_vec());
        if !scopes.iter().any(|scope| scope == "openid") {
            scopes.insert(0, "openid".to_owned());
        }
        Ok(Some(Self {
            issuer: check_issuer(issuer)?,
            client_id,
            client_secret: raw.client_secret.map(Secret::new),
            address: address("oidc.address", raw.address)?,
            scopes,
            claim: raw.claim.unwrap_or_else(|| "groups".to_owned()),
            grants: read_grants(raw.grants)?,
            session_age: span("oidc.session_age", raw.session_age.as_deref().unwrap_or("12h"), MOMENT)?,
        }))
    }
}

/// https, or http on this machine.
fn check_issuer(issuer: String) -> Valid<String> {
    let host = issuer.strip_prefix("http://").map(|rest| rest.split(['/', ':']).next().unwrap_or_default());
    let local = host.is_some_and(|host| matches!(host, "127.0.0.1" | "localhost" | "[::1]"));
    if local || issuer.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', ' ']))
    {
        return Ok(issuer);
    }
    Err(Invalid {
        path: "oidc.issuer".into(),
        message: format!("`{issuer}` must be an https address: whoever could change its answers could be anybody here"),
        help: Some("write it as the provider writes it, such as https://login.example.com/realms/main".to_owned()),
    })
}

fn read_grants(raw: BTreeMap<String, Vec<String>>) -> Valid<Vec<Grant>> {
    if raw.is_empty() {
        return Err(Invalid {
            path: "oidc.grants".into(),
            message: "nothing is granted to anybody, so nobody could sign in".to_owned(),
            help: Some("such as [oidc.grants] with \"agents-team\" = [\"sessions\", \"review\"]".to_owned()),
        });
    }
    let read = |(pattern, words): (String, Vec<String>)| {
        let scopes = words.iter().map(|word| KeyScope::from_str(word, false).map_err(|_| word.clone()));
        let scopes: Vec<KeyScope> = scopes.collect::<Result<_, _>>().map_err(|word| Invalid {
            path: "oidc.grants".into(),
            message: format!("`{pattern}` is granted `{word}`, which is no scope"),
            help: Some("scopes are engine, sessions, review, upstream and admin".to_owned()),
        })?;
        Ok(Grant { pattern: Pattern::new(pattern), scopes })
    };
    raw.into_iter().map(read).collect()
}

fn missing(path: &'static str) -> Invalid {
    Invalid {
        path: path.into(),
        message: "it is needed for signing in by an identity provider".to_owned(),
        help: Some("set oidc.issuer, oidc.client_id and [oidc.grants], or none of them".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(issuer: &str, pattern: &str, scope: &str) -> Valid<Option<OidcConfig>> {
        OidcConfig::of(RawOidc {
            issuer: Some(issuer.to_owned()),
            client_id: Some("countersign".to_owned()),
            grants: [(pattern.to_owned(), vec![scope.to_owned()])].into(),
            ..RawOidc::default()
        })
    }

    // SERVE-1
    #[test]
    fn a_provider_is_written_whole_or_not_at_all() {
        assert!(OidcConfig::of(RawOidc::default()).unwrap().is_none());
        for issuer in ["https://login.example.com/", "http://127.0.0.1:9400", "http://localhost:1/x"] {
            assert_eq!(of(issuer, "ops", "review").unwrap().unwrap().issuer, issuer);
        }
        for issuer in ["http://login.example.com", "login.example.com", "https://", "http://127.0.0.1.evil.example"] {
            assert_eq!(of(issuer, "ops", "review").unwrap_err().path, "oidc.issuer", "{issuer}");
        }
        assert!(of("https://a", "ops", "reviews").unwrap_err().message.contains("`reviews`, which is no scope"));
        let alone = RawOidc { issuer: Some("https://a".to_owned()), ..RawOidc::default() };
        assert_eq!(OidcConfig::of(alone).unwrap_err().path, "oidc.client_id");
        let grant = of("https://a", "*@example.com", "admin").unwrap().unwrap().grants.remove(0);
        assert!(grant.fits("ann@example.com") && !grant.fits("ann@example.com.evil"));
    }
}
