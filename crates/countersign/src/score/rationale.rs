//! Says which signals moved the score, and by how much.

use super::shares;
use crate::contract::{Language, Signal, Signals};
use crate::localized;
use crate::policy::ScorePolicy;

/// A sentence for the score, then one each for strong, weak, other and absent signals. Behind each signal stands
/// how far it moved the score from what it would be without that signal.
pub(super) fn explain(
    language: Language,
    signals: &Signals,
    policy: &ScorePolicy,
    weighed: f64,
    overall: f64,
) -> String {
    let mut parts = vec![if policy.curve.is_empty() {
        localized!(language, "Overall confidence is {overall:.2}", "总体可信度 {overall:.2}")
    } else {
        localized!(
            language,
            "Overall confidence is {overall:.2} ({weighed:.2} before calibration)",
            "总体可信度 {overall:.2}（校准前 {weighed:.2}）"
        )
    }];
    let shares = shares(signals, policy);
    let comma = localized!(language, ", ", "、");
    let named = |wanted: &dyn Fn(f64) -> bool| {
        let of = shares.iter().filter(|(_, value, _)| wanted(*value));
        of.map(|(signal, value, share)| {
            let moved = describe_change(*value, *share, weighed);
            localized!(language, "{} {value:.2} ({moved})", "{} {value:.2}（{moved}）", signal.name())
        })
        .collect::<Vec<_>>()
        .join(&comma)
    };
    let absent: Vec<&str> =
        Signal::ALL.into_iter().filter(|signal| signals.value(*signal).is_none()).map(Signal::name).collect();
    let groups = [
        (localized!(language, "strong", "较强"), named(&|v| v > STRONG)),
        (localized!(language, "weak", "较弱"), named(&|v| v < WEAK)),
        (localized!(language, "between", "居中"), named(&|v| (WEAK..=STRONG).contains(&v))),
        (localized!(language, "absent", "缺失"), absent.join(&comma)),
    ];
    let told = groups.into_iter().filter(|(_, names)| !names.is_empty());
    parts.extend(told.map(|(kind, names)| localized!(language, "{kind}: {names}", "{kind}：{names}")));
    localized!(language, "{}.", "{}。", parts.join(&localized!(language, "; ", "；")))
}

/// How far a signal moves the mean from the mean of the others, with its sign.
fn describe_change(value: f64, share: f64, weighed: f64) -> String {
    let others = if share < 1.0 - 1e-9 { (weighed - share * value) / (1.0 - share) } else { weighed };
    let moved = weighed - others;
    let sign = if moved < 0.0 { '−' } else { '+' };
    format!("{sign}{:.2}", moved.abs())
}

const STRONG: f64 = 0.75;
const WEAK: f64 = 0.5;
