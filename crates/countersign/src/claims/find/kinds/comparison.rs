//! Comparisons, superlatives and ranks: "faster than", "three times as many", "the second-largest", 比…更, 三倍, 排名第六.
//!
//! A measured amount beats the comparison around it ("12% higher than" marks 12%), and a bound ("more than 200",
//! "at least", 最好) is none.

use super::date;
use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{
    ABOVE, COMPARATIVE, CURRENCY, DETERMINER, DOUBLE, FIRST_PLACE, FRACTION, HALF, LISTED, MEASURE, MULTIPLIED,
    NUMERAL, ORDINAL, PER, PERCENT, PLAIN, PREPOSITION, RANK, RANK_WORD, SUPERLATIVE, TENTHS, TIMES_WORD, UNIT,
};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{self, Number};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};
use crate::contract::{ClaimKind, ClaimValue};
use crate::text::lists::word_list;

/// "28 times more heat than", "five times as much", 三倍.
pub(crate) fn multiple(s: &Sentence, number: &Number) -> Option<Found> {
    if s.has(number.end, TIMES_WORD) && s.at(number.end).shape == Shape::Han {
        return Some(times(s, change_start(s, number.first), number.end + 1, number.value));
    }
    let hyphen = s.is(number.end, '-') && s.word(number.end + 1, name!("fold"))
        || s.word(number.end, name!("fold")) && s.at(number.end).glued();
    if hyphen {
        let end = number.end + 1 + usize::from(s.is(number.end, '-'));
        return Some(times(s, number.first, end, number.value));
    }
    if !(s.word(number.end, name!("times")) || s.word(number.end, name!("x")) && s.at(number.end).glued()) {
        return None;
    }
    let end = find_compared(s, number.end + 1)?;
    Some(times(s, number.first, end, number.value))
}

/// A comparison that a word begins or cues.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if token.shape == Shape::Han {
        return chinese(s, at);
    }
    if token.has(MULTIPLIED) {
        let noun = s.has(at.wrapping_sub(1), DETERMINER) && s.words(at).ends_with("es");
        return (!noun).then(|| plain(at, at + 1)).flatten();
    }
    if s.one_of(at, names!["twice", "thrice"]) {
        return find_compared(s, at + 1)
            .map(|end| times(s, at, end, if s.word(at, name!("twice")) { 2.0 } else { 3.0 }));
    }
    if s.word(at, name!("than")) {
        return than(s, at);
    }
    rank(s, at).or_else(|| superlative(s, at))
}

/// Behind "times": "as many as", "higher than", "more heat than", "faster".
fn find_compared(s: &Sentence, at: usize) -> Option<usize> {
    if s.word(at, name!("as")) {
        let second = (at + 2..at + 5)
            .take_while(|at| s.word(*at, name!("as")) || !s.has(*at, PREPOSITION))
            .find(|at| s.word(*at, name!("as")));
        return Some(second.map_or(at + 2, |at| at + 1));
    }
    if s.one_of(at, names!["the", "that", "its", "their"]) {
        return Some(at);
    }
    let more = s.has(at, COMPARATIVE) || comparative(s, at);
    more.then(|| (at + 1..at + 5).find(|at| s.word(*at, name!("than"))).map_or(at + 1, |at| at + 1))
}

/// A word in -er that compares; "rather than" and "other than" do not.
fn comparative(s: &Sentence, at: usize) -> bool {
    let word = s.words(at);
    let listed = s.one_of(
        at,
        names![
            "rather", "other", "another", "whether", "either", "neither", "however", "ever", "never", "after", "under",
            "over"
        ],
    );
    word.len() > 3 && word.ends_with("er") && !listed && s.at(at).shape == Shape::Word
}

/// "faster than", "more accurate than"; not "more than 200", "12% higher than".
fn than(s: &Sentence, at: usize) -> Option<Found> {
    let first = if s.has(at.wrapping_sub(1), COMPARATIVE) || comparative(s, at.wrapping_sub(1)) {
        at - 1
    } else {
        (1..=4).map(|back| at.wrapping_sub(back)).find(|at| {
            s.one_of(*at, names!["more", "less", "fewer"]) || s.has(*at, COMPARATIVE) && !s.word(*at, name!("better"))
        })?
    };
    let next = s.at(at + 1);
    let amount = |at: usize| {
        matches!(s.at(at).shape, Shape::Digits | Shape::Numerals)
            || s.has(at, NUMERAL | FRACTION | MULTIPLIED)
            || s.word(at, name!("twice"))
            || s.at(at).shape == Shape::Sign && matches!(s.at(at).first, '$' | '€' | '£' | '¥' | '~')
    };
    let bound = first == at - 1
        && s.one_of(first, names!["more", "less", "fewer", "higher", "lower", "greater", "later", "earlier", "sooner"])
        && (amount(at + 1)
            || s.one_of(at + 1, names!["a", "us", "usd", "rs", "about"]) && amount(at + 2)
            || next.has(CURRENCY) && next.case == Case::Upper
            || s.one_of(at + 1, names!["half", "once", "enough", "happy", "welcome"]));
    let that = s.one_of(at + 1, names!["that", "this"]) && s.word(first.wrapping_sub(1), name!("no"));
    let proverb = that || s.word(first, name!("better")) && s.word(at + 1, name!("one")) && s.divides(at + 2);
    (!bound && !proverb).then(|| plain(first, at + 1)).flatten()
}

/// "ranks fourth", "ranked 5th", "finished 23rd", "second place", "second only to".
fn rank(s: &Sentence, at: usize) -> Option<Found> {
    let ordinal = |at: usize| {
        if s.has(at, ORDINAL) {
            Some(at + 1)
        } else {
            (s.at(at).shape == Shape::Digits
                && s.at(at + 1).glued()
                && s.one_of(at + 1, names!["st", "nd", "rd", "th"]))
            .then_some(at + 2)
        }
    };
    if s.has(at, RANK) {
        let from = at + 1 + usize::from(s.one_of(at + 1, names!["as", "in", "only", "joint"]));
        let from = from + usize::from(s.word(from, name!("the")));
        if let Some(end) = ordinal(from) {
            return plain(at, end);
        }
        let number =
            usize::from(s.word(from, name!("no"))) + usize::from(s.is(from, '#')) + usize::from(s.is(from + 1, '.'));
        return (s.has(at, RANK) && number > 0 && s.at(from + number).shape == Shape::Digits)
            .then(|| plain(at, from + number + 1))
            .flatten();
    }
    let end = ordinal(at)?;
    if let Some(found) = first_of_its_kind(s, at) {
        return Some(found);
    }
    let idiom = s.one_of(at, names!["first"])
        && s.word(at.wrapping_sub(1), name!("the"))
        && s.word(at.wrapping_sub(2), name!("in"));
    if s.word(end, name!("place"))
        && !idiom
        && s.one_of(at.wrapping_sub(1), names!["in", "took", "takes", "won", "into", "the", "for", "claimed", "to"])
    {
        return plain(at, end + 1);
    }
    (s.word(end, name!("only")) && s.word(end + 1, name!("to"))).then(|| plain(at, end + 2)).flatten()
}

/// "became the county's first sheriff", "was the first woman to": who was first is a rank.
fn first_of_its_kind(s: &Sentence, at: usize) -> Option<Found> {
    let owned = s.words(at.wrapping_sub(1)).ends_with("'s") || s.words(at.wrapping_sub(1)).ends_with("’s");
    let became = |at: usize| s.one_of(at, names!["became", "become", "was", "is", "were", "are", "be", "becoming"]);
    let led = s.word(at.wrapping_sub(1), name!("the")) && became(at.wrapping_sub(2))
        || owned
            && (became(at.wrapping_sub(2)) || s.word(at.wrapping_sub(2), name!("the")) && became(at.wrapping_sub(3)));
    let noun = s.at(at + 1);
    let person = noun.shape == Shape::Word
        && noun.case == Case::Lower
        && !noun.has(PREPOSITION | UNIT | NUMERAL)
        && noun.length() > 2;
    let told = owned || s.one_of(at + 2, names!["to", "in", "of", "ever"]);
    (s.one_of(at, names!["first"])
        && led
        && person
        && told
        && !s.one_of(at + 1, names!["time", "place", "half", "quarter", "step", "thing"]))
    .then(|| plain(at, at + 2))
    .flatten()
}

/// "the largest", "the second-largest", "third-lowest", "its worst", "the most scenic", "the world's largest".
fn superlative(s: &Sentence, at: usize) -> Option<Found> {
    let word = s.words(at);
    let token = s.at(at);
    let before = s.before(at);
    let most = s.word(at, name!("most")) || s.word(at, name!("least"));
    let ends = word.len() >= 5 && word.ends_with("est") && !token.has(PLAIN) && token.case != Case::Upper;
    let listed = s.one_of(at, names!["best", "worst"]);
    if token.shape != Shape::Word || !(most || ends || listed) {
        return None;
    }
    let hyphen = before.is('-') && before.glued() && s.at(at).glued();
    let ordinal = if hyphen { at.wrapping_sub(2) } else { at.wrapping_sub(1) };
    let placed = s.has(ordinal, ORDINAL)
        || s.at(ordinal).shape == Shape::Word && s.one_of(ordinal, names!["st", "nd", "rd", "th"]);
    let start = if placed {
        if s.one_of(ordinal, names!["st", "nd", "rd", "th"]) { ordinal.wrapping_sub(1) } else { ordinal }
    } else {
        at
    };
    let led = s.before(start);
    let definite = s.word(start.wrapping_sub(1), name!("the"));
    let owned = s.one_of(start.wrapping_sub(1), names!["its", "their", "his", "her", "our"])
        || s.words(start.wrapping_sub(1)).ends_with("'s")
        || s.words(start.wrapping_sub(1)).ends_with("’s")
        || s.words(start.wrapping_sub(1)).ends_with('\'');
    if most || listed {
        let fits = definite || owned && (listed || most) || placed;
        let ever = definite && s.word(at, name!("most")) && s.one_of(at + 1, names!["in", "ever", "since"]);
        let adjective =
            s.at(at + 1).shape == Shape::Word && !s.has(at + 1, PREPOSITION | DETERMINER) || s.is(at + 1, '-') || ever;
        if !fits || most && !adjective || s.one_of(at + 1, names!["practice", "practices", "recently", "likely"]) {
            return None;
        }
    } else if !(definite
        || owned
        || placed
        || token.has(SUPERLATIVE)
        || led.shape != Shape::Word
        || led.has(PREPOSITION))
    {
        return None;
    }
    if s.word(start.wrapping_sub(1), name!("at")) || s.word(start.wrapping_sub(2), name!("at")) && definite {
        return None;
    }
    if is_subjective(s, at) {
        return None;
    }
    let end = superlative_end(s, at);
    // "the world's largest" begins at its article.
    let world =
        s.one_of(start.wrapping_sub(1), names!["world's", "world’s"]) && s.word(start.wrapping_sub(2), name!("the"));
    plain(
        if world {
            start - 2
        } else if definite {
            start - 1
        } else {
            start
        },
        end,
    )
}

/// "the best of both worlds", "the most important thing", "the best you could": no measure of the world.
fn is_subjective(s: &Sentence, at: usize) -> bool {
    let listed = s.one_of(at, names!["best", "worst"]);
    let noun = if s.one_of(at, names!["most", "least"]) { at + 2 } else { at + 1 };
    s.has(noun, LISTED)
        || listed && s.one_of(at + 1, names!["you", "i", "we", "they"])
        || listed && s.word(at + 1, name!("of")) && s.word(at + 2, name!("both"))
}

/// Where a superlative ends: "the most" before "in its history", "the most sparsely populated", "the largest".
fn superlative_end(s: &Sentence, at: usize) -> usize {
    if !s.one_of(at, names!["most", "least"]) || s.one_of(at + 1, names!["in", "ever", "since"]) {
        return at + 1;
    }
    let adverb = s.words(at + 1).ends_with("ly") && s.at(at + 2).shape == Shape::Word && !s.has(at + 2, PREPOSITION);
    at + 2 + usize::from(s.is(at + 1, '-')) + usize::from(adverb)
}

/// 比…更, 最大的, 高于, 排名第六, 第二大, 翻番.
fn chinese(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if token.has(ABOVE) {
        let bound =
            matches!(token.first, '高' | '低' | '大' | '小' | '多' | '少' | '早' | '晚') && amount_follows(s, at + 1);
        return (!bound && s.lone(at.wrapping_sub(1)) != '不').then(|| plain(at, at + 1)).flatten();
    }
    if token.has(DOUBLE) {
        return plain(change_start(s, at), at + 1);
    }
    match s.words(at) {
        // 3比1: a score.
        "比" if matches!(s.before(at).shape, Shape::Digits)
            && s.at(at).glued()
            && s.at(at + 1).shape == Shape::Digits =>
        {
            None
        }
        "比" if !(matches!(s.lone(at + 1), '为' | '是') || s.lone(at + 1) == '高' && s.lone(at + 2) == '达') => {
            than_in_chinese(s, at)
        }
        "较" | "較" => than_in_chinese(s, at),
        "最" => most(s, at),
        "第" => find_rank(s, at),
        _ if token.has(RANK_WORD | FIRST_PLACE) => find_ranked(s, at),
        _ => None,
    }
}

/// The whole phrase from 比 to the adjective or 倍; nothing where an amount says it.
fn than_in_chinese(s: &Sentence, at: usize) -> Option<Found> {
    let (mut end, mut fold) = (at + 1, None);
    while end < at + 26 && s.at(end).shape != Shape::None && !s.divides(end) && !s.is(end, '、') && !s.is(end, '[') {
        if let Some(number) = numbers::read(s, end) {
            let behind = s.at(number.end);
            if behind.has(TIMES_WORD) {
                fold = Some(number.end + 1);
                break;
            }
            let span = matches!(s.at(number.end + 1).first, '前' | '后');
            let early = number.end + 3 < s.tokens.len() && !s.divides(number.end + 1) && !s.divides(number.end + 2);
            let dated = date::read(s, end).is_some()
                || matches!(behind.first, '年') && span
                || matches!(s.words(number.end), "年前" | "年后")
                || behind.has(UNIT) && span
                || early && behind.has(MEASURE) && !matches!(s.lone(number.end + 1), '多' | '半');
            if (behind.has(UNIT | CURRENCY | PERCENT | TENTHS | MEASURE)
                || behind.is('%')
                || behind.is('％')
                || behind.is('‰')
                || behind.is('℃'))
                && !dated
                && behind.shape != Shape::None
            {
                return None;
            }
            end = number.end;
            continue;
        }
        if s.has(end, PER | HALF) && end > at + 2 {
            return None;
        }
        end += 1;
    }
    if let Some(end) = fold {
        return plain(if matches!(s.lone(at), '较' | '較') { change_start(s, end - 1) } else { at }, end);
    }
    let higher = (at + 1..end).any(|at| s.lone(at) == '更');
    if matches!(s.lone(at), '较' | '較') && !higher || end < at + 3 || s.lone(end - 1) == '了' && end < at + 4 {
        return None;
    }
    // 比…快得多: the degree stays outside.
    let end = if s.lone(end - 1) == '多' && s.lone(end - 2) == '得' { end - 2 } else { end };
    plain(at, end)
}

/// 最大的, 最深, 最活跃的.
fn most(s: &Sentence, at: usize) -> Option<Found> {
    if s.at(at + 1).shape != Shape::Han {
        return None;
    }
    let particle = (at + 2..at + 6).find(|at| s.lone(*at) == '的');
    plain(at, particle.map_or(at + 2, |at| at + 1))
}

/// 第二大, 第二高的, 世界第四.
fn find_rank(s: &Sentence, at: usize) -> Option<Found> {
    if !matches!(s.at(at + 1).shape, Shape::Numerals | Shape::Digits) {
        return None;
    }
    let next = s.at(at + 2);
    let adjective = next.shape == Shape::Han
        && next.length() == 3
        && matches!(
            next.first,
            '大' | '高'
                | '长'
                | '多'
                | '快'
                | '低'
                | '小'
                | '深'
                | '重'
                | '早'
                | '热'
                | '富'
                | '强'
                | '短'
                | '远'
                | '老'
        );
    if adjective {
        let particle = usize::from(s.lone(at + 3) == '的');
        return plain(at, at + 3 + particle);
    }
    let world = ["全球", "世界", "全国", "亚洲", "欧洲", "全省", "全市", "行业", "历史"];
    let head = s.text.get(..s.at(at).start).unwrap_or_default();
    let led = world.iter().any(|word| head.ends_with(word));
    (led && (s.divides(at + 2) || matches!(next.first, '的' | '位' | '名')))
        .then(|| plain(at.saturating_sub(2), at + 2))
        .flatten()
}

/// 排名第六, 位居全国第四, 居欧洲首位.
fn find_ranked(s: &Sentence, at: usize) -> Option<Found> {
    // 前三集: the first of many, no rank.
    if s.at(at).first == '前' && s.has(at + 1, MEASURE | UNIT) && !matches!(s.lone(at + 1), '名' | '位') {
        return None;
    }
    if s.has(at, FIRST_PLACE) && !s.has(at, RANK_WORD) {
        return plain(at, at + 1);
    }
    for next in at + 1..at + 8 {
        if s.divides(next) {
            break;
        }
        // 女排目前世界排名第六: the later word ranks.
        if s.has(next, RANK_WORD) {
            return None;
        }
        if s.has(next, FIRST_PLACE) {
            return plain(at, next + 1);
        }
        if s.lone(next) == '第' && matches!(s.at(next + 1).shape, Shape::Numerals | Shape::Digits) {
            let counted = s.has(next + 2, MEASURE) && !matches!(s.lone(next + 2), '位' | '名');
            return (!counted).then(|| plain(at, next + 2 + usize::from(s.has(next + 2, MEASURE)))).flatten();
        }
    }
    None
}

/// Where the change begins whose measure stands here: 快了近, 同比增长, 涨了.
fn change_start(s: &Sentence, at: usize) -> usize {
    let mut first = at;
    for _ in 0..3 {
        if s.before(first).shape == Shape::Han
            && matches!(s.words(first.wrapping_sub(1)), "近" | "约" | "了" | "出" | "超过" | "将近" | "逾")
        {
            first -= 1;
        }
    }
    let text = s.text.get(..s.at(first).start).unwrap_or_default();
    let verb = CHANGES.iter().find(|verb| text.ends_with(**verb));
    if s.has(at, DOUBLE) && matches!(s.words(at.wrapping_sub(1)), "同比" | "环比") {
        return at - 1;
    }
    let Some(verb) = verb else { return if first < at && !s.has(at, DOUBLE) { at } else { at.min(first) } };
    let from = s.at(first).start - verb.len();
    let mut start = (0..first).rev().take(6).find(|at| s.at(*at).start == from).unwrap_or(at);
    for _ in 0..1 {
        if matches!(s.words(start.wrapping_sub(1)), "同比" | "环比") {
            start -= 1;
        }
    }
    start
}

/// Whether an amount comes right after: 高于3% is a bound.
fn amount_follows(s: &Sentence, at: usize) -> bool {
    let named = matches!(s.at(at + 1).first, '号' | '號') || date::read(s, at).is_some();
    matches!(s.at(at).shape, Shape::Digits | Shape::Numerals) && !named
        || s.has(at, PER | HALF)
        || s.at(at).shape == Shape::Sign && matches!(s.at(at).first, '$' | '¥' | '￥' | '€' | '£')
}

fn times(_: &Sentence, first: usize, end: usize, value: f64) -> Found {
    let value = ClaimValue {
        number: Some(value).filter(|value| value.is_finite()),
        unit: Some("times".to_owned()),
        ..ClaimValue::default()
    };
    Found { first, end, kind: ClaimKind::Comparison, value: Some(value) }
}

fn plain(first: usize, end: usize) -> Option<Found> {
    Some(Found::plain(first, end, ClaimKind::Comparison))
}

const CHANGES: &[&str] = word_list!("claims", "find/kinds/comparison/changes");
