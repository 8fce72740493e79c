//! No order of merges loses a stop.

use super::words::strange_names;
use countersign_runtime::store::{Flag, Flags, Scope, merge_flags};
use std::collections::BTreeMap;
use std::sync::Arc;

type Store = Arc<dyn Flags>;

fn session(id: &str) -> Scope {
    Scope::Session(id.to_owned())
}

fn flag(scope: Scope, raised: u64, cleared: u64, at: i64) -> Flag {
    Flag { scope, raised, cleared, at }
}

async fn merge(store: &Store, flags: &[Flag]) -> Vec<Flag> {
    store.merge(flags).await.unwrap()
}

pub(crate) async fn a_raised_flag_is_kept(store: Store) {
    let up = flag(session("s"), 1, 0, 10);
    assert_eq!(merge(&store, std::slice::from_ref(&up)).await, std::slice::from_ref(&up));
    assert_eq!(merge(&store, &[]).await, [up]);
}

pub(crate) async fn a_merge_of_nothing_reads(store: Store) {
    assert!(merge(&store, &[]).await.is_empty());
    assert!(merge(&store, &[]).await.is_empty());
}

pub(crate) async fn flags_come_in_the_order_of_their_scopes(store: Store) {
    let scopes = [session("b"), session("é"), Scope::All, session("B"), session(""), session("all"), session("a")];
    let flags: Vec<_> = scopes.iter().map(|scope| flag(scope.clone(), 1, 0, 1)).collect();
    let mut sorted = flags.clone();
    sorted.sort_by(|one, two| one.scope.cmp(&two.scope));
    assert_eq!(merge(&store, &flags).await, sorted);
}

pub(crate) async fn a_merge_takes_the_greater_of_each(store: Store) {
    merge(&store, &[flag(Scope::All, 5, 2, 100)]).await;
    // (what is merged, what is kept then)
    let steps = [
        ((4, 3, 900), (5, 3, 100)),
        ((5, 0, 50), (5, 3, 100)),
        ((5, 0, 150), (5, 3, 150)),
        ((6, 1, 7), (6, 3, 7)),
        ((0, 6, 999), (6, 6, 7)),
        ((1 << 52, 0, -1), (1 << 52, 6, -1)),
        ((7, (1 << 52) - 1, 0), (1 << 52, (1 << 52) - 1, -1)),
    ];
    for ((raised, cleared, at), kept) in steps {
        let all = merge(&store, &[flag(Scope::All, raised, cleared, at)]).await;
        assert_eq!(all, [flag(Scope::All, kept.0, kept.1, kept.2)], "after {raised}, {cleared}, {at}");
    }
    // Several of one scope in one merge.
    let twice = [flag(session("s"), 1, 0, 1), flag(session("s"), 2, 1, 2), flag(session("s"), 1, 1, 9)];
    assert_eq!(merge(&store, &twice).await.last(), Some(&flag(session("s"), 2, 1, 2)));
}

pub(crate) async fn a_merge_twice_is_a_merge_once(store: Store) {
    let flags = [flag(Scope::All, 2, 1, 5), flag(session("s"), 1, 1, 6), flag(session("t"), 3, 0, 7)];
    let once = merge(&store, &flags).await;
    assert_eq!(merge(&store, &flags).await, once);
    assert_eq!(merge(&store, &once).await, once);
}

/// A few views that disagree in every way.
fn views() -> Vec<Vec<Flag>> {
    vec![
        vec![flag(Scope::All, 1, 0, 10), flag(session("s"), 2, 2, 30)],
        vec![flag(Scope::All, 1, 1, 12), flag(session("s"), 3, 1, 20)],
        vec![flag(session("t"), 1, 0, 5), flag(session("s"), 3, 2, 25)],
        vec![flag(Scope::All, 2, 0, 3)],
    ]
}

/// What a view has become once these were merged into it, under a prefix so that one store does for many.
async fn merged(store: &Store, prefix: &str, views: &[Vec<Flag>]) -> Vec<Flag> {
    let mut kept = Vec::new();
    for view in views {
        let named = view.iter().map(|flag| Flag { scope: session(&format!("{prefix}{}", flag.scope)), ..flag.clone() });
        kept = merge(store, &named.collect::<Vec<_>>()).await;
    }
    let own = kept.into_iter().filter_map(|flag| match &flag.scope {
        Scope::Session(name) => {
            let scope = session(name.strip_prefix(prefix)?);
            Some(Flag { scope, ..flag })
        }
        Scope::All => None,
    });
    own.collect()
}

pub(crate) async fn the_order_of_merges_does_not_matter(store: Store) {
    let mut views = views();
    let reference = merged(&store, "reference/", &views).await;
    assert_eq!(reference.len(), 3);
    for round in 0..4 {
        views.rotate_left(1);
        assert_eq!(merged(&store, &format!("rotated-{round}/"), &views).await, reference);
        let backwards: Vec<_> = views.iter().rev().cloned().collect();
        assert_eq!(merged(&store, &format!("reversed-{round}/"), &backwards).await, reference);
    }
}

pub(crate) async fn a_merge_of_views_is_a_merge_of_their_flags(store: Store) {
    let views = views();
    let one_by_one = merged(&store, "one/", &views).await;
    for split in 1..views.len() {
        let (left, right) = views.split_at(split);
        let join = |views: &[Vec<Flag>]| {
            let mut view = BTreeMap::new();
            views.iter().for_each(|flags| merge_flags(&mut view, flags));
            view.into_values().collect::<Vec<_>>()
        };
        let joined = merged(&store, &format!("joined-{split}/"), &[join(left), join(right)]).await;
        assert_eq!(joined, one_by_one, "(a, b), (c, d) is a, b, c, d");
    }
}

// STREAM-4
pub(crate) async fn a_clear_that_has_not_seen_the_newest_raise_does_not_undo_it(store: Store) {
    let seen = merge(&store, &[flag(Scope::All, 1, 0, 10)]).await;
    // Another node raises it once more before the clear arrives.
    merge(&store, &[flag(Scope::All, 2, 0, 20)]).await;
    let clear: Vec<_> = seen.iter().map(|flag| Flag { cleared: flag.raised, ..flag.clone() }).collect();
    let kept = merge(&store, &clear).await;
    assert_eq!(kept, [flag(Scope::All, 2, 1, 20)]);
    assert!(kept.iter().all(Flag::is_up));
    let clear: Vec<_> = kept.iter().map(|flag| Flag { cleared: flag.raised, ..flag.clone() }).collect();
    assert!(!merge(&store, &clear).await.iter().any(Flag::is_up));
    // The first raise arrives once more, late.
    assert!(!merge(&store, &seen).await.iter().any(Flag::is_up));
}

pub(crate) async fn strange_names_are_names(store: Store) {
    let mut names = strange_names();
    for (name, number) in names.iter().zip(1..) {
        merge(&store, &[flag(session(name), number, 0, 1)]).await;
    }
    let raised: BTreeMap<_, _> = names.iter().cloned().zip(1_u64..).collect();
    names.sort();
    let expected: Vec<_> =
        names.iter().map(|name| flag(session(name), raised.get(name).copied().unwrap(), 0, 1)).collect();
    assert_eq!(merge(&store, &[]).await, expected);
}

pub(crate) async fn raises_at_once_lose_none(store: Store) {
    let raise = |number: u64| {
        let store = Arc::clone(&store);
        async move {
            let own = session(&format!("s{number:02}"));
            let kept = merge(&store, &[flag(Scope::All, number, number / 2, 1), flag(own.clone(), 1, 0, 1)]).await;
            assert!(kept.iter().any(|flag| flag.scope == own && flag.is_up()), "a raise is seen by whoever made it");
        }
    };
    for task in (1..=16).map(|number| tokio::spawn(raise(number))).collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let kept = merge(&store, &[]).await;
    assert_eq!(kept.len(), 17);
    assert_eq!(kept.first(), Some(&flag(Scope::All, 16, 8, 1)));
}
