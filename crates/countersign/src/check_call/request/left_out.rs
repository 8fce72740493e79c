//! What was asked for and left out: one of several recipients, one of several items.

use super::argument::{Argument, mask};
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::{EXTRA, LEFT_OUT};
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::{Mention, Reading, What};

/// Finds lists that lack what the user listed, and recipients that the user ruled out.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let items: Vec<&Argument<'_>> = asked.arguments.iter().filter(|argument| argument.node.is_item()).collect();
    let only = Cue::named("only").stands_in(&asked.last.lower);
    if let Some(first) = items.first().filter(|_| !only) {
        let missing = find_literal(asked, &items);
        let missing = missing.or_else(|| find_hour(asked, &items)).or_else(|| find_member(asked, &items));
        slips.extend(missing.map(|said| say_left_out(asked, first, &said)));
    }
    if asked.subject.values.all().iter().any(|node| node.is_item() && node.value.is_object()) {
        slips.extend(find_item(asked));
    }
    slips.extend(find_extra(asked).or_else(|| find_unnamed(asked, &items)));
}

/// Members of a list that the user did not name, beside one that the user did: 周建国那张退掉, and all three are refunded.
fn find_unnamed(asked: &Asked<'_>, items: &[&Argument<'_>]) -> Option<Slip> {
    let several = |reading: &Reading| {
        Cue::named("several").english.iter().any(|word| *word != "and" && stands_in(&reading.lower, word))
            || Cue::named("all-of-them").chinese.iter().any(|word| reading.lower.contains(word))
            || reading.numbers().any(|(_, quantity)| quantity.value == items.len() as f64)
    };
    // Ids that the user named beside ids of the same shape that only a result has.
    let ids = |item: &&&Argument<'_>| {
        item.text().is_some_and(|text| text.contains(|c: char| c.is_ascii_digit()) && text.len() <= MAX_ID)
    };
    let named_ids =
        items.iter().filter(ids).count() == items.len() && !Cue::named("row-of-them").stands_in(&asked.last.lower);
    let counted = |reading: &Reading| reading.numbers().any(|(_, quantity)| quantity.value == items.len() as f64);
    let open = if named_ids {
        asked.user().any(counted) || Cue::named("all-of-them").stands_in(&asked.last.lower)
    } else {
        asked.in_force().any(several)
    };
    if items.len() < 2 || !(asked.takes_away() || named_ids) || open {
        return None;
    }
    let named = |reading: &Reading, item: &Argument<'_>| {
        item.text().is_some_and(|text| {
            if text.is_ascii() { stands_in(&reading.lower, text) } else { reading.lower.contains(text) }
        })
    };
    let (mine, others): (Vec<&Argument<'_>>, Vec<&Argument<'_>>) =
        items.iter().copied().partition(|item| named(asked.last, item));
    let extra = others
        .iter()
        .find(|item| item.text().is_some() && !asked.earlier.iter().any(|reading| named(reading, item)))?;
    let one = mine.first().filter(|one| one.node.key == extra.node.key)?;
    let (key, shown, said) = (extra.node.key, extra.text()?, one.text()?);
    let evidence = localized!(
        asked.subject.language,
        "the user named `{said}`, and `{key}` also has `{shown}`",
        "用户说的是 `{said}`，而 `{key}` 中还有 `{shown}`"
    );
    let hint = localized!(asked.subject.language, "leave out what was not named", "请去掉用户没有提到的对象");
    Some(Slip::on(asked, extra, &EXTRA, Strength::Strong, Says { evidence, hint }))
}

/// An id or address that stands beside others of its shape, which are in the list.
fn find_literal(asked: &Asked<'_>, items: &[&Argument<'_>]) -> Option<String> {
    let listed = |text: &str| items.iter().any(|item| item.text() == Some(text));
    asked.wished().find_map(|reading| {
        let literals: Vec<&Mention> = reading.literals().filter(|mention| !mention.excluded).collect();
        let taken: Vec<&&Mention> = literals.iter().filter(|mention| listed(reading.text(mention))).collect();
        let shape = |mention: &Mention| (std::mem::discriminant(&mention.what), mask(reading.text(mention)));
        let missing = literals.iter().find(|mention| {
            let text = reading.text(mention);
            let alike = taken.iter().any(|other| {
                shape(other) == shape(mention) || matches!((&other.what, &mention.what), (What::Email, What::Email))
            });
            alike
                && !asked.arguments.iter().any(|argument| argument.text().is_some_and(|own| stands_in(own, text)))
                && beside(reading, mention, &taken)
        })?;
        Some(reading.text(missing).to_owned())
    })
}

/// One of the hours that were said in one sentence, where the list has the others: "at eight, at one and at nine".
fn find_hour(asked: &Asked<'_>, items: &[&Argument<'_>]) -> Option<String> {
    let taken: Vec<u16> = items.iter().filter_map(|item| item.moment()?.minutes).collect();
    let lower = &asked.last.lower;
    let told: Vec<(&Mention, Clock)> = asked.last.clocks().filter(|(mention, _)| !mention.excluded).collect();
    let (first, last) = (told.first()?.0.range.start, told.last()?.0.range.end);
    let between = lower.get(first..last).unwrap_or_default();
    // A stretch, a change or a second sentence is no row of hours.
    let stretch = ["to", "till", "until", "from", "-", "–"].iter().any(|word| stands_in(between, word));
    let changes = ["replaces", "mistaken", "wait"].iter().any(|cue| Cue::named(cue).stands_in(lower));
    let apart = between.contains(['到', '至', '或', '?', '？', '。', '\n']) || stands_in(between, "or");
    let said = |minutes: &u16| told.iter().any(|(_, clock)| clock.is(*minutes));
    let whole = taken.len() == items.len() && taken.len() >= 2 && taken.iter().all(said);
    if !whole || told.len() != taken.len() + 1 || stretch || changes || apart {
        return None;
    }
    let used = |clock: &Clock| {
        let minutes = asked.arguments.iter().filter_map(|argument| argument.moment()?.minutes);
        minutes.into_iter().any(|minutes| clock.is(minutes))
    };
    let (mention, _) = told.iter().find(|(_, clock)| !used(clock))?;
    Some(asked.last.text(mention).to_owned())
}

/// A member of a row whose other members are the list: "Sales, Ops and Legal".
fn find_member(asked: &Asked<'_>, items: &[&Argument<'_>]) -> Option<String> {
    let texts: Vec<&str> = items.iter().filter_map(|item| item.text()).collect();
    let begins = |text: &str, member: &str| {
        member.chars().count() >= 2 && member.chars().all(is_han) && text.starts_with(member)
    };
    let has = |member: &str| {
        texts.iter().any(|text| member == *text || stands_in(member, text) && !text.is_empty() || begins(text, member))
    };
    let clauses = asked.last.lower.split(['.', ';', '!', '?', '\n', '。', '；', '！', '？', ':', '：']);
    for clause in clauses {
        let members: Vec<&str> = split_row(clause);
        let listed: Vec<usize> =
            (0..members.len()).filter(|at| members.get(*at).is_some_and(|member| has(member))).collect();
        let (Some(first), Some(last)) = (listed.first(), listed.last()) else { continue };
        if listed.len() < 2 || listed.len() < texts.len() {
            continue;
        }
        if let Some(name) = last_name(clause, &members, *last, &texts) {
            return Some(name);
        }
        // One in the middle of the row, or the one that ends it.
        let end = last + 1;
        let ends = clause.contains(" and ") || clause.contains(['和', '、']);
        let missing =
            (*first..=end).filter(|at| !listed.contains(at) && (*at < end || ends && end + 1 == members.len()));
        let member =
            missing.filter_map(|at| members.get(at)).map(|member| member.trim()).find(|member| is_name(member, &texts));
        if let Some(member) = member
            .filter(|member| !asked.arguments.iter().any(|own| own.text().is_some_and(|text| text.contains(*member))))
        {
            return Some(member.to_owned());
        }
    }
    None
}

/// 老刘、小陈和阿强明早集合: the member that ends a row of names of one length, where no argument has it.
fn last_name(clause: &str, members: &[&str], last: usize, texts: &[&str]) -> Option<String> {
    let length = texts.first().map(|text| text.chars().count()).filter(|length| (2..=3).contains(length))?;
    let same = texts.iter().all(|text| text.chars().count() == length && text.chars().all(is_han));
    let rest = members.get(last + 1).filter(|rest| last + 2 == members.len() && rest.chars().count() > length)?;
    let name: String = rest.chars().take(length).collect();
    let joined = ["和", "、", "跟", "与"].iter().any(|joint| clause.contains(&format!("{joint}{name}")));
    let begins = name.starts_with(|c: char| "的了都也就请在再还要不我你他她".contains(c));
    (same && joined && clause.contains('、') && !begins && name.chars().all(is_han)).then_some(name)
}

fn split_row(clause: &str) -> Vec<&str> {
    let mut members = vec![clause];
    for joint in [", ", " and ", " & ", "，", "、", "和", "与", "以及", "跟"] {
        members = members.into_iter().flat_map(|member| member.split(joint)).collect();
    }
    members.into_iter().filter(|member| !member.trim().is_empty()).collect()
}

/// Whether a member is a name and no deed: one word, or a short Chinese one, without a verb.
fn is_name(member: &str, texts: &[&str]) -> bool {
    let member = member.strip_suffix(" please").unwrap_or(member);
    let words: Vec<&str> = member.split(' ').collect();
    let short = if member.is_ascii() { words.len() == 1 && member.len() >= 3 } else { member.chars().count() <= 4 };
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let alike = texts.iter().all(|text| digits(text) == digits(member) && text.is_ascii() == member.is_ascii());
    short && alike && find_english(&words).is_empty() && find_chinese(member).is_empty() && !NO_NAMES.contains(&member)
}

/// Whether a literal stands in one row with others: with nothing but a comma or an "and" between.
fn beside(reading: &Reading, mention: &Mention, others: &[&&Mention]) -> bool {
    others.iter().any(|other| {
        let (first, second) =
            if mention.range.start < other.range.start { (mention, **other) } else { (**other, mention) };
        let between = reading.lower.get(first.range.end..second.range.start).unwrap_or("none");
        ROW.contains(&between.trim()) || between.trim().is_empty()
    })
}

/// A thing with its quantity that the items of the call do not have, while they have the others.
fn find_item(asked: &Asked<'_>) -> Option<Slip> {
    let reading = asked.last;
    let counted: Vec<(&Mention, &str)> = reading
        .numbers()
        .filter(|(mention, quantity)| !mention.excluded && !quantity.noun.is_empty())
        .filter_map(|(mention, quantity)| Some((mention, reading.lower.get(quantity.noun.clone())?)))
        // A particle is no thing: 算了两份吧.
        .filter(|(_, noun)| noun.is_ascii() || noun.chars().count() > 1)
        .collect();
    if counted.len() < 2 {
        return None;
    }
    let has = |noun: &str| {
        let head = noun.split(' ').next_back().unwrap_or(noun);
        let stem = head.trim_end_matches('s');
        asked.arguments.iter().filter_map(Argument::text).any(|text| {
            noun.split(' ').any(|word| word.len() >= 3 && text.contains(word.trim_end_matches('s')))
                || text.contains(stem)
                || (!noun.is_ascii() && shares_pair(noun, text))
        })
    };
    let missing: Vec<&(&Mention, &str)> = counted.iter().filter(|(_, noun)| !has(noun)).collect();
    let present: Vec<&(&Mention, &str)> = counted.iter().filter(|(_, noun)| has(noun)).collect();
    // The items must be counted themselves: "two applications" is no item of one.
    let numbered = present.iter().any(|(mention, _)| match &mention.what {
        What::Number(quantity) => asked.arguments.iter().any(|argument| {
            argument.number().is_some_and(|number| number == quantity.value || quantity.unit.is_some())
        }),
        _ => false,
    });
    match (missing.as_slice(), if numbered { present.len() } else { 0 }) {
        ([(mention, noun)], 1..) => {
            let argument = asked.arguments.iter().find(|argument| argument.text().is_some())?;
            let said = format!("{} {noun}", reading.text(mention));
            Some(say_left_out(asked, argument, &said))
        }
        _ => None,
    }
}

fn shares_pair(one: &str, other: &str) -> bool {
    let chars: Vec<char> = one.chars().collect();
    chars.windows(2).any(|pair| other.contains(&pair.iter().collect::<String>()))
}

fn say_left_out(asked: &Asked<'_>, argument: &Argument<'_>, said: &str) -> Slip {
    let evidence = localized!(
        asked.subject.language,
        "the user also asked for \"{said}\", which the call leaves out",
        "用户还要求了“{said}”，而调用中没有"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    Slip::on(asked, argument, &LEFT_OUT, Strength::Strong, Says { evidence, hint })
}

/// A recipient beside the one that the user named, where the user said that there are no others.
fn find_extra(asked: &Asked<'_>) -> Option<Slip> {
    let alone = asked.in_force().any(|reading| Cue::named("alone").stands_in(&reading.lower) || leaves_others(reading));
    let receives = |argument: &&Argument<'_>| {
        argument.node.roles.has(Role::Recipient)
            || argument.node.roles.has(Role::Email)
            || argument.text().is_some_and(|text| text.contains('@'))
            || argument.node.is_item() && argument.node.param.is_some_and(|param| param.allowed.len() > 1)
    };
    let named = |argument: &Argument<'_>| {
        argument.text().is_some_and(|text| asked.user().any(|reading| stands_in(&reading.lower, text)))
    };
    let recipients: Vec<&Argument<'_>> = asked.arguments.iter().filter(receives).collect();
    let extra = recipients
        .iter()
        .find(|argument| !named(argument))
        .filter(|_| alone && recipients.iter().any(|argument| named(argument)))?;
    let (key, shown) = (extra.node.key, extra.text().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "the user wants nobody else to have it, and `{key}` has `{shown}`",
        "用户要求不发给其他人，而 `{key}` 中有 `{shown}`"
    );
    let hint = localized!(asked.subject.language, "leave out whoever was not named", "请去掉用户没有提到的人");
    Some(Slip::on(asked, extra, &EXTRA, Strength::Strong, Says { evidence, hint }))
}

/// "The others have to wait", 其他人先不发: a clause that leaves out whoever was not named.
fn leaves_others(reading: &Reading) -> bool {
    reading
        .lower
        .split([',', '.', ';', '!', '?', '，', '。', '；', '！', '？', '\n'])
        .any(|clause| Cue::named("by-and-large").stands_in(clause) && Cue::named("others-out").stands_in(clause))
}

/// Words at the end of a row that are no member of it.
const MAX_ID: usize = 24;
const NO_NAMES: &[&str] = word_list!("check_call", "request/left_out/no-names");
/// What stands between the members of a row.
const ROW: &[&str] = word_list!("check_call", "request/left_out/row");
