//! What the values mean, beyond their schema.
//!
//! Each kind of value has one file, and each says nothing where the schema already spoke: a declared format,
//! pattern, enum or bound wins over a rule by name. A value that the description or the schema itself names
//! (a default, an example, `dontcare`) passes every rule. A clean value costs a few comparisons.

/// One value with all that the rules want to know of it.
pub(crate) mod value;
/// Numbers with bounds by name.
pub(crate) mod bounds;
/// Whole numbers that cannot be kept.
pub(crate) mod exact;
/// Dates and times that cannot exist.
pub(crate) mod date;
/// What the description asks for.
pub(crate) mod prose;
/// URLs.
pub(crate) mod url;
/// E-mail addresses.
pub(crate) mod email;
/// IP addresses.
pub(crate) mod address;
/// UUIDs.
pub(crate) mod uuid;
/// Paths.
pub(crate) mod path;
/// What the policy asks of an argument.
pub(crate) mod asked;
/// Pairs in the wrong order.
pub(crate) mod order;

use super::subject::{Check, Said, Subject};
use crate::contract::Finding;
use value::Held;

/// The check.
pub(crate) const CHECK: Check = Check { name: "meaning", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let asked = asked::is_special(subject);
    for node in subject.values.all() {
        if node.value.is_object() || node.value.is_null() {
            continue;
        }
        // A finding costs a look at the description and the conversation: their number is bounded.
        if said.findings.len() >= subject.policy.limits.findings {
            return;
        }
        let held = Held::of(subject, node);
        if asked && let Some(finding) = asked::find(&held) {
            said.findings.push(finding);
            continue;
        }
        said.findings.extend(RULES.iter().find_map(|rule| rule(&held)));
    }
    order::find(subject, said);
}

/// The rules for one value, in order: the first that speaks is enough, so that one mistake is told once.
const RULES: &[fn(&Held<'_>) -> Option<Finding>] = &[
    exact::find,
    date::find,
    prose::find,
    bounds::find,
    url::find,
    email::find,
    address::find,
    uuid::find,
    path::find,
];

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    value::build_tables();
}
