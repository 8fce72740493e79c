//! What is kept for later chats: words of a text that nobody asked to remember steer every talk after this one. (TRUST-2)

use super::super::subject::Subject;
use super::moved::leaves;
use super::origin::is_prose;
use super::request::Wish;
use crate::contract::Finding;
use crate::contract::codes::trust::UNTRUSTED_TARGET;
use crate::conversation::vocabulary::Vocabulary;
use crate::localized;
use crate::text::fold::fold;
use crate::text::lists::word_list;
use crate::text::phrases::Phrases;
use crate::text::words::identifier_words;
use std::sync::LazyLock;

/// The finding on a tool that remembers, where its words are a text's and the user asked for something else.
pub(super) fn find(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    if !remembers(subject) || wish.asks() || wish.may_mean() || wish.is_errand() {
        return None;
    }
    let said = wish.words();
    let node = subject.values.leaves().find(|node| {
        let own = Vocabulary::of(&node.value.as_str().map(fold).unwrap_or_default());
        let news: Vec<u64> = own.keys().filter(|key| !said.has(*key)).collect();
        let copied = |text: &str| {
            let there = Vocabulary::of(text);
            news.iter().filter(|key| there.has(**key)).count() * 3 >= news.len() * 2
        };
        news.len() >= MIN_NEWS && leaves(subject).any(|(_, leaf)| is_prose(&leaf.text) && copied(&leaf.text))
    })?;
    let tool = &subject.tool.spec.name;
    let evidence = localized!(
        subject.language,
        "nobody asked to remember this; `{tool}` would keep what only a text in a result says",
        "没有人要求记住这些，`{tool}` 会把只出现在结果文字里的内容保存下来"
    );
    Some(Finding::new(&UNTRUSTED_TARGET, subject.values.pointer(node), evidence))
}

/// Whether a tool keeps something for later chats.
fn remembers(subject: &Subject<'_>) -> bool {
    let spec = &subject.tool.spec;
    let named = identifier_words(&spec.name).iter().any(|word| NAMES.contains(&word.as_str()));
    named && super::acts(subject) || LATER.any(&fold(&spec.description))
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&LATER);
}

const MIN_NEWS: usize = 4;
const NAMES: &[&str] = word_list!("check_call", "trust/memory/names");
static LATER: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(word_list!("check_call", "trust/memory/later").iter().copied()));
