//! What a browser keeps for us and must neither read nor change: encrypted and bound to its purpose and its end.
//!
//! The key comes from the setting `access.session_key`, which nodes share, else from the data directory's own secret. Who
//! loses it loses nothing but sign-ins.

use super::keys::{Caller, Scope};
use crate::failure::Failure;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;

/// Encrypts what browsers keep.
pub(crate) struct Sealer {
    key: LessSafeKey,
    /// Makes the tokens of pages.
    tokens: Hmac<Sha256>,
}

/// What is sealed. What was sealed for one purpose opens for no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Who is signed in.
    Session,
    /// A sign-in that is on its way.
    SignIn,
}

/// Who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Visitor {
    /// Somebody with an API key, which is checked on each request.
    Key(String),
    /// A person whom the identity provider knows.
    Person(Person),
}

/// A person whom the identity provider knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Person {
    /// `person_` and the beginning of a digest of issuer and subject: the same person has the same one.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// What they may use.
    pub scopes: Vec<Scope>,
}

impl From<Person> for Caller {
    fn from(person: Person) -> Self {
        Self {
            key_id: Some(Arc::from(person.id)),
            name: Some(Arc::from(person.name)),
            scopes: Arc::from(person.scopes),
        }
    }
}

/// Why something could not be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unopened {
    /// It is not ours, or was changed.
    Foreign,
    /// Its time is over.
    Expired,
}

#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    /// Until when it holds, in seconds.
    until: i64,
    what: T,
}

impl Purpose {
    const fn name(self) -> &'static [u8] {
        match self {
            Self::Session => b"countersign console session",
            Self::SignIn => b"countersign sign-in",
        }
    }
}

impl Sealer {
    /// Seals with a key that is made of a secret.
    pub(crate) fn new(secret: &[u8]) -> Result<Self, Failure> {
        let broken = || Failure::Internal("the key of sessions cannot be made".to_owned());
        let mac = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| broken())?;
        let derive = |purpose: &[u8]| mac.clone().chain_update(purpose).finalize().into_bytes();
        let key = UnboundKey::new(&AES_256_GCM, &derive(b"countersign sealed cookies")).map_err(|_| broken())?;
        let tokens = Hmac::new_from_slice(&derive(b"countersign page tokens")).map_err(|_| broken())?;
        Ok(Self { key: LessSafeKey::new(key), tokens })
    }

    /// The token of a page: only who is signed in as this visitor reads it from us.
    pub(crate) fn token(&self, who: &Visitor) -> String {
        let said = serde_json::to_vec(who).unwrap_or_default();
        let token = self.tokens.clone().chain_update(said).finalize().into_bytes();
        token.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Seals something for a time; `None` where there is no randomness.
    pub(crate) fn seal(&self, purpose: Purpose, what: &impl Serialize, age: Duration) -> Option<String> {
        let until = Timestamp::now().as_second().saturating_add(i64::try_from(age.as_secs()).ok()?);
        let mut bytes = serde_json::to_vec(&Envelope { until, what }).ok()?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).ok()?;
        let unique = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(unique, Aad::from(purpose.name()), &mut bytes).ok()?;
        Some(URL_SAFE_NO_PAD.encode([&nonce[..], &bytes].concat()))
    }

    /// Opens what was sealed.
    pub(crate) fn open<T: DeserializeOwned>(&self, purpose: Purpose, text: &str) -> Result<T, Unopened> {
        let opened: Option<Envelope<T>> = self.decrypt(purpose, text);
        let envelope = opened.ok_or(Unopened::Foreign)?;
        if Timestamp::now().as_second() < envelope.until { Ok(envelope.what) } else { Err(Unopened::Expired) }
    }

    fn decrypt<T: DeserializeOwned>(&self, purpose: Purpose, text: &str) -> Option<T> {
        let mut bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let plain = self.key.open_in_place(nonce, Aad::from(purpose.name()), sealed).ok()?;
        serde_json::from_slice(plain).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-1: who changes a byte, uses it for something else or waits too long has nothing.
    #[test]
    fn what_is_sealed_opens_whole_for_its_purpose_and_its_time() {
        let sealer = Sealer::new(b"one").unwrap();
        let who =
            Visitor::Person(Person { id: "person_1".to_owned(), name: "Ann".to_owned(), scopes: vec![Scope::Review] });
        let hour = Duration::from_secs(3600);
        let text = sealer.seal(Purpose::Session, &who, hour).unwrap();
        assert_eq!(sealer.open(Purpose::Session, &text), Ok(who.clone()));
        assert!(!text.contains("Ann") && text != sealer.seal(Purpose::Session, &who, hour).unwrap());
        let opened = |sealer: &Sealer, purpose, text: &str| sealer.open::<Visitor>(purpose, text);
        assert_eq!(opened(&sealer, Purpose::SignIn, &text), Err(Unopened::Foreign));
        assert_eq!(opened(&Sealer::new(b"two").unwrap(), Purpose::Session, &text), Err(Unopened::Foreign));
        let mut bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for at in 0..bytes.len() {
            bytes[at] ^= 1;
            assert_eq!(opened(&sealer, Purpose::Session, &URL_SAFE_NO_PAD.encode(&bytes)), Err(Unopened::Foreign));
            bytes[at] ^= 1;
        }
        for foreign in ["", "%", "AAAA", text.get(..20).unwrap()] {
            assert_eq!(opened(&sealer, Purpose::Session, foreign), Err(Unopened::Foreign), "{foreign}");
        }
        let key = |word: &str| Visitor::Key(word.to_owned());
        assert_eq!((sealer.token(&who).len(), sealer.token(&who)), (64, sealer.token(&who)));
        assert!(sealer.token(&key("a")) != sealer.token(&key("b")) && sealer.token(&key("a")) != sealer.token(&who));
        let over = sealer.seal(Purpose::Session, &who, Duration::ZERO).unwrap();
        assert_eq!(opened(&sealer, Purpose::Session, &over), Err(Unopened::Expired));
    }
}
