//! Codes of the model's answer.

codes! {
    NOT_DONE = "answer.not-done", Answer, Warning 0.85, Ordinary, Output Capability, {
        title: "Said, not done",
        what: "The answer claims an action, and no successful call in the trace did it.",
        mend: "Do it, or say that it was not done.",
        example: "\"I have sent the mail\" after a failed `send_email`",
    }
}
