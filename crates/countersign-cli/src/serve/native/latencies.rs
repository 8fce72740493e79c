//! How long things took in this process since it began, about: from the histograms of its metrics.

use countersign_runtime::metrics::{Histogram, Metrics};
use serde_json::{Value, json};

/// The times of judging and of each route, the busiest first.
pub(super) fn latencies(metrics: &Metrics) -> Value {
    let check = (metrics.judging.count() > 0).then(|| {
        json!({
            "count": metrics.judging.count(),
            "p50_ms": millis(&metrics.judging, 0.5),
            "p95_ms": millis(&metrics.judging, 0.95),
            "p99_ms": millis(&metrics.judging, 0.99),
        })
    });
    let mut routes: Vec<_> = metrics.latency.all();
    routes.sort_by_key(|([route], times)| (std::cmp::Reverse(times.count()), route.clone()));
    let route = |([route], times): &([String; 1], std::sync::Arc<Histogram>)| {
        let [half, most] = [0.5, 0.95].map(|share| millis(times, share));
        json!({"route": route, "count": times.count(), "p50_ms": half, "p95_ms": most})
    };
    json!({"check": check, "routes": routes.iter().map(route).collect::<Vec<_>>()})
}

/// To a thousandth: more would be pretended.
fn millis(times: &Histogram, share: f64) -> Option<f64> {
    times.quantile(share).map(|seconds| (seconds * 1e6).round() / 1e3)
}
