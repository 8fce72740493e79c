//! What changes of records do, and what they never do by halves.

use super::words::{ids, record, strange_names};
use bytes::Bytes;
use countersign_runtime::store::{Applied, Change, Kind, Query, Record, Records};
use serde_json::{Value, json};
use std::sync::Arc;

type Store = Arc<dyn Records>;

fn insert(record: Record) -> Change {
    Change::Insert(record, None)
}

fn replace(kind: Kind, id: &str, version: u64, state: &str) -> Change {
    Change::Replace { kind, id: id.to_owned(), version, state: state.to_owned(), body: json!({ "now": state }) }
}

fn delete(kind: Kind, id: &str) -> Change {
    Change::Delete { kind, id: id.to_owned() }
}

async fn done(store: &Store, changes: Vec<Change>) {
    assert_eq!(store.apply(changes).await.unwrap(), Applied::Done);
}

async fn state(store: &Store, kind: Kind, id: &str) -> Option<(u64, String)> {
    store.get(kind, id).await.unwrap().map(|record| (record.version, record.state))
}

pub(crate) async fn a_record_comes_back_as_it_was_put(store: Store) {
    for kind in Kind::ALL {
        let put = Record {
            parent: "session-1".into(),
            state: "pending".into(),
            body: json!({ "b": [1, 2.5, null, "é"], "a": { "deep": true } }),
            ..record(kind, "id", -7)
        };
        done(&store, vec![insert(Record { version: 99, ..put.clone() })]).await;
        assert_eq!(store.get(kind, "id").await.unwrap(), Some(put));
        assert_eq!(store.get(kind, "other").await.unwrap(), None);
        assert_eq!(store.bytes(kind, "id").await.unwrap(), None);
    }
    done(&store, Vec::new()).await;
}

pub(crate) async fn bodies_are_any_json(store: Store) {
    let bodies = [
        Value::Null,
        json!(true),
        json!("text with \u{0} in it, \"quotes\" and 🦀"),
        json!([u64::MAX, i64::MIN, 0.1, 1e300, -0.5]),
        json!({ "": { "key with \u{0}": [], "z": 1, "a": 2, "长": "x".repeat(100_000) } }),
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let put = Record { body, ..record(Kind::Note, &number.to_string(), 1) };
        done(&store, vec![insert(put.clone())]).await;
        let kept = store.get(Kind::Note, &put.id).await.unwrap().unwrap();
        // As text: the order of the keys is the user's.
        assert_eq!(kept.body.to_string(), put.body.to_string());
    }
}

pub(crate) async fn a_second_insert_is_a_conflict(store: Store) {
    done(&store, vec![insert(record(Kind::Key, "k", 1))]).await;
    let second = Record { state: "other".into(), ..record(Kind::Key, "k", 2) };
    assert_eq!(store.apply(vec![Change::Insert(second, Some(Bytes::from("b")))]).await.unwrap(), Applied::Conflict(0));
    assert_eq!(store.get(Kind::Key, "k").await.unwrap(), Some(record(Kind::Key, "k", 1)));
    assert_eq!(store.bytes(Kind::Key, "k").await.unwrap(), None);
}

pub(crate) async fn a_replacement_needs_the_version_that_was_read(store: Store) {
    let missing = vec![replace(Kind::Review, "r", 1, "approved")];
    assert_eq!(store.apply(missing).await.unwrap(), Applied::Conflict(0));
    assert_eq!(store.get(Kind::Review, "r").await.unwrap(), None);
    done(&store, vec![insert(record(Kind::Review, "r", 1))]).await;
    for version in [0, 2, u64::MAX] {
        let wrong = vec![replace(Kind::Review, "r", version, "approved")];
        assert_eq!(store.apply(wrong).await.unwrap(), Applied::Conflict(0), "version {version}");
    }
    done(&store, vec![replace(Kind::Review, "r", 1, "reserved")]).await;
    assert_eq!(store.apply(vec![replace(Kind::Review, "r", 1, "x")]).await.unwrap(), Applied::Conflict(0));
    done(&store, vec![replace(Kind::Review, "r", 2, "approved")]).await;
    let kept = store.get(Kind::Review, "r").await.unwrap().unwrap();
    assert_eq!((kept.version, kept.state.as_str(), kept.body), (3, "approved", json!({ "now": "approved" })));
}

pub(crate) async fn a_replacement_keeps_parent_time_and_bytes(store: Store) {
    let put = Record { parent: "session-1".into(), ..record(Kind::File, "f", 42) };
    done(&store, vec![Change::Insert(put, Some(Bytes::from("content")))]).await;
    done(&store, vec![replace(Kind::File, "f", 1, "seen")]).await;
    let kept = store.get(Kind::File, "f").await.unwrap().unwrap();
    assert_eq!((kept.parent.as_str(), kept.created_at, kept.version), ("session-1", 42, 2));
    assert_eq!(store.bytes(Kind::File, "f").await.unwrap(), Some(Bytes::from("content")));
    let query = Query { parent: Some("session-1"), state: Some("seen"), ..Query::default() };
    assert_eq!(ids(&*store, Kind::File, query).await, ["f"]);
}

pub(crate) async fn a_deletion_is_never_a_conflict(store: Store) {
    done(&store, vec![delete(Kind::Note, "n")]).await;
    done(&store, vec![insert(record(Kind::Note, "n", 1))]).await;
    done(&store, vec![replace(Kind::Note, "n", 1, "x"), delete(Kind::Note, "n")]).await;
    assert_eq!(store.get(Kind::Note, "n").await.unwrap(), None);
    done(&store, vec![delete(Kind::Note, "n")]).await;
    // A new one of the same name begins at version 1.
    done(&store, vec![insert(record(Kind::Note, "n", 2))]).await;
    assert_eq!(state(&store, Kind::Note, "n").await, Some((1, String::new())));
}

pub(crate) async fn changes_are_made_together_or_not_at_all(store: Store) {
    done(&store, vec![insert(record(Kind::Note, "old", 1)), insert(record(Kind::Note, "gone", 1))]).await;
    let changes = |last: Change| {
        vec![
            insert(record(Kind::Note, "new", 1)),
            replace(Kind::Note, "old", 1, "changed"),
            delete(Kind::Note, "gone"),
            Change::Insert(record(Kind::File, "file", 1), Some(Bytes::from("x"))),
            last,
        ]
    };
    for conflict in [insert(record(Kind::Note, "old", 5)), replace(Kind::Note, "nobody", 1, "x")] {
        assert_eq!(store.apply(changes(conflict)).await.unwrap(), Applied::Conflict(4));
        assert_eq!(state(&store, Kind::Note, "new").await, None);
        assert_eq!(state(&store, Kind::Note, "old").await, Some((1, String::new())));
        assert_eq!(state(&store, Kind::Note, "gone").await, Some((1, String::new())));
        assert_eq!(store.bytes(Kind::File, "file").await.unwrap(), None);
    }
    // The place of the first conflict, where there are several.
    let first = vec![delete(Kind::Note, "x"), replace(Kind::Note, "old", 9, "x"), insert(record(Kind::Note, "old", 1))];
    assert_eq!(store.apply(first).await.unwrap(), Applied::Conflict(1));
    done(&store, changes(delete(Kind::Note, "nobody"))).await;
    assert_eq!(state(&store, Kind::Note, "old").await, Some((2, "changed".to_owned())));
    assert_eq!(state(&store, Kind::Note, "gone").await, None);
    assert_eq!(store.bytes(Kind::File, "file").await.unwrap(), Some(Bytes::from("x")));
    // With or without something urgent after it, a change is made before it is answered.
    let alone = || vec![insert(record(Kind::Note, "alone", 1)), insert(record(Kind::Note, "beside", 1))];
    assert_eq!(store.apply_in_company(alone()).await.unwrap(), Applied::Done);
    assert_eq!(state(&store, Kind::Note, "alone").await, Some((1, String::new())));
    assert_eq!(store.apply_in_company(alone()).await.unwrap(), Applied::Conflict(0));
}

pub(crate) async fn later_changes_see_earlier_ones(store: Store) {
    let twice = vec![insert(record(Kind::Note, "n", 1)), insert(record(Kind::Note, "n", 1))];
    assert_eq!(store.apply(twice).await.unwrap(), Applied::Conflict(1));
    done(&store, vec![insert(record(Kind::Note, "n", 1)), replace(Kind::Note, "n", 1, "a")]).await;
    assert_eq!(state(&store, Kind::Note, "n").await, Some((2, "a".to_owned())));
    let again = vec![
        Change::Insert(record(Kind::Note, "m", 1), Some(Bytes::from("old"))),
        delete(Kind::Note, "m"),
        insert(record(Kind::Note, "m", 3)),
        replace(Kind::Note, "m", 1, "b"),
    ];
    done(&store, again).await;
    assert_eq!(state(&store, Kind::Note, "m").await, Some((2, "b".to_owned())));
    assert_eq!(store.bytes(Kind::Note, "m").await.unwrap(), None);
}

pub(crate) async fn kinds_do_not_meet(store: Store) {
    done(&store, Kind::ALL.into_iter().map(|kind| insert(record(kind, "same", 1))).collect()).await;
    done(&store, vec![delete(Kind::Note, "same"), replace(Kind::Audit, "same", 1, "x")]).await;
    for kind in Kind::ALL {
        let expected = match kind {
            Kind::Note => None,
            Kind::Audit => Some((2, "x".to_owned())),
            _ => Some((1, String::new())),
        };
        assert_eq!(state(&store, kind, "same").await, expected, "{kind:?}");
        assert_eq!(ids(&*store, kind, Query::default()).await.len(), usize::from(kind != Kind::Note));
    }
}

pub(crate) async fn bytes_come_back_and_go_with_their_record(store: Store) {
    let every: Bytes = (0..=u8::MAX).collect::<Vec<_>>().into();
    for (id, bytes) in [("every", every.clone()), ("empty", Bytes::new())] {
        done(&store, vec![Change::Insert(record(Kind::File, id, 1), Some(bytes.clone()))]).await;
        assert_eq!(store.bytes(Kind::File, id).await.unwrap(), Some(bytes));
    }
    assert_eq!(store.bytes(Kind::File, "nobody").await.unwrap(), None);
    done(&store, vec![delete(Kind::File, "every")]).await;
    assert_eq!(store.bytes(Kind::File, "every").await.unwrap(), None);
    done(&store, vec![insert(record(Kind::File, "every", 1))]).await;
    assert_eq!(store.bytes(Kind::File, "every").await.unwrap(), None);
}

pub(crate) async fn ten_mebibytes_are_kept(store: Store) {
    let bytes: Bytes = (0..10 * 1024 * 1024_u32).map(|at| (at % 251) as u8).collect::<Vec<_>>().into();
    done(&store, vec![Change::Insert(record(Kind::File, "f", 1), Some(bytes.clone()))]).await;
    assert!(store.bytes(Kind::File, "f").await.unwrap() == Some(bytes), "ten MiB were changed");
}

pub(crate) async fn strange_names_are_names(store: Store) {
    let names = strange_names();
    for name in &names {
        let named = Record { parent: name.to_string(), state: name.to_string(), ..record(Kind::Material, name, 1) };
        done(&store, vec![insert(named.clone())]).await;
        assert_eq!(store.get(Kind::Material, name).await.unwrap(), Some(named));
    }
    for name in &names {
        let query = Query { parent: Some(name), state: Some(name), ..Query::default() };
        assert_eq!(ids(&*store, Kind::Material, query).await, [name.to_string()]);
        assert_eq!(store.count(Kind::Material, name).await.unwrap(), 1);
    }
    let mut sorted: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    sorted.sort();
    assert_eq!(ids(&*store, Kind::Material, Query::default()).await, sorted, "by bytes, not by anybody's alphabet");
    for name in &names {
        store.remove_children(name, &[Kind::Material]).await.unwrap();
        assert_eq!(store.get(Kind::Material, name).await.unwrap(), None);
    }
}

// REVIEW-1: two people never decide one item.
pub(crate) async fn of_sixteen_who_decide_one_wins(store: Store) {
    done(&store, vec![insert(record(Kind::Review, "r", 1))]).await;
    let decide = |who: usize| {
        let store = Arc::clone(&store);
        async move {
            let decided = vec![
                insert(record(Kind::Audit, &format!("by-{who}"), 1)),
                replace(Kind::Review, "r", 1, &format!("by-{who}")),
            ];
            (who, store.apply(decided).await.unwrap())
        }
    };
    let mut winners = Vec::new();
    for task in (0..16).map(|who| tokio::spawn(decide(who))).collect::<Vec<_>>() {
        match task.await.unwrap() {
            (who, Applied::Done) => winners.push(format!("by-{who}")),
            (_, conflict) => assert_eq!(conflict, Applied::Conflict(1)),
        }
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(state(&store, Kind::Review, "r").await.map(|(_, state)| state), winners.first().cloned());
    assert_eq!(ids(&*store, Kind::Audit, Query::default()).await, winners, "the losers' audit entries are not there");
}

pub(crate) async fn children_are_removed_by_kind(store: Store) {
    let child = |kind, id: &str, parent: &str| Record { parent: parent.into(), ..record(kind, id, 1) };
    let file = Change::Insert(child(Kind::File, "f", "s1"), Some(Bytes::from("x")));
    let children = [
        child(Kind::Note, "n1", "s1"),
        child(Kind::Note, "n2", "s2"),
        child(Kind::Material, "m", "s1"),
        child(Kind::Review, "kept", "s1"),
        child(Kind::Note, "orphan", ""),
    ];
    done(&store, children.into_iter().map(insert).chain([file]).collect()).await;
    store.remove_children("s1", &[]).await.unwrap();
    store.remove_children("nobody", &Kind::ALL).await.unwrap();
    assert_eq!(ids(&*store, Kind::Note, Query::default()).await, ["n1", "n2", "orphan"]);
    store.remove_children("s1", &[Kind::Note, Kind::Material, Kind::File]).await.unwrap();
    assert_eq!(ids(&*store, Kind::Note, Query::default()).await, ["n2", "orphan"]);
    assert!(ids(&*store, Kind::Material, Query::default()).await.is_empty());
    assert_eq!(ids(&*store, Kind::Review, Query::default()).await, ["kept"]);
    assert_eq!(store.bytes(Kind::File, "f").await.unwrap(), None);
    done(&store, vec![insert(record(Kind::File, "f", 1))]).await;
    assert_eq!(store.bytes(Kind::File, "f").await.unwrap(), None);
}

// SERVE-5: whatever was written can be read, in every kind, and its neighbours too.
pub(crate) async fn bodies_nested_without_end_are_readable(store: Store) {
    let nested = |depth: usize| (0..depth).fold(json!("end"), |inner, _| json!({ "a": [inner] }));
    for kind in Kind::ALL {
        for depth in [20, 50, 56, 57, 60, 63, 64, 200] {
            let id = format!("deep-{depth}");
            let put = Record { body: json!({ "id": id, "deep": nested(depth) }), ..record(kind, &id, 1) };
            done(&store, vec![insert(put.clone())]).await;
            let kept = store.get(kind, &id).await.unwrap().unwrap();
            assert_eq!((kept.problem(), &kept.body["id"]), (None, &json!(id)));
            assert!(depth > 50 || kept.body == put.body, "what is not too deep stays as it is");
            let body = json!({ "again": nested(depth) });
            done(&store, vec![Change::Replace { kind, id, version: 1, state: String::new(), body }]).await;
        }
        assert_eq!(store.list(kind, Query::default()).await.unwrap().len(), 8, "{kind:?}");
    }
    assert!(store.unreadable().is_empty());
}

pub(crate) async fn what_is_ensured_is_never_a_conflict(store: Store) {
    let first = Change::Ensure(Record { body: json!(1), ..record(Kind::Request, "r", 1) }, Some(Bytes::from("one")));
    let again = Change::Ensure(Record { body: json!(2), ..record(Kind::Request, "r", 2) }, Some(Bytes::from("two")));
    done(&store, vec![first.clone(), again.clone(), insert(record(Kind::Verdict, "v", 1))]).await;
    done(&store, vec![again, insert(record(Kind::Verdict, "w", 1))]).await;
    let kept = store.get(Kind::Request, "r").await.unwrap().unwrap();
    assert_eq!((kept.body, kept.created_at, kept.version), (json!(1), 1, 1), "the first stays");
    assert_eq!(store.bytes(Kind::Request, "r").await.unwrap().unwrap(), "one");
    // With a conflict beside it nothing is made.
    let other = Change::Ensure(record(Kind::Request, "other", 1), None);
    let applied = store.apply(vec![other, insert(record(Kind::Verdict, "v", 1))]).await.unwrap();
    assert_eq!((applied, store.get(Kind::Request, "other").await.unwrap()), (Applied::Conflict(1), None));
}

pub(crate) async fn records_are_measured(store: Store) {
    let before = store.size(&[Kind::Request, Kind::Verdict]).await.unwrap();
    // Noise, because a store may compress.
    let mut noise = vec![0; 200_000];
    getrandom::fill(&mut noise).unwrap();
    done(&store, vec![Change::Insert(record(Kind::Request, "measured", 1), Some(Bytes::from(noise)))]).await;
    let after = store.size(&[Kind::Request, Kind::Verdict]).await.unwrap();
    assert!((150_000..300_000).contains(&(after - before)), "{before} {after}");
    assert!(store.size(&[Kind::Note]).await.unwrap() < 100_000);
}
