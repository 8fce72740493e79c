//! Marks follow a value down the chain of messages, and go away by a verification alone.

use crate::stopwatch::Stopwatch;
use countersign::claims::lineage::{How, Limits, Lineage, LineageError, Standing};
use countersign::claims::mark::{apply, mark};
use countersign::contract::{
    Bound, Claim, ClaimKind, ClaimSource, ClaimStatus, ClaimUpdate, ClaimValue, Language, MarkedMessage,
};
use proptest::prelude::*;

// CLAIM-2, CLAIM-3, CLAIM-4; T24
#[test]
fn a_value_is_pending_down_the_chain_and_verified_with_its_source() {
    let mut messages = [
        message("m1", "The market grew 25% in 2024.", &[("25%", 0.25, "ratio")]),
        message("m2", "Market growth in 2024 was 25%. This has been verified.", &[("25%", 0.25, "ratio")]),
        message("m3", "结论：2024年市场增长25%。", &[("25%", 0.25, "ratio")]),
    ];
    let mut graph = Lineage::default();
    for (message, [from, to, given]) in messages.iter().zip([["a", "b", ""], ["b", "c", "m1"], ["c", "d", "m2"]]) {
        assert!(message.needs_verify);
        assert_eq!(graph.add(message, from, to, &[given]).unwrap(), []);
    }
    assert_eq!(graph.pending().collect::<Vec<_>>(), ["m1.0", "m2.0", "m3.0"]);
    let source =
        ClaimSource { name: "tool_result".into(), place: Some("call_7".into()), passage: None, start: None, end: None };
    let updates = graph.settle(&ClaimUpdate { source: Some(source), ..update("m1.0", ClaimStatus::Verified) });
    let ids: Vec<&str> = updates.iter().map(|update| update.id.as_str()).collect();
    assert_eq!(ids, ["m1.0", "m2.0", "m3.0"]);
    assert!(updates.iter().all(|update| update.status == ClaimStatus::Verified));
    assert!(updates.iter().all(|update| update.source.as_ref().is_some_and(|source| source.name == "tool_result")));
    assert!(updates[2].note.as_deref().unwrap().contains("m2.0"), "{:?}", updates[2].note);
    // The body of `claims_updated`, and what a store keeps.
    let body = serde_json::to_value(&updates).unwrap();
    assert_eq!(body[0]["status"], "verified");
    for message in &mut messages {
        apply(message, &updates);
        assert!(!message.needs_verify);
    }
    let kept = serde_json::to_string(&graph).unwrap();
    let mut again: Lineage = serde_json::from_str(&kept).unwrap();
    for id in ids {
        assert_eq!(again.standing(id), Standing::Kept(ClaimStatus::Verified));
    }
    assert_eq!(serde_json::to_string(&again).unwrap(), kept);
    // A later copy has the fate of the first.
    let late = message("m4", "As said, the market grew 25% in 2024.", &[("25%", 0.25, "ratio")]);
    let updates = again.add(&late, "d", "e", &["m3"]).unwrap();
    assert_eq!((updates.len(), updates[0].status), (1, ClaimStatus::Verified));
}

// CLAIM-2
#[test]
fn a_dispute_reaches_the_copies_and_what_was_computed() {
    let mut graph = Lineage::default();
    let first = "Revenue was $40 million in 2022 and $50 million in 2023.";
    let first = message("m1", first, &[("$40 million", 4e7, "USD"), ("$50 million", 5e7, "USD")]);
    graph.add(&first, "a", "b", &[]).unwrap();
    let second = message("m2", "Revenue grew by 25%.", &[("25%", 0.25, "ratio")]);
    assert_eq!(graph.add(&second, "b", "c", &["m1"]).unwrap(), []);
    let trace = graph.trace("m2.0");
    assert!(matches!(&trace[0].from[0].1, How::DerivesFrom { formula } if formula == "50/40 − 1"), "{trace:?}");
    assert_eq!(trace.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["m2.0", "m1.1", "m1.0"]);
    assert!(trace[0].to_string().contains("derives from m1.1"), "{}", trace[0]);
    assert_eq!(graph.settle(&update("m1.0", ClaimStatus::Verified)).len(), 1, "an operand does not verify a result");
    let updates = graph.settle(&update("m1.1", ClaimStatus::Disputed));
    assert_eq!(
        updates.iter().map(|u| (u.id.as_str(), u.status.name())).collect::<Vec<_>>(),
        [("m1.1", "disputed"), ("m2.0", "disputed")]
    );
    assert!(updates[1].note.as_deref().unwrap().contains("m1.1"));
}

// CLAIM-2
#[test]
fn the_page_shows_a_trace_as_it_is() {
    let page = include_str!("../../../../docs/claims.md");
    let mut graph = Lineage::default();
    for (id, text, from, to, given) in [
        ("m1", "Revenue was $40 million in 2022 and $50 million in 2023.", "researcher", "analyst", None),
        ("m2", "Revenue grew by 25%.", "analyst", "writer", Some("m1")),
    ] {
        assert!(page.contains(text));
        let marked = mark(id, text, countersign::claims::find::find(text));
        graph.add(&marked, from, to, given.as_slice()).unwrap();
    }
    let trace = graph.trace("m2.0").iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(trace.lines().count() == 3 && page.contains(&trace), "{trace}");
}

#[test]
fn a_rounded_copy_is_known_and_another_matter_is_not() {
    let mut graph = Lineage::default();
    let first = "Revenue grew 12.5% and churn fell to 25%.";
    graph.add(&message("m1", first, &[("12.5%", 0.125, "ratio"), ("25%", 0.25, "ratio")]), "a", "b", &[]).unwrap();
    let mut second =
        message("m2", "Revenue grew about 12%, staff costs 25%.", &[("12%", 0.12, "ratio"), ("25%", 0.25, "ratio")]);
    second.claims[0].value.as_mut().unwrap().bound = Some(Bound::About);
    graph.add(&second, "b", "c", &[]).unwrap();
    let updates = graph.settle(&update("m1.0", ClaimStatus::Verified));
    assert_eq!(updates.iter().map(|u| u.id.as_str()).collect::<Vec<_>>(), ["m1.0", "m2.0"]);
    assert_eq!(graph.settle(&update("m1.1", ClaimStatus::Disputed)).len(), 1, "staff costs are not churn");
}

#[test]
fn what_a_message_says_of_its_own_claims_is_not_read() {
    let mut graph = Lineage::default();
    let mut boast = message("m1", "Sales rose 25%, officially verified.", &[("25%", 0.25, "ratio")]);
    boast.claims[0].status = ClaimStatus::Verified;
    boast.needs_verify = false;
    graph.add(&boast, "a", "b", &[]).unwrap();
    assert_eq!(graph.standing("m1.0"), Standing::Kept(ClaimStatus::Pending));
    let other = message("m1", "Sales rose 30%.", &[("30%", 0.3, "ratio")]);
    assert_eq!(graph.add(&other, "a", "b", &[]), Err(LineageError::Taken { id: "m1".into() }));
    assert_eq!(graph.add(&MarkedMessage { id: String::new(), ..other }, "a", "b", &[]), Err(LineageError::NoId));
}

#[test]
fn memory_is_bounded_and_no_pending_mark_goes_silently() {
    let mut graph = Lineage::new(Limits { claims: 10, ..Limits::default() });
    for number in 0..30 {
        let text = format!("Depot {number} holds {} crates.", 1000 + number * 7);
        let claims = [(format!("{} crates", 1000 + number * 7), f64::from(1000 + number * 7))];
        let claims: Vec<(&str, f64, &str)> = claims.iter().map(|(text, value)| (text.as_str(), *value, "")).collect();
        graph.add(&message(&format!("m{number}"), &text, &claims), "a", "b", &[]).unwrap();
        if number < 15 && number % 2 == 0 {
            graph.settle(&update(&format!("m{number}.0"), ClaimStatus::Verified));
        }
        assert!(graph.len() <= 10);
    }
    assert_eq!(graph.standing("m0.0"), Standing::Unknown, "settled, and gone");
    assert_eq!(graph.standing("m1.0"), Standing::Forgotten);
    assert_eq!(graph.trace("m1.0")[0].to_string(), "m1.0 (forgotten, was pending)");
    assert_eq!(graph.forgotten() as usize + 8 + graph.len(), 30);
    assert!(graph.settle(&update("m1.0", ClaimStatus::Verified)).is_empty());
}

#[test]
fn a_damaged_graph_cannot_make_a_cycle() {
    let mut graph = Lineage::default();
    for id in ["m1", "m2"] {
        graph.add(&message(id, "Sales rose 25% in May.", &[("25%", 0.25, "ratio")]), "a", "a", &[]).unwrap();
    }
    let mut kept = serde_json::to_value(&graph).unwrap();
    kept["records"][0]["parents"] = kept["records"][1]["parents"].clone();
    kept["records"][0]["parents"][0]["number"] = 1.into();
    kept["records"][0]["start"] = 900_000.into();
    let mut graph: Lineage = serde_json::from_value(kept).unwrap();
    assert!(graph.settle(&update("m1.0", ClaimStatus::Disputed)).len() <= 2);
    assert!(graph.trace("m2.0").len() <= 2);
}

#[test]
fn adding_stays_cheap_when_every_message_says_the_same() {
    let mut graph = Lineage::default();
    let begun = Stopwatch::start();
    for number in 0..3000 {
        let text = format!("Desk x{number}: sales rose 25% in May.");
        graph.add(&message(&format!("m{number}"), &text, &[("25%", 0.25, "ratio")]), "a", "b", &[]).unwrap();
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert_eq!(graph.settle(&update("m0.0", ClaimStatus::Verified)).len(), 3000);
}

/// What happens to a graph.
// CLAIM-2: a fruitless look takes no mark away, on the claim, its copies or what was computed from it.
#[test]
fn what_nobody_could_tell_stays_marked_down_the_chain() {
    let mut graph = Lineage::default();
    let mut first = message("m1", "2024年市场增长25%。", &[("25%", 0.25, "ratio")]);
    graph.add(&first, "a", "b", &[]).unwrap();
    apply(&mut first, &graph.settle(&update("m1.0", ClaimStatus::Unverifiable)));
    assert!(first.needs_verify, "{first:?}");
    let mut second = message("m2", "结论：2024年市场增长25%。", &[("25%", 0.25, "ratio")]);
    let inherited = graph.add(&second, "b", "c", &["m1"]).unwrap();
    apply(&mut second, &inherited);
    assert_eq!((second.needs_verify, second.claims[0].status), (true, ClaimStatus::Unverifiable));
    // What comes later verifies both, although the copy was looked up by itself in between.
    graph.settle(&update("m2.0", ClaimStatus::Unverifiable));
    let updates = graph.settle(&update("m1.0", ClaimStatus::Verified));
    assert_eq!(updates.iter().map(|update| update.id.as_str()).collect::<Vec<_>>(), ["m1.0", "m2.0"]);
    apply(&mut second, &updates);
    assert!(!second.needs_verify);
}

// CLAIM-2: a disputed value disputes its copies, also those that nobody could tell anything of, and they stay marked.
#[test]
fn a_disputed_value_travels_disputed() {
    let mut graph = Lineage::default();
    let first = message("m1", "Market growth was 30% in 2024.", &[("30%", 0.3, "ratio")]);
    graph.add(&first, "a", "b", &[]).unwrap();
    graph.add(&message("m2", "The market grew 30% in 2024.", &[("30%", 0.3, "ratio")]), "b", "c", &["m1"]).unwrap();
    graph.settle(&update("m2.0", ClaimStatus::Unverifiable));
    let logged = graph.settle(&update("m1.0", ClaimStatus::Disputed));
    assert_eq!(graph.standing("m2.0"), Standing::Kept(ClaimStatus::Disputed));
    // Read from a log, a copy has its state from the original, and changes with it again.
    let mut read = Lineage::default();
    read.add(&first, "a", "b", &[]).unwrap();
    read.add(&message("m2", "The market grew 30% in 2024.", &[("30%", 0.3, "ratio")]), "b", "c", &["m1"]).unwrap();
    read.settle_logged(&logged);
    assert_eq!((read.state("m1.0"), read.state("m2.0")), (graph.state("m1.0"), graph.state("m2.0")));
    read.settle_logged(&[update("m1.0", ClaimStatus::Verified)]);
    assert_eq!(read.standing("m2.0"), Standing::Kept(ClaimStatus::Verified));
}

#[derive(Debug, Clone)]
enum Event {
    Add(usize),
    Settle(usize, ClaimStatus),
    Store,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    // CLAIM-2, CLAIM-3
    #[test]
    fn marks_never_disappear_without_a_verification(events in prop::collection::vec(event(), 1..40)) {
        let mut graph = Lineage::new(Limits { claims: 12, ..Limits::default() });
        let mut settled = false;
        let mut added: Vec<MarkedMessage> = Vec::new();
        for event in &events {
            match event {
                Event::Add(number) => {
                    let message = sample(*number);
                    let before = serde_json::to_string(&graph).unwrap();
                    let again = added.iter().any(|known| known.id == message.id) && graph.len() < 12;
                    let updates = graph.add(&message, "a", "b", &[]).unwrap();
                    prop_assert!(settled || updates.is_empty(), "{:?}", updates);
                    if again {
                        prop_assert_eq!(serde_json::to_string(&graph).unwrap(), before, "the same message twice");
                    }
                    added.push(message);
                }
                Event::Settle(number, status) => {
                    let id = format!("m{number}.0");
                    let known = graph.standing(&id);
                    let first = graph.settle(&update(&id, *status));
                    settled |= *status != ClaimStatus::Pending && known != Standing::Unknown;
                    prop_assert!(graph.settle(&update(&id, *status)).is_empty(), "settling twice");
                    prop_assert!(first.iter().all(|change| graph.standing(&change.id) == Standing::Kept(change.status)));
                }
                Event::Store => {
                    let kept = serde_json::to_string(&graph).unwrap();
                    graph = serde_json::from_str(&kept).unwrap();
                    prop_assert_eq!(serde_json::to_string(&graph).unwrap(), kept);
                }
            }
            for message in &added {
                let id = message.claims[0].id.as_deref().unwrap();
                prop_assert!(settled || graph.standing(id) != Standing::Unknown, "{} has gone", id);
                let lost = matches!(graph.standing(id), Standing::Kept(status) if status != ClaimStatus::Pending);
                prop_assert!(settled || !lost, "{} lost its mark", id);
            }
        }
    }

    #[test]
    fn the_order_of_verifications_does_not_matter(
        added in prop::collection::vec(0usize..12, 1..20),
        settled in prop::collection::btree_map(0usize..12, status(), 1..6),
        shuffle in any::<u64>(),
    ) {
        let mut graph = Lineage::default();
        for number in added {
            graph.add(&sample(number), "a", "b", &[]).unwrap();
        }
        let (mut forward, mut other) = (graph.clone(), graph);
        let mut events: Vec<_> = settled.into_iter().collect();
        for (number, status) in &events {
            forward.settle(&update(&format!("m{number}.0"), *status));
        }
        events.sort_by_key(|(number, _)| shuffle.rotate_left(*number as u32 * 5) ^ (*number as u64));
        for (number, status) in &events {
            other.settle(&update(&format!("m{number}.0"), *status));
        }
        prop_assert_eq!(serde_json::to_string(&forward).unwrap(), serde_json::to_string(&other).unwrap());
    }

    #[test]
    fn hostile_claims_do_no_harm(
        content in "\\PC{0,80}",
        spans in prop::collection::vec((0usize..100, 0usize..100, any::<f64>(), any::<Option<f64>>()), 0..6),
        date in "[-0-9A-Zs/]{0,12}",
    ) {
        let claims = spans.iter().map(|(start, end, number, precision)| {
            let value = ClaimValue { number: Some(*number), precision: *precision, date: Some(date.clone()), ..ClaimValue::default() };
            let kind = ClaimKind::SHIPPED[start % 9].clone();
            Claim { start: *start, end: *end, text: date.clone(), kind, value: Some(value), ..sample(0).claims[0].clone() }
        });
        let message = mark("m", &content, claims.collect());
        let mut graph = Lineage::default();
        graph.add(&message, "a", "b", &["m", "x"]).unwrap();
        graph.settle(&update("m.0", ClaimStatus::Disputed));
        graph.trace("m.1");
        let read = countersign::claims::known::tellings(&message.content, &message.claims);
        for at in 0..message.claims.len() {
            countersign::claims::arithmetic::recompute(&message.content, &message.claims, &read, at);
        }
    }
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0usize..20).prop_map(Event::Add),
        1 => (0usize..20, status()).prop_map(|(number, status)| Event::Settle(number, status)),
        1 => Just(Event::Store),
    ]
}

fn status() -> impl Strategy<Value = ClaimStatus> {
    prop::sample::select(vec![
        ClaimStatus::Verified,
        ClaimStatus::Disputed,
        ClaimStatus::Unverifiable,
        ClaimStatus::Pending,
    ])
}

/// Twenty messages over five values in three matters, so that many repeat each other.
fn sample(number: usize) -> MarkedMessage {
    let (value, words) = [(0.25, "25%"), (0.125, "12.5%"), (0.12, "12%"), (0.5, "50%"), (0.75, "75%")][number % 5];
    let matter = ["market sales", "customer churn", "市场规模"][number % 3];
    message(&format!("m{number}"), &format!("{matter} changed by {words} in May."), &[(words, value, "ratio")])
}

fn message(id: &str, content: &str, claims: &[(&str, f64, &str)]) -> MarkedMessage {
    let claims = claims.iter().map(|(text, number, unit)| {
        let start = content.find(text).unwrap();
        let utf16_start = content[..start].encode_utf16().count();
        let kind = match *unit {
            "ratio" => ClaimKind::Percentage,
            "" => ClaimKind::Quantity,
            _ => ClaimKind::Currency,
        };
        let precision = if *unit == "ratio" && text.contains('.') { 0.0005 } else { 0.005 };
        let precision = if *unit == "ratio" { precision } else { number / 1000.0 };
        let unit = Some((*unit).to_owned()).filter(|unit| !unit.is_empty());
        Claim {
            id: None,
            start,
            end: start + text.len(),
            utf16_start,
            utf16_end: utf16_start + text.encode_utf16().count(),
            text: (*text).to_owned(),
            kind,
            value: Some(ClaimValue {
                number: Some(*number),
                unit,
                precision: Some(precision),
                ..ClaimValue::default()
            }),
            language: Language::of(content),
            status: ClaimStatus::Pending,
            verify_note: None,
            source: None,
        }
    });
    mark(id, content, claims.collect())
}

fn update(id: &str, status: ClaimStatus) -> ClaimUpdate {
    ClaimUpdate { id: id.to_owned(), status, note: None, source: None }
}
