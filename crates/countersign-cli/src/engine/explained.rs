//! A call watched on its way through the line: what each check said, and what it cost.
//!
//! The clock is here, because the core has none. The verdict is the one that an unwatched call gets; where the outside
//! world was asked, the line is shown as it ran with the answers, and the time of asking is added to `facts`.

use countersign::check_call::line::stops;
use countersign::check_call::watch::{DECISION, NAME, Watch};
use countersign::contract::{Finding, Mode, Status, Verdict};
use serde::Serialize;
use std::time::{Duration, Instant};

/// A call, explained.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    /// What was decided.
    pub verdict: Verdict,
    /// The way there.
    pub line: Vec<LineStop>,
}

/// A stop of the line.
#[derive(Debug, Serialize)]
pub(crate) struct LineStop {
    /// The check.
    pub check: &'static str,
    /// Whether the call came as far, and the check is not off.
    pub ran: bool,
    /// What its findings may do; `None` where it did not run, or is off.
    pub mode: Option<Mode>,
    /// What it said.
    pub findings: Vec<Finding>,
    /// What it took.
    pub microseconds: Option<f64>,
    /// What was decided, at the last stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// Watches a call with a clock.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch {
    began: Option<Instant>,
    /// When the line was last over: what comes before it begins again is asking.
    ended: Option<Instant>,
    asking: Duration,
    ran: Vec<Ran>,
    findings: Vec<Finding>,
}

#[derive(Debug)]
struct Ran {
    check: &'static str,
    mode: Mode,
    took: Duration,
    /// So many findings there were when it was over.
    findings: usize,
}

impl Watch for Stopwatch {
    fn begin(&mut self, check: &'static str) {
        let now = Instant::now();
        if check == NAME {
            self.asking += self.ended.take().map(|ended| now - ended).unwrap_or_default();
            self.ran.clear();
        }
        self.began = Some(now);
    }

    fn end(&mut self, check: &'static str, mode: impl FnOnce() -> Mode, findings: usize) {
        let now = Instant::now();
        let took = self.began.take().map(|began| now - began).unwrap_or_default();
        self.ran.push(Ran { check, mode: mode(), took, findings });
        self.ended = Some(now);
    }

    fn said(&mut self, findings: impl FnOnce() -> Vec<Finding>) {
        self.findings = findings();
    }
}

impl Stopwatch {
    /// The line as it was seen, every stop in its place.
    pub(crate) fn line(self, verdict: &Verdict) -> Vec<LineStop> {
        let mut findings = self.findings.into_iter();
        let mut before = 0;
        let mut line = Vec::new();
        for check in stops() {
            let Some(ran) = self.ran.iter().find(|ran| ran.check == check) else {
                line.push(LineStop::unreached(check));
                continue;
            };
            let own = findings.by_ref().take(ran.findings.saturating_sub(before)).collect();
            before = ran.findings;
            let asking = if check == FACTS { self.asking } else { Duration::ZERO };
            line.push(LineStop::reached(ran, own, asking));
        }
        let decided = self.ran.iter().find(|ran| ran.check == DECISION);
        let end = decided
            .map_or_else(|| LineStop::unreached(DECISION), |ran| LineStop::reached(ran, Vec::new(), Duration::ZERO));
        line.push(LineStop { status: Some(verdict.status), ..end });
        line
    }
}

impl LineStop {
    fn reached(ran: &Ran, findings: Vec<Finding>, asking: Duration) -> Self {
        let mode = Some(ran.mode).filter(|mode| *mode != Mode::Off);
        let microseconds = Some((ran.took + asking).as_nanos() as f64 / 1000.0);
        Self { check: ran.check, ran: true, mode, findings, microseconds, status: None }
    }

    /// One that the call did not come to.
    fn unreached(check: &'static str) -> Self {
        Self { check, ran: false, mode: None, findings: Vec::new(), microseconds: None, status: None }
    }
}

/// The check that asks the outside world.
const FACTS: &str = "facts";
