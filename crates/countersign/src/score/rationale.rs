//! Says which signals moved the score, and by how much.

use super::shares;
use crate::contract::{Signal, Signals};
use crate::policy::ScorePolicy;

/// A sentence for the score, then one each for strong, weak, other and absent signals. Behind each signal stands
/// how far it moved the score from what it would be without that signal.
pub(super) fn explain(signals: &Signals, policy: &ScorePolicy, weighed: f64, overall: f64) -> String {
    let mut parts = vec![if policy.curve.is_empty() {
        format!("Overall confidence is {overall:.2}")
    } else {
        format!("Overall confidence is {overall:.2} ({weighed:.2} before calibration)")
    }];
    let shares = shares(signals, policy);
    let named = |wanted: &dyn Fn(f64) -> bool| {
        let of = shares.iter().filter(|(_, value, _)| wanted(*value));
        of.map(|(signal, value, share)| format!("{} {value:.2} ({})", signal.name(), moved(*value, *share, weighed)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let absent: Vec<&str> =
        Signal::ALL.into_iter().filter(|signal| signals.value(*signal).is_none()).map(Signal::name).collect();
    let groups = [
        ("strong", named(&|v| v > STRONG)),
        ("weak", named(&|v| v < WEAK)),
        ("between", named(&|v| (WEAK..=STRONG).contains(&v))),
        ("absent", absent.join(", ")),
    ];
    parts.extend(
        groups.into_iter().filter(|(_, names)| !names.is_empty()).map(|(kind, names)| format!("{kind}: {names}")),
    );
    parts.join("; ") + "."
}

/// How far a signal moves the mean from the mean of the others, with its sign.
fn moved(value: f64, share: f64, weighed: f64) -> String {
    let others = if share < 1.0 - 1e-9 { (weighed - share * value) / (1.0 - share) } else { weighed };
    let moved = weighed - others;
    let sign = if moved < 0.0 { '−' } else { '+' };
    format!("{sign}{:.2}", moved.abs())
}

const STRONG: f64 = 0.75;
const WEAK: f64 = 0.5;
