//! What every route can reach.

use super::error::ApiError;
use super::gateway_setup::GatewaySetup;
use super::health::{Health, Queues};
use super::keys::KeyRing;
use super::limits::Limits;
use super::mcp_setup::McpGuards;
use super::oidc::Oidc;
use super::policy_reload::PolicyReload;
use super::record_facts::RecordFacts;
use super::request_id::RequestIds;
use super::sealed::Sealer;
use super::session_services::SessionServices;
use super::shutdown::Shutdown;
use super::stores::Stores;
use super::tallies::Tallies;
use super::tls::Tls;
use crate::config::Config;
use countersign_runtime::alerts::Alerts;
use countersign_runtime::metrics::Metrics;
use countersign_runtime::review_alerts::LinkKey;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The server.
pub(crate) struct App {
    /// How it was configured.
    pub config: Config,
    /// What outlives it.
    pub stores: Stores,
    /// The engine in force.
    pub policy: Arc<PolicyReload>,
    /// Everything that sessions work with.
    pub services: SessionServices,
    /// The drop-in gateway.
    pub gateway_setup: GatewaySetup,
    /// MCP servers behind one address.
    pub mcp_guards: McpGuards,
    /// Who may ask.
    pub keys: KeyRing,
    /// How often.
    pub limits: Limits,
    /// How each layer is.
    pub health: Health,
    /// The queues that `/health` shows.
    pub queues: Queues,
    /// Whether requests are traced.
    pub traced: bool,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Whom to tell when something is wrong.
    pub alerts: Alerts,
    /// What links to reviews are signed with, where there are links.
    pub link_key: Option<LinkKey>,
    /// How it ends.
    pub shutdown: Shutdown,
    /// Whether it has started.
    pub ready: AtomicBool,
    /// Names for requests.
    pub request_ids: RequestIds,
    /// Room for work that would hold up other requests.
    pub heavy: Heavy,
    /// What happened in sessions, counted once.
    pub tallies: Tallies,
    /// What the audit's records say, read once.
    pub record_facts: RecordFacts,
    /// The certificate; without one it speaks plain HTTP.
    pub tls: Option<Tls>,
    /// Seals what browsers keep.
    pub sealer: Sealer,
    /// Who vouches for people.
    pub oidc: Option<Oidc>,
}

/// Work that would hold up other requests: on threads of its own, and not too much at once.
pub(crate) struct Heavy {
    room: Arc<Semaphore>,
    at_once: usize,
}

impl Heavy {
    /// Room for so many at once.
    pub(crate) fn new(at_once: usize) -> Self {
        Self { room: Arc::new(Semaphore::new(at_once)), at_once }
    }

    /// How many work, and how many may.
    pub(crate) fn fill(&self) -> (usize, usize) {
        (self.at_once.saturating_sub(self.room.available_permits()), self.at_once)
    }

    /// Does the work, once there is room; who waits too long is told to come back.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let wait = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.room).acquire_owned());
        let Ok(Ok(permit)) = wait.await else {
            let message = "too much is being worked on; try again in a moment";
            return Err(ApiError::unavailable(message, Duration::from_secs(1)));
        };
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await.map_err(|error| ApiError::internal(format!("work on a thread of its own failed: {error}")))
    }
}

const LONGEST_WAIT: Duration = Duration::from_secs(20);
