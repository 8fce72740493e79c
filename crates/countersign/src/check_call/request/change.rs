//! Numbers that follow from others: what is added, what is changed by so much, a share of a whole. The call must have the outcome
//! and not one of its parts.

use super::argument::Argument;
use super::asked::Asked;
use super::number::{is_used, is_weighty};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity};
use crate::text::words::identifier_words;

/// Finds parts of a sum, and changes by the wrong amount or the other way.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        let slip = find_increment(asked, argument, number)
            .or_else(|| find_part_of_sum(asked, argument, number))
            .or_else(|| find_one_of_several(asked, argument, number))
            .or_else(|| find_without_spare(asked, argument, number))
            .or_else(|| find_share_for_whole(asked, argument, number))
            .or_else(|| find_other_way(asked, argument, number))
            .or_else(|| find_unchanged(asked, argument, number));
        slips.extend(slip);
    }
}

/// "Two more" is no new total: the tool sets the number, and the call has only what was to be added.
fn find_increment(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let (mention, _) = asked.last.numbers().find(|(mention, quantity)| {
        let lower = &asked.last.lower;
        let behind = lower.get(mention.range.end..).unwrap_or_default().trim_start();
        let more = Cue::named("more-of-it").english.iter().any(|word| behind.starts_with(word));
        let before = lower.get(..mention.range.start).unwrap_or_default();
        let raised = Cue::named("changed-by").ends(before.trim_end_matches(['$', '€', '£', ' ']));
        quantity.value == number && (more || raised || Cue::named("another").ends(before))
    })?;
    let description = argument.node.param.map(|param| param.description.to_lowercase()).unwrap_or_default();
    let told = Cue::named("total").stands_in(&description);
    let name = identifier_words(&asked.subject.tool.spec.name);
    let sets = name.first().is_some_and(|word| matches!(word.as_str(), "set" | "scale" | "resize" | "update"));
    let adds =
        argument.is_named(&["delta", "by", "extra", "add", "additional", "increase", "amount", "change", "more"]);
    let known = !asked.results.is_empty();
    let (key, said, shown) = (argument.node.key, asked.last.text(mention), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user wants {said} more, `{key}` is the new total and is {shown}",
        "用户要的是再增加 {said}，而 `{key}` 是总数，却是 {shown}"
    );
    let hint = localized!(asked.subject.language, "add it to what there is now", "请加上现有的数量");
    let strength = if told { Strength::Strong } else { Strength::Weak };
    (!adds && (told || sets && known))
        .then(|| Slip::on(asked, argument, &OTHER_VALUE, strength, Says { evidence, hint }))
}

/// "26 pallets plus 6", and the call has only one of the two.
fn find_part_of_sum(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let numbers: Vec<(&Mention, &Quantity)> = asked.last.numbers().filter(|(mention, _)| !mention.excluded).collect();
    // "18 for the field and another 11 for the hollow, all on one order".
    let together = Cue::named("one-order").stands_in(&asked.last.lower);
    let most = if together { 3 * MAX_BETWEEN } else { MAX_BETWEEN };
    let (one, two) = numbers.windows(2).find_map(|pair| {
        let [(first, one), (second, two)] = pair else { return None };
        let between = asked.last.lower.get(first.range.end..second.range.start)?;
        let short = between.chars().count() <= most && !between.contains(['.', ';', '。', '；']);
        let alike = one.unit == two.unit && one.currency == two.currency;
        (short && alike && Cue::named("plus").ends(between)).then_some((one, two))
    })?;
    let other = if one.value == number { two } else { one };
    let part = (one.value == number || two.value == number) && one.value != two.value;
    let used = || is_used(asked, argument, other);
    if !part || used() || asked.arguments.iter().filter(|own| own.number().is_some_and(|own| own == number)).count() > 1
    {
        return None;
    }
    let (key, wanted, shown) = (argument.node.key, show(one.value + two.value), show(number));
    let (first, second) = (show(one.value), show(two.value));
    let evidence = localized!(
        asked.subject.language,
        "the user said {first} plus {second}, which is {wanted}; `{key}` is {shown}",
        "用户说的是 {first} 加 {second}，即 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "Two classes of 24 plus 4 teachers", and the call has 28: one class with the teachers.
fn find_one_of_several(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let plain = |mention: &Mention, own: &Quantity| !mention.excluded && own.unit.is_none() && own.currency.is_none();
    let numbers: Vec<(&Mention, &Quantity)> =
        asked.last.numbers().filter(|(mention, own)| plain(mention, own) && own.upper.is_none()).collect();
    let (many, each, more) = numbers.windows(3).find_map(|three| {
        let [(first, many), (second, each), (third, more)] = three else { return None };
        let lower = &asked.last.lower;
        let of = lower.get(first.range.end..second.range.start)?.trim_end();
        let and = lower.get(second.range.end..third.range.start)?.trim_end();
        let close = !of.contains(CLAUSE_ENDS)
            && !and.contains(['.', ';', '。', '；'])
            && and.chars().count() <= 2 * MAX_BETWEEN;
        let grouped = of.ends_with(" of")
            || of.ends_with(" with")
            || of.ends_with(['各', '每'])
            || Cue::named("for-each").ends(of);
        let added = Cue::named("plus").ends(and) || and.ends_with(" and") || and.ends_with(['加', '和']);
        (close && grouped && added).then_some((many.value, each.value, more.value))
    })?;
    let all = many * each + more;
    let short = number == each + more || number == many + more;
    let said = numbers.iter().any(|(_, own)| own.value == number);
    if !short || number == all || said || many < 2.0 || each < 2.0 {
        return None;
    }
    let (key, wanted, shown) = (argument.node.key, show(all), show(number));
    let (many, each, more) = (show(many), show(each), show(more));
    let evidence = localized!(
        asked.subject.language,
        "the user said {many} × {each} + {more}, which is {wanted}; `{key}` is {shown}",
        "用户说的是 {many} × {each} + {more}，即 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "Eight tables, ten chairs at each, and half a dozen spare", and the call has 80.
fn find_without_spare(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let plain = |mention: &Mention, own: &Quantity| !mention.excluded && own.unit.is_none() && own.currency.is_none();
    let numbers: Vec<(&Mention, &Quantity)> =
        asked.last.numbers().filter(|(mention, own)| plain(mention, own)).collect();
    let place = numbers.iter().position(|(mention, _)| {
        let behind = asked.last.lower.get(mention.range.end..).unwrap_or_default();
        Cue::named("spare").find_in(behind).is_some_and(|(_, at)| at <= 1)
    })?;
    let (mention, spare) = numbers.get(place)?;
    let before = || numbers.iter().take(place).map(|(_, own)| own.value);
    let product = before().any(|one| one > 1.0 && before().any(|two| two > 1.0 && one * two == number && one != two));
    let alone = before().any(|one| one == number) && place == 1;
    if !(product || alone) || is_used(asked, argument, spare) {
        return None;
    }
    let (key, said, wanted, shown) =
        (argument.node.key, asked.last.text(mention), show(number + spare.value), show(number));
    let evidence = localized!(
        asked.subject.language,
        "with the {said} to spare it is {wanted}; `{key}` is {shown}",
        "加上备用的 {said} 应为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "10 percent on top" of 60,000, and the new salary is 6,000.
fn find_share_for_whole(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let whole = ["salary", "yearly", "price", "rent", "wage", "total", "new", "budget", "monthly", "fare"];
    let (mention, share) =
        asked.last.numbers().find(|(_, quantity)| quantity.unit.is_some_and(|unit| unit.dimension == "ratio"))?;
    let changes = Cue::named("share-of-change").stands_in(&asked.last.lower);
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_f64());
    let values: Vec<f64> = asked.numbers().map(|(_, quantity)| quantity.value).chain(fields).take(64).collect();
    let base = values.iter().find(|value| **value > 0.0 && is_near(**value * share.value / 100.0, number))?;
    if !changes || !argument.is_named(&whole) || values.contains(&number) {
        return None;
    }
    let (key, said, shown, base) = (argument.node.key, asked.last.text(mention), show(number), show(*base));
    let evidence = localized!(
        asked.subject.language,
        "`{key}` is {shown}, which is only the {said} of {base} and not {base} changed by it",
        "`{key}` 是 {shown}，这只是 {base} 的 {said}，而不是调整后的数额"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "It goes up by 1.50" from 14, and the call has 12.50.
fn find_other_way(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let lower = &asked.last.lower;
    let (mention, by) = asked.last.numbers().find(|(mention, _)| {
        let before = lower.get(..mention.range.start).unwrap_or_default().trim_end_matches(['$', '€', '£', ' ']);
        Cue::named("changed-by").ends(before)
    })?;
    // "Another nine for the lower field" are more.
    let another = Cue::named("another").ends(lower.get(..mention.range.start).unwrap_or_default());
    // "Another 4 degrees colder" are fewer degrees.
    let behind = lower.get(mention.range.end..).unwrap_or_default().split_whitespace().take(2);
    let falls = Cue::named("less").stands_in(&behind.collect::<Vec<_>>().join(" "));
    let added = another && !falls;
    let down = falls || !added && Cue::named("goes-down").stands_in(lower);
    let up = match (added || !falls && Cue::named("goes-up").stands_in(lower), down) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_f64());
    let values: Vec<f64> = asked.numbers().map(|(_, quantity)| quantity.value).chain(fields).take(64).collect();
    let (wrong, right) = if up { (-by.value, by.value) } else { (by.value, -by.value) };
    let base = values.iter().find(|base| is_near(**base + wrong, number) && **base != by.value)?;
    if values.iter().any(|base| is_near(base + right, number)) || values.contains(&number) || by.value == 0.0 {
        return None;
    }
    let (key, said, shown, wanted) = (argument.node.key, asked.last.text(mention), show(number), show(base + right));
    let evidence = localized!(
        asked.subject.language,
        "by {said} the other way: that gives {wanted}, `{key}` is {shown}",
        "变动 {said} 的方向相反：应为 {wanted}，而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "That's two fewer", and the call has the number from before.
fn find_unchanged(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let lower = &asked.last.lower;
    let counts = Measure::of(argument, None) == Measure::Count;
    let before = asked.earlier.iter().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value == number));
    if !counts || !before {
        return None;
    }
    let (mention, change) = asked.last.numbers().find_map(|(mention, quantity)| {
        let behind = lower.get(mention.range.end..)?.trim_start();
        let ahead = lower.get(..mention.range.start)?;
        let starts = |cue: &str| Cue::named(cue).english.iter().any(|word| behind.starts_with(word));
        let fewer = starts("fewer") || ["少", "少了", "减"].iter().any(|word| ahead.ends_with(word));
        let more = starts("more-of-it") || Cue::named("another").ends(ahead);
        match (fewer, more) {
            (true, false) => Some((mention, -quantity.value)),
            (false, true) => Some((mention, quantity.value)),
            _ => None,
        }
    })?;
    let carried = asked.arguments.iter().any(|other| other.number() == Some(number + change));
    let again = asked.last.numbers().any(|(_, quantity)| quantity.value == number);
    if carried || again {
        return None;
    }
    let (key, said, shown, wanted) = (argument.node.key, asked.last.text(mention), show(number), show(number + change));
    let evidence = localized!(
        asked.subject.language,
        "the user changed it by {said}, which gives {wanted}; `{key}` is still {shown}",
        "用户改动了 {said}，应为 {wanted}；而 `{key}` 仍是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

const CLAUSE_ENDS: [char; 8] = [',', '.', ';', ':', '，', '。', '；', '：'];
/// What is added is said close to what it is added to.
const MAX_BETWEEN: usize = 24;
