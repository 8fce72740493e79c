//! How often a model may try again (CALL-10).
//!
//! A small machine without clock or network: it is told what every try cost and how it was judged, and says what to do
//! next. Tries, time and tokens are bounded, the same mistake twice ends it, and every attempt is recorded, so that
//! there is never a silent loop. It asks nobody and checks nothing itself: every new call goes through the whole line.

use crate::contract::{Code, Finding, Language, Severity, Status, ToolCall, Verdict};
use crate::decide::cleared::read_arguments;
use crate::localized;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// What may be spent on one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How often the model may be asked again.
    pub tries: usize,
    /// How long all tries together may take, the first included.
    pub time_ms: Option<u64>,
    /// How many tokens all tries together may cost, the first included.
    pub tokens: Option<u64>,
    /// What happens when it is used up.
    pub then: Then,
}

/// What happens when the model could not correct its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Then {
    /// A plain error.
    #[default]
    GiveUp,
    /// A person.
    Escalate,
}

/// What one try cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spent {
    /// Milliseconds.
    pub ms: u64,
    /// Tokens, in and out.
    pub tokens: u64,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Run the verdict's call.
    Accept,
    /// Send this to the model as the call's result, and judge what comes back.
    Ask {
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Let a person decide.
    Escalate {
        /// Why.
        reason: String,
    },
    /// Tell the caller that it did not work.
    GiveUp {
        /// Why.
        error: String,
    },
}

/// One attempt, as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attempt {
    /// The tool that was called.
    pub name: String,
    /// With which arguments.
    pub arguments: Value,
    /// How it was judged.
    pub status: Status,
    /// Which rules spoke, and where.
    pub findings: Vec<(String, String)>,
    /// What it cost.
    pub spent: Spent,
}

/// How the correction of a call ended, as the contract writes it.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one outcome a call; a box would hide that it is plain data")]
pub enum CorrectionOutcome {
    /// There is a call that may run.
    Corrected {
        /// The call that the model made first.
        original: ToolCall,
        /// The call that may run.
        suggestion: ToolCall,
        /// How often the model was asked again.
        attempts: usize,
    },
    /// There is none.
    Failed {
        /// Why.
        error: String,
        /// How often the model was asked again.
        attempts: usize,
    },
}

/// What was spent on corrections, and which mistakes were made. One of these bounds all corrections of an answer or a
/// turn, whichever calls they are about.
#[derive(Debug, Clone)]
pub struct Tries {
    budget: Budget,
    language: Language,
    mistakes: HashSet<Mistake>,
    spent: Spent,
    asked: usize,
}

/// A mistake: the tool, and every rule that spoke with its place and the value there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mistake(String, BTreeSet<(&'static str, String, Option<String>)>);

impl Mistake {
    /// What was wrong with a call. Another value in the same place is another mistake: the model did try. The same value
    /// there with something else changed is the same one.
    pub fn of_call(call: &ToolCall, findings: &[Finding]) -> Self {
        let document = serde_json::json!({"name": call.name, "arguments": read_arguments(call)});
        let wrong = findings.iter().filter(|finding| finding.severity > Severity::Info && !finding.is_applied());
        let places = wrong.map(|finding| {
            let value = document.pointer(&finding.pointer).map(Value::to_string);
            (finding.code.id, finding.pointer.clone(), value)
        });
        Self(call.name.clone(), places.collect())
    }

    /// A fault of an answer as a whole.
    pub fn of_answer(code: &'static Code) -> Self {
        Self(String::new(), BTreeSet::from([(code.id, String::new(), None)]))
    }
}

impl Tries {
    /// Nothing has been tried yet.
    pub fn new(budget: Budget) -> Self {
        let language = Language::default();
        Self { budget, language, mistakes: HashSet::new(), spent: Spent::default(), asked: 0 }
    }

    /// Counts what one answer of the model cost.
    pub fn spend(&mut self, spent: Spent) {
        self.spent.ms = self.spent.ms.saturating_add(spent.ms);
        self.spent.tokens = self.spent.tokens.saturating_add(spent.tokens);
    }

    /// Takes the mistakes of one answer: for each, why the model is not asked again; `None` where it is. Two calls of one
    /// answer may be wrong in the same way: only what was wrong before counts as a repetition.
    pub fn round(&mut self, mistakes: Vec<Mistake>) -> Vec<Option<String>> {
        let limit = self.limit();
        let over = |mistake: &Mistake| {
            let again = || same_mistake(self.language);
            self.mistakes.contains(mistake).then(again).or_else(|| limit.clone())
        };
        let over: Vec<Option<String>> = mistakes.iter().map(over).collect();
        self.asked += usize::from(over.iter().any(Option::is_none));
        self.mistakes.extend(mistakes);
        over
    }

    /// How often the model was asked again.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// What happens when the model could not correct its call.
    pub fn then(&self) -> Then {
        self.budget.then
    }

    /// The same, speaking another language.
    pub fn speaking(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Which bound is reached.
    fn limit(&self) -> Option<String> {
        let language = self.language;
        let Budget { tries, time_ms, tokens, .. } = self.budget;
        if self.asked >= tries {
            return Some(localized!(
                language,
                "The model did not correct its call in {tries} tries.",
                "模型在 {tries} 次尝试内没有改正调用。"
            ));
        }
        if time_ms.is_some_and(|most| self.spent.ms >= most) {
            return Some(localized!(language, "The time for corrections is used up.", "用于纠正的时间已用完。"));
        }
        if tokens.is_some_and(|most| self.spent.tokens >= most) {
            return Some(localized!(language, "The tokens for corrections are used up.", "用于纠正的 token 已用完。"));
        }
        None
    }
}

fn same_mistake(language: Language) -> String {
    localized!(language, "The model made the same mistake twice.", "模型两次犯了同样的错误。")
}

/// The tries that one call has had.
#[derive(Debug, Clone)]
pub struct Attempts {
    tries: Tries,
    original: Option<ToolCall>,
    recorded: Vec<Attempt>,
    end: Option<(Next, CorrectionOutcome)>,
}

impl Attempts {
    /// Nothing has been tried yet.
    pub fn new(budget: Budget) -> Self {
        Self { tries: Tries::new(budget), original: None, recorded: Vec::new(), end: None }
    }

    /// The same, speaking another language.
    pub fn speaking(mut self, language: Language) -> Self {
        self.tries = self.tries.speaking(language);
        self
    }

    /// Takes the verdict on a call that the model made, and what that cost. Once it has ended, the end stays.
    pub fn next(&mut self, call: &ToolCall, verdict: &Verdict, spent: Spent) -> Next {
        if let Some((end, _)) = &self.end {
            return end.clone();
        }
        self.record(call, verdict, spent);
        match verdict.status {
            Status::Approved | Status::Caution => {
                let original = self.original.clone().unwrap_or_default();
                let suggestion = verdict.call.clone().unwrap_or_else(|| call.clone());
                let outcome = CorrectionOutcome::Corrected { original, suggestion, attempts: self.tries.asked() };
                self.finish(Next::Accept, outcome)
            }
            Status::RequiresReview => self.fail_with(Then::Escalate, verdict.explanation.clone()),
            Status::Rejected | Status::ValidationFailed => {
                let over = self.tries.round(vec![Mistake::of_call(call, &verdict.findings)]);
                match over.into_iter().next().flatten() {
                    Some(reason) => {
                        let (language, why) = (self.tries.language, &verdict.explanation);
                        let error =
                            localized!(language, "{reason} The last finding: {why}", "{reason}最后的问题：{why}");
                        self.fail_with(self.tries.then(), error)
                    }
                    None => {
                        Next::Ask { message: verdict.feedback.clone().unwrap_or_else(|| verdict.explanation.clone()) }
                    }
                }
            }
        }
    }

    /// The model itself could not be asked, or gave nothing that is a call.
    pub fn fail(&mut self, error: &str) -> Next {
        match &self.end {
            Some((end, _)) => end.clone(),
            None => self.fail_with(self.tries.then(), error.to_owned()),
        }
    }

    /// How it ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<&CorrectionOutcome> {
        self.end.as_ref().map(|(_, outcome)| outcome)
    }

    /// Every attempt so far, the first call included.
    pub fn recorded(&self) -> &[Attempt] {
        &self.recorded
    }

    fn record(&mut self, call: &ToolCall, verdict: &Verdict, spent: Spent) {
        self.original.get_or_insert_with(|| call.clone());
        self.tries.spend(spent);
        self.recorded.push(Attempt {
            name: call.name.clone(),
            arguments: read_arguments(call),
            status: verdict.status,
            findings: verdict.findings.iter().map(|f| (f.code.id.to_owned(), f.pointer.clone())).collect(),
            spent,
        });
    }

    fn fail_with(&mut self, then: Then, error: String) -> Next {
        let outcome = CorrectionOutcome::Failed { error: error.clone(), attempts: self.tries.asked() };
        let next = match then {
            Then::GiveUp => Next::GiveUp { error },
            Then::Escalate => Next::Escalate { reason: error },
        };
        self.finish(next, outcome)
    }

    fn finish(&mut self, next: Next, outcome: CorrectionOutcome) -> Next {
        self.end = Some((next.clone(), outcome));
        next
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { tries: 2, time_ms: None, tokens: None, then: Then::default() }
    }
}

impl Serialize for CorrectionOutcome {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        match self {
            Self::Corrected { original, suggestion, attempts } => {
                map.serialize_entry("corrected", &true)?;
                map.serialize_entry("original", &write_call(original))?;
                map.serialize_entry("suggestion", &write_call(suggestion))?;
                map.serialize_entry("attempts", attempts)?;
            }
            Self::Failed { error, attempts } => {
                map.serialize_entry("corrected", &false)?;
                map.serialize_entry("error", error)?;
                map.serialize_entry("attempts", attempts)?;
            }
        }
        map.end()
    }
}

fn write_call(call: &ToolCall) -> Value {
    let mut call_out = serde_json::Map::new();
    call_out.extend(call.id.clone().map(|id| ("id".to_owned(), Value::String(id))));
    call_out.insert("name".into(), Value::String(call.name.clone()));
    call_out.insert("arguments".into(), serde_json::to_value(&call.arguments).unwrap_or_default());
    Value::Object(call_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::codes::call::{MISSING_FIELD, UNKNOWN_TOOL, WRONG_TYPE};
    use crate::contract::{Arguments, VerdictDetails};
    use proptest::prelude::*;
    use serde_json::json;

    fn call(name: &str, arguments: Value) -> ToolCall {
        ToolCall { id: Some("c1".into()), name: name.into(), arguments: Arguments::from(arguments) }
    }

    fn verdict(status: Status, findings: Vec<Finding>, call: &ToolCall) -> Verdict {
        Verdict::new(VerdictDetails {
            id: Value::Null,
            status,
            score: 1.0,
            call: (!status.is_refused()).then(|| call.clone()),
            feedback: status.is_refused().then(|| "call `send_email` instead".to_owned()),
            explanation: "`send_email_to_ceo` does not exist".into(),
            findings,
            shadow: Vec::new(),
            unanswered: Vec::new(),
            readings: Vec::new(),
        })
    }

    fn wrong(call: &ToolCall) -> Verdict {
        verdict(Status::ValidationFailed, vec![Finding::new(&UNKNOWN_TOOL, "/name", "no such tool")], call)
    }

    #[test]
    fn a_corrected_call_is_accepted_and_told() {
        // CALL-10, T15
        let (bad, good) =
            (call("send_email_to_ceo", json!({"message": "Hello"})), call("send_email", json!({"to": "a@b.example"})));
        let mut attempts = Attempts::new(Budget::default());
        assert_eq!(
            attempts.next(&bad, &wrong(&bad), Spent::default()),
            Next::Ask { message: "call `send_email` instead".into() }
        );
        assert!(attempts.outcome().is_none());
        assert_eq!(attempts.next(&good, &verdict(Status::Approved, vec![], &good), Spent::default()), Next::Accept);
        assert_eq!(
            serde_json::to_value(attempts.outcome().unwrap()).unwrap(),
            json!({"corrected": true, "original": {"id": "c1", "name": "send_email_to_ceo", "arguments": {"message": "Hello"}},
                   "suggestion": {"id": "c1", "name": "send_email", "arguments": {"to": "a@b.example"}}, "attempts": 1})
        );
        assert_eq!(attempts.recorded().len(), 2);
    }

    #[test]
    fn a_model_that_fails_ends_with_the_error() {
        // CALL-10, T15
        let bad = call("send_email_to_ceo", json!({}));
        let mut attempts = Attempts::new(Budget::default());
        attempts.next(&bad, &wrong(&bad), Spent::default());
        assert_eq!(
            attempts.fail("the model is unavailable"),
            Next::GiveUp { error: "the model is unavailable".into() }
        );
        let outcome = serde_json::to_value(attempts.outcome().unwrap()).unwrap();
        assert_eq!(outcome, json!({"corrected": false, "error": "the model is unavailable", "attempts": 1}));
        assert_eq!(attempts.fail("again"), Next::GiveUp { error: "the model is unavailable".into() }, "the end stays");
    }

    #[test]
    fn the_same_mistake_twice_ends_it_and_another_one_does_not() {
        // CALL-10
        let budget = Budget { tries: 9, ..Budget::default() };
        let typed = |value: Value| {
            let call = call("search", json!({"limit": value, "query": "x"}));
            let verdict =
                verdict(Status::ValidationFailed, vec![Finding::new(&WRONG_TYPE, "/arguments/limit", "")], &call);
            (call, verdict)
        };
        let mut attempts = Attempts::new(budget).speaking(Language::Chinese);
        for value in [json!("ten"), json!("many"), json!([])] {
            let (call, verdict) = typed(value);
            assert!(matches!(attempts.next(&call, &verdict, Spent::default()), Next::Ask { .. }));
        }
        let (mut again, verdict) = typed(json!("ten"));
        again.arguments = Arguments::Text(r#"{"query": "y", "limit": "ten"}"#.into());
        let Next::GiveUp { error } = attempts.next(&again, &verdict, Spent::default()) else { panic!("it must end") };
        assert!(error.contains("同样的错误"), "{error}");
    }

    #[test]
    fn tries_time_and_tokens_are_bounded() {
        // CALL-10
        let step = |attempts: &mut Attempts, n: usize, spent: Spent| {
            let bad = call(&format!("tool_{n}"), json!({}));
            attempts.next(&bad, &wrong(&bad), spent)
        };
        let asks = |budget: Budget, spent: Spent| {
            let mut attempts = Attempts::new(budget);
            (0..20).take_while(|n| matches!(step(&mut attempts, *n, spent), Next::Ask { .. })).count()
        };
        let free = Spent::default();
        assert_eq!(asks(Budget::default(), free), 2);
        assert_eq!(asks(Budget { tries: 0, ..Budget::default() }, free), 0);
        assert_eq!(
            asks(Budget { tries: 9, time_ms: Some(1000), ..Budget::default() }, Spent { ms: 400, tokens: 0 }),
            2
        );
        assert_eq!(asks(Budget { tries: 9, tokens: Some(100), ..Budget::default() }, Spent { ms: 0, tokens: 60 }), 1);
        let mut attempts = Attempts::new(Budget { tries: 0, then: Then::Escalate, ..Budget::default() });
        assert!(matches!(step(&mut attempts, 0, free), Next::Escalate { .. }));
    }

    #[test]
    fn what_needs_a_person_goes_to_a_person() {
        // CALL-10
        let pay = call("pay", json!({"amount": 5}));
        let mut attempts = Attempts::new(Budget::default());
        let next = attempts.next(&pay, &verdict(Status::RequiresReview, vec![], &pay), Spent::default());
        assert!(matches!(next, Next::Escalate { .. }));
        assert!(matches!(attempts.outcome(), Some(CorrectionOutcome::Failed { attempts: 0, .. })));
    }

    proptest! {
        #[test]
        fn it_always_ends_within_its_tries(
            tries in 0usize..6,
            steps in prop::collection::vec((0u8..5, 0u8..4, 0u64..500, 0u64..500), 8),
            time_ms in prop::option::of(0u64..2000),
        ) {
            // CALL-10: never a silent loop.
            let mut attempts = Attempts::new(Budget { tries, time_ms, ..Budget::default() });
            let mut asked = 0;
            for (status, name, ms, tokens) in steps {
                let call = call(&format!("tool_{name}"), json!({"n": ms}));
                let status = match status {
                    0 => Status::RequiresReview,
                    1 => Status::Rejected,
                    _ => Status::ValidationFailed,
                };
                let verdict = verdict(status, vec![Finding::new(&MISSING_FIELD, "/arguments/n", "")], &call);
                let ended = attempts.outcome().cloned();
                let next = attempts.next(&call, &verdict, Spent { ms, tokens });
                asked += usize::from(matches!(next, Next::Ask { .. }));
                prop_assert!(asked <= tries);
                prop_assert_eq!(attempts.outcome().is_some(), !matches!(next, Next::Ask { .. }));
                if ended.is_some() {
                    prop_assert_eq!(ended.as_ref(), attempts.outcome(), "an end stays");
                }
            }
            prop_assert!(attempts.outcome().is_some(), "eight steps and at most six tries");
            prop_assert!(attempts.recorded().len() <= tries + 1);
        }
    }
}
