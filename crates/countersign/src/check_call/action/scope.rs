//! A call that touches everything, or many things, where the user spoke of one.

use super::{Judge, Weight};
use crate::check_call::role::Role;
use crate::check_call::subject::Node;
use crate::contract::Finding;
use crate::contract::codes::meaning::SCOPE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::clause::{Clause, has_any};
use crate::text::deeds::reading::{Reading, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::Deeds;
use serde_json::Value;

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    if let Some(finding) = find_unnarrowed(judge) {
        return Some(finding);
    }
    if speaks_of_all(judge.request.last) {
        return None;
    }
    find_wide_tool(judge)
        .or_else(|| judge.subject.values.leaves().find_map(|node| find_wide_value(judge, node)))
        .or_else(|| find_many(judge))
}

/// "Only the payment servers", and the parameter without which everything is meant is not in the call.
fn find_unnarrowed(judge: &Judge<'_>) -> Option<Finding> {
    let clauses = &judge.request.last.clauses;
    let (only, _) = clauses.iter().find_map(|clause| Cue::named("only").find_in(&clause.text))?;
    if clauses.iter().any(|clause| Cue::named("all-of-them").stands_in(&clause.text)) {
        return None;
    }
    let widens = |description: &str| {
        let lower = description.to_lowercase();
        Cue::named("unless-given").stands_in(&lower) && Cue::named("everything").stands_in(&lower)
    };
    let root = &judge.subject.tool.root;
    let missing = |name: &&String| {
        !judge.subject.arguments.contains_key(*name)
            && root.properties.get(*name).is_some_and(|param| !param.required && widens(&param.description))
    };
    let key = root.order.iter().find(missing).filter(|_| judge.acts || !judge.reads)?;
    let name = &judge.subject.tool.spec.name;
    let evidence = localized!(
        judge.subject.language,
        "the user said \"{only}\", and `{name}` without `{key}` does it to everything",
        "用户说的是“{only}”，而 `{name}` 不带 `{key}` 会作用于全部对象"
    );
    Some(finish(judge, "/arguments".to_owned(), evidence))
}

/// Whether a request speaks of all, or of several things without naming each.
fn speaks_of_all(reading: &Reading) -> bool {
    reading.clauses.iter().any(|clause| Cue::named("all").stands_in(&clause.text))
}

/// A tool that does to all what was wanted for one.
fn find_wide_tool(judge: &Judge<'_>) -> Option<Finding> {
    if !judge.acts || !judge.tool.wide {
        return None;
    }
    let last = judge.request.last;
    let clears = judge.tool.deeds.meet(&Deeds::named(&["clear"]));
    let family = if clears { judge.tool.deeds.join(&Deeds::named(&["remove", "delete"])) } else { judge.tool.deeds };
    let mention = last.of_deeds(family).find(|mention| mention.stance == Stance::Wanted)?;
    if clears && mention.deeds.meet(&Deeds::named(&["clear"])) {
        return None;
    }
    let clause = last.clauses.get(mention.clause)?;
    // "Cancel my events": the plural may mean all of them.
    let plural = |thing: &String| {
        let bare = thing.strip_suffix('s').unwrap_or(thing);
        last.clauses.iter().flat_map(|clause| &clause.words).any(|word| word.folded.strip_suffix('s') == Some(bare))
    };
    let counted = || {
        last.clauses
            .iter()
            .any(|clause| clause.text.contains(|c: char| c.is_ascii_digit()) || has_any(&clause.text, ONE_ZH))
    };
    if judge.tool.things.iter().any(plural) || (clause.chinese && !counted()) {
        return None;
    }
    let (name, said) = (&judge.subject.tool.spec.name, clause.text.trim().chars().take(MAX_QUOTE).collect::<String>());
    let evidence = localized!(
        judge.subject.language,
        "the user said \"{said}\", and `{name}` does it to everything",
        "用户说的是“{said}”，而 `{name}` 会作用于全部对象"
    );
    Some(finish(judge, "/name".to_owned(), evidence))
}

/// A statement without a condition, or a folder for a file in it.
fn find_wide_value(judge: &Judge<'_>, node: &Node<'_>) -> Option<Finding> {
    let text = node.value.as_str().filter(|text| text.len() <= MAX_VALUE)?;
    let pointer = || judge.subject.values.pointer(node);
    let language = judge.subject.language;
    if let Some(statement) = find_boundless(text).filter(|_| names_one(judge.request.last)) {
        let evidence = localized!(
            language,
            "the user spoke of one record, and the {statement} has no condition that narrows it",
            "用户说的是一条记录，而该 {statement} 语句没有任何限定条件"
        );
        return Some(finish(judge, pointer(), evidence));
    }
    let deletes = judge.tool.deeds.meet(&Deeds::named(&["delete", "remove"]));
    if !deletes
        || !(node.roles.has(Role::Path) || text.contains('/') || text.contains('\\') || node.key.contains("path"))
    {
        return None;
    }
    let inner = find_inner_path(text, judge.request.last)?;
    let evidence = localized!(
        language,
        "the user named `{inner}`, and `{text}` is the folder that holds it",
        "用户指的是 `{inner}`，而 `{text}` 是它所在的目录"
    );
    Some(finish(judge, pointer(), evidence))
}

/// `DELETE` or `UPDATE` without a condition, or with one that always holds.
fn find_boundless(text: &str) -> Option<&'static str> {
    let folded = fold(text);
    let statement = folded.trim();
    let kind = if statement.starts_with("delete from ") {
        "DELETE"
    } else if statement.starts_with("update ") && statement.contains(" set ") {
        "UPDATE"
    } else {
        return None;
    };
    let spaced = statement.replace(['\n', '\t'], " ");
    let Some((_, condition)) = spaced.split_once(" where ") else { return Some(kind) };
    let bare: String =
        condition.chars().filter(|c| !c.is_whitespace() && !matches!(c, ';' | '(' | ')' | '\'' | '"')).collect();
    let always = bare == "true"
        || bare.split_once('=').is_some_and(|(left, right)| left == right)
        || bare.ends_with("isnotnull");
    always.then_some(kind)
}

/// Whether the request points at one record: a number, an id or a quoted name stands in it.
fn names_one(reading: &Reading) -> bool {
    let one = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || ["user", "the", "record", "row", "customer"].contains(&word)
    };
    reading.clauses.iter().any(|clause| {
        clause.words.iter().any(|word| one(&word.folded))
            && !clause.words.iter().any(|word| word.folded.ends_with('s') && word.folded.len() > 4)
            || (clause.chinese && clause.text.contains(|c: char| c.is_ascii_digit()))
    })
}

/// A path of the request that lies in this folder, where the folder itself was not named.
fn find_inner_path(folder: &str, reading: &Reading) -> Option<String> {
    let folder = fold(folder);
    let folder = folder.trim_end_matches(['/', '\\']);
    let tokens = || {
        reading
            .clauses
            .iter()
            .flat_map(|clause| clause.text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '\'' | '"')))
    };
    let named = |token: &str| token.trim_end_matches(['/', '\\', '.']) == folder;
    let inner =
        |token: &&str| token.strip_prefix(folder).is_some_and(|rest| rest.starts_with(['/', '\\']) && rest.len() > 1);
    if folder.is_empty() || tokens().any(named) {
        return None;
    }
    tokens().find(inner).map(|token| token.trim_end_matches('.').to_owned())
}

/// Several ids where the user said "that one".
fn find_many(judge: &Judge<'_>) -> Option<Finding> {
    let last = judge.request.last;
    // "Move the ones he hasn't started, the one he is at can stay".
    let several = |clause: &Clause| clause.words.iter().any(|word| matches!(word.folded.as_str(), "ones" | "both"));
    if last.clauses.iter().any(several) {
        return None;
    }
    let one = last.clauses.iter().filter(|clause| !Cue::named("kept").stands_in(&clause.text)).find(|clause| {
        let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
        words.windows(2).any(|pair| matches!(pair, ["the" | "that" | "this" | "just" | "only", "one"]))
            || has_any(&clause.text, &["那一个", "这一个", "那个", "这个", "只要一个"])
    })?;
    if !judge.acts
        || !last
            .mentions
            .iter()
            .any(|mention| mention.stance == Stance::Wanted && mention.deeds.meet(&judge.tool.deeds))
    {
        return None;
    }
    let is_id = |text: &str| {
        let told = text.contains(' ') || text.contains(is_han);
        text.len() >= 2 && text.len() <= 40 && !told && text.contains(|c: char| c.is_ascii_digit())
    };
    let many = judge.subject.values.all().iter().find(|node| match node.value {
        Value::Array(list) => list.len() > 1 && list.iter().all(|item| item.as_str().is_some_and(is_id)),
        Value::String(text) => {
            text.contains([',', '，', ';']) && text.split([',', '，', ';']).map(str::trim).all(is_id)
        }
        _ => false,
    })?;
    let (key, said) = (many.key, one.text.trim().chars().take(MAX_QUOTE).collect::<String>());
    let evidence = localized!(
        judge.subject.language,
        "the user said \"{said}\", and `{key}` names several",
        "用户说的是“{said}”，而 `{key}` 包含多个对象"
    );
    Some(finish(judge, judge.subject.values.pointer(many), evidence))
}

fn finish(judge: &Judge<'_>, pointer: String, evidence: String) -> Finding {
    let hint = localized!(judge.subject.language, "narrow the call to what the user named", "请只作用于用户指定的对象");
    judge.weigh(Finding::new(&SCOPE, pointer, evidence).hint(hint), Weight::Strong)
}

const MAX_VALUE: usize = 2000;
const MAX_QUOTE: usize = 60;
const ONE_ZH: &[&str] = &["那个", "这个", "一个", "那一", "这一", "第", "只", "单独", "其中"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_without_a_bound_are_told_apart() {
        // MEANING-3
        for wide in [
            "DELETE FROM t;",
            "delete from t where 1=1",
            "UPDATE t SET a = 1 WHERE true",
            "update t set a=1 where id = id",
        ] {
            assert!(find_boundless(wide).is_some(), "{wide}");
        }
        for narrow in ["DELETE FROM t WHERE id = 4", "SELECT * FROM t", "update the doc"] {
            assert!(find_boundless(narrow).is_none(), "{narrow}");
        }
    }
}
