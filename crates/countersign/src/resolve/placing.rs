//! The calls of a correction, each in its place: a repeat of a call that is kept, the correction of one that was wrong,
//! or one more.
//!
//! The law: no tool runs with the same arguments more often than the first answer asked for, counting what took the
//! place of a wrong call. What is kept was decided once, so a repeat of it is answered and never released, however the
//! model orders, splits or rewrites its calls.

use super::call_key::CallKey;

/// Where a call of a correction belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// It repeats a call that is kept.
    Repeat,
    /// It takes the place of a wrong call, by its number among them.
    Slot(usize),
    /// It is one more.
    Extra,
}

/// Places the calls of a correction. A wrong call is corrected by the first new call of the same tool, else by the first
/// that is left.
pub(super) fn place(kept: &[CallKey], wrong: &[CallKey], calls: &[CallKey]) -> Vec<Placement> {
    let is_kept = |call: &CallKey| kept.iter().any(|known| known.is_same(call));
    let mut places: Vec<Placement> =
        calls.iter().map(|call| if is_kept(call) { Placement::Repeat } else { Placement::Extra }).collect();
    let mut open: Vec<usize> = (0..wrong.len()).collect();
    for same_tool in [true, false] {
        open.retain(|slot| {
            let fits = |call: &CallKey| !same_tool || wrong.get(*slot).is_some_and(|wrong| call.is_same_tool(wrong));
            let found = calls.iter().zip(&mut places).find(|(call, place)| **place == Placement::Extra && fits(call));
            let Some((_, place)) = found else { return true };
            *place = Placement::Slot(*slot);
            false
        });
    }
    drop_repeats(calls, &mut places);
    places
}

/// One more call that the same answer has already is a repeat of it.
fn drop_repeats(calls: &[CallKey], places: &mut [Placement]) {
    let mut known: Vec<&CallKey> = calls
        .iter()
        .zip(places.iter())
        .filter(|(_, place)| matches!(place, Placement::Slot(_)))
        .map(|(call, _)| call)
        .collect();
    for (call, place) in calls.iter().zip(places.iter_mut()).filter(|(_, place)| **place == Placement::Extra) {
        if known.iter().any(|known| known.is_same(call)) {
            *place = Placement::Repeat;
        } else {
            known.push(call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ToolCall;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn key(name: &str, arguments: Value) -> CallKey {
        CallKey::of(&ToolCall { id: None, name: name.to_owned(), arguments: arguments.into() }, None)
    }

    // CALL-10: a call that comes in another order corrects its own tool's call.
    #[test]
    fn a_correction_goes_to_its_own_tool() {
        let wrong = [key("a", json!({})), key("b", json!({}))];
        let calls = [key("b", json!({"x": 1})), key("a", json!({"x": 1})), key("c", json!({}))];
        assert_eq!(place(&[], &wrong, &calls), [Placement::Slot(1), Placement::Slot(0), Placement::Extra]);
        assert_eq!(place(&[], &wrong, &calls[..1]), [Placement::Slot(1)]);
        assert_eq!(place(&[], &wrong, &calls[2..]), [Placement::Slot(0)], "a model may take another tool");
    }

    proptest! {
        // CALL-10: nothing is released twice. Whatever is kept, wrong and repeated: no call is let through more often
        // than there are wrong calls for it to correct, once as one more, and never where it is kept already.
        #[test]
        fn nothing_is_let_through_twice(
            kept in prop::collection::vec(0..6u8, 0..5),
            wrong in prop::collection::vec(0..3u8, 0..4),
            calls in prop::collection::vec(0..8u8, 0..10),
        ) {
            let call = |n: &u8| key(&format!("tool{}", n % 3), json!({"n": n}));
            let bad = |n: &u8| key(&format!("tool{n}"), json!({"wrong": true}));
            let (kept_keys, wrong_keys): (Vec<_>, Vec<_>) =
                (kept.iter().map(call).collect(), wrong.iter().map(bad).collect());
            let said: Vec<_> = calls.iter().map(call).collect();
            let places = place(&kept_keys, &wrong_keys, &said);
            let mut slots: Vec<usize> =
                places.iter().filter_map(|place| if let Placement::Slot(at) = place { Some(*at) } else { None }).collect();
            slots.sort_unstable();
            slots.dedup();
            prop_assert_eq!(slots.len(), places.iter().filter(|place| matches!(place, Placement::Slot(_))).count());
            for n in 0..8u8 {
                let of = |wanted: fn(&Placement) -> bool| {
                    calls.iter().zip(&places).filter(|(call, place)| **call == n && wanted(place)).count()
                };
                let (corrected, extra) = (of(|p| matches!(p, Placement::Slot(_))), of(|p| *p == Placement::Extra));
                if kept.contains(&n) {
                    prop_assert_eq!(corrected + extra, 0);
                }
                prop_assert!(extra <= 1 && (extra == 0 || corrected == 0) && corrected <= wrong.len());
            }
            let free = calls.iter().any(|n| !kept.contains(n));
            prop_assert!(wrong.is_empty() || !free || places.iter().any(|place| matches!(place, Placement::Slot(_))));
        }
    }
}
