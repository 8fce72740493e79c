//! Where a claim comes from: the way its value came, step by step.

use super::Lineage;
use super::record::{Parent, Record, Step};
use crate::contract::ClaimStatus;
use std::collections::VecDeque;

impl Lineage {
    /// Where a claim comes from: itself, then what it hangs on, nearest first.
    pub fn trace(&self, claim_id: &str) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut open: VecDeque<(String, usize, Option<ClaimStatus>)> = VecDeque::from([(claim_id.to_owned(), 0, None)]);
        while let Some((id, back, gone)) = open.pop_front() {
            if steps.len() >= TRACED || steps.iter().any(|step| step.id == id) {
                continue;
            }
            match (self.record(&id), gone) {
                (Some(record), _) => {
                    let gone = |parent: &Parent| parent.gone.as_ref().map(|state| state.status);
                    open.extend(record.parents.iter().map(|p| (p.id.clone(), back + 1, gone(p))));
                    steps.push(self.step(record, back));
                }
                (None, Some(status)) => steps.push(step_of_gone(id, back, status)),
                (None, None) if self.forgotten.contains(&id) => {
                    steps.push(step_of_gone(id, back, ClaimStatus::Pending))
                }
                (None, None) => {}
            }
        }
        steps
    }

    fn step(&self, record: &Record, back: usize) -> Step {
        let message = self.messages.get(&record.message);
        Step {
            id: record.id.clone(),
            back,
            message: Some(record.message.clone()),
            between: message.map(|message| (message.from.clone(), message.to.clone())),
            text: Some(record.text.clone()),
            sentence: Some(record.sentence.clone()),
            status: record.state.status,
            note: record.state.note.clone(),
            from: record.parents.iter().map(|parent| (parent.id.clone(), parent.how.clone())).collect(),
        }
    }
}

fn step_of_gone(id: String, back: usize, status: ClaimStatus) -> Step {
    Step { id, back, message: None, between: None, text: None, sentence: None, status, note: None, from: Vec::new() }
}

/// A trace is no longer than this.
const TRACED: usize = 256;
