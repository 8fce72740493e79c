//! The drop-in gateway, opened: its upstreams, its audit, and what it knows of reviewers.

use super::policy_reload::PolicyReload;
use super::stores::Stores;
use super::upstreams::Upstreams;
use super::watchers::Watchers;
use crate::config::{self, After, Config, Conversations, Hold};
use crate::failure::Failure;
use countersign::check_call::Guard;
use countersign::feedback::attempts::Then;
use countersign_runtime::gateway::call_resolution::CorrectionOptions;
use countersign_runtime::gateway::exchange::{Compressed, Gateway, GatewayOptions};
use countersign_runtime::gateway::judging::GuardSource;
use countersign_runtime::gateway::ledger::Ledger;
use countersign_runtime::gateway::people::People;
use countersign_runtime::gateway::retention::retain;
use countersign_runtime::gateway::traffic::Traffic;
use countersign_runtime::metrics::{Gauge, Metrics};
use countersign_runtime::review::Reviews;
use countersign_runtime::turn::Rules;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The gateway and what belongs to it.
pub(crate) struct GatewaySetup {
    /// The gateway.
    pub gateway: Gateway,
    /// The models behind.
    pub upstreams: Upstreams,
    /// Reviewers that are connected.
    pub reviewers: Arc<Watchers>,
    /// Exchanges that are open.
    pub open: Arc<Gauge>,
    /// Set when open exchanges must end.
    pub ending: CancellationToken,
}

impl GatewaySetup {
    /// Opens the gateway.
    pub(crate) fn open(
        config: &Config,
        stores: &Stores,
        policy: Arc<PolicyReload>,
        reviews: Reviews,
        metrics: Arc<Metrics>,
    ) -> Result<Self, Failure> {
        let (ledger, writer) = Ledger::new(Arc::clone(&stores.records), Arc::clone(&metrics), config.gateway.audit);
        tokio::spawn(writer);
        tokio::spawn(retain(Arc::clone(&stores.records), config.gateway.audit_kept));
        let reviewers = Arc::new(Watchers::new(config.access.own_reviews));
        let settings = &config.gateway;
        let people =
            People { reviews, present: present(settings.hold, Arc::clone(&reviewers)), hold: settings.review_hold };
        let corrections = CorrectionOptions {
            tries: settings.corrections,
            time: settings.correction_time,
            tokens: settings.correction_tokens,
            then: if settings.after == After::Review { Then::Escalate } else { Then::GiveUp },
        };
        let options = GatewayOptions {
            corrections,
            heartbeat: config.sessions.heartbeat,
            largest: LARGEST,
            observed: Arc::new(settings.watched.clone()),
            doubtful_answers: settings.doubtful_answers,
            compressed: match settings.compressed {
                config::Compressed::Refuse => Compressed::Refuse,
                config::Compressed::Pass => Compressed::Pass,
            },
            unknown_items: settings.unknown_items,
        };
        let traffic = open_traffic(settings.conversations, stores, &metrics);
        let guards = Arc::new(Following(policy));
        let gateway = Gateway { guards, ledger, metrics, people, traffic, options };
        Ok(Self {
            gateway,
            upstreams: Upstreams::open(config)?,
            reviewers,
            open: Arc::new(Gauge::default()),
            ending: CancellationToken::new(),
        })
    }

    /// Lets open exchanges end by themselves for a while, then ends them; the audit is written.
    pub(crate) async fn shut_down(&self, grace: Duration) {
        let quiet = async {
            while self.open.value() > 0 {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(grace, quiet).await.is_err() {
            self.ending.cancel();
            tokio::time::sleep(LOOK).await;
        }
        self.gateway.ledger.flush().await;
        self.gateway.traffic.flush().await;
    }
}

/// Where exchanges are put on record for people.
fn open_traffic(wish: Conversations, stores: &Stores, metrics: &Arc<Metrics>) -> Traffic {
    if wish == Conversations::Off {
        return Traffic::off(Arc::clone(metrics));
    }
    let (traffic, writer) = Traffic::new(Arc::clone(&stores.records), Arc::clone(metrics));
    tokio::spawn(writer);
    traffic
}

/// Whether anybody is there who may decide on a caller's calls.
fn present(hold: Hold, reviewers: Arc<Watchers>) -> Arc<dyn Fn(&str) -> bool + Send + Sync> {
    match hold {
        Hold::Always => Arc::new(|_| true),
        Hold::Never => Arc::new(|_| false),
        Hold::Connected => Arc::new(move |caller| reviewers.has_one_for(caller)),
    }
}

/// Guards and rules of the engine that is in force.
struct Following(Arc<PolicyReload>);

impl GuardSource for Following {
    fn guard(&self, tools: Option<&str>) -> Arc<Guard> {
        self.0.current().engine.guard(tools)
    }

    fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.0.current().rules)
    }
}

/// The largest whole answer of an upstream.
const LARGEST: usize = 64 * 1024 * 1024;
/// How often it is looked whether all have ended.
const LOOK: Duration = Duration::from_millis(50);
