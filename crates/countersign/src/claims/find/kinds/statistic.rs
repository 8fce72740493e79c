//! Named indices and ratios with their bare value: a Gini coefficient of 0.47, PMI slipped to 48.9, 市盈率为21.4.
//!
//! A value in percent or money is marked as that; a value with a measure word is a quantity.

use super::unit;
use crate::claims::find::found::{Found, measured};
use crate::claims::find::lexicon::{
    AUX, CITE_VERB, CURRENCY, DETERMINER, MEASURE, NUMERAL, PERCENT, PREPOSITION, SCALE, STATISTIC, STATISTIC_TAIL,
    TENTHS, TIMES_WORD,
};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{self, Number};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Shape};
use crate::contract::{ClaimKind, ClaimValue};

/// The statistic whose name holds or ends at a token.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if s.chinese || token.shape == Shape::Han {
        return chinese(s, at)
            .or_else(|| symbol(s, at).filter(|_| token.shape == Shape::Word && token.case != Case::Lower));
    }
    let small = (s.one_of(at, names!["p", "r", "d"])
        || token.shape == Shape::Word && matches!(token.lone(), 'κ' | 'χ'))
        && !s.is(at + 1, '/')
        || token.first == 'R' && matches!(s.at(at + 1).first, '²' | '2');
    if small {
        return symbol(s, at);
    }
    let quotient = s.one_of(at, names!["p"]) && s.is(at + 1, '/') && s.one_of(at + 2, names!["e", "b", "s"]);
    if quotient {
        let number = value(s, at + 3)?;
        return bare(s, &number).then(|| build_found(s, name_start(s, at, 1), &number, at + 2));
    }
    let score = s.one_of(at, names!["recall", "precision", "accuracy", "sensitivity", "specificity"]);
    if !token.has(STATISTIC | STATISTIC_TAIL) && !score {
        return None;
    }
    // "Cohen's kappa", but "Turkey's PMI" and "the mean BMI" without what is before.
    let shouted = token.has(STATISTIC)
        && token.case == Case::Upper
        && s.before(at).case == Case::Lower
        && !s.has(at.wrapping_sub(1), STATISTIC_TAIL);
    let eponym = token.case == Case::Lower
        && !token.has(STATISTIC_TAIL)
        && s.before(at).case == Case::Capital
        && s.words(at.wrapping_sub(1)).ends_with("'s");
    let first = match () {
        () if eponym => at - 1,
        () if shouted && !s.before(at).is('-') => at,
        () if token.has(STATISTIC) || score => name_start(s, at, 1),
        () => name_start(s, at, 4),
    };
    if token.has(STATISTIC_TAIL) && !token.has(STATISTIC) && first == at {
        return None;
    }
    let mut end = at + 1;
    while s.has(end, STATISTIC_TAIL) || s.one_of(end, names!["value", "values", "reading"]) {
        end += 1;
    }
    let number = value(s, end)?;
    let fraction = !score || number.marked && number.value.abs() <= 1.0;
    (fraction && bare(s, &number)).then(|| build_found(s, first, &number, at))
}

/// p = 0.03, R² = 0.93.
fn symbol(s: &Sentence, at: usize) -> Option<Found> {
    let sign = at + 1 + usize::from(matches!(s.at(at + 1).first, '²' | '2') && s.at(at + 1).glued());
    if sign > at + 1 && s.one_of(sign, names!["of", "was", "is"]) {
        let number = numbers::read(s, sign + 1).filter(|number| number.marked && number.value.abs() <= 1.0)?;
        return bare(s, &number).then(|| build_found(s, at, &number, at + 1));
    }
    let relation = matches!(s.at(sign).first, '=' | '<' | '>' | '≤' | '≥' | '≈') && s.at(sign).shape == Shape::Sign;
    let number = numbers::read(s, sign + 1).filter(|number| relation && number.marked && number.value.abs() <= 1.0)?;
    bare(s, &number).then(|| build_found(s, at, &number, at))
}

/// The words before the tail that belong to the name: "consumer confidence index", "Baltic Dry Index".
fn name_start(s: &Sentence, at: usize, most: usize) -> usize {
    let mut first = at;
    for _ in 0..most {
        let before = s.before(first);
        let hyphen = before.is('-') && before.glued() && s.at(first).glued();
        if before.is('\'') || before.is('’') {
            first = first.saturating_sub(2);
            continue;
        }
        let slash = before.is('/') && before.glued();
        let ends = before.shape != Shape::Word
            || before.has(DETERMINER | AUX | NUMERAL | CITE_VERB)
            || before.has(PREPOSITION) && !s.at(first).glued()
            || s.words(first.wrapping_sub(1)).ends_with("'s");
        if hyphen || slash {
            first = first.saturating_sub(2);
        } else if ends {
            break;
        } else {
            first -= 1;
        }
        if s.words(first).ends_with("ed") && s.at(first).case == Case::Lower {
            return first + 1;
        }
    }
    first
}

/// The number after a name, with a few words between: of, was, slipped to, edged up to.
fn value(s: &Sentence, from: usize) -> Option<Number> {
    let mut at = from;
    // The Nikkei 225 ended at, the S&P 500 closed at.
    let named = s.at(at).shape == Shape::Digits
        && s.at(at).length() <= 4
        && s.at(at + 1).shape == Shape::Word
        && s.at(at + 1).case == Case::Lower;
    if named && s.before(at).case != Case::Lower {
        at += 1;
    }
    // "for preterm birth was 1.34"
    if s.one_of(at, names!["for", "in", "among", "between"])
        && let Some(verb) =
            (at + 1..at + 7).find(|at| s.one_of(*at, names!["was", "is", "were", "reached", "stands", "stood"]))
        && !(at..verb).any(|at| s.divides(at) || s.at(at).shape == Shape::Digits)
    {
        at = verb;
    }
    for _ in 0..5 {
        let token = s.at(at);
        if let Shape::Digits = token.shape {
            return numbers::read(s, at);
        }
        let link = token.shape == Shape::Word
            && token.case == Case::Lower
            && !token.has(NUMERAL)
            && !(s.one_of(at, names!["and", "or", "for", "in", "with", "by", "than", "from"])
                && !(s.word(at, name!("in")) && s.word(at + 1, name!("at"))))
            || token.shape == Shape::Sign && matches!(token.first, ':' | '=' | '≈' | '(' | '-' | '−' | '～' | '~');
        if !link {
            return None;
        }
        if matches!(token.first, '-' | '−') {
            return numbers::read(s, at);
        }
        at += 1;
    }
    None
}

fn bare(s: &Sentence, number: &Number) -> bool {
    let next = s.at(number.end);
    let plural = next.shape == Shape::Word
        && next.case == Case::Lower
        && s.at(number.end).length() > 3
        && s.words(number.end).ends_with('s')
        && !next.has(PREPOSITION | AUX);
    let glued = plural
        || next.glued() && next.shape == Shape::Word
        || !number.marked && next.shape == Shape::Word && next.case == Case::Lower && !next.has(PREPOSITION | AUX);
    !(next.has(PERCENT | CURRENCY | SCALE | TENTHS)
        || next.is('%')
        || next.is('％')
        || next.is('‰')
        || unit::read(s, number.end).is_some() && !next.has(PREPOSITION)
        || glued)
}

fn build_found(s: &Sentence, first: usize, number: &Number, name: usize) -> Found {
    let value = ClaimValue {
        of: s.text.get(s.at(first).start..s.at(name).end).map(str::to_owned),
        ..measured(s, number, number.end, None, 1.0)
    };
    Found { first, end: number.end, kind: ClaimKind::Statistic, value: Some(value) }
}

/// 基尼系数为0.47, 制造业PMI录得49.2, F1值为0.873, p值均小于0.01.
fn chinese(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    let tail = token.has(STATISTIC_TAIL) && !token.has(STATISTIC);
    // AQI为178, R²为0.93: a name in capitals that is said to be a bare number.
    let square = usize::from(
        matches!(s.at(at + 1).first, '²') || s.is(at + 1, '-') && s.at(at + 2).end - s.at(at + 2).start == 1,
    ) * if s.is(at + 1, '-') { 2 } else { 1 };
    let capitals = token.shape == Shape::Word
        && (token.case == Case::Upper || square > 0)
        && (matches!(s.words(at + 1 + square), "为" | "值" | "達" | "为负")
            || matches!(s.at(at + 1 + square).first, '=' | '<' | '>' | '≈')
                && s.at(at + 1 + square).shape == Shape::Sign);
    if !token.has(STATISTIC | STATISTIC_TAIL) && !capitals {
        return None;
    }
    let single = tail && matches!(s.words(at), "值" | "比" | "分数" | "得分" | "评分");
    let latin = s.before(at).shape == Shape::Word && s.at(at).glued()
        || s.before(at).shape == Shape::Han && s.lone(at + 1) == '为';
    if single && !latin {
        return None;
    }
    let first = if tail || token.shape == Shape::Word { chinese_start(s, at) } else { at };
    let mut end = at + 1 + square;
    while s.has(end, STATISTIC_TAIL) {
        end += 1;
    }
    let mut number_at = end;
    for _ in 0..6 {
        let link = s.at(number_at);
        let linking = link.shape == Shape::Han && !matches!(link.first, '的' | '和' | '与' | '及' | '，' | '、')
            || link.shape == Shape::Sign && matches!(link.first, ':' | '：' | '=' | '≈' | '<' | '>');
        if !linking {
            break;
        }
        number_at += 1;
    }
    let number =
        numbers::read(s, number_at).filter(|number| s.at(number.end.wrapping_sub(1)).shape == Shape::Digits)?;
    let points = matches!(s.lone(number.end), '点' | '點');
    let counted = s.has(number.end, MEASURE) && !points
        || s.has(number.end, TIMES_WORD) && s.words(at) != "市盈率" && s.words(at) != "市净率";
    let end = number.end + usize::from(points || s.has(number.end, TIMES_WORD));
    (!counted && bare(s, &number) && !s.is(number.end, '/'))
        .then(|| Found { end, ..build_found(s, first, &number, at) })
}

/// The name before a tail: up to the last 的, comma or two Chinese words.
fn chinese_start(s: &Sentence, at: usize) -> usize {
    let mut first = at;
    for _ in 0..6 {
        let before = s.before(first);
        let inner = before.shape == Shape::Word && (s.at(first).glued())
            || before.shape == Shape::Han
                && !matches!(
                    before.first,
                    '的' | '，' | '在' | '为' | '和' | '与' | '、' | '该' | '这' | '此' | '月' | '年' | '日' | '季'
                );
        if !inner {
            break;
        }
        first -= 1;
    }
    first
}
