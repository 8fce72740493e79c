//! Links that decide, and who is told of what waits.
//!
//! A link acts as the reviewer that it was sent to, with the rights of the key that the configuration names for them, and
//! never with more: without the scope `review`, or on calls of that same key, it opens nothing. A key that is revoked takes
//! its links with it.

use super::keys::{Caller, Scope};
use super::state::App;
use crate::config::{Links, OwnReviews, Reviewer};
use countersign_runtime::redact::Redactor;
use countersign_runtime::review::Review;
use countersign_runtime::review_alerts::{LinkSource, Teller, TellerOptions};
use std::sync::Arc;

/// Why a link of a reviewer opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRights {
    /// Nobody of this name is told of reviews any more.
    Unknown,
    /// The server has keys, and they have none, or one that is gone or may not review.
    NoKey,
    /// The call was made with the same key.
    OwnCall,
}

/// Whose rights a link has that was sent to a reviewer.
pub(super) fn rights(app: &App, name: &str, review: &Review) -> Result<Caller, NoRights> {
    let reviewer = app.config.reviewers.iter().find(|reviewer| reviewer.channel.name == name);
    let reviewer = reviewer.filter(|reviewer| reviewer.links == Links::Sent).ok_or(NoRights::Unknown)?;
    if !app.keys.is_locked() {
        return Ok(Caller::anyone());
    }
    let named = reviewer.key.as_deref().and_then(|key| app.keys.find_named(key));
    let caller = named.filter(|caller| caller.may(Scope::Review)).ok_or(NoRights::NoKey)?;
    let own = caller.key_id.as_deref() == Some(review.owner());
    if own && app.config.access.own_reviews == OwnReviews::Deny { Err(NoRights::OwnCall) } else { Ok(caller) }
}

/// Begins to tell everybody who is to be told, until the server ends.
pub(super) fn tell_reviewers(app: &Arc<App>, redactor: &Redactor) {
    warn_of_missing_links(app);
    for Reviewer { channel, .. } in app.config.reviewers.iter().cloned() {
        let teller = Teller {
            channel,
            reviews: app.services.reviews.clone(),
            records: Arc::clone(&app.stores.records),
            links: link_source(app),
            redactor: redactor.clone(),
            options: TellerOptions::default(),
        };
        let end = app.shutdown.begun().clone();
        tokio::spawn(async move {
            tokio::select! {
                () = end.cancelled() => {}
                () = teller.run() => {}
            }
        });
    }
}

fn link_source(app: &Arc<App>) -> LinkSource {
    let app = Arc::downgrade(app);
    Arc::new(move |name, review| {
        let app = app.upgrade()?;
        let (key, base) = (app.link_key.as_ref()?, app.config.public_url.as_deref()?);
        rights(&app, name, review).ok()?;
        Some(format!("{base}{PATH}{}", key.sign(name, review)))
    })
}

/// Says at the start why somebody will get no links.
fn warn_of_missing_links(app: &App) {
    if app.config.public_url.is_none() {
        return;
    }
    for reviewer in app.config.reviewers.iter().filter(|reviewer| reviewer.links == Links::Sent) {
        let named = reviewer.key.as_deref().and_then(|key| app.keys.find_named(key));
        if app.keys.is_locked() && !named.is_some_and(|caller| caller.may(Scope::Review)) {
            let name = reviewer.channel.name.as_str();
            tracing::warn!(
                reviewer = name,
                "messages hold no links: name a key with the scope `review` as reviewers.{name}.key"
            );
        }
    }
}

/// What the path of a link begins with.
pub(super) const PATH: &str = "/review/";
