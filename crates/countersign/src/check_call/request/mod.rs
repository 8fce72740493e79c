//! Whether the values of a call are the ones that were asked for.
//!
//! The schema is content, every value came from somewhere, and still the call may mean something else: 10 minutes sent
//! as 10 seconds, from and to exchanged, the neighbour's record, the price from before the user changed it. Each rule
//! compares the arguments with the mentions of the conversation, of their own kind, and shows both sides. A value that
//! can be explained is never doubted, and where nobody said anything like it, nothing is said.

/// One argument as the rules compare it.
pub(crate) mod argument;
/// Words that tell two of a kind apart.
pub(crate) mod qualifiers;
/// What results said.
pub(crate) mod records;
/// Records in prose.
pub(crate) mod prose;
/// What was asked for.
pub(crate) mod asked;
/// How a finding is said.
pub(crate) mod slip;
/// Where a number may come from.
pub(crate) mod trace;
/// Rates in other units.
pub(crate) mod rated;
/// What a number below zero means.
pub(crate) mod sign;
/// Numbers, amounts and units.
pub(crate) mod number;
/// Sums and changes.
pub(crate) mod change;
/// Changes in another unit, and shares as amounts.
pub(crate) mod differences;
/// What is left where something is not counted.
pub(crate) mod uncounted;
/// Parts of a whole: a share, what is kept, what is taken off.
pub(crate) mod portion;
/// Amounts from a field of another kind.
pub(crate) mod kind;
/// What stays as it is.
pub(crate) mod stays;
/// Rows with ranges in them.
pub(crate) mod ranges;
/// Numbers that follow from a record.
pub(crate) mod follows;
/// Currencies.
pub(crate) mod currency;
/// The dates and times of results.
pub(crate) mod moments;
/// Dates and times.
pub(crate) mod date;
/// The hour of another place.
pub(crate) mod elsewhere;
/// The two ends of a stretch.
pub(crate) mod stretch;
/// Pairs that were exchanged.
pub(crate) mod swap;
/// Numbers of a record under each other's names.
pub(crate) mod same_fields;
/// Numbers beside each other's names.
pub(crate) mod named_numbers;
/// What was, for what is to be.
pub(crate) mod former;
/// Languages.
pub(crate) mod languages;
/// Who stands in which relation to whom.
pub(crate) mod relation;
/// What a record must not have.
pub(crate) mod demands;
/// Words that pick one of several.
pub(crate) mod picks;
/// Days counted from something else than today.
pub(crate) mod offset;
/// Records told apart by a year.
pub(crate) mod years;
/// Records that are moved by so much.
pub(crate) mod shift;
/// What a record has or is.
pub(crate) mod qualities;
/// The record that was meant.
pub(crate) mod record;
/// Records of which nothing is left.
pub(crate) mod sold_out;
/// The part of the day that was meant.
pub(crate) mod day_parts;
/// Bounds that a picked record must keep.
pub(crate) mod bound;
/// The one that was picked: the cheaper one, the second.
pub(crate) mod pick;
/// The one that the user said yes to.
pub(crate) mod agreed;
/// What people copy, miscopied.
pub(crate) mod literal;
/// Names with one other word.
pub(crate) mod phrase;
/// Names with the digits of their number turned round.
pub(crate) mod house_number;
/// A choice beside another one that was named.
pub(crate) mod choice;
/// What was asked for and left out.
pub(crate) mod left_out;
/// A row that the user enumerated.
pub(crate) mod enumerated;
/// How many were meant.
pub(crate) mod counted;
/// Records that the user told apart.
pub(crate) mod partition;
/// Numbers that stand by something else.
pub(crate) mod per_unit;
/// Counts of something else.
pub(crate) mod taken;
/// Prices of an hour, and of several.
pub(crate) mod rate;
/// Values that the user took back.
pub(crate) mod correction;
/// Wishes of earlier turns.
pub(crate) mod wish;
/// Two switches thrown the wrong way round.
pub(crate) mod switches;
/// Conditions with a number.
pub(crate) mod condition;
/// Demands that the call leaves off.
pub(crate) mod demanded;
/// Hours and days that were ruled out.
pub(crate) mod barred;
/// The field of a record that was meant.
pub(crate) mod field;
/// Choices that the look-up had.
pub(crate) mod looked_up;
/// A tool for all of a group.
pub(crate) mod width;
/// One of those that a record lists.
pub(crate) mod part;
/// Who holds which part.
pub(crate) mod holder;
/// The ends of a scale.
pub(crate) mod scale;
/// Who is not there.
pub(crate) mod away;
/// Days of the week that were ruled out.
pub(crate) mod weekdays;
/// A point in the wrong place.
pub(crate) mod point;
/// What was said last and is not used.
pub(crate) mod fresh;
/// Days that have passed.
pub(crate) mod past;
/// The price of the whole for a part.
pub(crate) mod line_item;
/// What stood in quotation marks.
pub(crate) mod quote;
/// Numbered places.
pub(crate) mod place;
/// Another number in the same place of a text.
pub(crate) mod same_place;
/// Texts that the model wrote.
pub(crate) mod content;
/// Numbers of texts with two digits in each other's place.
pub(crate) mod digits;
/// Texts in which what belongs together was exchanged.
pub(crate) mod crossed;
/// Texts in which a comparison was turned round.
pub(crate) mod compared;
/// Texts that want what the user takes out.
pub(crate) mod instead;
/// Texts that say the contrary.
pub(crate) mod turned;

use super::subject::{Check, Node, Said, Subject};
use asked::Asked;
use slip::Slip;

/// The check.
pub(crate) const CHECK: Check = Check { name: "request", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let Some(asked) = Asked::of(subject) else { return };
    let mut slips: Vec<Slip> = Vec::new();
    for rule in RULES {
        rule(&asked, &mut slips);
    }
    for slip in slips {
        let finding = slip.into_finding(&asked);
        if said.findings.len() < MAX_FINDINGS && !said.findings.iter().any(|other| other.pointer == finding.pointer) {
            said.findings.push(finding);
        }
    }
}

/// Whether what was said explains a value that stands nowhere as it is: another unit, arithmetic, a record's field, a date
/// counted from today, an address with what belongs to it.
pub(crate) fn explains(subject: &Subject<'_>, node: &Node<'_>) -> bool {
    let Some(asked) = Asked::of(subject) else { return false };
    let argument = asked.arguments.iter().find(|argument| std::ptr::eq(argument.node, node));
    argument.is_some_and(|argument| {
        number::is_explained(&asked, argument)
            || date::is_explained(&asked, argument)
            || literal::is_explained(&asked, argument)
    })
}

/// Whether the user's last words name what the call is about, by other words than its id.
pub(crate) fn names_object(subject: &Subject<'_>) -> bool {
    Asked::of(subject).is_some_and(|asked| record::are_named(&asked))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    qualifiers::build_tables();
    languages::build_tables();
    relation::build_tables();
    picks::build_tables();
    taken::build_tables();
    place::build_tables();
}

/// A rule: what it sees, and where it puts what it finds.
type Rule = fn(&Asked<'_>, &mut Vec<Slip>);

/// The rules, in order: the first that speaks of an argument is heard.
const RULES: &[Rule] = &[
    swap::find,
    same_fields::find,
    named_numbers::find,
    former::find,
    relation::find,
    correction::find,
    record::find,
    sold_out::find,
    day_parts::find,
    bound::find,
    pick::find,
    agreed::find,
    literal::find,
    phrase::find,
    house_number::find,
    field::find,
    wish::find,
    demanded::find,
    condition::find,
    switches::find,
    barred::find,
    change::find,
    differences::find,
    uncounted::find,
    portion::find,
    kind::find,
    stays::find,
    follows::find,
    number::find,
    point::find,
    currency::find,
    offset::find,
    shift::find,
    elsewhere::find,
    date::find,
    past::find,
    stretch::find,
    per_unit::find,
    taken::find,
    rate::find,
    left_out::find,
    ranges::find,
    enumerated::find,
    counted::find,
    partition::find,
    width::find,
    part::find,
    choice::find,
    looked_up::find,
    holder::find,
    scale::find,
    away::find,
    weekdays::find,
    line_item::find,
    fresh::find,
    quote::find,
    digits::find,
    content::find,
    instead::find,
    crossed::find,
    compared::find,
    turned::find,
];

/// More findings on one call tell nothing more.
const MAX_FINDINGS: usize = 8;
