//! Values that a text gives, where the user named the field of a record that holds another one: "the account from the register",
//! 按订单里的退货地址.
//!
//! Whoever says which field of which record is meant has pointed there, and to no other text. (TRUST-2)

use super::super::role::Role;
use super::super::subject::{Node, Subject};
use super::acts;
use super::origin::{Place, call_of, places};
use super::pointing::last_words;
use super::request::Wish;
use super::target::{Kind, bare, kind_of};
use crate::contract::Finding;
use crate::contract::codes::trust::UNTRUSTED_TARGET;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::conversation::sources::Leaf;
use crate::conversation::vocabulary::Vocabulary;
use crate::localized;
use crate::text::fold::fold;
use crate::text::words::identifier_words;

/// The finding.
pub(super) fn find(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    let asked = last_words(subject).filter(|_| acts(subject) && !wish.wants_change())?;
    let user = subject.conversation.index().user();
    let foreign = |(_, value): &(&Node<'_>, String)| !stands_in(user, value) && !is_field(subject, value);
    let (node, field) = values(subject).into_iter().filter(foreign).find_map(|(node, value)| {
        let texts: Vec<Place<'_>> = places(subject).filter(|place| stands_in(&place.leaf.text, &value)).collect();
        let meant = |place: &Place<'_>| {
            let leaf = place.leaf;
            let other = !leaf.labelled && leaf.text != value && !leaf.text.contains(&value) && is_one(&leaf.text);
            other && belongs(node, &value, leaf) && clauses(&asked).any(|clause| names(subject, clause, place, &texts))
        };
        let field = places(subject).filter(|_| !texts.is_empty()).find(meant)?;
        Some((node, field))
    })?;
    let (key, own) = (node.key, &field.leaf.key);
    let evidence = localized!(
        subject.language,
        "the user named `{own}` of a record, and `{key}` is another value that only a text in a result gives",
        "用户指的是记录中的“{own}”，而 `{key}` 是只出现在结果文字里的另一个值"
    );
    Some(Finding::new(&UNTRUSTED_TARGET, subject.values.pointer(node), evidence))
}

/// The values of a call, and of its texts the addresses in them.
fn values<'a>(subject: &'a Subject<'a>) -> Vec<(&'a Node<'a>, String)> {
    let mut found = Vec::new();
    for node in subject.values.leaves() {
        let Some(text) = node.value.as_str().filter(|text| text.len() <= MAX_TEXT) else { continue };
        if node.roles.has(Role::FreeText) {
            let links = text.split_whitespace().filter(|word| matches!(kind_of(word), Some(Kind::Url | Kind::Email)));
            found.extend(links.take(MAX_LINKS).map(|word| (node, bare(word))));
        } else if text.chars().count() >= MIN_VALUE {
            found.push((node, bare(text)));
        }
    }
    found
}

fn is_field(subject: &Subject<'_>, value: &str) -> bool {
    places(subject).any(|place| !place.leaf.labelled && bare(&place.leaf.text) == *value)
}

/// Whether a field holds one value and no sentences.
fn is_one(text: &str) -> bool {
    text.len() <= MAX_FIELD && !text.contains(['。', '！', '\n'])
}

/// Whether a field is of the kind that an argument takes: by its name, by what its parameter is called, or by its looks.
fn belongs(node: &Node<'_>, value: &str, leaf: &Leaf) -> bool {
    let kind = kind_of(value).filter(|kind| *kind != Kind::Name);
    if kind.is_some() || node.roles.has(Role::FreeText) {
        return kind.is_some() && kind_of(&leaf.text) == kind;
    }
    let called = node.param.is_some_and(|param| fold(&param.description).contains(&leaf.key));
    leaf.key.chars().count() >= 2 && (fold(node.key) == fold(&leaf.key) || called)
}

/// The clauses of what the user said.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let comma = if text.contains(is_han) { "," } else { ", " };
    let marks = text.split(['，', '。', '；', '！', '？', ';', '\n']);
    marks.flat_map(move |part| part.split(comma)).flat_map(|part| part.split(". "))
}

/// Whether a clause names a field, and the record or the tool that gave it, and none of the texts beside it.
fn names(subject: &Subject<'_>, clause: &str, place: &Place<'_>, texts: &[Place<'_>]) -> bool {
    let words = Vocabulary::of(clause);
    let key = identifier_words(&place.leaf.key).join(" ");
    let own = Vocabulary::of(&key);
    let said = |key: &str| stands_in(clause, key) || (own.count() > 0 && own.keys().all(|key| words.has(key)));
    let source = |place: &Place<'_>| words.meets(&source_of(subject, place));
    key.chars().count() >= 2 && said(&key) && source(place) && !texts.iter().any(source)
}

/// The words for where a text came from: those of the tool that gave it.
fn source_of(subject: &Subject<'_>, place: &Place<'_>) -> Vocabulary {
    let Some(call) = call_of(subject, place.message, place.leaf.result) else { return Vocabulary::default() };
    let mut specs = subject.registry.into_iter().flat_map(|registry| registry.specs());
    let described = specs.find(|spec| spec.name == call.name).map(|spec| fold(&spec.description)).unwrap_or_default();
    let mut found = Vocabulary::of(&described);
    identifier_words(&call.name).iter().for_each(|word| found.add(word));
    found
}

const MIN_VALUE: usize = 4;
const MAX_TEXT: usize = 4000;
const MAX_LINKS: usize = 20;
const MAX_FIELD: usize = 160;
