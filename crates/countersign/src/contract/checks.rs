//! The names of the checks, once: policies, `policy show`, explanations and the console all read this list.

/// What a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A call before it runs.
    Call,
    /// A result that came back.
    Result,
    /// The model's answer.
    Answer,
}

/// A check, as policies name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckName {
    /// The name.
    pub name: &'static str,
    /// What it looks at.
    pub stage: Stage,
    /// What it is for, in one clause.
    pub about: &'static str,
}

/// All checks, in the order in which they speak.
pub const CHECKS: &[CheckName] = &[
    call("name", "the tool exists; one near spelling is corrected"),
    call("schema", "arguments match the tool's schema; wrong types, keys and enum spellings are repaired"),
    call(
        "meaning",
        "dates that cannot exist, numbers out of bounds, pairs in the wrong order, what the description asks for",
    ),
    call(
        "danger",
        "key files, path traversal, destructive commands, injected SQL and shell, private addresses, secrets",
    ),
    call("permission", "the policy's rules"),
    call(
        "action",
        "the call does the deed that the user asked for: not its opposite, not more, not what was only asked about",
    ),
    call(
        "request",
        "values are the ones that were asked for: units, amounts, dates, from and to, records, corrections, wishes",
    ),
    call(
        "provenance",
        "ids and values come from the conversation; an invented id for a tool that cannot be undone asks a person",
    ),
    call("relevance", "somebody asked for this tool, and no other tool fits better"),
    call(
        "trust",
        "targets come from the user, the operator or a place that the request points to; orders in results are not followed",
    ),
    call("facts", "endpoints, permissions and records are looked up where a source is configured"),
    call("steps", "tools that the policy requires before this one have succeeded"),
    call("repeat", "the same call again and again without progress"),
    result("pairing", "the result belongs to the call"),
    result("format", "the result has the shape that the tool declares"),
    result("logic", "totals, counts and orders inside the result agree"),
    result("consistency", "the result fits the call and earlier results"),
    result("anomaly", "errors dressed as success, orders to the model, empty or cut results"),
    answer("said_and_done", "what the answer claims to have done was done"),
];

/// The names alone.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name)
}

const fn call(name: &'static str, about: &'static str) -> CheckName {
    CheckName { name, stage: Stage::Call, about }
}

const fn result(name: &'static str, about: &'static str) -> CheckName {
    CheckName { name, stage: Stage::Result, about }
}

const fn answer(name: &'static str, about: &'static str) -> CheckName {
    CheckName { name, stage: Stage::Answer, about }
}
