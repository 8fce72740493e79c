//! Codes of what the outside world says.

codes! {
    UNKNOWN_ENDPOINT = "fact.unknown-endpoint", Fact, Error 0.85, Ordinary, Knowledge Fact, {
        title: "The endpoint is not known",
        what: "The call, or the answer, names an API endpoint that none of the known documents lists.",
        mend: "Use a known endpoint; the nearest is named.",
        example: "`example.com/api/v2` where only `/api/v1` exists",
    }
    MISSING_PERMISSION = "fact.missing-permission", Capability, Error 0.90, Deny, Knowledge Capability, {
        title: "The caller does not hold the permission",
        what: "The tool requires a permission that the caller does not hold.",
        mend: "Ask somebody who holds it.",
        example: "`delete_database` without `delete:database`",
    }
    UNKNOWN_RECORD = "fact.unknown-record", Fact, Error 0.85, Ordinary, Knowledge Fact, {
        title: "The record does not exist",
        what: "The look-up that the policy names does not know this value.",
        mend: "Use a record that exists; the nearest is named where there is one.",
        example: "`customer_id: C-999` where no such customer exists",
    }
    NOT_TRUE = "fact.not-true", Fact, Error 0.85, Ordinary, Knowledge Fact, {
        title: "A fact checker disagrees",
        what: "A checker of your own said that the value does not hold.",
        mend: "Read what the checker says.",
        example: "a postal code that does not belong to the city",
    }
    UNANSWERED = "fact.unanswered", Fact, Warning 0.50, Ordinary, Knowledge Fact, {
        title: "A fact could not be checked",
        what: "The source that could answer was unavailable, too slow or not configured. The check did not pass; it did not run.",
        mend: "Look at the source. The policy says whether such calls may go on.",
        example: "the permission service did not answer within its deadline",
    }
    SECOND_READER = "fact.second-reader", Fact, Warning 0.70, Ordinary, Parameters Parameter, {
        title: "A second reader doubts the call or the answer",
        what: "The policy names a model that reads calls of tools that act, and answers that rest on results. It quoted words of the conversation, or of a source, that say otherwise. Its word adds a caution or a person and never releases a call.",
        mend: "Compare the quotation with the call or the sentence.",
        example: "\"only the 9 am one\" beside `cancel_event` for the event at 10",
    }
    SECOND_READER_SILENT = "fact.second-reader-silent", Fact, Info 0.50, Gentle, Parameters Parameter, {
        title: "The second reader could not be asked",
        what: "The model that the policy names as second reader was unavailable, too slow, over its budget, or did not keep to the form. Its reading did not take place; all other checks did.",
        mend: "Look at its address, key, deadline and budget in the policy's `[judge]`.",
        example: "the model did not answer within 5000 ms",
    }
}
