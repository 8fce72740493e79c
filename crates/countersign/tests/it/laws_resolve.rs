//! The laws of the resolution, over random scripts of models, people and failures (RESOLVE-1, RESOLVE-2, CALL-10).

use countersign::check_call::Guard;
use countersign::contract::{Answers, Context, ToolCall};
use countersign::conversation::Conversation;
use countersign::decide::{Approval, ClearedCall, Scope};
use countersign::feedback::attempts::{Budget, Spent, Then};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::resolve::{
    Disposition, Extent, Finish, Irreversible, Judged, Next, PersonSaid, Placed, Release, Resolution, ResolveOptions,
};
use countersign::wire::requests::CheckRequest;
use countersign::wire::tools::read_tools;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

const TOOLS: &str = r#"[
    {"name": "get_order", "input_schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}},
    {"name": "delete_order", "input_schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}
]"#;

const POLICY: &str = r#"
[checks]
provenance = "off"
relevance = "off"
[[rules]]
name = "secret"
tools = ["get_order"]
when = 'arguments.id == "secret"'
effect = "deny"
reason = "not this one"
[[rules]]
name = "ask"
tools = ["get_order"]
when = 'arguments.id == "ask"'
effect = "review"
reason = "a person decides"
"#;

/// A call of a script.
fn call(kind: u8) -> (ToolCall, Extent) {
    let of = |name: &str, arguments: Value| ToolCall { id: None, name: name.into(), arguments: arguments.into() };
    match kind {
        0..=2 => (of("get_order", json!({"id": format!("A{kind}")})), Extent::Whole),
        3 => (of("get_order", json!({})), Extent::Whole),
        4 => (of("get_order", json!({"id": "A1", "colour": "red"})), Extent::Whole),
        5 => (of("no_such_tool_at_all", json!({})), Extent::Whole),
        6 => (of("get_order", json!({"id": "secret"})), Extent::Whole),
        7 => (of("get_order", json!({"id": "ask"})), Extent::Whole),
        8 => (of("delete_order", json!({"id": "A1"})), Extent::Whole),
        9 => (of("get_order", json!({"id": "A1"})), Extent::Cut),
        10 => (of("delete_order", json!({"id": "A1"})), Extent::Unclosed),
        _ => (of("browser_call", json!({})), Extent::Unreadable),
    }
}

fn guard() -> Arc<Guard> {
    let policy = Policy::from_toml(POLICY).unwrap();
    Arc::new(Guard::new(Some(read_tools(TOOLS).unwrap()), Arc::new(policy)))
}

fn judge(guard: &Guard, kind: u8) -> Judged<u8> {
    let (call, extent) = call(kind);
    let request = CheckRequest {
        id: Value::Null,
        tools: None,
        messages: Vec::new(),
        call: call.clone(),
        context: Context::default(),
        level: None,
        language: None,
    };
    let verdict = inspect::check_in(guard, &request, &Conversation::default(), &Answers::default());
    Judged { own: kind, call, extent, answerable: extent != Extent::Unreadable, verdict }
}

fn options(release: Release, irreversible: Irreversible, then: Then) -> ResolveOptions {
    let budget = Budget { tries: 2, then, ..Budget::default() };
    ResolveOptions { budget, release, irreversible, observed: Arc::default() }
}

/// What came of a script.
#[derive(Debug, Default)]
struct Played {
    asked: usize,
    released: Vec<(u8, ClearedCall, bool)>,
    /// Kinds of the calls of each answer that the model gave.
    answers: Vec<Vec<u8>>,
}

/// Plays a script: the model's answers in order, a person's words for each item, and how the faces drive it.
fn play(script: &[Vec<u8>], people: &[u8], options: ResolveOptions) -> Played {
    let guard = guard();
    let at_once = options.release == Release::AtOnce;
    let scope = Scope::new("ann", "c1");
    let mut resolution = Resolution::new(Arc::clone(&guard), scope.clone(), options, Default::default());
    let (mut played, mut people) = (Played::default(), people.iter());
    let mut run = Vec::new();
    for kinds in script {
        played.answers.push(kinds.clone());
        let judged = kinds.iter().map(|kind| judge(&guard, *kind)).collect();
        let placed = resolution.take(Finish::Limit, judged, Spent::default());
        assert_eq!(placed.len(), kinds.len(), "every call is told of");
        for at in placed.iter().filter_map(|placed| if let Placed::Slot(at) = placed { Some(*at) } else { None }) {
            if at_once {
                ask_person(&mut resolution, at, people.next());
                if matches!(resolution.slots()[at].disposition, Disposition::Release(_)) && !run.contains(&at) {
                    run.push(at);
                    resolution.returned(at, "done", true);
                }
            }
        }
        match resolution.next() {
            Next::AskModel => played.asked += 1,
            _ if at_once && resolution.gave_up().is_none() => {}
            _ => break,
        }
    }
    resolution.give_up_asking();
    if let Next::AskPeople(waiting) = resolution.next() {
        waiting.into_iter().for_each(|at| ask_person(&mut resolution, at, people.next()));
    }
    assert!(!matches!(resolution.next(), Next::AskModel), "what was given up is over");
    for slot in resolution.into_slots() {
        if let Disposition::Release(cleared) = slot.disposition {
            let by_person = slot.judged.verdict.status.is_refused() || slot.judged.own == 8;
            played.released.push((slot.judged.own, cleared, by_person));
        }
    }
    played
}

fn ask_person(resolution: &mut Resolution<u8>, at: usize, said: Option<&u8>) {
    let Disposition::AskPerson(proposal) = resolution.slots()[at].disposition.clone() else { return };
    let binding = proposal.binding().digest();
    let said = match said {
        Some(0) => PersonSaid::Approved(Approval::grant(binding, proposal.call().clone())),
        // An approval of something else.
        Some(1) => PersonSaid::Approved(Approval::grant("another".into(), proposal.call().clone())),
        Some(2) => PersonSaid::Rejected("no".into()),
        Some(3) => PersonSaid::Pending("rev_1".into()),
        _ => PersonSaid::Nobody,
    };
    let yes = matches!(said, PersonSaid::Approved(_));
    resolution.decide(at, said);
    if !yes {
        assert!(!matches!(resolution.slots()[at].disposition, Disposition::Release(_)), "only a yes releases");
    }
}

fn scripts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0..12u8, 0..5), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // RESOLVE-1, CALL-10: the model is asked a bounded number of times, whatever it says and whoever answers.
    #[test]
    fn tries_are_bounded(script in scripts(), people in prop::collection::vec(0..5u8, 0..8), escalate: bool, at_once: bool) {
        let then = if escalate { Then::Escalate } else { Then::GiveUp };
        let release = if at_once { Release::AtOnce } else { Release::Together };
        let played = play(&script, &people, options(release, Irreversible::Check, then));
        prop_assert!(played.asked <= 2, "{played:?}");
    }

    // RESOLVE-2: what is refused, cut, unreadable or denied is never released; what needs a person only by their yes.
    #[test]
    fn a_refused_call_is_never_released(script in scripts(), people in prop::collection::vec(0..5u8, 0..8), at_once: bool) {
        let release = if at_once { Release::AtOnce } else { Release::Together };
        let irreversible = if at_once { Irreversible::AskPerson } else { Irreversible::Check };
        let played = play(&script, &people, options(release, irreversible, Then::GiveUp));
        for (kind, cleared, by_person) in &played.released {
            prop_assert!(matches!(kind, 0..=2 | 7 | 8), "{kind}");
            prop_assert!(!matches!(kind, 7) || (*by_person && people.contains(&0)));
            prop_assert!(*kind != 8 || !at_once || people.contains(&0), "a person decides on what cannot be undone");
            let scope = Scope::new("ann", "c1");
            let guard = guard();
            let digest = guard.registry().unwrap().digest(&cleared.call().name);
            prop_assert!(cleared.is_good_for(&scope, &digest));
            prop_assert!(!cleared.is_good_for(&Scope::new("eve", "c1"), &digest));
            prop_assert!(!cleared.is_good_for(&Scope::new("ann", "c2"), &digest));
            prop_assert!(!cleared.is_good_for(&scope, "another definition"));
        }
    }

    // CALL-10: nothing is released twice: no call goes out more often than one answer of the model made it.
    #[test]
    fn nothing_is_released_twice(script in scripts(), people in prop::collection::vec(0..5u8, 0..8)) {
        let played = play(&script, &people, options(Release::Together, Irreversible::Check, Then::GiveUp));
        for kind in 0..12u8 {
            let released = played.released.iter().filter(|(own, _, _)| *own == kind).count();
            let most = played.answers.iter().map(|answer| answer.iter().filter(|own| **own == kind).count()).max();
            prop_assert!(released <= most.unwrap_or(0), "{kind}: {played:?}");
        }
    }

    // RESOLVE-1: one answer is decided the same way in every face.
    #[test]
    fn faces_decide_alike(answer in prop::collection::vec(0..12u8, 0..6), escalate: bool) {
        let then = if escalate { Then::Escalate } else { Then::GiveUp };
        let decide = |release| {
            let guard = guard();
            let scope = Scope::new("ann", "c1");
            let mut resolution =
                Resolution::new(Arc::clone(&guard), scope, options(release, Irreversible::Check, then), Default::default());
            let judged = answer.iter().map(|kind| judge(&guard, *kind)).collect();
            resolution.take(Finish::Limit, judged, Spent::default());
            let slots = resolution.into_slots().into_iter();
            slots.map(|slot| (slot.judged.own, slot.disposition)).collect::<Vec<_>>()
        };
        prop_assert_eq!(decide(Release::Together), decide(Release::AtOnce));
    }
}

// RESOLVE-2: approvals are made by the review queue alone, and cleared calls by the engine alone.
#[test]
fn only_the_queue_grants_approvals() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut callers = Vec::new();
    let mut folders: Vec<_> =
        ["countersign", "countersign-runtime", "countersign-cli"].map(|name| crates.join(name).join("src")).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).is_ok_and(|text| text.contains("Approval::grant(")) {
                callers.push(path.strip_prefix(crates).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    assert_eq!(callers, ["countersign-runtime/src/review/queue.rs"]);
}

// CALL-10: a policy's no is final: it is neither sent back nor shown to a person.
#[test]
fn a_denial_is_not_sent_back() {
    for then in [Then::GiveUp, Then::Escalate] {
        let guard = guard();
        let options = options(Release::Together, Irreversible::Check, then);
        let mut resolution = Resolution::new(Arc::clone(&guard), Scope::new("ann", "c1"), options, Default::default());
        resolution.take(Finish::Stop, vec![judge(&guard, 6)], Spent::default());
        assert_eq!(resolution.next(), Next::Deliver);
        let Disposition::Refuse(refusal) = &resolution.slots()[0].disposition else { panic!("it is refused") };
        assert!(refusal.told.contains("do not try it again"), "{}", refusal.told);
    }
}
