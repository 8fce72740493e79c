//! Draws a calibration: figures before and after on the terminal, and the reliability diagram as SVG.

use super::canvas::{Canvas, Paint};
use crate::engine::calibration::{Bin, Calibration};
use std::fmt::Write;

/// Draws the report.
pub fn draw(canvas: &mut Canvas, calibration: &Calibration, answers: usize) {
    let head = format!("{answers} {}", canvas.say("labelled answers", "个已标注的回答"));
    let head = canvas.paint(Paint::Bold, &head);
    canvas.line(&head);
    let heads = format!("{:<28}{:>8}{:>10}", "", canvas.say("before", "之前"), canvas.say("after", "之后"));
    let heads = canvas.paint(Paint::Dim, &heads);
    canvas.line(&heads);
    row(canvas, "Brier score (0 is best)", calibration.before.brier, calibration.after.brier);
    row(canvas, "calibration error (0 is best)", calibration.before.error, calibration.after.error);
    canvas.line("");
    for (signal, before, after) in &calibration.weights {
        canvas.line(&format!("  {:<28}{before:>6.2}{after:>10.2}", signal.name()));
    }
}

fn row(canvas: &mut Canvas, name: &str, before: f64, after: f64) {
    let paint = if after < before { Paint::Green } else { Paint::Yellow };
    let after = canvas.paint(paint, &format!("{after:>9.3}"));
    canvas.line(&format!("  {name:<28}{before:>6.3} {after}"));
}

/// The reliability diagram: confidence to the right, share of right answers upwards; the diagonal is perfect.
pub fn svg(calibration: &Calibration) -> String {
    let mut picture = String::from(SVG_HEAD);
    for step in 0..=5 {
        let at = f64::from(step) / 5.0;
        let (x, y) = (x(at), y(at));
        // Writing to a string cannot fail.
        let _ = write!(picture, "<path d=\"M{x:.1} 40V360M40 {y:.1}H360\" stroke=\"#ddd\"/>");
        let _ = write!(picture, "<text x=\"{x:.1}\" y=\"378\" text-anchor=\"middle\">{at:.1}</text>");
        let _ = write!(picture, "<text x=\"34\" y=\"{:.1}\" text-anchor=\"end\">{at:.1}</text>", y + 4.0);
    }
    picture.push_str("<path d=\"M40 360L360 40\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n");
    series(&mut picture, &calibration.before.bins, "#b45309");
    series(&mut picture, &calibration.after.bins, "#047857");
    let _ = write!(
        picture,
        "<text x=\"52\" y=\"58\" fill=\"#b45309\">before: error {:.3}</text><text x=\"52\" y=\"76\" fill=\"#047857\">after: error {:.3}</text>\n</svg>\n",
        calibration.before.error, calibration.after.error
    );
    picture
}

fn series(picture: &mut String, bins: &[Bin], colour: &str) {
    let total: usize = bins.iter().map(|bin| bin.count).sum();
    let points: Vec<String> = bins.iter().map(|bin| format!("{:.1},{:.1}", x(bin.confidence), y(bin.right))).collect();
    let _ = writeln!(
        picture,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    for bin in bins {
        let share = bin.count as f64 / total.max(1) as f64;
        let (x, y, radius) = (x(bin.confidence), y(bin.right), 3.0 + 12.0 * share.sqrt());
        let _ = write!(
            picture,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{colour}\" fill-opacity=\"0.35\"><title>{} answers, confidence {:.2}, right {:.2}</title></circle>",
            bin.count, bin.confidence, bin.right
        );
    }
    picture.push('\n');
}

fn x(value: f64) -> f64 {
    40.0 + 320.0 * value.clamp(0.0, 1.0)
}

fn y(value: f64) -> f64 {
    360.0 - 320.0 * value.clamp(0.0, 1.0)
}

const SVG_HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"400\" height=\"400\" fill=\"#fff\"/>\n<text x=\"200\" y=\"24\" text-anchor=\"middle\" font-size=\"14\">Reliability: confidence against share of right answers</text>\n";
