//! Whose a session is: the key that made it, where there are keys.

use crate::serve::error::ApiError;
use crate::serve::keys::{Caller, Scope};
use crate::serve::state::App;
use countersign_runtime::sessions::{Session, SessionError};

/// A session that the caller may use. Another's is not there.
pub async fn session(app: &App, caller: &Caller, id: &str) -> Result<Session, ApiError> {
    let session = app.house.sessions.get(id).await?;
    if sees(caller, &session.caller) { Ok(session) } else { Err(SessionError::missing("session", id).into()) }
}

/// Whether a caller may see what a key has made.
pub fn sees(caller: &Caller, owner: &str) -> bool {
    match &caller.key_id {
        None => true,
        Some(key) => key.as_ref() == owner || caller.scopes.contains(&Scope::Admin),
    }
}

/// The name under which a caller's things are kept.
pub fn name(caller: &Caller) -> String {
    caller.key_id.as_ref().map(ToString::to_string).unwrap_or_default()
}
