//! The routes of hosted sessions: turns, streams, the brake, notes, materials, files, claims and reviews.
//!
//! Routes read a request into types, ask the runtime, and write what it says. Whose a session is, is asked in one place,
//! `access`, by every route that names one.

/// Whose a session is.
mod access;
/// Server-sent events as an answer.
mod sse;
/// Rows that could not be read.
mod unreadable;
/// What another node must do.
mod forward;
/// Sessions.
mod sessions;
/// Turns, and the results that clients bring.
mod messages;
/// Resume, replay, follow.
mod events;
/// The fact layer.
mod facts;
/// Notes and materials.
mod things;
/// Files.
mod files;
/// The brake.
mod stop;
/// Where the arguments of a call come from.
mod review_evidence;
/// One item as a person decides on it.
mod review_detail;
/// People.
mod reviews;
/// A page for one decision, behind a link.
mod review_page;
/// What somebody sees who follows a link.
mod review_link;
/// One call, explained.
mod explain;
/// Moments in a query.
mod moment;
/// Which verdicts somebody looks for.
mod wanted;
/// The audit, read page by page.
mod audited;
/// How a call stands now.
mod standing;
/// The audit.
mod verdicts;
/// What the gateway carried, as conversations.
mod conversations;
/// A file of recorded traces, judged.
mod trace_file;
/// The policy in force.
mod policy;
/// A candidate policy over stored calls.
mod replay;
/// Calls and results, counted.
mod counted;
/// What became of what people were asked about.
mod outcomes;
/// How long things took.
mod latencies;
/// What the models have cost.
mod spent;
/// What happened in a span of time.
mod stats;
/// A session, taken out.
mod export;
/// A session, taken in.
mod import;

pub(crate) use stats::read_audit;

use super::state::App;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// The routes.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/sessions", post(sessions::create).get(sessions::list))
        .route("/v1/sessions/import", post(import::import))
        .route("/v1/sessions/{id}", get(sessions::look).delete(sessions::remove))
        .route("/v1/sessions/{id}/messages", post(messages::say))
        .route("/v1/sessions/{id}/tool_results", post(messages::bring))
        .route("/v1/sessions/{id}/events", get(events::read))
        .route("/v1/sessions/{id}/relay", post(facts::relay))
        .route("/v1/sessions/{id}/factcheck", post(facts::check))
        .route("/v1/sessions/{id}/claims/{claim}", get(facts::trace))
        .route("/v1/sessions/{id}/notes", get(things::notes).post(things::add_note))
        .route("/v1/sessions/{id}/notes/{thing}", get(things::note).delete(things::remove_note))
        .route("/v1/sessions/{id}/materials", get(things::materials).post(things::add_material))
        .route("/v1/sessions/{id}/materials/{thing}", get(things::material).delete(things::remove_material))
        .route("/v1/sessions/{id}/files", get(files::list).post(files::upload))
        .route("/v1/sessions/{id}/files/{file}", get(files::download).delete(files::remove))
        .route("/v1/sessions/{id}/stop", get(stop::of_session).post(stop::stop_session).delete(stop::clear_session))
        .route("/v1/sessions/{id}/export", get(export::export))
        .route("/v1/stop", get(stop::state).post(stop::stop).delete(stop::clear))
        .route("/v1/reviews", get(reviews::list))
        .route("/v1/reviews/events", get(reviews::events))
        .route("/v1/reviews/{id}", get(reviews::look))
        .route("/v1/reviews/{id}/reserve", post(reviews::reserve).delete(reviews::give_back))
        .route("/v1/reviews/{id}/decision", post(reviews::decide))
        .route("/review/{link}", get(review_link::look).post(review_link::decide))
        .route("/v1/explain", post(explain::explain))
        .route("/v1/verdicts", get(verdicts::list))
        .route("/v1/verdicts/{id}", get(verdicts::look))
        .route("/v1/audit", post(trace_file::audit))
        .route("/v1/conversations", get(conversations::list))
        .route("/v1/conversations/{id}", get(conversations::look))
        .route("/v1/policy", get(policy::look).post(policy::apply))
        .route("/v1/policy/check", post(policy::check))
        .route("/v1/policy/versions", get(policy::versions))
        .route("/v1/policy/versions/{id}", get(policy::version))
        .route("/v1/policy/replay", post(replay::replay))
        .route("/v1/stats", get(stats::stats))
}
