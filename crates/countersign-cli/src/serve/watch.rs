//! What is looked after beside the requests: the policy's file and the keys, every moment.

use super::health::{Disk, Probe, Redis, Settings, Store, Tools, UpstreamProbe};
use super::policy_reload::Reloaded;
use super::policy_versions;
use super::state::App;
use super::tls::{Looked, Tls};
use countersign_runtime::alerts::{Alert, AlertKind};
use std::sync::Arc;
use std::time::Duration;

/// Follows the policy's file, and reads it again on SIGHUP.
pub(super) async fn follow_policy(app: Arc<App>) {
    let mut hang_up = HangUp::new();
    loop {
        let asked = tokio::select! {
            () = app.shutdown.begun().cancelled() => return,
            () = tokio::time::sleep(MOMENT) => false,
            () = hang_up.next() => true,
        };
        keep_newest(&app).await;
        let this = Arc::clone(&app);
        let look = move || if asked { this.policy.reload() } else { this.policy.follow() };
        match tokio::task::spawn_blocking(look).await {
            Ok(Reloaded::Changed { version }) => tracing::info!(version, "the policy was read again"),
            Ok(Reloaded::Refused(reason)) => report_refusal(&app, &reason),
            Ok(Reloaded::Same) | Err(_) => {}
        }
    }
}

/// Where no file manages the policy, the newest version of the store is in force: another node may have applied it.
async fn keep_newest(app: &Arc<App>) {
    if app.policy.is_in_file() {
        return;
    }
    let Ok(newest) = policy_versions::newest(app.stores.records.as_ref()).await else { return };
    let this = Arc::clone(app);
    match tokio::task::spawn_blocking(move || this.policy.keep(newest)).await {
        Ok(Reloaded::Changed { version }) => tracing::info!(version, "a policy was applied"),
        Ok(Reloaded::Refused(reason)) => {
            tracing::error!("a policy that was applied elsewhere cannot be used: {reason}")
        }
        Ok(Reloaded::Same) | Err(_) => {}
    }
}

fn report_refusal(app: &App, reason: &str) {
    tracing::error!("the policy cannot be used, the old one stays in force: {reason}");
    app.alerts.raise(Alert {
        kind: AlertKind::PolicyRefused,
        subject: "policy".to_owned(),
        text: format!("the policy cannot be used, the old one stays in force: {reason}"),
    });
}

/// Follows the files of the certificate, and looks at them at once on SIGHUP. Files that are unchanged are not read again: who
/// holds a connection keeps it either way.
pub(super) async fn follow_certificate(app: Arc<App>) {
    if let Some(trouble) = app.tls.as_ref().and_then(Tls::trouble) {
        tracing::warn!("{trouble}");
    }
    let mut hang_up = HangUp::new();
    while app.tls.is_some() {
        tokio::select! {
            () = app.shutdown.begun().cancelled() => return,
            () = tokio::time::sleep(MOMENT) => {}
            () = hang_up.next() => {}
        }
        let this = Arc::clone(&app);
        let looked = tokio::task::spawn_blocking(move || this.tls.as_ref().map(Tls::follow)).await;
        match looked.ok().flatten() {
            Some(Looked::Changed) => tracing::info!("the certificate was read again"),
            Some(Looked::Refused(reason)) => {
                tracing::error!("the certificate cannot be used, the old one stays in use: {reason}");
            }
            Some(Looked::Same) | None => {}
        }
    }
}

/// Reads the keys again.
pub(super) async fn follow_keys(app: Arc<App>) {
    loop {
        tokio::select! {
            () = app.shutdown.begun().cancelled() => return,
            () = tokio::time::sleep(MOMENT) => {}
        }
        if let Err(reason) = app.keys.refresh().await {
            app.metrics.store_errors.of(["keys"]).add_one();
            app.alerts.raise(Alert {
                kind: AlertKind::StoreAway,
                subject: "keys".to_owned(),
                text: format!("the keys cannot be read, known keys keep working for a while: {reason}"),
            });
        }
    }
}

/// Looks at every layer, again and again.
pub(super) fn look_after_health(app: &Arc<App>) {
    let alerts = app.alerts.clone();
    app.queues.show("alerts", move || alerts.backlog());
    let this = Arc::downgrade(app);
    app.queues.show("heavy_work", move || this.upgrade().map_or((0, 0), |app| app.heavy.fill()));
    let (this, that, other) = (Arc::downgrade(app), Arc::downgrade(app), Arc::downgrade(app));
    let policy = move || this.upgrade()?.policy.trouble().map(|reason| format!("the old policy is in force: {reason}"));
    let keys = move || that.upgrade()?.keys.trouble().map(|reason| format!("the keys cannot be read: {reason}"));
    let certificate = move || other.upgrade()?.tls.as_ref()?.trouble();
    let upstreams = [&app.config.upstream.openai, &app.config.upstream.anthropic];
    let mut probes: Vec<Arc<dyn Probe>> = vec![
        Arc::new(Disk::new(&app.config.data_dir)),
        Arc::new(Store {
            log: Arc::clone(&app.stores.log),
            records: Arc::clone(&app.stores.records),
            embedded: app.stores.embedded.clone(),
            metrics: Arc::clone(&app.metrics),
        }),
        Arc::new(app.queues.clone()),
        Arc::new(UpstreamProbe::new(upstreams.into_iter().flatten().cloned())),
        Arc::new(Settings::new(vec![Arc::new(policy), Arc::new(keys), Arc::new(certificate)])),
    ];
    if let Some(redis) = &app.stores.redis {
        probes.push(Arc::new(Redis(Arc::clone(redis))));
    }
    if app.services.tool_setup.can_be_away() {
        probes.push(Arc::new(Tools::new(app.services.tool_setup.clone())));
    }
    for probe in probes {
        app.health.watch(probe, app.shutdown.begun().clone());
    }
}

#[cfg(unix)]
struct HangUp(Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl HangUp {
    fn new() -> Self {
        Self(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok())
    }

    async fn next(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
struct HangUp;

#[cfg(not(unix))]
impl HangUp {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        std::future::pending().await
    }
}

const MOMENT: Duration = Duration::from_secs(1);
