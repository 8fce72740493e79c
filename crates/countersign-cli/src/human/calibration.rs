//! Draws a calibration: how good the score was, how good it is on answers that the fit had not seen, and what changed.

use super::canvas::{Canvas, Paint, columns};
use countersign::contract::Signal;
use countersign::policy::ScorePolicy;
use countersign::score::calibrate::{Calibration, Method};

/// Draws the report.
pub(crate) fn draw(canvas: &mut Canvas, calibration: &Calibration) {
    let head = format!("{} {}", calibration.rows, canvas.say("labelled answers", "个已标注的回答"));
    let head = canvas.paint(Paint::Bold, &head);
    canvas.line(&format!("{head}   {}", canvas.word(method(calibration.method))));
    let heads = row(canvas.say("", ""), canvas.say("before", "之前"), canvas.say("after", "之后"));
    let heads = canvas.paint(Paint::Dim, &heads);
    canvas.line(&heads);
    let (before, after) = (&calibration.before, &calibration.after);
    compare(canvas, canvas.say("Brier score (0 is best)", "Brier 分数（0 最好）"), before.brier, after.brier);
    let error = canvas.say("calibration error (0 is best)", "校准误差（0 最好）");
    compare(canvas, error, before.expected_calibration_error, after.expected_calibration_error);
    canvas.line("");
    for signal in Signal::ALL {
        let (was, is) = (ScorePolicy::default().weight(signal), calibration.policy.weight(signal));
        canvas.line(&row(signal.name(), &format!("{was:.3}"), &format!("{is:.3}")));
    }
    if let Some(threshold) = calibration.suggested_approve {
        canvas.line("");
        let advice =
            canvas.say("approve above this, and at most 1 in 20 is wrong:", "高于此值即通过，错误不超过二十分之一：");
        canvas.line(&format!("  {advice} {threshold:.2}"));
    }
}

fn method(method: Method) -> (&'static str, &'static str) {
    match method {
        Method::None => ("nothing fitted: too few labels of one kind", "标注太少，未拟合"),
        Method::Platt => ("fitted with a logistic curve", "以逻辑曲线拟合"),
        Method::Isotonic => ("fitted with a rising staircase", "以保序回归拟合"),
    }
}

fn compare(canvas: &mut Canvas, name: &str, before: f64, after: f64) {
    let line = row(name, &format!("{before:.3}"), "");
    let paint = if after < before { Paint::Green } else { Paint::Yellow };
    let after = canvas.paint(paint, &format!("{after:>10.3}"));
    canvas.line(&format!("{}{after}", line.trim_end()));
}

fn row(name: &str, before: &str, after: &str) -> String {
    let pad = |text: &str, room: usize| " ".repeat(room.saturating_sub(columns(text)));
    format!("  {name}{}{}{before}{}{after}", pad(name, 32), pad(before, 8), pad(after, 10))
}
