//! Attributing phrases: "according to the IMF", "A 2019 Cochrane review concluded", "the release notes say", 据彭博社报道,
//! 世界卫生组织2022年的报告指出. Not "according to your notes": the reader's own words are no source.

use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{
    ABBREVIATION, AUX, CITE_LEAD, CITE_NOUN, CITE_VERB, DETERMINER, MONTH, PLURAL, PREPOSITION, PRONOUN, RESEARCH,
    SELF, WEAK_VERB,
};
use crate::claims::find::names::{Names, name, names};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};
use crate::contract::{ClaimKind, ClaimValue};

/// The attributing phrase that a cue at this token belongs to.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if token.shape == Shape::Han {
        return if token.has(CITE_LEAD) {
            chinese_lead(s, at)
        } else if token.has(CITE_VERB) {
            chinese_verb(s, at)
        } else {
            None
        };
    }
    if token.has(CITE_LEAD) {
        return according(s, at).or_else(|| citing(s, at));
    }
    if token.has(CITE_VERB) && token.case == Case::Lower { subject_and_verb(s, at) } else { None }
}

/// "According to the Australian Institute of Marine Science", to the end of the phrase.
fn according(s: &Sentence, at: usize) -> Option<Found> {
    if !s.word(at + 1, name!("to")) {
        return None;
    }
    let end = phrase_end(s, at + 2, 14);
    let own = (at + 2..end.min(at + 5)).any(|at| s.has(at, SELF));
    (end > at + 2 && !own && !s.has(at + 2, PRONOUN)).then(|| cite(s, at, end, at + 2))
}

/// "citing a 2020 report", "per the 2020 census".
fn citing(s: &Sentence, at: usize) -> Option<Found> {
    if s.word(at, name!("according")) {
        return None;
    }
    let end = phrase_end(s, at + 1, 10);
    let sourced = (at + 1..end).any(|at| s.has(at, CITE_NOUN));
    let opens = s.word(at, name!("per")) && s.at(at).case == Case::Capital && s.word(at + 1, name!("the"));
    let named = s.word(at, name!("citing")) || s.word(at + 1, name!("the"));
    (end > at + 1 && (sourced || opens) && named && !s.has(at + 1, SELF)).then(|| cite(s, at, end, at + 1))
}

/// Where a noun phrase ends: punctuation, a verb, a number that is no year, or its longest length.
fn phrase_end(s: &Sentence, from: usize, most: usize) -> usize {
    let mut at = from;
    while at < from + most {
        let token = s.at(at);
        let stop = s.divides(at) && !(s.is(at, '.') && s.at(at + 1).glued())
            || token.has(AUX) && at > from
            || token.shape == Shape::Digits && s.at(at).length() != 4
            || at > from + 1
                && s.before(at).case != Case::Lower
                && s.one_of(
                    at,
                    names!["the", "a", "its", "that", "it", "they", "about", "some", "more", "there", "and", "but"],
                )
                && !s.one_of(at, names!["and"])
            || token.shape == Shape::Url
            || matches!(token.first, '[' | '$' | '€' | '£' | '*') && token.shape == Shape::Sign;
        if stop {
            break;
        }
        at += 1;
    }
    at
}

/// A noun phrase that can say something, and its verb.
fn subject_and_verb(s: &Sentence, verb: usize) -> Option<Found> {
    let before = s.before(verb);
    if verb == 0
        || before.has(AUX | PRONOUN | DETERMINER | SELF) && !before.has(CITE_NOUN)
        || before.shape == Shape::Digits
        || s.one_of(verb - 1, names!["to", "not", "as", "than", "and", "or", "of", "in", "was", "never", "by", "for"])
    {
        return find_quoted(s, verb);
    }
    let first = subject_start(s, verb)?;
    let subject = first..verb;
    let some = |flag| subject.clone().any(|at| s.has(at, flag));
    if some(SELF) || s.has(first, PRONOUN) && !s.has(first, DETERMINER) || subject.len() > 12 {
        return None;
    }
    let named = subject.clone().any(|at| {
        let token = s.at(at);
        token.shape == Shape::Word
            && (token.case == Case::Upper
                || token.case == Case::Capital
                    && (at > 0 && (!s.before(at).is('.') || s.has(at.wrapping_sub(2), ABBREVIATION))
                        || s.words(at).ends_with("'s")))
    }) || s.at(first).case == Case::Capital && !s.has(first, DETERMINER | PREPOSITION) && verb == first + 1;
    let strong = !s.has(verb, WEAK_VERB)
        && (s.has(first, DETERMINER) || plural(s, &subject))
        && !s.one_of(verb, names!["believe", "believes", "maintains"]);
    let sourced =
        some(CITE_NOUN) || strong || s.one_of(verb, names!["claims", "notes", "reports"]) && s.has(first, DETERMINER);
    if base_form(s, verb) && !plural(s, &subject) {
        return None;
    }
    if !(named || sourced) || !speaks(s, verb, &subject) {
        return None;
    }
    // "In its 2023 annual report, the chipmaker disclosed"
    let framed = first > 2
        && s.before(first).is(',')
        && s.one_of(0, names!["in"])
        && first < 12
        && (1..first).any(|at| s.has(at, CITE_NOUN));
    // "As the Financial Times reported,"
    let as_said = first == 1 && s.word(0, name!("as")) && s.is(verb + 1, ',');
    let first = if framed || as_said { 0 } else { first };
    let end = if s.word(verb, name!("told")) { verb + 2 } else { find_dated_end(s, verb + 1) };
    Some(cite(s, first, end, first))
}

/// "reported in Cryobiology in 2016": place and date right after the verb belong to it.
fn find_dated_end(s: &Sentence, from: usize) -> usize {
    let (mut end, mut at) = (from, from);
    while at < from + 8 && s.one_of(at, names!["in", "on"]) {
        at += 1;
        let start = at;
        while s.at(at).shape == Shape::Word && s.at(at).case != Case::Lower
            || s.at(at).shape == Shape::Digits
                && s.at(at).length() <= 4
                && (at > start || s.at(at).length() == 4 || s.has(at + 1, MONTH))
        {
            at += 1;
        }
        if at == start {
            break;
        }
        end = at;
    }
    end
}

/// "Say", "report": the form that only a plural takes.
fn base_form(s: &Sentence, verb: usize) -> bool {
    s.one_of(verb, BASE)
}

/// Whether a subject is a plural.
fn plural(s: &Sentence, subject: &std::ops::Range<usize>) -> bool {
    subject.clone().any(|at| {
        let word = s.words(at);
        s.has(at, PLURAL)
            || s.one_of(at, names!["and", "al"])
            || word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("'s")
    })
}

/// Back from the verb to where its clause begins.
fn subject_start(s: &Sentence, verb: usize) -> Option<usize> {
    let mut first = verb;
    while first > 0 && verb - first < 13 {
        let token = s.at(first - 1);
        let joined = s.is(first - 1, '.') && token.glued()
            || s.is(first - 1, '-') && token.glued()
            || s.is(first - 1, '’')
            || s.is(first - 1, '\'')
            || s.is(first - 1, '&');
        let team = s.word(first - 1, name!("and"))
            && s.before(first - 1).case == Case::Capital
            && (s.at(first).case == Case::Capital || s.one_of(first, names!["colleagues", "others"]));
        if team {
            first -= 1;
            continue;
        }
        let stop = token.shape == Shape::Sign && !joined
            || token.case != Case::Upper
                && s.one_of(
                    first - 1,
                    names![
                        "and", "but", "while", "as", "because", "that", "whereas", "so", "when", "since", "if",
                        "although", "though", "which", "who", "than", "where"
                    ],
                )
            || token.has(CITE_VERB) && !token.has(CITE_NOUN)
            || token.has(AUX)
            || matches!(token.shape, Shape::Url | Shape::Code | Shape::Han);
        if stop {
            break;
        }
        first -= 1;
    }
    // "As the study shows", "In 2021 the agency said": the phrase begins at its article or name.
    while first < verb
        && (s.has(first, PREPOSITION) && !s.has(first, DETERMINER)
            || s.one_of(first, names!["however", "also", "meanwhile", "today", "yesterday"]))
    {
        let named = (first + 1..verb).rev().take_while(|at| s.at(*at).case != Case::Lower).last();
        first = (first + 1..verb).find(|at| s.has(*at, DETERMINER)).or(named)?;
    }
    (first < verb).then_some(first)
}

/// Whether the verb attributes here. Weak ones need a researcher, a that-clause or the end of the sentence.
fn speaks(s: &Sentence, verb: usize, subject: &std::ops::Range<usize>) -> bool {
    let next = s.at(verb + 1);
    if s.word(verb, name!("told")) {
        return next.case != Case::Lower
            || next.has(DETERMINER)
            || s.one_of(
                verb + 1,
                names![
                    "reporters",
                    "investors",
                    "lawmakers",
                    "me",
                    "us",
                    "analysts",
                    "journalists",
                    "parliament",
                    "researchers"
                ],
            );
    }
    if !s.has(verb, WEAK_VERB) {
        return !s
            .one_of(verb + 1, names!["of", "on", "for", "off", "down", "up", "out", "goodbye", "hello", "yes", "no"])
            || s.one_of(verb, names!["says", "said"]);
    }
    let that = (verb + 1..verb + 7).any(|at| s.word(at, name!("that")));
    let ends = s.divides(verb + 1);
    let research = subject.clone().any(|at| s.has(at, RESEARCH));
    let stated = next.has(DETERMINER) || next.case != Case::Lower || next.shape == Shape::Digits;
    let noun = s.one_of(
        verb,
        names!["reports", "estimates", "notes", "claims", "states", "documents", "projects", "forecasts", "forecast"],
    );
    let third = s.words(verb).ends_with('s');
    let sourced = subject.clone().any(|at| s.has(at, CITE_NOUN));
    that || ends && (verb > subject.start + 1 || !noun || s.at(subject.start).case != Case::Lower) && subject.start > 0
        || research
        || third && stated && (sourced || s.one_of(verb, names!["estimates", "claims", "notes", "reports", "puts"]))
        || s.word(verb, name!("told"))
}

/// "…," said Smith.
fn find_quoted(s: &Sentence, verb: usize) -> Option<Found> {
    let said = s.one_of(verb, names!["said", "says", "wrote", "reported", "according"]);
    let behind = matches!(s.before(verb).first, ',' | '”' | '"') && s.before(verb).shape == Shape::Sign;
    let name = s.at(verb + 1);
    if !said
        || !behind
        || name.shape != Shape::Word
        || name.case == Case::Lower && !s.has(verb + 1, DETERMINER)
        || name.has(SELF)
    {
        return None;
    }
    let end = phrase_end(s, verb + 1, 6);
    (end > verb + 1).then(|| cite(s, verb, end, verb + 1))
}

/// 根据艾瑞咨询2024年报告, 据国家邮政局统计, to the comma or to the noun that names the source.
fn chinese_lead(s: &Sentence, at: usize) -> Option<Found> {
    let opens = at == 0 || s.before(at).shape == Shape::Sign || matches!(s.before(at).first, '而' | '另' | '但' | '又');
    if !opens && !matches!(s.words(at), "根据" | "依据" | "援引" | "根據") {
        return None;
    }
    let (mut end, mut source) = (at + 1, None);
    while end < at + 40 {
        let token = s.at(end);
        let stop = token.shape == Shape::None
            || token.shape == Shape::Sign
                && matches!(token.first, '，' | ',' | '。' | '：' | ':' | '；' | '、' | '！' | '）' | ')');
        if stop {
            break;
        }
        if token.has(SELF) && end < at + 4 {
            return None;
        }
        let office = token.shape == Shape::Han
            && matches!(token.first, '局' | '署' | '部' | '委' | '院' | '社' | '厅')
            && (s.divides(end + 1) || s.is(end + 1, '）'));
        if token.has(CITE_NOUN | CITE_VERB) || token.is('》') || office {
            source = Some(end + 1);
        }
        end += 1;
    }
    let source = source?;
    // Where a statement follows without a comma, the phrase ends with its source.
    let amount = (source..end).any(|at| matches!(s.at(at).shape, Shape::Digits | Shape::Numerals));
    // 彭博社援引知情人士的话称
    let first = if s.words(at) == "援引" { chinese_subject(s, at) } else { at };
    Some(cite(s, first, if amount || end - source > 8 { source } else { end }, at + 1))
}

/// 世界卫生组织2022年的报告指出: from the start of the clause to the verb, where a comma or a colon follows.
fn chinese_verb(s: &Sentence, verb: usize) -> Option<Found> {
    let next = s.at(verb + 1);
    let pause = next.shape == Shape::Sign && matches!(next.first, '，' | ',' | '：' | ':' | '“' | '「');
    let strong = matches!(
        s.words(verb),
        "显示"
            | "表明"
            | "指出"
            | "估计"
            | "认为"
            | "预测"
            | "发现"
            | "顯示"
            | "研究表明"
            | "研究显示"
            | "研究发现"
            | "统计显示"
            | "数据显示"
            | "调查显示"
    );
    let office = s.has(verb.wrapping_sub(1), CITE_NOUN)
        || s.before(verb).shape == Shape::Han
            && matches!(s.before(verb).first, '局' | '署' | '部' | '委' | '院' | '社' | '厅');
    let called = matches!(s.words(verb), "称" | "稱" | "估算" | "写明" | "证实" | "规定" | "确认")
        && office
        && next.first != '的';
    if s.lone(verb.wrapping_sub(1)) == '被' {
        return None;
    }
    if !(pause || called || strong && next.shape != Shape::Sign && next.first != '了' && next.first != '的') {
        return None;
    }
    let first = chinese_subject(s, verb);
    let subject = first..verb;
    let whole = s.at(verb).length() > 6 && (pause || verb > first);
    if !pause && verb < first + 2 && !whole && !called {
        return None;
    }
    let some = |flag| subject.clone().any(|at| s.has(at, flag));
    let titled = subject.clone().any(|at| s.is(at, '》'));
    let latin = subject.clone().any(|at| s.at(at).shape == Shape::Word && s.at(at).case != Case::Lower);
    let opened = opens_otherwise(s, first, verb);
    let spoken = pause && (verb > first + 1 || s.at(first).end - s.at(first).start > 3) && !opened && !some(SELF);
    let near = subject.clone().rev().take(3).any(|at| s.is(at, '》'));
    let own =
        subject.clone().take(3).any(|at| matches!(s.at(at).first, '您' | '你' | '我') && s.at(at).shape == Shape::Han);
    // 以上 and 情况 are no readers; only a pronoun is.
    (!own && (whole || called || some(CITE_NOUN) || titled && (pause || near) || latin && (pause || strong) || spoken))
        .then(|| cite(s, first, verb + 1, first))
}

/// Back from a Chinese verb to where its clause begins; a title is stepped over whole.
fn chinese_subject(s: &Sentence, verb: usize) -> usize {
    let mut first = verb;
    let mut title = false;
    while first > 0 && verb - first < 40 {
        let token = s.at(first - 1);
        title = title && !token.is('《') || token.is('》');
        let stop = token.shape == Shape::Sign
            && matches!(token.first, '，' | ',' | '。' | '：' | ':' | '；' | '！' | '？' | '*' | '）' | '”')
            && !title;
        if stop || token.shape == Shape::None {
            break;
        }
        first -= 1;
    }
    first
}

/// Whether a clause opens with what says nothing of a speaker, or its verb is a noun as often.
fn opens_otherwise(s: &Sentence, first: usize, verb: usize) -> bool {
    s.has(first, SELF)
        || matches!(
            s.at(first).first,
            '这' | '那' | '由' | '可' | '并' | '也' | '还' | '因' | '但' | '而' | '所' | '其' | '总' | '简' | '换'
        )
        || ["结果", "事实", "实践", "一般", "具体"]
            .iter()
            .any(|word| s.text.get(s.at(first).start..).is_some_and(|rest| rest.starts_with(word)))
        || s.words(verb) == "说" && !"员主者长人师家授生友客民工".contains(s.before(verb).first)
        || matches!(s.words(verb), "报告" | "统计" | "公布" | "调查" | "说明" | "建议" | "评估" | "评价" | "提出")
}

fn cite(s: &Sentence, first: usize, end: usize, name: usize) -> Found {
    let of = s.text.get(s.at(name).start..s.before(end).end).map(str::to_owned);
    Found { first, end, kind: ClaimKind::Citation, value: Some(ClaimValue { of, ..ClaimValue::default() }) }
}

const BASE: &Names = names![
    "say", "write", "warn", "report", "admit", "insist", "reveal", "caution", "find", "show", "suggest", "conclude",
    "estimate", "note", "claim", "indicate", "argue", "confirm", "predict", "believe", "forecast",
];
