//! Talk instead of data: a promise, an acknowledgement, an excuse of a model that has nothing.

use crate::check_call::effects;
use crate::check_result::effect::acts;
use crate::check_result::subject::{Subject, ToolKind};
use crate::check_result::voice::unquoted;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::parse::chatter::ChatterRules;
use crate::text::lists::word_list;
use crate::text::phrases::Phrases;
use crate::text::sentences::sentences;
use std::sync::LazyLock;

/// Whether a word of confirmation is all that the tool may have to say: it acts, or its name does not tell what it does.
fn may_only_confirm(subject: &Subject) -> bool {
    acts(&subject.call.name) || effects::by_name(&subject.call.name).is_none()
}

/// Strings that begin as talk and never come to data.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let about_models = subject.argument_texts().any(|text| ABOUT.any(text));
    let spoken = subject.parts.texts.iter().filter(|text| text.key.is_empty() || is_main(text.key));
    let spoken = spoken.filter(|text| text.listed == 0 || subject.kind == ToolKind::Searches);
    // A translation or a file may hold a promise that somebody else made.
    let heard = |text: &str| match subject.kind {
        ToolKind::Translates | ToolKind::Carries | ToolKind::Runs => excuse(text),
        // "OK" is all that some tools have to say.
        _ if may_only_confirm(subject) && text.chars().count() < 16 => excuse(text),
        _ => talk(text),
    };
    let talks = spoken.filter_map(|text| Some((text, heard(text.text)?))).filter(|_| !about_models);
    talks
        .take(3)
        .map(|(text, phrase)| {
            let evidence = localized!(
                subject.language,
                "the result is talk, not data: “{phrase}”",
                "结果是客套或推托，不是数据：“{phrase}”"
            );
            Finding::new(&codes::PSEUDO_ANSWER, text.pointer.clone(), evidence)
        })
        .collect()
}

/// The phrase by which a text shows itself as talk: an excuse at its beginning, or a promise that is all there is.
pub(crate) fn talk(text: &str) -> Option<String> {
    let short = text.trim().chars().count() <= 200;
    excuse(text).or_else(|| promise(text.trim()).filter(|_| short))
}

/// The excuse that a text begins with.
pub(crate) fn excuse(text: &str) -> Option<String> {
    let text = text.trim();
    // What a text quotes, somebody else said.
    let head: String = unquoted(text).chars().take(120).collect();
    let found = EXCUSES.find(&head).next()?;
    let early = head.get(..found.range.start).is_some_and(|before| before.chars().count() <= 40);
    let quoted = text.starts_with(['"', '“', '\'', '`', '「', '#', '<']);
    (early && !quoted && text.chars().count() < 1200).then(|| found.phrase.to_owned())
}

/// The phrase of a message that only promises or acknowledges, sentence by sentence.
pub(crate) fn promise(text: &str) -> Option<String> {
    let mut first = None;
    let cut = sentences(text).into_iter().filter_map(|range| text.get(range));
    let clauses = cut.flat_map(|sentence| sentence.split([',', '，', '、', '!', '！']));
    for clause in clauses.map(str::trim).filter(|clause| clause.chars().any(char::is_alphanumeric)) {
        let found = PROMISES.find(clause).next().filter(|found| found.range.start <= 3);
        match found {
            Some(found) => first = first.or(Some(found.phrase.to_owned())),
            None if is_small(clause) => {}
            None => return None,
        }
    }
    let tells = text.chars().filter(char::is_ascii_digit).count() >= 2 || text.contains(':') || text.contains('：');
    first.filter(|_| !tells)
}

/// A sentence that adds nothing: "Please wait.", 请稍候。
fn is_small(sentence: &str) -> bool {
    let bare = sentence.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    SMALL.any(&bare) || bare.chars().count() <= 4
}

fn is_main(key: &str) -> bool {
    let key = key.to_lowercase();
    MAIN.contains(&key.as_str())
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&EXCUSES);
    LazyLock::force(&PROMISES);
    LazyLock::force(&SMALL);
    LazyLock::force(&ABOUT);
}

static EXCUSES: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/excuses.txt")));
static PROMISES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(ChatterRules::shipped().talk_phrases()));
static SMALL: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(ChatterRules::shipped().filler_phrases()));
static ABOUT: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(["language model", "ai", "chatgpt", "人工智能", "语言模型", "大模型"]));

const MAIN: &[&str] = word_list!("check_result", "anomaly/pseudo_answer/main");
