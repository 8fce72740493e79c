//! Whose something is: the key that made it, where there are keys. An operator sees everything, a reviewer every review.

use crate::config::OwnReviews;
use crate::serve::error::ApiError;
use crate::serve::keys::{Caller, Scope};
use crate::serve::state::App;
use countersign_runtime::review::{Review, ReviewError};
use countersign_runtime::sessions::{Session, SessionError};

/// A session that the caller may use. Another's is not there.
pub(super) async fn session(app: &App, caller: &Caller, id: &str) -> Result<Session, ApiError> {
    let session = app.services.sessions.get(id).await?;
    if sees(caller, &session.caller) { Ok(session) } else { Err(SessionError::missing("session", id).into()) }
}

/// A review that the caller may see. Another's is not there.
pub(super) async fn review(app: &App, caller: &Caller, id: &str) -> Result<Review, ApiError> {
    let review = app.services.reviews.get(id).await?;
    if sees_review(caller, review.owner()) { Ok(review) } else { Err(ReviewError::Missing(id.to_owned()).into()) }
}

/// A review that the caller may decide on: not one of their own calls, unless the operator allows it.
pub(super) async fn review_to_decide(app: &App, caller: &Caller, id: &str) -> Result<Review, ApiError> {
    let review = review(app, caller, id).await?;
    let own = caller.key_id.as_deref() == Some(review.owner());
    if own && app.config.access.own_reviews == OwnReviews::Deny {
        let message = "this call was made with your own key: another key with the scope `review` decides on it, unless `access.own_reviews` is `allow`";
        return Err(ApiError::forbidden(message).with_code("own_call"));
    }
    Ok(review)
}

/// Whether a caller may see what a key has made.
pub(super) fn sees(caller: &Caller, owner: &str) -> bool {
    operates(caller) || caller.key_id.as_deref() == Some(owner)
}

/// Whether a caller may see a review of a key's call.
pub(super) fn sees_review(caller: &Caller, owner: &str) -> bool {
    caller.may(Scope::Review) || sees(caller, owner)
}

/// Whether a caller sees everything: an operator, and everybody where there are no keys.
pub(super) fn operates(caller: &Caller) -> bool {
    caller.key_id.is_none() || caller.may(Scope::Admin)
}

/// The key whose things alone a caller sees; none for who sees all.
pub(super) fn owner(caller: &Caller) -> Option<String> {
    caller.key_id.as_ref().filter(|_| !operates(caller)).map(ToString::to_string)
}

/// The name under which a caller's things are kept.
pub(super) fn name(caller: &Caller) -> String {
    caller.key_id.as_ref().map(ToString::to_string).unwrap_or_default()
}
