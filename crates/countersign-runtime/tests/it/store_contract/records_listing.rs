//! In which order records are listed, and which.

use super::words::{ids, record};
use countersign_runtime::store::{Applied, Change, Fingerprint, Kind, Order, Query, Record, Records};
use std::sync::Arc;

type Store = Arc<dyn Records>;

async fn put(store: &Store, records: impl IntoIterator<Item = Record>) {
    let changes = records.into_iter().map(|record| Change::Insert(record, None)).collect();
    assert_eq!(store.apply(changes).await.unwrap(), Applied::Done);
}

/// Put in no order: by time and then by the bytes of the id they are e, Z, a, b, ä, c.
fn mixed() -> [Record; 6] {
    [("b", 20), ("ä", 20), ("c", 30), ("Z", 20), ("a", 20), ("e", -10)].map(|(id, at)| record(Kind::Note, id, at))
}

pub(crate) async fn a_list_is_in_order_of_time_then_id(store: Store) {
    put(&store, mixed()).await;
    assert_eq!(ids(&*store, Kind::Note, Query::default()).await, ["e", "Z", "a", "b", "ä", "c"]);
    assert!(ids(&*store, Kind::Material, Query::default()).await.is_empty());
}

pub(crate) async fn the_newest_come_first_where_asked(store: Store) {
    put(&store, mixed()).await;
    let query = Query { order: Order::NewestFirst, ..Query::default() };
    assert_eq!(ids(&*store, Kind::Note, query.clone()).await, ["c", "ä", "b", "a", "Z", "e"]);
    assert_eq!(ids(&*store, Kind::Note, Query { limit: 2, ..query }).await, ["c", "ä"]);
}

pub(crate) async fn pages_join_without_gap_or_overlap(store: Store) {
    put(&store, (0..20).map(|number| record(Kind::Verdict, &format!("v{number:02}"), number / 3))).await;
    for order in [Order::OldestFirst, Order::NewestFirst] {
        let whole = ids(&*store, Kind::Verdict, Query { order, ..Query::default() }).await;
        assert_eq!(whole.len(), 20);
        for limit in [1, 3, 7, 20] {
            let mut read: Vec<Record> = Vec::new();
            loop {
                let after = read.last().map(|record| (record.created_at, record.id.clone()));
                let after = after.as_ref().map(|(at, id)| (*at, id.as_str()));
                let page = store.list(Kind::Verdict, Query { after, order, limit, ..Query::default() }).await.unwrap();
                assert!(page.len() <= limit);
                if page.is_empty() {
                    break;
                }
                read.extend(page);
            }
            assert_eq!(
                read.into_iter().map(|record| record.id).collect::<Vec<_>>(),
                whole,
                "{order:?}, pages of {limit}"
            );
        }
    }
    // A cursor need not be a record that is still there.
    let after = Some((2, "v06-and-a-half"));
    let rest = ids(&*store, Kind::Verdict, Query { after, limit: 2, ..Query::default() }).await;
    assert_eq!(rest, ["v07", "v08"]);
    let rest =
        ids(&*store, Kind::Verdict, Query { after, limit: 2, order: Order::NewestFirst, ..Query::default() }).await;
    assert_eq!(rest, ["v06", "v05"]);
}

pub(crate) async fn a_list_is_of_one_parent_state_and_time(store: Store) {
    let reviews = (0..12).map(|number: i64| Record {
        parent: format!("s{}", number % 2),
        state: ["pending", "approved", ""].into_iter().cycle().nth(number as usize).unwrap_or_default().to_owned(),
        ..record(Kind::Review, &format!("r{number:02}"), number * 10)
    });
    put(&store, reviews).await;
    let all = Query::default();
    let asked = [
        (Query { parent: Some("s1"), ..all.clone() }, "r01 r03 r05 r07 r09 r11"),
        (Query { parent: Some("s"), ..all.clone() }, ""),
        (Query { parent: Some(""), ..all.clone() }, ""),
        (Query { state: Some("pending"), ..all.clone() }, "r00 r03 r06 r09"),
        (Query { state: Some(""), ..all.clone() }, "r02 r05 r08 r11"),
        (Query { parent: Some("s0"), state: Some("pending"), ..all.clone() }, "r00 r06"),
        (Query { since: Some(90), ..all.clone() }, "r09 r10 r11"),
        (Query { until: Some(20), ..all.clone() }, "r00 r01"),
        (Query { since: Some(20), until: Some(50), ..all.clone() }, "r02 r03 r04"),
        (Query { since: Some(50), until: Some(50), ..all.clone() }, ""),
        (Query { parent: Some("s1"), since: Some(30), after: Some((50, "r05")), limit: 2, ..all.clone() }, "r07 r09"),
        (Query { parent: Some("s1"), until: Some(90), order: Order::NewestFirst, limit: 2, ..all.clone() }, "r07 r05"),
    ];
    for (query, expected) in asked {
        assert_eq!(ids(&*store, Kind::Review, query.clone()).await.join(" "), expected, "{query:?}");
    }
}

pub(crate) async fn a_list_without_limit_is_a_thousand(store: Store) {
    put(&store, (0..1_005).map(|number| record(Kind::Audit, &format!("a{number:04}"), number))).await;
    let listed = ids(&*store, Kind::Audit, Query::default()).await;
    assert_eq!((listed.len(), listed.last().map(String::as_str)), (1_000, Some("a0999")));
    assert_eq!(ids(&*store, Kind::Audit, Query { limit: 2_000, ..Query::default() }).await.len(), 1_005);
}

pub(crate) async fn records_are_counted_by_state(store: Store) {
    let with = |id: &str, state: &str| Record { state: state.into(), ..record(Kind::Review, id, 1) };
    put(&store, [with("a", "pending"), with("b", "pending"), with("c", "approved"), with("d", "")]).await;
    put(&store, [record(Kind::Note, "n", 1)]).await;
    for (state, count) in [("pending", 2), ("approved", 1), ("other", 0), ("", 4)] {
        assert_eq!(store.count(Kind::Review, state).await.unwrap(), count, "{state}");
    }
    assert_eq!(store.count(Kind::Session, "").await.unwrap(), 0);
}

pub(crate) async fn places_are_those_of_the_list(store: Store) {
    put(&store, mixed()).await;
    let (oldest, newest) = (Query::default(), Query { order: Order::NewestFirst, limit: 2, ..Query::default() });
    let middle = Query { since: Some(20), until: Some(30), after: Some((20, "Z")), ..Query::default() };
    for query in [oldest, newest, middle] {
        let listed = store.list(Kind::Note, query.clone()).await.unwrap();
        let places: Vec<_> = listed.into_iter().map(|record| (record.created_at, record.id)).collect();
        assert_eq!(store.list_places(Kind::Note, query.clone()).await.unwrap(), places, "{query:?}");
    }
}

pub(crate) async fn a_fingerprint_tells_what_was_made_and_removed(store: Store) {
    let day = 1_800_000_000_000;
    let at = [-7, 5, day, day + 1];
    put(&store, at.map(|at| record(Kind::Verdict, &format!("v{at}"), at))).await;
    put(&store, [record(Kind::Note, "n", 1)]).await;
    for (until, before) in [(i64::MIN, 0), (-7, 0), (5, 1), (day, 2), (day + 1, 3), (i64::MAX, 4)] {
        let expected = Fingerprint::of(at.into_iter().take(before));
        assert_eq!(store.fingerprint(Kind::Verdict, until).await.unwrap(), expected, "{until}");
    }
    let before = store.fingerprint(Kind::Verdict, i64::MAX).await.unwrap();
    let instead = Change::Insert(record(Kind::Verdict, "late", 6), None);
    let gone = Change::Delete { kind: Kind::Verdict, id: "v5".into() };
    assert_eq!(store.apply(vec![gone, instead]).await.unwrap(), Applied::Done);
    let after = store.fingerprint(Kind::Verdict, i64::MAX).await.unwrap();
    assert_eq!(after.count, before.count);
    assert_ne!(after, before, "one for another is a change");
}
