//! The ID token: what the provider says about a person, believed only after every check of OpenID Connect Core 3.1.3.7.
//!
//! Two algorithms are known, RS256 and ES256, each with its own kind of key: a token cannot choose how it is checked. The
//! clock is passed in.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

/// The keys of a provider.
#[derive(Debug, Deserialize)]
pub(super) struct KeySet {
    keys: Vec<Value>,
}

/// What a token must say.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    /// Who speaks.
    pub issuer: &'a str,
    /// To whom.
    pub client_id: &'a str,
    /// In answer to what.
    pub nonce: &'a str,
    /// Now, in seconds.
    pub now: i64,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

/// What a token says, after all checks; else why it is not believed.
pub(super) fn read(token: &str, keys: &KeySet, expected: &Expected<'_>) -> Result<Map<String, Value>, String> {
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else { return Err("it has not three parts".to_owned()) };
    let said: Header = decode(header).ok_or("its header cannot be read")?;
    if said.crit.is_some() {
        return Err("its header asks for something that is not known".to_owned());
    }
    let algorithm = Algorithm::of(&said.alg).ok_or_else(|| format!("its algorithm `{}` is not taken", said.alg))?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "its signature cannot be read")?;
    let message = format!("{header}.{claims}");
    let fitting = keys.keys.iter().filter(|key| algorithm.fits(key, said.kid.as_deref()));
    if !fitting.take(MOST_KEYS).any(|key| algorithm.verify(key, message.as_bytes(), &signature).is_some()) {
        return Err("no key of the provider has signed it".to_owned());
    }
    let claims: Map<String, Value> = decode(claims).ok_or("its claims cannot be read")?;
    check(&claims, expected)?;
    Ok(claims)
}

fn check(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<(), String> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let second = |name: &str| claims.get(name).and_then(Value::as_f64);
    #[expect(clippy::cast_precision_loss, reason = "seconds fit into a float for a very long time")]
    let now = expected.now as f64;
    if text("iss") != Some(expected.issuer) {
        return Err(format!("it is from `{}`, not from `{}`", text("iss").unwrap_or_default(), expected.issuer));
    }
    let audience: Vec<&str> = match claims.get("aud") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    };
    let party = text("azp");
    if !audience.contains(&expected.client_id) || party.is_some_and(|party| party != expected.client_id) {
        return Err("it is for somebody else".to_owned());
    }
    if audience.len() > 1 && party.is_none() {
        return Err("it is for several, and does not say who asked".to_owned());
    }
    if second("exp").is_none_or(|end| end + LEEWAY <= now) {
        return Err("it has expired".to_owned());
    }
    if second("iat").is_none_or(|begin| begin - LEEWAY > now) || second("nbf").is_some_and(|begin| begin - LEEWAY > now)
    {
        return Err("it is from the future; look at the clocks".to_owned());
    }
    if !text("nonce").is_some_and(|nonce| bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes()))) {
        return Err("it does not answer this sign-in".to_owned());
    }
    match text("sub") {
        Some(subject) if !subject.is_empty() && subject.len() <= 255 => Ok(()),
        _ => Err("it names nobody".to_owned()),
    }
}

fn decode<T: serde::de::DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

#[derive(Clone, Copy)]
enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    fn of(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }

    /// Whether a key is of this kind, for signatures, and the one that the token names.
    fn fits(self, key: &Value, id: Option<&str>) -> bool {
        let said = |name: &str| key.get(name).and_then(Value::as_str);
        let (kind, name) = match self {
            Self::Rs256 => (said("kty") == Some("RSA"), "RS256"),
            Self::Es256 => (said("kty") == Some("EC") && said("crv") == Some("P-256"), "ES256"),
        };
        kind && said("use").is_none_or(|purpose| purpose == "sig")
            && said("alg").is_none_or(|algorithm| algorithm == name)
            && id.is_none_or(|id| said("kid").is_none_or(|kid| kid == id))
    }

    fn verify(self, key: &Value, message: &[u8], signature: &[u8]) -> Option<()> {
        let part = |name: &str| URL_SAFE_NO_PAD.decode(key.get(name)?.as_str()?).ok();
        match self {
            Self::Rs256 => {
                let key = RsaPublicKeyComponents { n: part("n")?, e: part("e")? };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).ok()
            }
            Self::Es256 => {
                let (x, y) = (part("x")?, part("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                let point = [&[4], x.as_slice(), y.as_slice()].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).ok()
            }
        }
    }
}

/// How far the clocks of two machines may be apart, in seconds.
const LEEWAY: f64 = 60.0;
/// So many keys are tried for one token.
const MOST_KEYS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    struct Signer(EcdsaKeyPair);

    impl Signer {
        fn new() -> Self {
            let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &SystemRandom::new());
            Self(pair.unwrap())
        }

        fn public(&self) -> Value {
            let point = self.0.public_key().as_ref();
            let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
            json!({ "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": x, "y": y })
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let message = format!("{}.{}", part(header), part(claims));
            let signature = self.0.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }
    }

    const EXPECTED: Expected<'_> =
        Expected { issuer: "https://login.example", client_id: "countersign", nonce: "n-1", now: 1_000_000 };

    fn claims() -> Value {
        json!({ "iss": "https://login.example", "aud": "countersign", "sub": "ann", "nonce": "n-1", "iat": 999_990, "exp": 1_000_300 })
    }

    fn why(token: &str, keys: &KeySet) -> String {
        read(token, keys, &EXPECTED).err().unwrap_or_else(|| panic!("{token} was believed"))
    }

    // SERVE-1: a token that is right but for one thing is not believed.
    #[test]
    fn every_claim_is_checked() {
        let signer = Signer::new();
        let keys = KeySet { keys: vec![signer.public()] };
        let header = json!({ "alg": "ES256", "kid": "k1" });
        let good = signer.sign(&header, &claims());
        assert_eq!(read(&good, &keys, &EXPECTED).unwrap()["sub"], "ann");
        for (name, value, reason) in [
            ("iss", json!("https://other.example"), "it is from `https://other.example`"),
            ("iss", Value::Null, "it is from ``"),
            ("aud", json!("other"), "somebody else"),
            ("aud", json!(["countersign", "other"]), "for several"),
            ("azp", json!("other"), "somebody else"),
            ("exp", json!(999_900), "expired"),
            ("exp", Value::Null, "expired"),
            ("exp", json!("1000300"), "expired"),
            ("iat", json!(1_000_100), "future"),
            ("nbf", json!(1_000_100), "future"),
            ("nonce", json!("n-2"), "this sign-in"),
            ("nonce", Value::Null, "this sign-in"),
            ("sub", json!(""), "names nobody"),
        ] {
            let mut changed = claims();
            changed[name] = value;
            let refused = why(&signer.sign(&header, &changed), &keys);
            assert!(refused.contains(reason), "{name}: {refused}");
        }
        let mut several = claims();
        several["aud"] = json!(["other", "countersign"]);
        several["azp"] = json!("countersign");
        assert!(read(&signer.sign(&header, &several), &keys, &EXPECTED).is_ok());
    }

    // SERVE-1: a token cannot choose how it is checked.
    #[test]
    fn only_a_key_of_the_provider_signs() {
        let (signer, other) = (Signer::new(), Signer::new());
        let keys = KeySet { keys: vec![signer.public()] };
        for header in
            [json!({ "alg": "none" }), json!({ "alg": "HS256" }), json!({ "alg": "es256" }), json!({ "alg": "RS512" })]
        {
            assert!(why(&signer.sign(&header, &claims()), &keys).contains("is not taken"), "{header}");
        }
        let header = json!({ "alg": "ES256", "kid": "k1" });
        let none = signer.sign(&json!({ "alg": "none" }), &claims());
        let unsigned = format!("{}.", none.rsplit_once('.').unwrap().0);
        for token in [other.sign(&header, &claims()), signer.sign(&json!({ "alg": "RS256" }), &claims())] {
            assert!(why(&token, &keys).contains("no key of the provider"), "{token}");
        }
        let good = signer.sign(&header, &claims());
        let (head, signature) = good.rsplit_once('.').unwrap();
        let mut forged = claims();
        forged["sub"] = json!("root");
        let forged =
            format!("{}.{}.{signature}", head.split('.').next().unwrap(), URL_SAFE_NO_PAD.encode(forged.to_string()));
        for token in [unsigned.as_str(), &forged, &format!("{head}."), &format!("{head}.AAAA"), head, "", "..", "a.b.c"]
        {
            assert!(read(token, &keys, &EXPECTED).is_err(), "{token}");
        }
        let extended = json!({ "alg": "ES256", "kid": "k1", "crit": ["x"] });
        assert!(why(&signer.sign(&extended, &claims()), &keys).contains("not known"));
        let elsewhere = json!({ "alg": "ES256", "kid": "k2" });
        assert!(why(&signer.sign(&elsewhere, &claims()), &keys).contains("no key"));
        let mut encryption = signer.public();
        encryption["use"] = json!("enc");
        assert!(why(&good, &KeySet { keys: vec![encryption, Value::Null, json!({})] }).contains("no key"));
    }
}
