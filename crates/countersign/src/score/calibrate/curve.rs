//! The curve from weighed signals to the share of good answers: logistic for few labels, a staircase for many.
//!
//! Both come out as a rising line of a few points, which is what a policy can hold.

/// A logistic curve (Platt, with his smoothed targets), as 21 points.
pub(crate) fn platt(scored: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let good = scored.iter().filter(|(_, good)| *good).count() as f64;
    let bad = scored.len() as f64 - good;
    let target = |is_good: bool| if is_good { (good + 1.0) / (good + 2.0) } else { 1.0 / (bad + 2.0) };
    let (mut slope, mut bias) = (1.0f64, 0.0f64);
    for _ in 0..100 {
        // Newton's step on two unknowns; the ridge keeps the matrix invertible.
        let (mut g, mut gb, mut hh, mut hb, mut bb) = (1e-6 * slope, 1e-6 * bias, 1e-6, 0.0, 1e-6);
        for (score, is_good) in scored {
            let p = logistic(slope * score + bias);
            let (error, curve) = (p - target(*is_good), p * (1.0 - p));
            (g, gb) = (g + error * score, gb + error);
            (hh, hb, bb) = (hh + curve * score * score, hb + curve * score, bb + curve);
        }
        let size = hh * bb - hb * hb;
        if size.abs() < 1e-12 {
            break;
        }
        slope -= ((bb * g - hb * gb) / size).clamp(-5.0, 5.0);
        bias -= ((hh * gb - hb * g) / size).clamp(-5.0, 5.0);
    }
    let slope = slope.clamp(0.0, 60.0);
    if !slope.is_finite() || !bias.is_finite() {
        return Vec::new();
    }
    (0..=20u32).map(|at| f64::from(at) / 20.0).map(|x| (x, logistic(slope * x + bias))).collect()
}

/// The rising staircase nearest to the outcomes (pool adjacent violators), as a line through the middles of its
/// steps. Its ends are drawn in a little: no score is ever certain.
pub(crate) fn isotonic(scored: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Blocks of (sum of scores, sum of outcomes, count).
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for (score, good) in sorted {
        let mut block = (score, f64::from(u8::from(good)), 1.0);
        while let Some(last) = blocks.last().copied() {
            let rises = last.1 / last.2 < block.1 / block.2;
            if rises && last.2 >= LEAST {
                break;
            }
            block = (last.0 + block.0, last.1 + block.1, last.2 + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (scores, outcomes, count) in blocks {
        let point = (scores / count, (outcomes + 0.5) / (count + 1.0));
        match points.last_mut() {
            Some(last) if point.0 - last.0 < 1e-3 => last.1 = last.1.max(point.1),
            Some(last) => {
                let floor = last.1;
                points.push((point.0, point.1.max(floor)));
            }
            None => points.push(point),
        }
    }
    points
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A step of fewer rows than this is chance.
const LEAST: f64 = 10.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn rises(points: &[(f64, f64)]) -> bool {
        points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1)
            && points.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y))
    }

    // SCORE-4
    #[test]
    fn both_curves_rise_and_follow_the_outcomes() {
        let scored: Vec<(f64, bool)> = (0..400u32).map(|at| (f64::from(at) / 400.0, (at * 7919) % 400 < at)).collect();
        for points in [platt(&scored), isotonic(&scored)] {
            assert!(rises(&points), "{points:?}");
            assert!(points[0].1 < 0.3 && points[points.len() - 1].1 > 0.7, "{points:?}");
        }
        let upside_down: Vec<(f64, bool)> = scored.iter().map(|(x, good)| (1.0 - x, *good)).collect();
        for points in [platt(&upside_down), isotonic(&upside_down)] {
            assert!(rises(&points), "{points:?}");
        }
        assert!(rises(&isotonic(&[(0.5, true), (0.5, false), (0.5, true)])));
    }
}
