//! Answers kept for a time, a bounded number of them.

use countersign::contract::{Answer, Question};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// The answers at hand, the oldest first to go.
#[derive(Debug)]
pub(super) struct Cache {
    kept: HashMap<Question, Kept>,
    order: VecDeque<(Question, u64)>,
    capacity: usize,
    count: u64,
}

#[derive(Debug)]
struct Kept {
    answer: Answer,
    until: Instant,
    number: u64,
}

impl Cache {
    pub(super) fn new(capacity: usize) -> Self {
        Self { kept: HashMap::new(), order: VecDeque::new(), capacity, count: 0 }
    }

    /// The answer to a question, while it is fresh.
    pub(super) fn answer(&self, question: &Question, now: Instant) -> Option<&Answer> {
        self.kept.get(question).filter(|kept| now < kept.until).map(|kept| &kept.answer)
    }

    /// Keeps an answer. A no is kept for a moment only, because what was missing may be made next; what nobody knew is
    /// not kept at all.
    pub(super) fn keep(&mut self, question: &Question, answer: &Answer, age: Duration, now: Instant) {
        let age = match answer {
            Answer::Yes => age,
            Answer::No { .. } => age.min(KEPT_NO),
            _ => return,
        };
        if age.is_zero() || self.capacity == 0 {
            return;
        }
        self.count += 1;
        let kept = Kept { answer: answer.clone(), until: now + age, number: self.count };
        self.kept.insert(question.clone(), kept);
        self.order.push_back((question.clone(), self.count));
        while self.order.len() > self.capacity {
            if let Some((oldest, number)) = self.order.pop_front()
                && self.kept.get(&oldest).is_some_and(|kept| kept.number == number)
            {
                self.kept.remove(&oldest);
            }
        }
    }
}

const KEPT_NO: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn question(value: usize) -> Question {
        Question::Record { source: "r".into(), value: value.to_string() }
    }

    #[test]
    fn answers_age_and_the_oldest_goes_first() {
        // CALL-7
        let now = Instant::now();
        let minute = Duration::from_secs(60);
        let mut cache = Cache::new(2);
        cache.keep(&question(1), &Answer::Yes, minute, now);
        cache.keep(&question(2), &Answer::No { nearest: None, note: None }, minute, now);
        assert!(cache.answer(&question(1), now + Duration::from_secs(59)).is_some());
        assert!(cache.answer(&question(1), now + minute).is_none());
        assert!(cache.answer(&question(2), now + Duration::from_secs(6)).is_none(), "a no is kept for a moment");
        cache.keep(&question(3), &Answer::Yes, minute, now);
        assert!(cache.answer(&question(1), now).is_none() && cache.answer(&question(3), now).is_some());
        cache.keep(&question(4), &Answer::Unknown { reason: "away".into() }, minute, now);
        cache.keep(&question(5), &Answer::Yes, Duration::ZERO, now);
        assert!(cache.answer(&question(4), now).is_none() && cache.answer(&question(5), now).is_none());
        assert!(cache.kept.len() <= 2 && cache.order.len() <= 2);
    }
}
