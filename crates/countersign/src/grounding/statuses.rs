//! Finds a status that excludes the one in the context: `status: cancelled` and "it has shipped".
//!
//! Only fields whose name says that they hold a status are read, and only where all of them say the same: of several
//! orders nobody can tell which is meant. A denial, a condition or a plan states no status. The words are data.

use super::evidence::Evidence;
use crate::grounding::wording::Reading;
use crate::text::phrases::Phrases;
use crate::text::rows::rows;
use std::ops::Range;
use std::sync::LazyLock;

/// A status that the answer states and the context excludes: where it is, and what the context says.
pub(crate) fn find_excluded(text: &str, sentence: &Reading, evidence: &Evidence) -> Option<(Range<usize>, String)> {
    if sentence.asks || !sentence.negated.is_empty() {
        return None;
    }
    GROUPS.iter().find_map(|group| group.find_excluded(text, sentence, evidence))
}

/// Whether a sentence is about what may be, was or should be.
pub(crate) fn conditional(text: &str) -> bool {
    CONDITIONAL.any(text)
}

/// The clause that a status stands in.
fn clause(text: &str, said: &Range<usize>) -> Range<usize> {
    let ends = [',', ';', '，', '；', '。', '（', '('];
    let start = text.get(..said.start).and_then(|before| before.rfind(ends)).unwrap_or(0);
    let end = text.get(said.end..).and_then(|after| after.find(ends)).map_or(text.len(), |end| said.end + end);
    start..end
}

/// The words of one side; 已 may be 已经.
fn side(words: &str) -> Phrases {
    let longer = words.split(',').filter_map(|word| word.trim().strip_prefix('已').map(|rest| format!("已经{rest}")));
    let longer: Vec<String> = longer.collect();
    Phrases::new(words.split(',').chain(longer.iter().map(String::as_str)))
}

struct Group {
    sides: Vec<Phrases>,
    /// Whether it holds whatever the sentence speaks of.
    always: bool,
}

impl Group {
    fn of(row: &str) -> Self {
        let always = row.starts_with('!');
        let sides = row.trim_start_matches('!').split('|').map(side).collect();
        Self { sides, always }
    }

    fn find_excluded(&self, text: &str, sentence: &Reading, evidence: &Evidence) -> Option<(Range<usize>, String)> {
        let mut values = evidence.statuses.iter();
        let first = values.next()?;
        let at = self.sides.iter().position(|side| side.any(first))?;
        let mine = self.sides.get(at)?;
        if mine.any(text) || !values.all(|value| mine.any(value)) {
            return None;
        }
        let mut others = self.sides.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, side)| side);
        let said = others.find_map(|side| side.find(text).next())?.range;
        let clause = clause(text, &said);
        if conditional(text.get(clause.clone()).unwrap_or(text)) {
            return None;
        }
        // A word that the context has elsewhere is about something else.
        let inside = |range: &Range<usize>| said.start <= range.start && range.end <= said.end;
        let mut own = sentence.terms.iter().filter(|term| inside(&term.range)).peekable();
        if own.peek().is_some() && own.all(|term| evidence.holds(term)) {
            return None;
        }
        let rest: Vec<_> =
            sentence.terms.iter().filter(|term| !inside(&term.range) && clause.contains(&term.range.start)).collect();
        let total: f64 = rest.iter().map(|term| term.weight).sum();
        let generic: Vec<Range<usize>> = SUBJECTS.find(text).map(|found| found.range).collect();
        let named = |range: &Range<usize>| generic.iter().any(|g| g.start <= range.start && range.end <= g.end);
        let known = rest.iter().filter(|term| evidence.holds(term) || evidence.asked.holds(term) || named(&term.range));
        let known: f64 = known.map(|term| term.weight).sum();
        (self.always || total == 0.0 || known * 2.0 >= total).then(|| (said, first.clone()))
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&GROUPS);
    LazyLock::force(&CONDITIONAL);
    LazyLock::force(&SUBJECTS);
}

static GROUPS: LazyLock<Vec<Group>> =
    LazyLock::new(|| rows(include_str!("data/statuses.txt")).map(Group::of).collect());

static CONDITIONAL: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(rows(include_str!("data/conditional.txt"))));

/// What a status is usually of: naming it brings in no other matter.
static SUBJECTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(rows(include_str!("data/subjects.txt"))));
