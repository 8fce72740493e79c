//! What the words around a mention make of it: where it comes from or goes to, whether it is excluded, whether it bounds.

use crate::contract::language::is_han;
use crate::text::lists::word_list;

/// The part that a mention plays in its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// From, out of, 从.
    From,
    /// To, into, 到, 给.
    To,
    /// Nothing that is told.
    Unsaid,
}

/// The part that the words right before a place tell. `lower` is in lower case.
pub fn part_before(lower: &str, at: usize) -> Part {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let chinese = |list: &[&str]| list.iter().any(|word| before.ends_with(word));
    if before.ends_with(is_han) {
        return match () {
            // Who rings there: 打到工作号上的电话.
            () if chinese(&["打到", "打给", "打进"]) => Part::Unsaid,
            () if chinese(&["从", "由", "自", "把", "将"]) => Part::From,
            () if chinese(&[
                "到", "至", "往", "给", "去", "转入", "汇入", "存入", "换成", "改成", "成", "飞", "回", "返",
            ]) =>
            {
                Part::To
            }
            () => Part::Unsaid,
        };
    }
    // A few words lie between the preposition and the thing: "from the house account". Another preposition ends it.
    let before = before.strip_suffix(',').unwrap_or(before);
    let clause = before.rsplit([',', '.', ';', '!', '?', ':', '\n']).next().unwrap_or_default();
    let mut strange = 0;
    for word in clause.rsplit(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).take(5) {
        match word {
            "from" => return Part::From,
            "of" if before.ends_with("out of") => return Part::From,
            "to" | "into" | "onto" | "towards" => return Part::To,
            "the" | "my" | "our" | "your" | "his" | "her" | "a" | "an" | "account" | "checking" | "savings" | "new"
            | "old" => {}
            _ if strange < 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && !JOINS.contains(&word) => {
                strange += 1
            }
            _ => return Part::Unsaid,
        }
    }
    Part::Unsaid
}

/// Whether the words right before a place take the thing out: "not to team@…", "except A-12", 不是, 除了. A negated verb
/// ("don't cancel A-12") takes nothing out.
pub fn is_excluded(lower: &str, at: usize) -> bool {
    let mut from = at.saturating_sub(NEAR_BYTES);
    while !lower.is_char_boundary(from) {
        from += 1;
    }
    let before = lower.get(from..at).unwrap_or_default();
    let clause = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let clause = clause.trim_end_matches(['“', '"', '「', '\'', '‘']);
    if clause.trim_end().ends_with(is_han) {
        let clause = clause.trim_end();
        return EXCLUDING_ZH.iter().any(|word| clause.ends_with(word)) && !clause.ends_with("是不是");
    }
    let mut words =
        clause.split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’').filter(|word| !word.is_empty()).rev();
    let mut word = words.next();
    for _ in 0..2 {
        if word.is_some_and(|word| {
            matches!(
                word,
                "to" | "for"
                    | "the"
                    | "this"
                    | "next"
                    | "at"
                    | "on"
                    | "from"
                    | "with"
                    | "by"
                    | "my"
                    | "in"
                    | "a"
                    | "an"
            )
        }) {
            word = words.next();
        }
    }
    match word {
        Some("not" | "except" | "without" | "excluding" | "nor" | "never" | "no") => true,
        Some("of") => words.next() == Some("instead"),
        Some("than") => words.next() == Some("rather"),
        _ => false,
    }
}

/// Whether a number is the most or the least of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// "At most", "under", 不超过.
    Most,
    /// "At least", "over", 至少.
    Least,
    /// Neither.
    Exact,
}

/// What the words right before and behind a number make of it.
pub fn bound_around(lower: &str, start: usize, end: usize) -> Bound {
    let before = lower.get(..start).unwrap_or_default().trim_end();
    let before = before.trim_end_matches(['$', '€', '£', '¥', ' ']);
    let behind = lower.get(end..).unwrap_or_default().trim_start();
    let ends = |list: &[&str]| list.iter().any(|word| before.ends_with(word));
    let begins = |list: &[&str]| list.iter().any(|word| behind.starts_with(word));
    // "Never charge it over 80": what must not be passed is the most.
    let turned = is_denied(before);
    match () {
        () if ends(MOST) || begins(MOST_BEHIND) => {
            if turned && ends(MOST) && !ends(NO_MORE) {
                Bound::Least
            } else {
                Bound::Most
            }
        }
        () if ends(LEAST) || begins(LEAST_BEHIND) => {
            if turned && ends(LEAST) && !ends(NO_LESS) {
                Bound::Most
            } else {
                Bound::Least
            }
        }
        () => Bound::Exact,
    }
}

/// Whether the clause before a bound denies it: "never … over", "nothing … above".
fn is_denied(before: &str) -> bool {
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR_BYTES))..).unwrap_or_default();
    let clause = near.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
    let mut words = clause.split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’').filter(|word| !word.is_empty());
    words
        .any(|word| matches!(word, "never" | "not" | "nothing" | "don't" | "don’t" | "mustn't" | "shouldn't" | "won't"))
        || ["不要", "不能", "不得", "别", "不许"].iter().any(|word| clause.contains(word))
}

/// Bounds that hold their own denial.
const NO_MORE: &[&str] = &["no more than", "not more than", "not over", "不超过", "别超过", "不能超过", "不到"];
const NO_LESS: &[&str] = &["no less than", "不低于", "不少于"];
/// Words that join something else to what stands before them.
const JOINS: &[&str] = word_list!("text", "mentions/role/joins");
/// What ends a clause, in both languages.
const CLAUSE_ENDS: [char; 15] = ['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？', '、', '(', '（', ':'];
/// What takes a thing out is near it.
const NEAR_BYTES: usize = 100;
const EXCLUDING_ZH: &[&str] = word_list!("text", "mentions/role/excluding-zh");
const MOST: &[&str] = word_list!("text", "mentions/role/most");
const MOST_BEHIND: &[&str] = word_list!("text", "mentions/role/most-behind");
const LEAST: &[&str] = word_list!("text", "mentions/role/least");
const LEAST_BEHIND: &[&str] = &["or more", "or above", "以上", "起"];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn words_before_tell_the_part() {
        let part = |text: &str, thing: &str| part_before(text, text.find(thing).unwrap());
        assert_eq!(part("move 5 from my savings account de1 to b2", "de1"), Part::From);
        assert_eq!(part("move 5 from de1 to b2", "b2"), Part::To);
        assert_eq!(part("从北京到上海", "上海"), Part::To);
        assert_eq!(part("从北京到上海", "北京"), Part::From);
        assert_eq!(part("周日晚上回扬州的车", "扬州"), Part::To);
        assert_eq!(part("a flight, berlin please", "berlin"), Part::Unsaid);
        let out = |text: &str, thing: &str| is_excluded(text, text.find(thing).unwrap());
        assert!(out("to hr@a.io, not to team@a.io", "team@") && !out("to hr@a.io, not to team@a.io", "hr@"));
        assert!(out("是前台的小许（不是财务的小许）", "财务") && !out("not only a-1", "a-1"));
        assert_eq!(bound_around("under $100 please", 7, 10), Bound::Most);
        assert_eq!(bound_around("500元以内", 0, 6), Bound::Most);
        assert_eq!(bound_around("at least 3 rooms", 9, 10), Bound::Least);
    }
}
