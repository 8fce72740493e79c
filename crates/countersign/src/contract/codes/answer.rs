//! Codes of the model's answer.

codes! {
    NOT_DONE = "answer.not-done", Answer, Warning 0.85, Ordinary, Output Capability, {
        title: "Said, not done",
        what: "The answer claims an action that no call did, or whose result says otherwise: that it failed, changed nothing, did a part, waits, or touched another record.",
        mend: "Do it, or say what the result says.",
        example: "\"I have sent the mail\" after a failed `send_email`",
    }
    CAPABILITY = "answer.capability", Capability, Error 0.90, Ordinary, Confidence Capability, {
        title: "An ability that nobody granted",
        what: "The answer claims a permission or an ability that the user does not hold or that no tool gives.",
        mend: "Say what can be done here, and who could grant the rest.",
        example: "\"I can delete the database\" without `delete:database`",
    }
    UNVERIFIED = "answer.unverified-claims", Answer, Warning 0.60, Ordinary, Knowledge Fact, {
        title: "Claims that nobody has verified",
        what: "The answer states facts that no source has borne out: they are not in the tool results, references or words that it was made from, and no fact check has verified them. They may well be true.",
        mend: "Check the facts, or give the source that they come from.",
        example: "根据艾瑞咨询，市场增长25%, without a tool result or document that says so",
    }
    PSEUDO = "answer.pseudo-answer", Answer, Warning 0.90, Ordinary, Output Fact, {
        title: "An acknowledgement instead of an answer",
        what: "The whole answer only promises or acknowledges. Nothing follows, so the reader waits for nothing.",
        mend: "Do the work and give its outcome, or ask what is missing.",
        example: "好的，收到您的指令",
    }
    EMPTY = "answer.empty", Answer, Warning 0.95, Ordinary, Output Fact, {
        title: "An empty answer",
        what: "The model ended its turn without a word and without a call.",
        mend: "Ask again; the answer itself is wanted.",
        example: "`content: \"\"` with finish reason `stop`",
    }
    CUT_CALL = "answer.cut-call", Answer, Warning 0.95, Ordinary, Output Tool, {
        title: "A call cut at the token limit",
        what: "The model reached its token limit in the middle of a call. What it wrote so far is no call and does not run.",
        mend: "Ask again for the whole call, written briefly, or raise the token limit.",
        example: "`{\"city\": \"Par` with finish reason `length`",
    }
    CALL_IN_THOUGHT = "answer.call-in-thought", Answer, Warning 0.90, Ordinary, Output Tool, {
        title: "A call that exists only in a thought",
        what: "The model wrote a call into its reasoning and then ended without making it. A call inside a thought is never made.",
        mend: "Ask the model to make the call, or to answer.",
        example: "`<think>{\"name\": \"get_order\", …}</think>` and nothing after it",
    }
    OPEN_STEP = "answer.open-step", Answer, Warning 0.90, Ordinary, Output Tool, {
        title: "A final answer while a required step is open",
        what: "The policy requires a tool to have succeeded before the final answer, and it has not.",
        mend: "Call the tool first, then answer.",
        example: "an answer without `verify_identity` where `[answer] requires = [\"verify_identity\"]`",
    }
}
