//! Two things timed in turns, so that what else the machine does strikes both.

use std::time::Instant;

/// How the two came out.
pub struct Outcome {
    /// Seconds of one run of ours, at best.
    pub ours: f64,
    /// Seconds of one run of the peer's, at best.
    pub peer: f64,
    /// Our speed as a share of the peer's, best against best.
    pub ratio: f64,
    /// The same within single rounds: the tenth and the ninetieth of a hundred.
    pub spread: (f64, f64),
}

/// Times both in turns, in rounds of about two milliseconds each.
pub fn race(mut ours: impl FnMut(), mut peer: impl FnMut()) -> Outcome {
    let (our_count, peer_count) = (count(&mut ours), count(&mut peer));
    let rounds: Vec<(f64, f64)> =
        (0..ROUNDS).map(|_| (once(&mut ours, our_count), once(&mut peer, peer_count))).collect();
    let best = |pick: fn(&(f64, f64)) -> f64| rounds.iter().map(pick).fold(f64::INFINITY, f64::min);
    let (ours, peer) = (best(|round| round.0), best(|round| round.1));
    let mut ratios: Vec<f64> = rounds.iter().map(|round| round.1 / round.0).collect();
    ratios.sort_by(f64::total_cmp);
    Outcome { ours, peer, ratio: peer / ours, spread: (ratios[ROUNDS / 10], ratios[ROUNDS - 1 - ROUNDS / 10]) }
}

/// The best time of one run.
pub fn best(mut run: impl FnMut()) -> f64 {
    let count = count(&mut run);
    (0..ROUNDS).map(|_| once(&mut run, count)).fold(f64::INFINITY, f64::min)
}

/// How often a thing runs in one round.
fn count(run: &mut impl FnMut()) -> usize {
    (0..3).for_each(|_| run());
    (ROUND / once(run, 3).max(1e-8)).clamp(1.0, 100_000.0) as usize
}

fn once(run: &mut impl FnMut(), count: usize) -> f64 {
    let began = Instant::now();
    (0..count).for_each(|_| run());
    began.elapsed().as_secs_f64() / count as f64
}

/// Many short rounds find a quiet moment more surely than few long ones.
const ROUNDS: usize = 150;
const ROUND: f64 = 0.002;
