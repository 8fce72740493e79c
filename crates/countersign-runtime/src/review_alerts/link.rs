//! Links that decide: signed, bound to one item as it was told, to whom it was told, and to its end.
//!
//! A link says which item it is for and for which channel it was made; its signature also covers the digest of the
//! arguments and the version of the policy, so that a link never opens another call than the one that was told. It is no
//! secret of its own: whoever has it may decide as the channel's reviewer, once, until the item expires.

use crate::review::Review;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key that links are signed with. It has no `Debug`.
#[derive(Clone)]
pub struct LinkKey(Hmac<Sha256>);

/// A link that was signed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The item.
    pub review_id: String,
    /// The channel that it was made for.
    pub channel: String,
    signature: String,
}

/// Why a link opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadLink {
    /// It is not one of ours, or was changed on its way.
    Wrong,
    /// The form was open too long, or belongs to another link.
    StaleForm,
}

impl LinkKey {
    /// A key of these bytes; none where they are too few to keep anybody from guessing.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let long_enough = bytes.len() >= SHORTEST_KEY;
        Hmac::<Sha256>::new_from_slice(bytes).ok().filter(|_| long_enough).map(Self)
    }

    /// The last part of a link's address.
    pub fn sign(&self, channel: &str, review: &Review) -> String {
        let signature = self.code(&link_words(channel, review));
        format!("{}.{channel}.{signature}", review.review_id)
    }

    /// Whether a link was made here for this item as it is.
    pub fn check(&self, link: &Link, review: &Review) -> Result<(), BadLink> {
        let words = link_words(&link.channel, review);
        if link.review_id == review.review_id && self.is_code(&words, &link.signature) {
            Ok(())
        } else {
            Err(BadLink::Wrong)
        }
    }

    /// The token of a form that was shown for a link at a time (milliseconds since 1970).
    pub fn form_token(&self, link: &Link, now: i64) -> String {
        format!("{now}.{}", self.code(&form_words(link, now)))
    }

    /// Whether a form was shown for this link, and not too long ago.
    pub fn check_form(&self, link: &Link, token: &str, now: i64) -> Result<(), BadLink> {
        let (shown, code) = token.split_once('.').ok_or(BadLink::StaleForm)?;
        let shown: i64 = shown.parse().map_err(|_| BadLink::StaleForm)?;
        let is_fresh = (0..=FORM_AGE).contains(&now.saturating_sub(shown));
        if is_fresh && self.is_code(&form_words(link, shown), code) { Ok(()) } else { Err(BadLink::StaleForm) }
    }

    fn code(&self, words: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.mac(words).finalize().into_bytes())
    }

    /// Compared in a time that tells nothing.
    fn is_code(&self, words: &str, code: &str) -> bool {
        URL_SAFE_NO_PAD.decode(code).is_ok_and(|code| self.mac(words).verify_slice(&code).is_ok())
    }

    fn mac(&self, words: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(words.as_bytes());
        mac
    }
}

impl Link {
    /// Reads the last part of a link's address. Who made it is not known yet.
    pub fn read(text: &str) -> Result<Self, BadLink> {
        let mut parts = text.split('.');
        let (Some(review_id), Some(channel), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(BadLink::Wrong);
        };
        let plain = |text: &str| {
            !text.is_empty()
                && text.len() <= LONGEST
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        if [review_id, channel, signature].into_iter().all(plain) {
            let [review_id, channel, signature] = [review_id, channel, signature].map(str::to_owned);
            Ok(Self { review_id, channel, signature })
        } else {
            Err(BadLink::Wrong)
        }
    }
}

/// What a link is bound to. The parts hold no line ends, so that no two items give the same words.
fn link_words(channel: &str, review: &Review) -> String {
    let Review { review_id, arguments_digest, policy_version, expires_at_ms, .. } = review;
    format!("link 1\n{review_id}\n{channel}\n{arguments_digest}\n{policy_version}\n{expires_at_ms}")
}

fn form_words(link: &Link, shown: i64) -> String {
    format!("form 1\n{}\n{}\n{}\n{shown}", link.review_id, link.channel, link.signature)
}

/// How long a form may be open, in milliseconds.
const FORM_AGE: i64 = 30 * 60 * 1000;
/// A key has at least so many bytes.
pub const SHORTEST_KEY: usize = 32;
/// No part of a link is longer.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn review(id: &str, digest: &str) -> Review {
        serde_json::from_value(json!({
            "review_id": id, "state": "pending", "session_id": null, "caller": "", "tool": "pay", "call": {}, "patch": [],
            "findings": [], "signals": {}, "context": {}, "created_at": "", "expires_at": "", "expires_at_ms": 5,
            "policy_version": "p", "arguments_digest": digest,
        }))
        .unwrap()
    }

    fn changed(review: &Review, change: impl FnOnce(&mut Review)) -> Review {
        let mut changed = review.clone();
        change(&mut changed);
        changed
    }

    fn key(byte: u8) -> LinkKey {
        LinkKey::new(&[byte; 32]).unwrap()
    }

    // REVIEW-1: a link is bound to its item, its arguments, its end and its channel.
    #[test]
    fn a_link_opens_what_it_was_made_for_and_nothing_else() {
        let (key, other) = (key(1), key(2));
        let told = review("rev_1", "aa");
        let link = Link::read(&key.sign("ann", &told)).unwrap();
        assert_eq!(key.check(&link, &told), Ok(()));
        assert_eq!(other.check(&link, &told), Err(BadLink::Wrong));
        for another in [
            review("rev_2", "aa"),
            review("rev_1", "bb"),
            changed(&told, |review| review.expires_at_ms = 6),
            changed(&told, |review| review.policy_version = "q".to_owned()),
        ] {
            assert_eq!(key.check(&link, &another), Err(BadLink::Wrong));
        }
        assert_eq!(key.check(&Link { channel: "bob".to_owned(), ..link.clone() }, &told), Err(BadLink::Wrong));
        for wrong in ["", "a.b", "a.b.c.d", "rev_1.ann.", "rev_1.a/b.c", &"a.".repeat(100)] {
            assert_eq!(Link::read(wrong), Err(BadLink::Wrong), "{wrong}");
        }
    }

    // REVIEW-1: a form is one link's, and grows stale.
    #[test]
    fn a_form_belongs_to_its_link() {
        let key = key(1);
        let link = Link::read(&key.sign("ann", &review("rev_1", "aa"))).unwrap();
        let other = Link::read(&key.sign("bob", &review("rev_1", "aa"))).unwrap();
        let token = key.form_token(&link, 1_000);
        assert_eq!(key.check_form(&link, &token, 2_000), Ok(()));
        assert_eq!(key.check_form(&other, &token, 2_000), Err(BadLink::StaleForm));
        assert_eq!(key.check_form(&link, &token, 1_001 + FORM_AGE), Err(BadLink::StaleForm));
        assert_eq!(key.check_form(&link, &token, 999), Err(BadLink::StaleForm));
        assert_eq!(key.check_form(&link, "x", 2_000), Err(BadLink::StaleForm));
    }
}
