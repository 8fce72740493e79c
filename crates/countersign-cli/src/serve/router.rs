//! The routes: those of the engine and the service, and the tables of `native`, `proxy_routes` and `console`.

use super::console;
use super::engine_routes as engine;
use super::error::ApiError;
use super::hook_routes;
use super::mcp_routes;
use super::middleware::handle;
use super::native;
use super::openapi;
use super::proxy_routes;
use super::service_routes as service;
use super::state::App;
use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use std::sync::Arc;

/// The whole server.
pub(super) fn router(app: Arc<App>) -> Router {
    routes()
        .fallback(proxy_routes::elsewhere)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&app), handle))
        .with_state(app)
}

fn routes() -> Router<Arc<App>> {
    Router::new()
        // The engine.
        .route("/v1/check", post(engine::check))
        .route("/v1/verify", post(engine::verify))
        .route("/v1/score", post(engine::score))
        .route("/v1/claims", post(engine::claims))
        .route("/v1/parse", post(engine::parse))
        .route("/v1/step", post(engine::step))
        // The hooks of coding agents.
        .route("/hooks/claude-code", post(hook_routes::claude_code))
        // A client's own dialect, guarded.
        .merge(proxy_routes::routes())
        // MCP servers behind one address.
        .merge(mcp_routes::routes())
        // Sessions, streams, the brake, reviews: see `native`.
        .merge(native::routes())
        // The service.
        .route("/livez", get(service::livez))
        .route("/readyz", get(service::readyz))
        .route("/health", get(service::health))
        .route("/metrics", get(service::metrics))
        .route("/openapi.json", get(openapi::document))
        // The page for people.
        .merge(console::routes())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::method_not_allowed(format!("{} does not take {method}; see the header `allow`", uri.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The paths that a router holds: the framework shows them to nobody but a debugger.
    fn mounted(router: &Router<Arc<App>>) -> BTreeSet<String> {
        let shown = format!("{router:?}");
        let quoted = shown.split('"').skip(1).step_by(2);
        // OpenAPI has no word for the rest of a path.
        quoted
            .filter(|word| word.starts_with('/') && !word.contains("__private"))
            .map(|path| path.replace("{*", "{"))
            .collect()
    }

    // SERVE-4, LANG-4: every route is described, and nothing is described that is not there.
    #[test]
    fn every_mounted_route_is_described() {
        let described: BTreeSet<String> =
            openapi::description()["paths"].as_object().unwrap().keys().cloned().collect();
        let mounted = mounted(&routes());
        assert!(mounted.contains("/v1/check") && mounted.len() > 10, "{mounted:?}");
        assert_eq!(mounted, described);
    }
}
