//! What a text tells of a deed: that it failed, changed nothing, was done in part, waits, or is done.
//!
//! The same words tell it in a tool's message and in an answer; `data/tellings.tsv` holds them, in both languages. The
//! longest phrase wins, so that "won't be charged" and 没有问题 deny nothing.

use crate::contract::language::is_han;
use crate::text::lexicon::{DeedEffect, Deeds, Form, Found, find_chinese, find_english, is_past};
use crate::text::lists::word_list;
use crate::text::phrases::Phrases;
use crate::text::words::words;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// What a phrase tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// It did not work.
    Failed,
    /// Something is denied, whatever it is.
    Denied,
    /// There is nothing, or nothing changed.
    Nothing,
    /// Not all of it.
    Part,
    /// It was taken on and is not finished.
    Waiting,
    /// It was begun: handed in, written down, ordered.
    Begun,
    /// A negation that denies no deed.
    Assured,
    /// A plan, a condition, an offer.
    Plan,
    /// It is done.
    Done,
    /// Something is there.
    Present,
}

/// Everything that a text tells.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tellings(u16);

impl Tellings {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        Self::besides(text, &Deeds::default())
    }

    /// Reads a text about deeds of which some are failures elsewhere: of a card that was to be blocked, "blocked" tells no
    /// failure.
    pub(crate) fn besides(text: &str, own: &Deeds) -> Self {
        let text = plain(text);
        let found = WORDS.phrases.find(&text).filter(|found| !is_attribute(&text, &found.range));
        let found = found.filter_map(|found| WORDS.kinds.get_key_value(found.phrase));
        let found = found.filter(|(phrase, telling)| !is_own(phrase, **telling, own));
        Self(found.fold(0, |all, (_, telling)| all | 1 << *telling as u16))
    }

    /// Whether it tells one of some things.
    pub(crate) fn has(self, any: &[Telling]) -> bool {
        any.iter().any(|telling| self.0 & (1 << *telling as u16) != 0)
    }
}

fn is_own(phrase: &str, telling: Telling, own: &Deeds) -> bool {
    matches!(telling, Telling::Failed | Telling::Waiting) && !own.is_empty() && deeds_in(phrase).meet(own)
}

/// Whether a word says which things are meant, and not how a deed ended: "the expired tokens", 过期样本.
fn is_attribute(text: &str, range: &Range<usize>) -> bool {
    let (before, word, after) = (text.get(..range.start), text.get(range.clone()), text.get(range.end..));
    let (before, word, after) = (before.unwrap_or_default(), word.unwrap_or_default(), after.unwrap_or_default());
    if word.contains(is_han) {
        // 删除了 has no 除了 in it, and 审批已通过 waits for nothing.
        if word == "除了" && before.ends_with(['删', '移', '清', '解', '排', '扣', '拆', '免', '消', '卸'])
        {
            return true;
        }
        if matches!(word, "审批" | "审核") && is_over(after) {
            return true;
        }
        let told = AFTER_ENDING.iter().any(|end| after.starts_with(end));
        return ATTRIBUTES_ZH.contains(&word) && after.starts_with(is_han) && !told;
    }
    let lower = word.to_ascii_lowercase();
    let last = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    let led = POINTERS.contains(&last.as_str()) || last.ends_with(|c: char| c.is_ascii_digit());
    let noun =
        after.strip_prefix(' ').and_then(|rest| rest.split(|c: char| !c.is_alphabetic()).next()).unwrap_or_default();
    ATTRIBUTES.contains(&lower.as_str()) && led && noun.len() > 3 && !AFTER_NOUN.contains(&noun)
}

/// Whether what waited has ended: 审批 SP-1 已经通过.
fn is_over(after: &str) -> bool {
    let clause = after.split(['，', '。', '；', '！', '\n']).next().unwrap_or_default();
    let ends = ["通过", "完成", "结束"].iter().filter_map(|word| clause.find(word)).min();
    let before = ends.and_then(|at| clause.get(..at));
    before.is_some_and(|before| before.contains('已') && !before.contains(['未', '没', '待', '等', '后', '才', '需']))
}

/// The deeds that a text names, in either language.
pub(crate) fn deeds_in(text: &str) -> Deeds {
    let lower = text.to_lowercase();
    let found = words(&lower);
    let english: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    let all = find_english(&english).into_iter().chain(find_chinese(&lower));
    all.fold(Deeds::default(), |all, found| all.join(&found.deeds)).acts()
}

/// Whether a clause says that something is done: "has been sent", "I sent", "is now", 已, 了. A plan, a question and a denial
/// do not.
pub(crate) fn claims(clause: &str, own: &Deeds) -> bool {
    use Telling::{Denied, Done, Failed, Plan};
    let told = Tellings::besides(clause, own);
    if clause.contains(['?', '？']) || told.has(&[Plan, Denied, Failed]) {
        return false;
    }
    told.has(&[Done]) || is_perfect(clause) || clause.trim_end_matches(ENDS).contains('了') && clause.contains(is_han)
}

/// The deeds that a clause claims as done: "is cancelled", 已发货, 关好了.
pub(crate) fn claimed_deeds(clause: &str) -> Deeds {
    let lower = plain(clause).to_lowercase();
    let found = words(&lower);
    let english: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    let past = find_english(&english).into_iter().filter(|found| found.form == Form::Past);
    let ended = |end: usize| lower.get(end..).is_some_and(|rest| FINISHED.iter().any(|word| rest.starts_with(word)));
    let begun = lower.find('已').unwrap_or(lower.len());
    let told = |found: &Found| found.range.start > begun || ended(found.range.end);
    // 已发送的邮件 is a mail and no claim.
    let names = |found: &Found| lower.get(found.range.end..).is_some_and(|rest| rest.starts_with('的'));
    let chinese = find_chinese(&lower).into_iter().filter(|found| told(found) && !names(found));
    past.chain(chinese).fold(Deeds::default(), |all, found| all.join(&found.deeds)).acts()
}

/// Whether a clause promises what a call was to bring about: "will be delivered", 明天会送到. Where the call failed, that is no plan.
pub(crate) fn promises(clause: &str) -> bool {
    use Telling::{Denied, Failed, Part, Plan};
    if clause.contains(['?', '？']) || Tellings::of(clause).has(&[Denied, Failed, Part, Plan]) {
        return false;
    }
    let lower = plain(clause).to_lowercase();
    let found = words(&lower);
    let listed: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    let english = listed.windows(3).any(|three| matches!(three, ["will", "be", done] if is_participle(done)));
    let chinese = |found: &Found| {
        let before = lower.get(..found.range.start).unwrap_or_default();
        let near: String = before.chars().rev().take(CHINESE_REACH).collect();
        near.contains(['会', '将']) && found.deeds.effect() > DeedEffect::Read
    };
    english || find_chinese(&lower).iter().any(chinese)
}

/// Whether a clause says something of all that was meant: "Both are in", "all four will be watered", 全部. What is denied, open or
/// told of a part does not.
pub(crate) fn claims_whole(clause: &str) -> bool {
    use Telling::{Denied, Failed, Part, Plan, Waiting};
    let lower = clause.to_lowercase();
    let has = |list: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| list.contains(&word));
    let english = has(&["all", "both", "every", "everything", "everyone"])
        && has(&["are", "is", "were", "have", "has", "be", "went", "got", "reached", "received"]);
    let whole = english || ["全部", "所有", "都"].iter().any(|word| lower.contains(word));
    whole && !clause.contains(['?', '？']) && !Tellings::of(clause).has(&[Denied, Failed, Part, Plan, Waiting])
}

/// The clauses of a text, without empty ones.
pub(crate) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let sentence = |text: &str, at: usize, c: char| match c {
        '.' | ',' | ':' => text.get(at + 1..).is_none_or(|rest| !rest.starts_with(|next: char| next.is_alphanumeric())),
        _ => ENDS.contains(&c) || c == '\n',
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = rest.char_indices().find(|(at, c)| sentence(rest, *at, *c));
            let cut = end.map_or(rest.len(), |(at, c)| at + c.len_utf8());
            let (clause, more) = rest.split_at(cut);
            rest = more;
            if clause.contains(char::is_alphanumeric) {
                return Some(clause.trim());
            }
        }
        None
    })
    .flat_map(|clause| clause.split(" and ").flat_map(|part| part.split(" but ")))
}

/// "has been sent", "I've booked", "is now DE", "Sent": a participle behind a helping verb or a speaker, or at the beginning.
fn is_perfect(clause: &str) -> bool {
    let clause = plain(clause);
    let found = words(&clause);
    let word = |at: usize| found.get(at).map_or("", |word| word.folded.as_str());
    (0..found.len()).any(|at| {
        let led = (1..=REACH).filter_map(|back| at.checked_sub(back)).any(|before| helps(word(before)));
        let now = word(at) == "now"
            && (helps(word(at + 1)) || STANDS.contains(&word(at + 1)) || at > 0 && helps(word(at - 1)));
        (is_participle(word(at)) && (at == 0 || led)) || now
    })
}

fn helps(word: &str) -> bool {
    let short = ["'ve", "'s", "'re"].iter().any(|end| word.ends_with(end));
    short || matches!(word, "have" | "has" | "is" | "are" | "was" | "were" | "been" | "i" | "we" | "got")
}

fn is_participle(word: &str) -> bool {
    is_past(word) || SAME.contains(&word)
}

/// A text with plain apostrophes.
fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('’') { text.replace('’', "'").into() } else { text.into() }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&WORDS);
}

#[derive(Debug)]
struct Words {
    phrases: Phrases,
    kinds: FxHashMap<&'static str, Telling>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut kinds = FxHashMap::default();
    for line in DATA.lines().skip(1) {
        let mut cells = line.split('\t');
        let Some(telling) = cells.next().and_then(named) else { continue };
        for phrase in cells.flat_map(|cell| cell.split('|')).filter(|phrase| !phrase.is_empty()) {
            kinds.insert(phrase, telling);
        }
    }
    Words { phrases: Phrases::new(kinds.keys().copied()), kinds }
});

fn named(name: &str) -> Option<Telling> {
    Some(match name {
        "failed" => Telling::Failed,
        "denied" => Telling::Denied,
        "nothing" => Telling::Nothing,
        "part" => Telling::Part,
        "waiting" => Telling::Waiting,
        "begun" => Telling::Begun,
        "assured" => Telling::Assured,
        "plan" => Telling::Plan,
        "done" => Telling::Done,
        "present" => Telling::Present,
        _ => return None,
    })
}

/// Ways to end that also tell things apart.
const ATTRIBUTES: &[&str] =
    &["expired", "failed", "failing", "invalid", "rejected", "declined", "blocked", "offline", "bounced", "wrong"];
const ATTRIBUTES_ZH: &[&str] = &["过期", "失败", "无效", "异常", "离线", "错误", "缺货"];
const POINTERS: &[&str] =
    &["the", "all", "any", "your", "these", "those", "both", "every", "each", "two", "three", "four", "five"];
const AFTER_NOUN: &[&str] = &["because", "with", "since", "when", "while", "after", "before"];
const AFTER_ENDING: &[&str] =
    &["原因", "信息", "代码", "提示", "码", "了", "是", "为", "并", "而", "后", "时", "率", "，"];
const DATA: &str = include_str!("data/tellings.tsv");
/// How things stand after a deed: "they now belong to Lee".
const STANDS: &[&str] = &["belong", "belongs", "goes", "go", "shows", "show", "points", "point", "uses", "use"];
/// So many signs may stand between 会 and what will be done.
const CHINESE_REACH: usize = 8;
/// A helping verb stands at most so many words before its participle.
const REACH: usize = 3;
/// Where a clause ends, whatever follows.
const ENDS: [char; 10] = ['!', '?', ';', '。', '！', '？', '；', '，', '：', '—'];
/// What ends a deed in Chinese.
const FINISHED: &[&str] = &["了", "好", "成功", "完成", "完毕"];
/// Participles that look like their verb, and states that a deed leads to.
const SAME: &[&str] = word_list!("check_result", "telling/same");

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-6
    #[test]
    fn a_claim_is_told_from_plans_denials_and_questions() {
        for text in [
            "I've sent the email to Anna.",
            "Your refund of 30 EUR has been issued.",
            "Gilead is renewed",
            "The country is now DE",
            "You’ve got four tickets",
            "Booked for eight",
            "All tests passed",
            "No tests failed",
            "北门已经关好了",
            "照片都打上标签了",
        ] {
            assert!(claims(text, &Deeds::default()), "{text}");
        }
        for text in [
            "I could not send it",
            "I will send it",
            "Shall I send it?",
            "If it is cancelled",
            "The mail wasn't sent",
            "北门没有关上",
            "需要我重新提交吗？",
            "The shop opens at nine",
        ] {
            assert!(!claims(text, &Deeds::default()), "{text}");
        }
    }

    // MEANING-6
    #[test]
    fn promises_and_wholes_are_claims_of_their_own() {
        for text in ["Your parcel will be delivered on Friday", "明天上午会取消预约"] {
            assert!(promises(text), "{text}");
        }
        for text in
            ["It will not be delivered", "If it fits it will be delivered", "The shop will be open", "会议在三楼"]
        {
            assert!(!promises(text), "{text}");
        }
        assert!(claims_whole("All four are in rack 9") && claims_whole("三个都在架上"));
        assert!(!claims_whole("All but one are in rack 9") && !claims_whole("Are all in?"));
    }

    // MEANING-6
    #[test]
    fn a_word_that_tells_things_apart_tells_no_failure() {
        let failed = |text: &str| Tellings::of(text).has(&[Telling::Failed]);
        assert!(!failed("I removed the expired tokens.") && !failed("过期样本已清理"));
        assert!(failed("The token expired.") && failed("提交失败，请重试") && failed("The payment failed twice."));
    }

    // MEANING-6
    #[test]
    fn a_negation_that_denies_no_deed_is_none() {
        let denied = |text: &str| Tellings::of(text).has(&[Telling::Denied, Telling::Failed]);
        for text in ["You won't be charged.", "No further action is needed.", "没有问题，订单已取消。", "不会再扣款"]
        {
            assert!(!denied(text), "{text}");
        }
        for text in ["It wasn't charged.", "没有取消成功", "It is not done"] {
            assert!(denied(text), "{text}");
        }
    }

    #[test]
    fn clauses_keep_numbers_and_addresses() {
        let cut: Vec<&str> = clauses("It cost 3.50, a@b.com got it and 10:30 is fine. 好的，已发送。").collect();
        assert_eq!(cut, ["It cost 3.50,", "a@b.com got it", "10:30 is fine.", "好的，", "已发送。"]);
    }
}
