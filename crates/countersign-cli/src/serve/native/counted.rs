//! Calls and results, counted from their records: in all, by tool, by code, and over time.

use super::standing::is_aside;
use super::wanted::{findings, key, kind};
use crate::serve::record_facts::{Fact, FactOf, Names};
use countersign_runtime::store::Record;
use countersign_runtime::stream::timestamp;
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// How many results.
    pub results: u64,
    /// How many of them looked wrong.
    pub suspicious: u64,
    /// How many answers were examined.
    pub answers: u64,
    /// How many of them a check doubted.
    pub doubtful: u64,
    /// Calls by tool and status, in numbers of words.
    by_tool: FxHashMap<(u32, u32), OfTool>,
    /// Findings by code, of calls and of results.
    by_code: FxHashMap<u32, u64>,
    /// Each of them in its time.
    marks: Vec<Mark>,
    /// Calls that people were asked about, by their item: one that is made again is still one call.
    asked: FxHashMap<u32, Fact>,
    /// What was found on the calls of an answer, each once however often the model tried: answer, tool and code.
    found: FxHashSet<(u32, u32, u32)>,
}

/// The words of what was counted.
#[derive(Default)]
pub(super) struct Sums {
    /// Calls by status.
    pub verdicts: BTreeMap<String, u64>,
    /// Calls by tool, and there by status.
    pub by_tool: BTreeMap<String, Map<String, Value>>,
    /// Findings by code.
    pub by_code: BTreeMap<String, u64>,
}

#[derive(Default, Clone, Copy)]
struct OfTool {
    calls: u64,
    repairs: u64,
    mended: u64,
}

/// A call or a result in its time.
struct Mark {
    at: i64,
    of: FactOf,
    state: &'static str,
    repairs: u64,
}

/// Reads what counts of a record.
pub(super) fn read_fact(record: &Record, names: &mut Names) -> Fact {
    let applied = |finding: &&Value| finding.pointer("/correction/applied") == Some(&Value::Bool(true));
    let found = record.body.pointer("/verdict/findings").and_then(Value::as_array);
    let repairs = found.into_iter().flatten().filter(applied).count();
    let grave = |finding: &Value| finding.get("severity").and_then(Value::as_str) != Some("info");
    let of = match kind(record) {
        "call" => FactOf::Call,
        "answer" if findings(&record.body).any(grave) => FactOf::DoubtfulAnswer,
        "answer" => FactOf::Answer,
        _ => FactOf::Result,
    };
    let codes = findings(&record.body).filter_map(|finding| finding.get("code")?.as_str());
    let word = |name: &str| record.body.get(name).and_then(Value::as_str).unwrap_or_default();
    // A call that was corrected has a record for each try, all of one answer.
    let answer = if word("answer_id").is_empty() { word("verdict_id") } else { word("answer_id") };
    Fact {
        id: record.id.as_str().into(),
        at: record.created_at,
        of,
        state: names.number(&record.state),
        tool: names.number(record.body.get("tool").and_then(Value::as_str).unwrap_or_default()),
        key: names.number(key(&record.body).unwrap_or_default()),
        item: names.number(word("review_id")),
        answer: names.number(answer),
        aside: is_aside(&record.body),
        repairs: u32::try_from(repairs).unwrap_or(u32::MAX),
        codes: codes.map(|code| names.number(code)).collect(),
    }
}

impl Counted {
    /// Takes a call, a result or an answer, the oldest first. What the model or the client tries again is counted once, as it
    /// ended.
    pub(super) fn add(&mut self, fact: &Fact, names: &Names) {
        let is_call = fact.of == FactOf::Call;
        if is_call && !fact.aside && !names.word(fact.item).is_empty() {
            self.asked.insert(fact.item, fact.clone());
            return;
        }
        self.count(fact, names);
    }

    /// Counts what was kept back until its end is known.
    pub(super) fn finish(&mut self, names: &Names) {
        for fact in std::mem::take(&mut self.asked).into_values() {
            self.count(&fact, names);
        }
        self.found.clear();
    }

    fn count(&mut self, fact: &Fact, names: &Names) {
        let named = !names.word(fact.answer).is_empty();
        for code in &fact.codes {
            if self.found.insert((fact.answer, fact.tool, *code)) || !named {
                *self.by_code.entry(*code).or_default() += 1;
            }
        }
        let state = names.word(fact.state);
        match fact.of {
            FactOf::Call if fact.aside => return,
            FactOf::Call => self.call(fact, state),
            FactOf::Result => {
                self.results += 1;
                self.suspicious += u64::from(state == SUSPICIOUS);
            }
            FactOf::Answer | FactOf::DoubtfulAnswer => {
                self.answers += 1;
                self.doubtful += u64::from(fact.of == FactOf::DoubtfulAnswer);
                return;
            }
        }
        let known = STATUSES.into_iter().chain([SUSPICIOUS]).find(|status| *status == state);
        let (state, repairs) = (known.unwrap_or_default(), u64::from(fact.repairs));
        self.marks.push(Mark { at: fact.at, of: fact.of, state, repairs });
    }

    fn call(&mut self, fact: &Fact, state: &str) {
        let repairs = u64::from(fact.repairs);
        let mended = u64::from(repairs > 0 && GOES_ON.contains(&state));
        self.calls += 1;
        self.repairs += repairs;
        self.mended += mended;
        let of_tool = self.by_tool.entry((fact.tool, fact.state)).or_default();
        of_tool.calls += 1;
        of_tool.repairs += repairs;
        of_tool.mended += mended;
    }

    /// Adds the words of what was counted to those of other records.
    pub(super) fn sum(&mut self, names: &Names, sums: &mut Sums) {
        for ((tool, state), counts) in self.by_tool.drain() {
            *sums.verdicts.entry(names.word(state).to_owned()).or_default() += counts.calls;
            let of_tool = sums.by_tool.entry(names.word(tool).to_owned()).or_default();
            let OfTool { calls, repairs, mended } = counts;
            for (key, more) in [("calls", calls), ("repairs", repairs), ("mended", mended), (names.word(state), calls)]
            {
                let known = of_tool.get(key).and_then(Value::as_u64).unwrap_or(0);
                of_tool.insert(key.to_owned(), (known + more).into());
            }
        }
        for (code, count) in self.by_code.drain() {
            *sums.by_code.entry(names.word(code).to_owned()).or_default() += count;
        }
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
        if mark.of == FactOf::Result {
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
    use countersign_runtime::store::Kind;

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
        let (mut counted, mut names, mut sums) = (Counted::default(), Names::default(), Sums::default());
        for at in 0..100 {
            let result = if at % 4 == 0 { SUSPICIOUS } else { "trusted" };
            for record in
                [record(Kind::Verdict, STATUSES[at % 5], at as i64), record(Kind::Examination, result, at as i64)]
            {
                let fact = read_fact(&record, &mut names);
                counted.add(&fact, &names);
            }
        }
        counted.finish(&names);
        counted.sum(&names, &mut sums);
        assert_eq!((sums.verdicts["caution"], &sums.by_tool["t"]["calls"]), (20, &json!(100)));
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

    // REVIEW-2: a call that is corrected, or made again while a person has it, is one call, as it ended.
    #[test]
    fn tries_of_one_call_count_once() {
        let (mut counted, mut names, mut sums) = (Counted::default(), Names::default(), Sums::default());
        let mut take = |state: &str, at: i64, more: Value| {
            let mut record = record(Kind::Verdict, state, at);
            record.body = json!({"tool": "t", "answer_id": "ans_1", "verdict": {"findings": [{"code": "call.x"}]}});
            record.body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let fact = read_fact(&record, &mut names);
            counted.add(&fact, &names);
        };
        take("validation_failed", 1, json!({"outcome": "sent_back"}));
        take("validation_failed", 2, json!({"outcome": "sent_back"}));
        take("approved", 3, json!({"outcome": "released"}));
        take("approved", 4, json!({"outcome": "repeated"}));
        take("requires_review", 5, json!({"outcome": "waiting_for_person", "review_id": "rev_1"}));
        take("requires_review", 6, json!({"outcome": "waiting_for_person", "review_id": "rev_1"}));
        take("approved", 7, json!({"outcome": "approved_by_person", "review_id": "rev_1"}));
        counted.finish(&names);
        counted.sum(&names, &mut sums);
        assert_eq!((counted.calls, sums.verdicts["approved"], sums.verdicts.len()), (2, 2, 1));
        assert_eq!(sums.by_code["call.x"], 1, "one answer, one tool, one mistake");
    }
}
