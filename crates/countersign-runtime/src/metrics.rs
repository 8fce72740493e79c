//! Counters for whoever watches, in the text form of Prometheus.
//!
//! A registry of our own: a few atomics and a page of text need no dependency. Label sets are bounded, because a label
//! that a caller can choose would otherwise be a way to fill the memory.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt::Write;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// Everything that is counted.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests by method, route and status.
    pub requests: Family<3, Counter>,
    /// Time to the headers of an answer, by route.
    pub latency: Family<1, Histogram>,
    /// Time to judge a call.
    pub judging: Histogram,
    /// How long calls wait for their record in the audit.
    pub audit_commits: Histogram,
    /// Streams that are open.
    pub open_streams: Arc<Gauge>,
    /// Turns by how they ended: `completed`, `failed`, `stopped`, `lost`.
    pub turns: Family<1, Counter>,
    /// Verdicts by status.
    pub verdicts: Family<1, Counter>,
    /// What was put right in histories before they went upstream, by code.
    pub history_repairs: Family<1, Counter>,
    /// Tool results in requests that looked wrong.
    pub suspicious_results: Counter,
    /// Answers that were examined, by status.
    pub answers: Family<1, Counter>,
    /// Answers that a check doubted.
    pub doubtful_answers: Counter,
    /// Reviews by the state that they reached.
    pub reviews: Family<1, Counter>,
    /// Uploads by kind of file and outcome: `kept`, `refused`, `too_large`.
    pub uploads: Family<2, Counter>,
    /// Files that a model should see, by kind of file and what became of it.
    pub analyses: Family<2, Counter>,
    /// Events written to the log.
    pub events: Counter,
    /// Requests refused because of a limit.
    pub limited: Counter,
    /// Limits that were judged locally because the shared limiter is unavailable.
    pub limiter_fallbacks: Counter,
    /// Failures of a store, by store.
    pub store_errors: Family<1, Counter>,
    /// Requests refused because of their key, by status.
    pub denied: Family<1, Counter>,
    /// Open connections.
    pub connections: Arc<Gauge>,
    /// Tokens of answers, on the drop-in routes and in sessions, by key, model and kind.
    pub tokens: Family<3, Counter>,
    /// Tokens of the answers that called a tool, by tool and kind.
    pub tool_tokens: Family<2, Counter>,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// What the model read.
    pub input: u64,
    /// What it wrote.
    pub output: u64,
    /// How much of what it read was still in its cache.
    pub cached: u64,
}

impl Tokens {
    /// By the word for each kind; what is zero is left out.
    fn kinds(self) -> impl Iterator<Item = (&'static str, u64)> {
        [("input", self.input), ("output", self.output), ("cached", self.cached)]
            .into_iter()
            .filter(|(_, count)| *count > 0)
    }
}

impl Metrics {
    /// Counts what an answer cost its caller.
    pub fn count_tokens(&self, key: &str, model: &str, tokens: Tokens) {
        tokens.kinds().for_each(|(kind, count)| self.tokens.of([key, model, kind]).add(count));
    }

    /// Counts what an answer cost that called a tool.
    pub fn count_tool_tokens(&self, tool: &str, tokens: Tokens) {
        tokens.kinds().for_each(|(kind, count)| self.tool_tokens.of([tool, kind]).add(count));
    }

    /// The page.
    pub fn page(&self) -> String {
        let mut page = String::with_capacity(8 * 1024);
        let out = &mut page;
        self.requests.write(out, "countersign_requests_total", "Requests answered.", ["method", "route", "status"]);
        self.latency.write(out, "countersign_request_seconds", "Time to the headers of an answer.", ["route"]);
        single(out, "countersign_check_seconds", "Time to judge a call.", &self.judging);
        single(
            out,
            "countersign_audit_commit_seconds",
            "Time to record calls before they are released.",
            &self.audit_commits,
        );
        self.turns.write(out, "countersign_turns_total", "Turns by how they ended.", ["end"]);
        self.verdicts.write(out, "countersign_verdicts_total", "Verdicts by status.", ["status"]);
        let help = "Repairs of histories before they went upstream.";
        self.history_repairs.write(out, "countersign_history_repairs_total", help, ["code"]);
        self.reviews.write(out, "countersign_reviews_total", "Reviews by the state they reached.", ["state"]);
        self.store_errors.write(out, "countersign_store_errors_total", "Failures of a store.", ["store"]);
        self.denied.write(out, "countersign_denied_total", "Requests refused because of their key.", ["status"]);
        self.uploads.write(out, "countersign_uploads_total", "Uploads by kind and outcome.", ["kind", "outcome"]);
        let help = "Files that a model should see, by kind and what became of it.";
        self.analyses.write(out, "countersign_file_analyses_total", help, ["kind", "outcome"]);
        let help = "Tokens of answers, as their upstreams count.";
        self.tokens.write(out, "countersign_tokens_total", help, ["key", "model", "kind"]);
        let help = "Tokens of the answers that called a tool.";
        self.tool_tokens.write(out, "countersign_tool_tokens_total", help, ["tool", "kind"]);
        single(out, "countersign_events_total", "Events written to the log.", &self.events);
        let help = "Tool results in requests that looked wrong.";
        single(out, "countersign_suspicious_results_total", help, &self.suspicious_results);
        self.answers.write(out, "countersign_answers_total", "Answers examined, by status.", ["status"]);
        single(out, "countersign_doubtful_answers_total", "Answers that a check doubted.", &self.doubtful_answers);
        single(out, "countersign_limited_total", "Requests over their limit.", &self.limited);
        let help = "Limits judged locally because the shared limiter is unavailable.";
        single(out, "countersign_limiter_fallbacks_total", help, &self.limiter_fallbacks);
        single(out, "countersign_open_streams", "Streams that are open.", self.open_streams.as_ref());
        single(out, "countersign_open_connections", "Connections that are open.", self.connections.as_ref());
        page
    }
}

/// Something that can be written under a name.
pub trait Metric: Default {
    /// The word for its kind.
    const KIND: &'static str;

    /// Writes its lines.
    fn write(&self, out: &mut String, name: &str, labels: &str);
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add_one(&self) {
        self.add(1);
    }

    /// Some more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metric for Counter {
    const KIND: &'static str = "counter";

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        line(out, name, labels, &self.value().to_string());
    }
}

/// A number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// One more, until the returned guard is dropped.
    pub fn hold(self: &Arc<Self>) -> Held {
        self.raise();
        Held(Arc::clone(self))
    }

    /// One more.
    pub fn raise(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub fn lower(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many there are.
    pub fn value(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One of those that a gauge counts.
#[derive(Debug)]
pub struct Held(Arc<Gauge>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.lower();
    }
}

impl Metric for Gauge {
    const KIND: &'static str = "gauge";

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        line(out, name, labels, &self.value().to_string());
    }
}

/// How long things took.
#[derive(Debug, Default)]
pub struct Histogram {
    /// How many fell into each bound, and above them all.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    /// One that took so long.
    pub fn observe(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let place = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        if let Some(bucket) = self.buckets.get(place) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    /// The seconds that this share of them did not pass, about: within a bucket they count as spread evenly, and above
    /// the last bound as the bound. Nothing where there were none.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share.clamp(0.0, 1.0) * self.count() as f64;
        let (mut below, mut lower) = (0.0, 0.0);
        for (bucket, upper) in self.buckets.iter().zip(BOUNDS) {
            let here = bucket.load(Ordering::Relaxed) as f64;
            if here > 0.0 && below + here >= wanted {
                return Some(lower + (upper - lower) * ((wanted - below) / here).clamp(0.0, 1.0));
            }
            below += here;
            lower = upper;
        }
        (self.count() > 0).then_some(lower)
    }
}

impl Metric for Histogram {
    const KIND: &'static str = "histogram";

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        let comma = if labels.is_empty() { "" } else { "," };
        let bounds = BOUNDS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
        let mut below = 0;
        for (bucket, bound) in self.buckets.iter().zip(bounds) {
            below += bucket.load(Ordering::Relaxed);
            line(out, &format!("{name}_bucket"), &format!("{labels}{comma}le=\"{bound}\""), &below.to_string());
        }
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        line(out, &format!("{name}_sum"), labels, &seconds.to_string());
        line(out, &format!("{name}_count"), labels, &below.to_string());
    }
}

/// One metric for each set of labels.
#[derive(Debug)]
pub struct Family<const N: usize, M> {
    /// By the hash of the labels: looking one up must not cost a string.
    known: RwLock<FxHashMap<u64, Vec<Labelled<N, M>>>>,
}

/// A metric and its labels.
type Labelled<const N: usize, M> = ([String; N], Arc<M>);

impl<const N: usize, M> Default for Family<N, M> {
    fn default() -> Self {
        Self { known: RwLock::default() }
    }
}

impl<const N: usize, M: Metric> Family<N, M> {
    /// The one with these labels. Above a bound, new sets share one whose labels are `other`.
    pub fn of(&self, labels: [&str; N]) -> Arc<M> {
        let hash = FxBuildHasher.hash_one(labels);
        if let Some(found) = find(self.known.read().unwrap_or_else(PoisonError::into_inner).get(&hash), labels) {
            return found;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let labels = if known.len() >= MAX_SETS { ["other"; N] } else { labels };
        let alike = known.entry(FxBuildHasher.hash_one(labels)).or_default();
        if let Some(found) = find(Some(alike), labels) {
            return found;
        }
        let metric = Arc::new(M::default());
        alike.push((labels.map(str::to_owned), Arc::clone(&metric)));
        metric
    }

    /// All of them, with their labels.
    pub fn all(&self) -> Vec<([String; N], Arc<M>)> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).values().flatten().cloned().collect()
    }

    fn write(&self, out: &mut String, name: &str, help: &str, names: [&str; N]) {
        head(out, name, help, M::KIND);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<&Labelled<N, M>> = known.values().flatten().collect();
        all.sort_by(|one, two| one.0.cmp(&two.0));
        for (values, metric) in all {
            let pairs = names.iter().zip(values).map(|(name, value)| format!("{name}=\"{}\"", escape(value)));
            metric.write(out, name, &pairs.collect::<Vec<_>>().join(","));
        }
    }
}

fn find<const N: usize, M>(alike: Option<&Vec<Labelled<N, M>>>, labels: [&str; N]) -> Option<Arc<M>> {
    let same = |known: &[String; N]| known.iter().zip(labels).all(|(known, asked)| known == asked);
    alike?.iter().find(|(known, _)| same(known)).map(|(_, metric)| Arc::clone(metric))
}

fn single<M: Metric>(out: &mut String, name: &str, help: &str, metric: &M) {
    head(out, name, help, M::KIND);
    metric.write(out, name, "");
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, labels: &str, value: &str) {
    let _ = match labels {
        "" => writeln!(out, "{name} {value}"),
        labels => writeln!(out, "{name}{{{labels}}} {value}"),
    };
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Bounds of the buckets, in seconds.
const BOUNDS: [f64; 15] =
    [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];
/// How many sets of labels a family may have.
const MAX_SETS: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-4
    #[test]
    fn the_page_has_every_metric_in_the_text_form() {
        let metrics = Metrics::default();
        metrics.requests.of(["GET", "/v1/\"x\"", "200"]).add_one();
        metrics.latency.of(["/health"]).observe(Duration::from_micros(300));
        metrics.latency.of(["/health"]).observe(Duration::from_secs(60));
        metrics.events.add(7);
        let page = metrics.page();
        for line in [
            "# TYPE countersign_requests_total counter",
            "countersign_requests_total{method=\"GET\",route=\"/v1/\\\"x\\\"\",status=\"200\"} 1",
            "countersign_request_seconds_bucket{route=\"/health\",le=\"0.00025\"} 0",
            "countersign_request_seconds_bucket{route=\"/health\",le=\"0.0005\"} 1",
            "countersign_request_seconds_bucket{route=\"/health\",le=\"+Inf\"} 2",
            "countersign_request_seconds_count{route=\"/health\"} 2",
            "countersign_events_total 7",
            "countersign_open_streams 0",
        ] {
            assert!(page.lines().any(|seen| seen == line), "{line}\n{page}");
        }
    }

    // SERVE-4
    #[test]
    fn a_histogram_tells_about_how_long_things_took() {
        let histogram = Histogram::default();
        assert_eq!((histogram.count(), histogram.quantile(0.5)), (0, None));
        for _ in 0..90 {
            histogram.observe(Duration::from_micros(20));
        }
        for _ in 0..10 {
            histogram.observe(Duration::from_millis(30));
        }
        let [half, most] = [0.5, 0.95].map(|share| histogram.quantile(share).unwrap());
        assert!(half > 0.00001 && half <= 0.000025, "{half}");
        assert!(most > 0.01 && most <= 0.05, "{most}");
        histogram.observe(Duration::from_secs(600));
        assert_eq!(histogram.quantile(1.0), Some(10.0), "above all bounds");
    }

    #[test]
    fn labels_that_callers_choose_do_not_fill_the_memory() {
        let metrics = Metrics::default();
        for n in 0..3 * MAX_SETS {
            metrics.turns.of([&n.to_string()]).add_one();
        }
        assert!(metrics.turns.known.read().unwrap().len() <= MAX_SETS + 1);
        assert_eq!(metrics.turns.of(["other"]).value(), 2 * MAX_SETS as u64);
    }
}
