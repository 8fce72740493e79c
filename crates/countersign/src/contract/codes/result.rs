//! Codes of tool results.

codes! {
    ORPHAN = "result.orphan", Result, Error 0.95, Ordinary, Output Tool, {
        title: "The result belongs to another call",
        what: "The result's id is not the call's, or it names another tool.",
        mend: "Pair every result with the call that asked for it.",
        example: "a result for `call_7` where `call_5` was asked",
    }
}
