//! Arbitrary sequences of messages and settlements: a mark goes away by an event alone, the same message twice adds
//! nothing, a trace ends, and a graph that was stored goes on as it was.
#![no_main]

use arbitrary::Arbitrary;
use countersign::claims::find::find;
use countersign::claims::lineage::{Limits, Lineage, Standing};
use countersign::claims::mark::mark;
use countersign::contract::{ClaimStatus, ClaimUpdate};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;

#[derive(Debug, Arbitrary)]
enum Act {
    Say { message: u8, from: u8, to: u8, derived_from: Vec<u8>, words: Vec<Word> },
    Settle { message: u8, claim: u8, status: u8 },
    Store,
}

#[derive(Debug, Arbitrary)]
enum Word {
    Known(u8),
    Number(u16),
    Free(String),
}

const KNOWN: [&str; 16] = [
    "Revenue grew 12.5% in 2023. ",
    "Sales were $40 million, ",
    "then $50 million. ",
    "Growth was 25%. ",
    "营收增长约12%。",
    "第一季度120万元，",
    "第二季度150万元。",
    "See https://example.com/a. ",
    "Python 3.12 is out. ",
    "According to the Gartner report, ",
    "It has 340 million users. ",
    "a third of them ",
    "用户达3.4亿。",
    "one eighth ",
    "on 5 March 2024. ",
    "This has been verified. ",
];
const STATUSES: [ClaimStatus; 4] =
    [ClaimStatus::Pending, ClaimStatus::Verified, ClaimStatus::Disputed, ClaimStatus::Unverifiable];

/// What the events have said of each claim.
type Told = BTreeMap<String, ClaimStatus>;

fuzz_target!(|input: (u8, Vec<Act>)| {
    let (claims, acts) = input;
    let limits = Limits { claims: usize::from(claims % 40) + 1, forgotten: 1_000_000, ..Limits::default() };
    let mut graph = Lineage::new(limits);
    let mut texts: BTreeMap<u8, String> = BTreeMap::new();
    let mut told = Told::new();
    for act in acts.into_iter().take(200) {
        match act {
            Act::Say { message, from, to, derived_from, words } => {
                let text = texts.entry(message).or_insert_with(|| words.iter().take(24).map(spoken).collect()).clone();
                say(&mut graph, &mut told, message, &text, (from, to), &derived_from);
            }
            Act::Settle { message, claim, status } => {
                let id = format!("m{message}.{claim}");
                let status = STATUSES[usize::from(status) % STATUSES.len()];
                let changed = graph.settle(&ClaimUpdate { id, status, note: Some("looked up".into()), source: None });
                hear(&mut told, &changed);
            }
            Act::Store => {
                let stored = serde_json::to_string(&graph).expect("a graph can be stored");
                graph = serde_json::from_str(&stored).expect("and read again");
            }
        }
        check(&graph, &told, limits);
    }
});

fn say(graph: &mut Lineage, told: &mut Told, message: u8, text: &str, (from, to): (u8, u8), derived_from: &[u8]) {
    let marked = mark(&format!("m{message}"), text, find(text));
    let ids: Vec<String> = marked.claims.iter().filter_map(|claim| claim.id.clone()).collect();
    let known = ids.iter().any(|id| matches!(graph.standing(id), Standing::Kept(_)));
    let derived: Vec<String> = derived_from.iter().take(80).map(|id| format!("m{id}")).collect();
    let derived: Vec<&str> = derived.iter().map(String::as_str).collect();
    let (from, to) = (format!("a{}", from % 4), format!("a{}", to % 4));
    let before = graph.len();
    let updates = graph.add(&marked, &from, &to, &derived).expect("the id has one text");
    if known {
        assert!(updates.is_empty() && graph.len() == before, "the same message twice adds nothing");
        return;
    }
    told.extend(ids.into_iter().map(|id| (id, ClaimStatus::Pending)));
    hear(told, &updates);
    let size = graph.len();
    let again = graph.add(&marked, &from, &to, &derived).expect("the id has one text");
    // Where all claims of a message had to go at once, it is as new.
    let gone = marked
        .claims
        .iter()
        .all(|claim| !matches!(graph.standing(claim.id.as_deref().unwrap_or_default()), Standing::Kept(_)));
    assert!(again.is_empty() && graph.len() == size || gone);
}

fn hear(told: &mut Told, updates: &[ClaimUpdate]) {
    for update in updates {
        told.insert(update.id.clone(), update.status);
    }
}

fn check(graph: &Lineage, told: &Told, limits: Limits) {
    assert!(graph.len() <= limits.claims);
    for (id, status) in told {
        let stands = match graph.standing(id) {
            Standing::Kept(kept) => kept == *status,
            Standing::Forgotten => true,
            Standing::Unknown => *status != ClaimStatus::Pending,
        };
        assert!(stands, "{id} was told to be {status:?} and is {:?}", graph.standing(id));
        assert!(graph.trace(id).len() <= 256);
    }
    let pending = graph.pending().filter(|id| told.get(*id) != Some(&ClaimStatus::Pending)).count();
    assert_eq!(pending, 0);
}

fn spoken(word: &Word) -> String {
    match word {
        Word::Known(at) => KNOWN[usize::from(*at) % KNOWN.len()].to_owned(),
        Word::Number(number) => format!("Costs rose {}% to ${number} million. ", number % 100),
        Word::Free(text) => text.chars().take(60).collect(),
    }
}
