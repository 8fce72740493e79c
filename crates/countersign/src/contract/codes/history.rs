//! Codes of a conversation's calls and results.

codes! {
    ORPHAN_CALL = "history.orphan-call", History, Warning 0.95, Gentle, Output Tool, {
        title: "A call without a result",
        what: "An earlier call has no result. Providers refuse such a history; it gets an error result that says so.",
        mend: "Send a result for every call.",
        example: "a tool call followed by a user message",
    }
    ORPHAN_RESULT = "history.orphan-result", History, Warning 0.95, Gentle, Output Tool, {
        title: "A result without a call",
        what: "A result belongs to no call of the history, or answers one that was answered before. It is dropped and recorded.",
        mend: "Keep calls and results together when a history is cut.",
        example: "a tool message whose call was trimmed away",
    }
    DUPLICATE_ID = "history.duplicate-id", History, Warning 0.95, Gentle, Output Tool, {
        title: "Two calls with one id",
        what: "Two calls share an id, so nobody can say which one a result answers. The later one gets a new id.",
        mend: "Give every call its own id.",
        example: "two calls with id `call_1`",
    }
    MISSING_ID = "history.missing-id", History, Warning 0.95, Gentle, Output Tool, {
        title: "A call or result without an id",
        what: "A call or a result has no id, so the two cannot be paired. The call gets one, and so does the result of the only call that waits.",
        mend: "Give every call an id, and every result the id of its call.",
        example: "a tool message without `tool_call_id`",
    }
    BAD_ARGUMENTS = "history.bad-arguments", History, Warning 0.95, Gentle, Output Tool, {
        title: "An earlier call has unusable arguments",
        what: "An earlier call in the history has empty or broken arguments, which providers refuse. They were put right.",
        mend: "Store the arguments that were really sent.",
        example: "`arguments: \"\"`",
    }
}
