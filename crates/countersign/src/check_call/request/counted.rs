//! How many were meant: "all four of us", 把两首Live删了, "those three", and a list that has another number of them.
//!
//! A number alone says little. It counts here only where it is just the number of the records of the list, of those that
//! the last words name, or of those that the assistant put into its question, and the call has a part of them or more.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::record::Said;
use super::records::{Record, words_of};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::{EXTRA, LEFT_OUT};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::sentences::sentences;
use serde_json::Value;

/// Finds lists with fewer or more members than were counted.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let mut lists = asked.subject.values.all().iter().filter_map(|node| match node.value {
        Value::Array(items) if !items.is_empty() && items.len() <= MAX_ITEMS => Some((node, items)),
        _ => None,
    });
    let Some((node, items)) = lists.next().filter(|_| lists.next().is_none()) else { return };
    let pointer = asked.subject.values.pointer(node);
    let inside =
        |argument: &&Argument<'_>| asked.subject.values.pointer(argument.node).starts_with(&format!("{pointer}/"));
    let Some(argument) = asked.arguments.iter().find(inside) else { return };
    if Cue::named("left-out").stands_in(&asked.last.lower) || Cue::named("all-but").stands_in(&asked.last.lower) {
        return;
    }
    let found = find_gap(asked, items).map(|number| (Missing::Yes, super::slip::show(number)));
    let found = found.or_else(|| compare_records(asked, items)).or_else(|| compare_numbers(asked, items));
    slips.extend(found.map(|(missing, shown)| say(asked, argument, missing, &shown)));
}

/// Whether records are missing or too many, and one of them.
fn compare_records(asked: &Asked<'_>, items: &[Value]) -> Option<(Missing, String)> {
    let records = asked.records();
    // A member belongs to the one record of a list that has a text of it which no other has.
    let owner = |item: &Value, list: usize| {
        texts_of(item).iter().find_map(|text| {
            let mut found = records.iter().filter(|record| record.list == list && record.has(text));
            found.next().filter(|_| found.next().is_none())
        })
    };
    let first = texts_of(items.first()?);
    let mut homes = records.iter().filter(|record| record.id.is_none() && first.iter().any(|text| record.has(text)));
    homes.find_map(|home| {
        let taken: Option<Vec<&Record<'_>>> = items.iter().map(|item| owner(item, home.list)).collect();
        let taken = taken?;
        let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == home.list).collect();
        let count = count_of(&asked.last.lower, asked.last);
        let meant = meant_sets(asked, &all, count).into_iter();
        let mut differing = meant.map(|meant| {
            let has = |set: &[&Record<'_>], one: &Record<'_>| set.iter().any(|own| std::ptr::eq(*own, one));
            let (missing, extra): (Vec<&Record<'_>>, Vec<&Record<'_>>) = (
                meant.iter().copied().filter(|one| !has(&taken, one)).collect(),
                taken.iter().copied().filter(|one| !has(&meant, one)).collect(),
            );
            match (missing.first(), extra.first()) {
                (Some(one), None) if !is_done(asked, one) => Some((Missing::Yes, show(one))),
                (None, Some(one)) => Some((Missing::No, show(one))),
                _ => None,
            }
        });
        // Where one way to count agrees with the call, it is right.
        let first = differing.next()?;
        differing.all(|other| other.is_some()).then_some(first).flatten()
    })
}

/// The sets of records that a count may mean: the whole list, those that the words name, those of the assistant's question.
fn meant_sets<'r, 'a>(asked: &Asked<'_>, all: &[&'r Record<'a>], count: Option<usize>) -> Vec<Vec<&'r Record<'a>>> {
    let said = Said::of(asked, asked.last);
    let named: Vec<&Record<'_>> = all.iter().copied().filter(|record| !said.names(record, all).is_empty()).collect();
    let offered = offered(asked, all);
    let Some(count) = count else {
        // "Yes, all of them": those of the question.
        let agrees = asked.last.lower.chars().count() <= SHORT && named.is_empty();
        let every = agrees && Cue::named("all-of-them").stands_in(&asked.last.lower);
        return [offered].into_iter().filter(|set| every && set.len() >= 2).collect();
    };
    // 餐饮的不能抵，另外三张都勾上: the three that are not named.
    let others = || {
        all.iter()
            .copied()
            .filter(|record| words_of(record).iter().all(|word| !mentions(&asked.last.lower, word)))
            .collect::<Vec<_>>()
    };
    if Cue::named("by-and-large").stands_in(&asked.last.lower) {
        return [others()].into_iter().filter(|set| set.len() == count && count < all.len()).collect();
    }
    // "All three reports to Ida and Per": the number counts something else than those who are named.
    if !named.is_empty() && named.len() != count {
        return Vec::new();
    }
    [named, offered, all.to_vec()].into_iter().filter(|set| set.len() == count).collect()
}

fn mentions(lower: &str, word: &str) -> bool {
    if word.is_ascii() { stands_in(lower, word) } else { lower.contains(word) }
}

/// The records that the assistant's last words name, each by a word of its own.
fn offered<'r, 'a>(asked: &Asked<'_>, all: &[&'r Record<'a>]) -> Vec<&'r Record<'a>> {
    let Some(proposal) = asked.proposal else { return Vec::new() };
    let mut said = sentences(&proposal.lower).into_iter().rev().filter_map(|range| proposal.lower.get(range));
    let question = said.find(|sentence| sentence.trim_end().ends_with(['?', '？'])).unwrap_or(&proposal.lower);
    let own = |record: &Record<'_>, word: &String| {
        all.iter().filter(|other| words_of(other).contains(word)).count() == 1 && !record.fields.is_empty()
    };
    let named = |record: &&Record<'_>| {
        let ids = record.fields.iter().filter_map(|(_, value)| value.as_str()).filter(|text| text.len() >= 2);
        let mut ids = ids.filter(|text| text.contains(|c: char| c.is_ascii_digit())).map(str::to_lowercase);
        ids.any(|id| stands_in(question, &id))
            || words_of(record).iter().filter(|word| own(record, word)).any(|word| match word.is_ascii() {
                true => stands_in(question, word),
                false => question.contains(word.as_str()),
            })
    };
    all.iter().copied().filter(named).collect()
}

/// Whether an earlier call has taken a record already.
fn is_done(asked: &Asked<'_>, record: &Record<'_>) -> bool {
    let ids = record.fields.iter().filter_map(|(_, value)| value.as_str()).filter(|text| text.len() >= 2);
    let ids: Vec<String> = ids.map(|text| format!("\"{text}\"")).collect();
    let name = asked.subject.tool.spec.name.as_str();
    asked.subject.conversation.answered_calls().any(|call| {
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
        call.name == name && ids.iter().any(|id| arguments.contains(id.as_str()))
    })
}

/// A list of numbers beside a row of them that was said: "those three", after "blocks 3, 4 and 7".
fn compare_numbers(asked: &Asked<'_>, items: &[Value]) -> Option<(Missing, String)> {
    let own: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
    let (own, count) = (own?, count_of(&asked.last.lower, asked.last)?);
    let mut rows = asked.others.iter().filter_map(|reading| row_of(reading)).filter(|row| row.len() == count);
    let row = rows.next()?;
    if rows.any(|other| other != row) {
        return None;
    }
    let (missing, extra) =
        (row.iter().find(|value| !own.contains(value)), own.iter().find(|value| !row.contains(value)));
    match (missing, extra) {
        (Some(value), None) => Some((Missing::Yes, super::slip::show(*value))),
        (None, Some(value)) => Some((Missing::No, super::slip::show(*value))),
        _ => None,
    }
}

/// "Channels 1 through 4", and the list has the two ends and not what lies between.
fn find_gap(asked: &Asked<'_>, items: &[Value]) -> Option<f64> {
    let own: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
    let own = own?;
    let ends = asked.last.numbers().filter(|(mention, quantity)| !mention.excluded && quantity.unit.is_none());
    let stretches = ends.filter_map(|(_, quantity)| Some((quantity.value, quantity.upper?)));
    let mut stretches = stretches.filter(|(first, last)| own.contains(first) && own.contains(last));
    let (first, last) = stretches.next().filter(|_| stretches.next().is_none())?;
    let whole = first.fract() == 0.0 && last.fract() == 0.0 && (2.0..=MAX_STRETCH).contains(&(last - first));
    let inside = own.iter().all(|number| (first..=last).contains(number));
    let mut between = (1..).map(|step| first + f64::from(step)).take_while(|number| *number < last);
    // Every other one of them is a choice of its own.
    let spoken = |number: &f64| asked.last.numbers().any(|(_, quantity)| quantity.value == *number && *number != first);
    if !whole
        || !inside
        || Cue::named("every-other").stands_in(&asked.last.lower)
        || own.iter().any(|own| spoken(own) && *own != last)
    {
        return None;
    }
    between.find(|number| !own.contains(number))
}

/// The first row of bare numbers: "3, 4 and 7".
fn row_of(reading: &Reading) -> Option<Vec<f64>> {
    let mut row: Vec<f64> = Vec::new();
    let mut end = 0;
    for (mention, quantity) in reading.numbers() {
        let between = reading.lower.get(end..mention.range.start).unwrap_or_default().trim();
        let joined = matches!(between, "," | "and" | ", and" | "&" | "、" | "和" | "，");
        if !joined && row.len() >= 2 {
            break;
        }
        if !joined {
            row.clear();
        }
        row.push(quantity.value);
        end = mention.range.end;
    }
    (row.len() >= 2).then_some(row)
}

/// The one number of a text that counts things that are known: "those three", "all four", 四个都, 两首Live.
fn count_of(lower: &str, reading: &Reading) -> Option<usize> {
    let mut found = reading.numbers().filter_map(|(mention, quantity)| {
        let whole = quantity.value.fract() == 0.0 && (2.0..=20.0).contains(&quantity.value);
        let plain = whole && quantity.unit.is_none() && quantity.currency.is_none() && quantity.upper.is_none();
        let (before, behind) = (lower.get(..mention.range.start)?, lower.get(mention.range.end..)?);
        let counted = if reading.text(mention).is_ascii() && !behind.trim_start().starts_with(CLASSIFIERS) {
            Cue::named("those-of").ends(before) && !is_part(before)
        } else {
            is_counted_zh(before, behind, reading.text(mention))
        };
        (plain && counted && !mention.excluded).then_some(quantity.value as usize)
    });
    let first = found.next();
    first.filter(|_| found.next().is_none()).or_else(|| stands_in(lower, "both").then_some(2))
}

/// "Two of those three" are a part of them.
fn is_part(before: &str) -> bool {
    let rest = ["of those", "of these", "of the"].iter().find_map(|of| before.trim_end().strip_suffix(of));
    rest.is_some_and(|rest| !rest.trim_end().ends_with("all"))
}

/// 四个都, 这三位, 把两首: a classifier, and a word that takes them together.
fn is_counted_zh(before: &str, behind: &str, own: &str) -> bool {
    let classified = own.ends_with(CLASSIFIERS) || behind.starts_with(CLASSIFIERS);
    let clause = behind.split(['，', '。', '！', '？', '；', ',', '\n']).next().unwrap_or_default();
    let led = ["这", "那", "把", "将"].iter().any(|word| before.ends_with(word));
    classified && (led || Cue::named("all-of-them").stands_in(clause))
}

/// The texts and numbers of a member.
fn texts_of(item: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_ascii_lowercase);
    match item {
        Value::Object(map) => map.values().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    }
}

fn show(record: &Record<'_>) -> String {
    let named = |key: &str| matches!(key, "name" | "title" | "label");
    let texts = || record.fields.iter().filter_map(|(key, value)| Some((*key, value.as_str()?)));
    texts().find(|(key, _)| named(key)).or_else(|| texts().next()).map(|(_, text)| text.to_owned()).unwrap_or_default()
}

/// Whether something is missing; else something is too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Yes,
    No,
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, missing: Missing, shown: &str) -> Slip {
    let (key, language) = (argument.node.key, asked.subject.language);
    let says = match missing {
        Missing::Yes => Says {
            evidence: localized!(
                language,
                "by the number that the user said `{shown}` belongs to them, and the list leaves it out",
                "按用户所说的数量，其中应有 `{shown}`，而列表中没有"
            ),
            hint: localized!(
                language,
                "add what was left out, or make a second call for it",
                "请补上遗漏的内容，或再调用一次"
            ),
        },
        Missing::No => Says {
            evidence: localized!(
                language,
                "by the number that the user said `{shown}` is none of them, and `{key}` has it",
                "按用户所说的数量，其中没有 `{shown}`，而 `{key}` 中有"
            ),
            hint: localized!(language, "leave out what was not asked for", "请去掉用户没有要求的内容"),
        },
    };
    let code = if missing == Missing::Yes { &LEFT_OUT } else { &EXTRA };
    Slip::on(asked, argument, code, Strength::Strong, says)
}

const MAX_ITEMS: usize = 20;
const MAX_STRETCH: f64 = 50.0;
const SHORT: usize = 40;
/// What stands behind a number that counts.
const CLASSIFIERS: &[char] = &[
    '个', '位', '人', '首', '张', '条', '份', '本', '件', '台', '间', '家', '款', '种', '名', '只', '辆', '段', '笔',
    '项', '篇', '封', '盏', '盆', '匹', '头', '棵',
];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn what_is_counted_is_known() {
        let count = |text: &str| count_of(text, &Reading::of(text));
        for (text, number) in [
            ("yes, all four of us", Some(4)),
            ("delete those two", Some(2)),
            ("both please", Some(2)),
            ("对，五个都要", Some(5)),
            ("把三张旧的删掉", Some(3)),
            ("老周、小吴、阿敏三个人都来了", Some(3)),
            ("two nights, three guests", None),
            ("买三个苹果", None),
            ("in four days", None),
            ("heat two of those three", None),
            ("heat all of those three", Some(3)),
        ] {
            assert_eq!(count(text), number, "{text}");
        }
        assert_eq!(row_of(&Reading::of("rows 2, 5 and 9 are under 12 degrees")), Some(vec![2.0, 5.0, 9.0]));
        assert_eq!(row_of(&Reading::of("row 2 is at 12")), None);
    }
}
