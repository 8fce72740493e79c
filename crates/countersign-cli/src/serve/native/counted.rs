//! Calls and results, counted from their records: in all, by tool, by code, and over time.

use super::wanted::{findings, kind};
use countersign_runtime::store::{Kind, Record};
use countersign_runtime::stream::timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What was counted.
#[derive(Default)]
pub(super) struct Counted {
    /// How many calls.
    pub calls: u64,
    /// How many repairs.
    pub repairs: u64,
    /// How many calls may run because they were repaired.
    pub mended: u64,
    /// Calls by status.
    pub verdicts: BTreeMap<String, u64>,
    /// Calls by tool, and there by status.
    pub by_tool: BTreeMap<String, Map<String, Value>>,
    /// Findings by code, of calls and of results.
    pub by_code: BTreeMap<String, u64>,
    /// How many results.
    pub results: u64,
    /// How many of them looked wrong.
    pub suspicious: u64,
    /// How many answers were examined.
    pub answers: u64,
    /// How many of them a check doubted.
    pub doubtful: u64,
    /// Each of them in its time.
    marks: Vec<Mark>,
}

/// A call or a result in its time.
struct Mark {
    at: i64,
    kind: Kind,
    state: &'static str,
    repairs: u64,
}

impl Counted {
    /// Counts a call.
    pub(super) fn call(&mut self, record: &Record) {
        let applied = |finding: &&Value| finding.pointer("/correction/applied") == Some(&Value::Bool(true));
        let found = record.body.pointer("/verdict/findings").and_then(Value::as_array);
        let repairs = found.into_iter().flatten().filter(applied).count() as u64;
        self.calls += 1;
        self.repairs += repairs;
        let mended = u64::from(repairs > 0 && GOES_ON.contains(&record.state.as_str()));
        self.mended += mended;
        *self.verdicts.entry(record.state.clone()).or_default() += 1;
        let tool = record.body.get("tool").and_then(Value::as_str).unwrap_or_default();
        let of_tool = self.by_tool.entry(tool.to_owned()).or_default();
        for (key, more) in [("calls", 1), ("repairs", repairs), ("mended", mended), (record.state.as_str(), 1)] {
            let known = of_tool.get(key).and_then(Value::as_u64).unwrap_or(0);
            of_tool.insert(key.to_owned(), (known + more).into());
        }
        self.mark(record, repairs);
    }

    /// Counts a result.
    pub(super) fn result(&mut self, record: &Record) {
        if kind(record) == "answer" {
            self.answers += 1;
            let grave = |finding: &Value| finding.get("severity").and_then(Value::as_str) != Some("info");
            self.doubtful += u64::from(findings(&record.body).any(grave));
            self.count_codes(record);
            return;
        }
        self.results += 1;
        self.suspicious += u64::from(record.state == SUSPICIOUS);
        self.mark(record, 0);
    }

    fn count_codes(&mut self, record: &Record) {
        for code in findings(&record.body).filter_map(|finding| finding.get("code")?.as_str()) {
            *self.by_code.entry(code.to_owned()).or_default() += 1;
        }
    }

    fn mark(&mut self, record: &Record, repairs: u64) {
        self.count_codes(record);
        let known = STATUSES.into_iter().chain([SUSPICIOUS]).find(|status| *status == record.state);
        self.marks.push(Mark { at: record.created_at, kind: record.kind, state: known.unwrap_or_default(), repairs });
    }

    /// The same over time, in so many parts. Who names no beginning means the first that there is.
    pub(super) fn series(&self, from: Option<i64>, to: i64, parts: usize) -> Vec<Value> {
        let first = self.marks.iter().map(|mark| mark.at).min();
        let from = from.or(first).unwrap_or(to).clamp(0, to);
        let edge = |at: usize| from + (i128::from(to - from) * at as i128 / parts.max(1) as i128) as i64;
        let mut buckets: Vec<Bucket> = (0..parts).map(|_| Bucket::default()).collect();
        for mark in self.marks.iter().filter(|mark| mark.at >= from && mark.at < to) {
            // The edges are rounded down, so the part is the last one that begins at or before the mark.
            let guess = (i128::from(mark.at - from) * parts as i128 / i128::from((to - from).max(1))) as usize;
            let place = if edge(guess + 1) <= mark.at { guess + 1 } else { guess };
            if let Some(bucket) = buckets.get_mut(place) {
                bucket.add(mark);
            }
        }
        buckets.iter().enumerate().map(|(at, bucket)| bucket.render(edge(at), edge(at + 1))).collect()
    }
}

/// A part of the time.
#[derive(Default)]
struct Bucket {
    calls: u64,
    repairs: u64,
    mended: u64,
    by_status: [u64; STATUSES.len()],
    results: u64,
    suspicious: u64,
}

impl Bucket {
    fn add(&mut self, mark: &Mark) {
        if mark.kind == Kind::Examination {
            self.results += 1;
            self.suspicious += u64::from(mark.state == SUSPICIOUS);
            return;
        }
        self.calls += 1;
        self.repairs += mark.repairs;
        self.mended += u64::from(mark.repairs > 0 && GOES_ON.contains(&mark.state));
        let status = STATUSES.iter().position(|status| *status == mark.state);
        if let Some(count) = status.and_then(|at| self.by_status.get_mut(at)) {
            *count += 1;
        }
    }

    fn render(&self, from: i64, to: i64) -> Value {
        let mut shown = json!({"from": timestamp(from), "to": timestamp(to), "calls": self.calls});
        if let Some(fields) = shown.as_object_mut() {
            fields.extend(
                STATUSES.iter().zip(self.by_status).map(|(status, count)| ((*status).to_owned(), count.into())),
            );
            let more = [
                ("repairs", self.repairs),
                ("mended", self.mended),
                ("results", self.results),
                ("suspicious", self.suspicious),
            ];
            fields.extend(more.map(|(name, count)| (name.to_owned(), count.into())));
        }
        shown
    }
}

const STATUSES: [&str; 5] = ["approved", "caution", "requires_review", "rejected", "validation_failed"];
/// The statuses of calls that may run.
const GOES_ON: [&str; 2] = ["approved", "caution"];
const SUSPICIOUS: &str = "suspicious";

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, state: &str, at: i64) -> Record {
        let body = json!({"tool": "t", "verdict": {"findings": []}});
        Record {
            kind,
            id: at.to_string(),
            parent: String::new(),
            state: state.into(),
            created_at: at,
            version: 1,
            body,
        }
    }

    // SERVE-6
    #[test]
    fn every_record_is_in_one_part_of_the_time() {
        let mut counted = Counted::default();
        for at in 0..100 {
            counted.call(&record(Kind::Verdict, STATUSES[at % 5], at as i64));
            counted.result(&record(Kind::Examination, if at % 4 == 0 { SUSPICIOUS } else { "trusted" }, at as i64));
        }
        for parts in [1, 3, 7, 48, 200] {
            let series = counted.series(Some(0), 100, parts);
            assert_eq!(series.len(), parts);
            let sum = |name: &str| series.iter().map(|part| part[name].as_u64().unwrap()).sum::<u64>();
            let sums = ["calls", "approved", "results", "suspicious"].map(sum);
            assert_eq!(sums, [100, 20, 100, 25], "{parts}");
            for pair in series.windows(2) {
                assert_eq!(pair[0]["to"], pair[1]["from"]);
            }
        }
        let thirds = counted.series(Some(0), 100, 3);
        let calls: Vec<_> = thirds.iter().map(|part| part["calls"].as_u64().unwrap()).collect();
        assert_eq!(calls, [33, 33, 34], "the parts begin at 0, 33 and 66");
        assert_eq!(counted.series(None, 100, 1)[0]["from"], "1970-01-01T00:00:00.000Z");
        assert_eq!(Counted::default().series(None, 5, 2).len(), 2);
    }
}
