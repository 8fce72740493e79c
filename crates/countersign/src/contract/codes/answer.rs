//! Codes of the model's answer.

codes! {
    NOT_DONE = "answer.not-done", Answer, Warning 0.85, Ordinary, Output Capability, {
        title: "Said, not done",
        what: "The answer claims an action, and no successful call in the trace did it.",
        mend: "Do it, or say that it was not done.",
        example: "\"I have sent the mail\" after a failed `send_email`",
    }
    CAPABILITY = "answer.capability", Capability, Error 0.90, Ordinary, Confidence Capability, {
        title: "An ability that nobody granted",
        what: "The answer claims a permission or an ability that the user does not hold or that no tool gives.",
        mend: "Say what can be done here, and who could grant the rest.",
        example: "\"I can delete the database\" without `delete:database`",
    }
    PSEUDO = "answer.pseudo-answer", Answer, Warning 0.90, Ordinary, Output Fact, {
        title: "An acknowledgement instead of an answer",
        what: "The whole answer only promises or acknowledges. Nothing follows, so the reader waits for nothing.",
        mend: "Do the work and give its outcome, or ask what is missing.",
        example: "好的，收到您的指令",
    }
}
