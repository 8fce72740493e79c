//! The console: the page for people, out of the binary, and the way to sign in to it.
//!
//! `files` gives what was built from `console/`, with headers under which a browser runs nothing else; `session` swaps a
//! key for a cookie and back. Both are open, because who signs in has no key yet; everything that the page then shows
//! it asks of the same routes as any client, under the same keys and scopes. Nothing here knows what the page shows.

/// The built files.
pub(super) mod files;
/// Signing in and out.
pub(super) mod session;
/// Signing in by the identity provider.
pub(super) mod oidc;

use super::state::App;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

/// The routes.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(files::index))
        .route("/console/{*file}", get(files::file))
        .route("/console/oidc", get(oidc::begin))
        .route("/console/oidc/callback", get(oidc::finish))
        .route("/console/session", get(session::look).post(session::sign_in).delete(session::sign_out))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    files::build_tables();
}
