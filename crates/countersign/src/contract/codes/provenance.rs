//! Codes of where values come from.

codes! {
    FABRICATED_ID = "provenance.fabricated-id", Provenance, Warning 0.85, Ordinary, Knowledge Parameter, {
        title: "An id that nobody gave",
        what: "The value is an id, account, e-mail, path or the like, and does not appear in the conversation, in earlier results, in the tool's own text or in the policy. Such a value cannot be inferred. An example in the tool's own text is no source: an id that was copied from there points at nothing.",
        mend: "Look the value up with a tool, or ask the user for it.",
        example: "`order_id: \"ORD-99321\"` in a conversation that never named an order",
    }
    FABRICATED_VALUE = "provenance.fabricated-value", Provenance, Warning 0.70, Ordinary, Knowledge Parameter, {
        title: "A value that nobody gave",
        what: "The value does not appear in the conversation, in earlier results or in the tool's own text, and it is not one that people infer.",
        mend: "Take the value from the conversation, or ask the user.",
        example: "`visit_date: \"2023-03-14\"` where no date was said",
    }
    MISPLACED = "provenance.misplaced", Provenance, Warning 0.60, Ordinary, Knowledge Parameter, {
        title: "A value in a place where it does not belong",
        what: "The same words are in two parameters that have nothing in common, or there is a sentence where an id belongs. A call that has nothing of its own to put into a parameter is often the wrong call.",
        mend: "Give each parameter its own value, or look for a tool that fits.",
        example: "`check_in_date: \"Acme\", check_out_date: \"Acme\"`",
    }
    UNASKED = "provenance.unasked", Provenance, Warning 0.60, Ordinary, Knowledge Tool, {
        title: "Nothing in the conversation asks for this call",
        what: "Neither the tool nor its arguments have anything to do with what was asked.",
        mend: "Answer without a tool, or say that no tool fits.",
        example: "`set_alarm` for a question about history",
    }
    BETTER_TOOL = "provenance.better-tool", Provenance, Warning 0.60, Ordinary, Knowledge Tool, {
        title: "Another tool fits better",
        what: "What was asked matches another registered tool clearly better than the one that was called.",
        mend: "Look at the other tool.",
        example: "`cancel_booking` where the user asked to contact support",
    }
}
