//! Everything that sessions work with, opened once.

use crate::config::{Config, JudgeConfig};
use crate::engine::factcheck::open_library;
use crate::failure::Failure;
use crate::serve::policy_reload::{Engines, PolicyReload};
use crate::serve::seal::seal_key;
use crate::serve::stores::Stores;
use crate::serve::tool_setup::ToolSetup;
use countersign::contract::Status;
use countersign::policy::JudgePolicy;
use countersign_runtime::alerts::{Alert, AlertKind, Alerts};
use countersign_runtime::factcheck::{CachedJudge, Checkers, FactCheck, Judge, Library, ModelJudge, Options, Sources};
use countersign_runtime::http;
use countersign_runtime::ids::new_id;
use countersign_runtime::metrics::Metrics;
use countersign_runtime::models::{DemoModel, Model, UpstreamModel, UpstreamOptions};
use countersign_runtime::review::Reviews;
use countersign_runtime::sessions::{SessionClaims, Sessions};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::{Owner, StoreError};
use countersign_runtime::stream::{Hub, HubOptions, Retention};
use countersign_runtime::turn::{
    Ending, FactSource, RulesSource, TurnOptions, TurnParts, TurnServices, TurnWatcher, Turns,
};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Everything that sessions work with.
pub(crate) struct SessionServices {
    /// The sessions.
    pub sessions: Sessions,
    /// Their log.
    pub hub: Arc<Hub>,
    /// Their claims.
    pub claims: Arc<SessionClaims>,
    /// Their turns.
    pub turns: Arc<Turns>,
    /// What waits for people.
    pub reviews: Reviews,
    /// The brake.
    pub stop: Arc<StopSwitch>,
    /// For requests to other nodes.
    pub client: reqwest::Client,
    /// Room for uploads, which are held in memory, in bytes.
    pub uploads: Semaphore,
    /// The tools of agents.
    pub tool_setup: ToolSetup,
    facts: FactSource,
    watches: Mutex<JoinSet<()>>,
}

impl SessionServices {
    /// Opens them: what the previous process left open is ended, and flags are known, before a request is taken.
    pub(crate) async fn open(
        config: &Config,
        listening: SocketAddr,
        stores: &Stores,
        policy: Arc<PolicyReload>,
        metrics: Arc<Metrics>,
        alerts: Alerts,
    ) -> Result<Self, Failure> {
        let client = client()?;
        let hub = Hub::new(
            Arc::clone(&stores.log),
            stores.hints.clone(),
            hub_options(config, stores, listening, Arc::clone(&metrics))?,
        );
        let sessions = Sessions::new(Arc::clone(&stores.records), Arc::clone(&hub));
        let claims = Arc::new(SessionClaims::new(sessions.clone()));
        let reviews = open_reviews(config, stores, Arc::clone(&policy));
        let stop = StopSwitch::new(Arc::clone(&stores.flags), stores.shared_flags.clone(), stores.hints.clone());
        stop.sync().await;
        let library = open_library(config.knowledge_base.as_deref())?;
        let tool_setup = ToolSetup::open(config, &client, sessions.clone(), library.clone())?;
        let facts = fact_source(Arc::clone(&policy), library, config);
        let services = TurnServices {
            agents: Arc::new(config.agents.clone()),
            sources: tool_setup.sources.clone(),
            search: tool_setup.search.clone(),
            facts: config.factcheck.automatic.then(|| Arc::clone(&facts)),
            seal_key: seal_key(&config.data_dir)?,
        };
        let rules: RulesSource = Arc::new(move || Arc::clone(&policy.current().rules));
        let turns = Turns::new(TurnParts {
            sessions: sessions.clone(),
            claims: Arc::clone(&claims),
            model: model(config, &client),
            rules,
            reviews: reviews.clone(),
            stop: Arc::clone(&stop),
            watcher: Arc::new(Watcher { metrics, alerts }),
            options: TurnOptions {
                tool_patience: config.sessions.tool_patience,
                evidence_age: config.sessions.evidence_age,
            },
            services,
        });
        match hub.sweep_at_start().await {
            Ok(0) => {}
            Ok(swept) => tracing::warn!(turns = swept, "turns of the process before were ended as lost"),
            // On a full disk what can be read must be readable; the watch ends these turns as soon as there is room.
            Err(error) => tracing::warn!(%error, "turns of the process before could not be ended yet"),
        }
        let services = Self {
            sessions,
            hub,
            claims,
            turns,
            reviews,
            stop,
            client,
            uploads: Semaphore::new(
                UPLOADS.max(usize::try_from(config.limits.file_size).unwrap_or(0).saturating_mul(2)).min(MOST),
            ),
            tool_setup,
            facts,
            watches: Mutex::default(),
        };
        services.watch(Retention { age: config.sessions.retention_age, bytes: config.sessions.retention_size });
        Ok(services)
    }

    /// What is looked after beside the requests, as long as the services run.
    fn watch(&self, retention: Retention) {
        let mut watches = self.watches.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        watches.spawn(Arc::clone(&self.hub).watch());
        watches.spawn(Arc::clone(&self.stop).watch());
        watches.spawn(self.reviews.clone().watch());
        for service in &self.tool_setup.fetched {
            watches.spawn(Arc::clone(service).follow());
        }
        let hub = Arc::clone(&self.hub);
        watches.spawn(async move {
            loop {
                match hub.retain(retention).await {
                    Ok(0) => {}
                    Ok(gone) => tracing::info!(events = gone, "old events were removed"),
                    Err(error) => tracing::warn!(%error, "old events could not be removed"),
                }
                tokio::time::sleep(TRIM).await;
            }
        });
    }

    /// A fact check with the sources of the moment.
    pub(crate) fn fact_check(&self) -> Arc<FactCheck> {
        (self.facts)()
    }

    /// The other node that has a turn open in a session, if one has.
    pub(crate) async fn other_owner(&self, session: &str) -> Result<Option<Owner>, StoreError> {
        if self.hub.options.alone {
            return Ok(None);
        }
        let open = self.hub.log().open_runs().await?;
        let owner = open.into_iter().find(|run| run.run.as_ref() == session).map(|run| run.owner);
        Ok(owner.filter(|owner| owner.node != self.hub.options.owner.node))
    }
}

/// The queue for people. How long an item waits is the policy's to say, tool by tool.
fn open_reviews(config: &Config, stores: &Stores, policy: Arc<PolicyReload>) -> Reviews {
    Reviews::new(Arc::clone(&stores.records), stores.hints.clone(), config.sessions.review_expiry)
        .with_expiry_of_tool(move |tool| policy.current().policy().review_expires(tool))
}

/// The tools of a configuration, for commands that only look: nothing is kept, and nothing outside is opened but the
/// tools.
pub(crate) fn open_tools(config: &Config) -> Result<ToolSetup, Failure> {
    let stores = Stores::in_memory();
    let options = hub_options(config, &stores, config.listen, Arc::default())?;
    let hub = Hub::new(Arc::clone(&stores.log), None, options);
    let library = open_library(config.knowledge_base.as_deref())?;
    ToolSetup::open(config, &client()?, Sessions::new(stores.records, hub), library)
}

/// Who looks claims up, by the policy of the moment.
fn fact_source(policy: Arc<PolicyReload>, library: Option<Arc<dyn Library>>, config: &Config) -> FactSource {
    let judge = config.factcheck.judge.as_ref().map(open_judge);
    // The policy may change; its judge keeps what it knows until then.
    let by_policy: Mutex<Option<(JudgePolicy, OpenJudge)>> = Mutex::default();
    Arc::new(move || {
        let engines = policy.current();
        let judge = judge.clone().or_else(|| {
            let named = engines.policy().judge.as_ref()?;
            let mut known = by_policy.lock().unwrap_or_else(PoisonError::into_inner);
            let open = known.take().filter(|(same, _)| same == named).map(|(_, open)| open);
            let open = open.unwrap_or_else(|| open_judge(&JudgeConfig::of_policy(named)));
            *known = Some((named.clone(), open.clone()));
            Some(open)
        });
        fact_check(&engines, library.clone(), judge)
    })
}

/// A judge, and how long it may take.
type OpenJudge = (Arc<dyn Judge>, Duration);

/// The model that is asked last, and how long it may take.
fn open_judge(judge: &JudgeConfig) -> OpenJudge {
    let key = judge.key.as_ref().map(|key| key.expose().to_owned());
    // The node gives up first and says so; the connection ends right after it.
    let model = ModelJudge::new(&judge.url, &judge.model, key, judge.timeout + Duration::from_millis(500));
    (Arc::new(CachedJudge::new(Arc::new(model))), judge.timeout)
}

fn fact_check(engines: &Engines, library: Option<Arc<dyn Library>>, judge: Option<OpenJudge>) -> Arc<FactCheck> {
    let asker = engines.rules.asker.clone();
    let checkers = asker.map(|asker| Arc::new(Checkers::new(asker, Arc::clone(engines.policy()))));
    let mut options = Options { score: engines.policy().score.clone(), ..Options::default() };
    if let Some((_, deadline)) = &judge {
        options.judge_deadline = *deadline;
    }
    let judge = judge.map(|(judge, _)| judge);
    Arc::new(FactCheck::new(Sources { library, checkers, judge }, options))
}

fn hub_options(
    config: &Config,
    stores: &Stores,
    listening: SocketAddr,
    metrics: Arc<Metrics>,
) -> Result<HubOptions, Failure> {
    let node = new_id("node").map_err(|error| Failure::Internal(error.to_string()))?;
    let address = config.advertise.clone().unwrap_or_else(|| {
        if listening.ip().is_unspecified() { String::new() } else { format!("{}://{listening}", config.scheme()) }
    });
    Ok(HubOptions {
        owner: Owner { node, address },
        alone: stores.alone,
        lease: config.sessions.lease,
        heartbeat: config.sessions.heartbeat,
        poll: POLL,
        metrics,
    })
}

fn client() -> Result<reqwest::Client, Failure> {
    http::client()
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .pool_idle_timeout(IDLE)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| Failure::Internal(format!("cannot make an HTTP client: {error}")))
}

fn model(config: &Config, client: &reqwest::Client) -> Arc<dyn Model> {
    let logprobs = config.upstream.logprobs;
    let Some(base) = &config.upstream.openai else {
        return Arc::new(DemoModel::default().with_logprobs(logprobs));
    };
    let key = config.upstream.openai_api_key.as_ref().map(|key| key.expose().to_owned());
    let options = UpstreamOptions { key, model: config.upstream.model.clone(), logprobs, ..UpstreamOptions::new(base) };
    Arc::new(UpstreamModel::new(client.clone(), options))
}

/// Counts turns and verdicts, and tells people of turns that failed.
struct Watcher {
    metrics: Arc<Metrics>,
    alerts: Alerts,
}

impl TurnWatcher for Watcher {
    fn turn_ended(&self, session: &str, ending: &Ending) {
        self.metrics.turns.of([ending.name()]).add_one();
        if let Ending::Failed { code, message, .. } = ending {
            tracing::warn!(session, code, message, "a turn failed");
            let text = format!("a turn failed in session {session}: {message}");
            self.alerts.raise(Alert { kind: AlertKind::TurnFailed, subject: (*code).to_owned(), text });
        }
    }

    fn call_judged(&self, status: Status) {
        self.metrics.verdicts.of([status.name()]).add_one();
    }

    fn judging_took(&self, took: Duration) {
        self.metrics.judging.observe(took);
    }
}

/// How often the heads of runs that other nodes write are looked at.
const POLL: Duration = Duration::from_millis(200);
/// How often old events are removed.
const TRIM: Duration = Duration::from_secs(15);
/// How long a connection to an upstream or a node may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(60);
/// So many bytes of uploads are held at once.
const UPLOADS: usize = 160 * 1024 * 1024;
/// More than this cannot be counted.
const MOST: usize = Semaphore::MAX_PERMITS;
