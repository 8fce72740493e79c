//! The reliability diagram: score against the share of good answers, before and after, as a standalone SVG.
//!
//! The two series differ by shape and by stroke, so that they can be told apart without colour.

use super::quality::{Bin, Quality};
use std::fmt::Write;

/// Draws the diagram.
pub fn reliability_svg(before: &Quality, after: &Quality) -> String {
    let mut svg = String::from(HEAD);
    for tick in 0..=5u32 {
        let share = f64::from(tick) / 5.0;
        let (x, y) = (across(share), down(share));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#e3e3e3\"/>\
             <text x=\"{x:.1}\" y=\"{0}\" text-anchor=\"middle\">{share:.1}</text>\
             <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{share:.1}</text>",
            BOTTOM + 18.0,
            LEFT - 8.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {BOTTOM}L{RIGHT} {TOP}\" stroke=\"#999\" stroke-dasharray=\"2 4\" fill=\"none\"/>\n\
         <path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" stroke=\"#333\" fill=\"none\"/>"
    );
    series(&mut svg, &before.bins, "#b4531a", "stroke-dasharray=\"6 4\"", square);
    series(&mut svg, &after.bins, "#1a5fb4", "", circle);
    legend(&mut svg, before, after);
    svg.push_str("</svg>\n");
    svg
}

fn series(svg: &mut String, bins: &[Bin], colour: &str, stroke: &str, mark: fn(f64, f64, &str) -> String) {
    let points: Vec<String> =
        bins.iter().map(|bin| format!("{:.1},{:.1}", across(bin.score), down(bin.good))).collect();
    let line = points.join(" ");
    let _ =
        writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" {stroke}/>");
    for bin in bins {
        let (x, y) = (across(bin.score), down(bin.good));
        let _ = writeln!(
            svg,
            "<g><title>{} answers: score {:.2}, good {:.2}</title>{}</g>",
            bin.count,
            bin.score,
            bin.good,
            mark(x, y, colour)
        );
    }
}

fn legend(svg: &mut String, before: &Quality, after: &Quality) {
    let words =
        |name: &str, q: &Quality| format!("{name}: Brier {:.3}, ECE {:.3}", q.brier, q.expected_calibration_error);
    let (first, second) = (words("before", before), words("after", after));
    let _ = writeln!(
        svg,
        "{}<text x=\"86\" y=\"44\">{first}</text>\n{}<text x=\"86\" y=\"64\">{second}</text>\n\
         <text x=\"230\" y=\"432\" text-anchor=\"middle\">confidence</text>\n\
         <text x=\"20\" y=\"220\" text-anchor=\"middle\" transform=\"rotate(-90 20 220)\">share of good answers</text>",
        square(76.0, 40.0, "#b4531a"),
        circle(76.0, 60.0, "#1a5fb4")
    );
}

fn square(x: f64, y: f64, colour: &str) -> String {
    format!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"#fff\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        x - 4.0,
        y - 4.0
    )
}

fn circle(x: f64, y: f64, colour: &str) -> String {
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\"/>")
}

fn across(share: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * tame(share)
}

fn down(share: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * tame(share)
}

fn tame(share: f64) -> f64 {
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

const LEFT: f64 = 60.0;
const RIGHT: f64 = 400.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 390.0;
const HEAD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 420 445\" width=\"420\" height=\"445\" \
                    font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#222\" role=\"img\">\n\
                    <title>Reliability: confidence against the share of good answers</title>\n\
                    <rect width=\"420\" height=\"445\" fill=\"#fff\"/>\n";

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-4
    #[test]
    fn the_diagram_stands_alone_and_tells_its_series_apart() {
        let quality = Quality::of(&[(0.2, false), (0.9, true), (0.85, false)]);
        let svg = reliability_svg(&quality, &quality);
        for part in ["<svg xmlns", "before: Brier", "after: Brier", "stroke-dasharray=\"6 4\"", "<circle", "</svg>"] {
            assert!(svg.contains(part), "{part}");
        }
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
        assert!(!reliability_svg(&Quality::default(), &quality).contains("NaN"));
    }
}
