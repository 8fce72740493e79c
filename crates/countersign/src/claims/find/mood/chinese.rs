//! Chinese orders, recipes, advice, rules, and what is only supposed.

use super::{Silent, past_numbering};
use crate::claims::find::lexicon::{CITE_LEAD, CITE_VERB, INSTRUCT_ANY, INSTRUCT_START, MEASURE, SUPPOSE, UNIT};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Shape, Token};

/// A recipe or a dose silences the whole segment, an order or a condition what follows it.
pub(super) fn find_start(s: &Sentence, from: usize, to: usize) -> Option<Silent> {
    let tokens = s.tokens.get(from..to).unwrap_or_default();
    let start = past_numbering(s, from);
    if is_exercise(s, start) {
        return Some(Silent { start: from, supposing: true });
    }
    if plans(s, start) {
        return Some(Silent::from(from));
    }
    if s.seen.has(UNIT | MEASURE) && lists_ingredients(s, start, to) {
        return Some(Silent::from(from));
    }
    let cue = |token: &Token| {
        matches!(token.first, '先' | '每' | '求' | '话' | '切' | '煮' | '炖' | '蒸' | '烤' | '煎' | '腌')
    };
    if !s.seen.has(INSTRUCT_ANY | INSTRUCT_START | SUPPOSE) && !tokens.iter().any(cue) {
        return None;
    }
    let (mut opens, mut clause, mut order, mut first, mut next) = (true, start, None, false, false);
    for at in start..to {
        let token = s.at(at);
        let finds = opens && s.lone(at) == '求'
            || s.lone(at) == '的' && s.lone(at + 1) == '话' && matches!(s.at(at + 2).first, '，' | ',');
        if token.has(INSTRUCT_ANY) || finds || is_cooked(s, at) {
            return Some(Silent::from(from));
        }
        if opens && order.is_none() && advises_daily(s, at) {
            order = Some(at);
        }
        // 只要62分钟: only.
        let only = token.first == '只' && matches!(s.at(at + 1).shape, Shape::Digits | Shape::Numerals);
        if opens && token.has(SUPPOSE) && !only {
            let supposing = s.entry(at).place == EXERCISE;
            return Some(Silent { start: order.unwrap_or(at), supposing });
        }
        // 14个请求: behind a measure word stands a noun.
        let counted = at > start && s.has(at - 1, MEASURE) && s.at(at - 1).length() == 3;
        let asks = matches!(token.first, '请' | '請') && token.length() == 3 && !counted || is_rule(s, at);
        let small = token.length() == 3 && !asks && at > start && !matches!(token.first, '别');
        if (opens && !small || asks)
            && order.is_none()
            && !(token.length() == 6 && matches!(s.words(at), "必须" | "不得") && !asks)
            && token.has(INSTRUCT_START)
            && orders(s, at)
        {
            // 把 after a clause goes on with its subject.
            let goes_on = at > start && matches!(s.lone(at), '把' | '将') && s.lone(at - 1) != '时';
            let whole = if is_rule(s, at) { clause } else { at };
            order = (!goes_on).then_some(if cooks(s, at) { from } else { whole });
        }
        first |= opens && s.lone(at) == '先';
        next |= opens && first && matches!(token.first, '再' | '然') && matches!(s.words(at), "再" | "然后");
        let joins = opens
            && token.shape == Shape::Han
            && matches!(token.first, '再' | '然' | '后' | '先' | '并' | '就' | '也' | '你' | '您');
        opens = joins || token.shape == Shape::Sign && matches!(token.first, '，' | ',' | '、' | '“' | '”' | '：');
        clause = if opens && !joins { at + 1 } else { clause };
    }
    if next { Some(Silent::from(from)) } else { order.map(Silent::from) }
}

/// 我的目标是每个月存两千块, 我们的计划是: what its writer means to reach is not so yet.
fn plans(s: &Sentence, at: usize) -> bool {
    let text = s.text.get(s.at(at).start..).unwrap_or_default();
    let own = text.strip_prefix("我们的").or_else(|| text.strip_prefix("我的"));
    own.and_then(|rest| rest.strip_prefix("目标").or_else(|| rest.strip_prefix("计划")))
        .is_some_and(|rest| rest.starts_with('是'))
}

/// 设小明有12个苹果, 设x为.
fn is_exercise(s: &Sentence, at: usize) -> bool {
    s.lone(at) == '设' && (matches!(s.at(at + 1).first, '小' | '某' | '甲') || s.at(at + 1).shape == Shape::Word)
}

/// 每天至少要睡八小时, 每周应运动三次: advice.
fn advises_daily(s: &Sentence, at: usize) -> bool {
    matches!(s.words(at), "每天" | "每日" | "每周" | "每晚" | "每次")
        && (at + 1..at + 4).any(|at| matches!(s.words(at), "要" | "应" | "应该" | "应当" | "宜"))
}

/// 面粉200克、白糖50克、鸡蛋两个: nothing but things with their amounts, some of them by the gram or the spoon.
fn lists_ingredients(s: &Sentence, from: usize, to: usize) -> bool {
    let head = s.text.get(..s.before(from).start).unwrap_or_default();
    let headed = ["食材", "配料", "用料", "材料", "原料"].iter().any(|word| head.ends_with(word));
    let (mut items, mut kitchen, mut at) = (0, headed, from);
    while at < to {
        let name = (at..to.min(at + 6)).take_while(|at| s.at(*at).shape == Shape::Han).count();
        let (number, unit) = (s.at(at + name), s.at(at + name + 1));
        let counted = matches!(number.shape, Shape::Digits | Shape::Numerals) && unit.has(UNIT | MEASURE);
        if name == 0 || !counted {
            return false;
        }
        kitchen |= matches!(s.words(at + name + 1), "克" | "毫升" | "勺" | "汤匙" | "茶匙" | "瓣" | "小勺" | "大勺");
        at += name + 2;
        items += 1;
        if at < to && !matches!(s.at(at).first, '、' | '，' | ',' | '。' | ';' | '；') {
            return false;
        }
        at += 1;
    }
    items > 1 && kitchen
}

/// 必须, 不得: what they stand in is a rule.
fn is_rule(s: &Sentence, at: usize) -> bool {
    s.has(at, INSTRUCT_START)
        && !s.seen.has(CITE_LEAD | CITE_VERB)
        && matches!(s.at(at).first, '必' | '不' | '务')
        && s.at(at).length() == 6
}

/// 煮8分钟, 炖40分钟: a verb of the kitchen right before its time.
fn is_cooked(s: &Sentence, at: usize) -> bool {
    let number = s.at(at + 1);
    if s.words(at) == "切成" {
        return matches!(number.shape, Shape::Digits | Shape::Numerals);
    }
    matches!(s.lone(at), '煮' | '炖' | '蒸' | '烤' | '炸' | '焖' | '煎' | '腌' | '焯' | '炒')
        && matches!(number.shape, Shape::Digits | Shape::Numerals)
        && matches!(s.at(at + 2).first, '分' | '秒' | '小' | '个' | '至' | '到' | '-' | '~' | '～')
}

/// Whether an order is of the kitchen: then the amounts before it are ingredients.
fn cooks(s: &Sentence, at: usize) -> bool {
    matches!(
        s.at(at).first,
        '搅' | '下'
            | '腌'
            | '焖'
            | '炖'
            | '煮'
            | '炒'
            | '炸'
            | '蒸'
            | '烤'
            | '捞'
            | '静'
            | '撒'
            | '淋'
            | '切'
            | '揉'
            | '擀'
            | '倒'
            | '放'
    )
}

/// Verbs of one character are orders only before an amount, 将 only before what is then treated.
fn orders(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    let next = s.at(at + 1);
    if token.first.len_utf8() < token.length() {
        if s.words(at) == "加入" {
            return matches!(s.at(at + 2).first, '勺' | '克' | '毫' | '片' | '瓣' | '茶' | '汤' | '大' | '小');
        }
        if matches!(s.words(at), "步行" | "前往" | "向前" | "加热") {
            return matches!(next.shape, Shape::Digits | Shape::Numerals);
        }
        // 安装量, 刷新了, 加热后: no orders.
        return !(next.shape == Shape::Han
            && next.glued()
            && matches!(
                next.first,
                '量' | '数'
                    | '率'
                    | '包'
                    | '了'
                    | '的'
                    | '后'
                    | '者'
                    | '于'
                    | '以'
                    | '速'
                    | '温'
                    | '时'
                    | '费'
                    | '价'
                    | '期'
                    | '户'
                    | '成'
                    | '血'
                    | '屏'
                    | '过'
                    | '稿'
                    | '书'
                    | '案'
            ));
    }
    match token.first {
        '请' | '請' | '把' | '别' | '撒' | '淋' | '焖' | '炖' | '揉' | '擀' => true,
        '沿' => true,
        '将' => {
            let treats = [
                '离', '弃', '滴', '洗', '溶', '放', '倒', '切', '静', '调', '设', '煮', '炒', '拌', '揉', '泡', '浸',
                '涂', '移', '拖', '插', '拧', '贴',
            ];
            (at..at + 20).any(|at| treats.contains(&s.at(at).first))
        }
        // 按2023年汇率计算
        '按' if matches!(s.at(at + 2).first, '年') => false,
        _ => matches!(next.shape, Shape::Digits | Shape::Numerals),
    }
}

/// What is supposed for the sentences behind too: 假设, not 如果.
const EXERCISE: u8 = 1;
