//! Codes of the confidence in an answer.

codes! {
    UNSUPPORTED = "answer.unsupported", Answer, Warning 0.70, Ordinary, Output Fact, {
        title: "A sentence has no support in its context",
        what: "The answer states a number, date, name or matter that the context it was given does not hold.",
        mend: "Leave it out, or give the source that says so.",
        example: "\"Professor Lund called it a triumph\" where the context names no such person",
    }
    CONFLICT = "answer.conflict", Answer, Warning 0.80, Ordinary, Output Fact, {
        title: "A sentence contradicts its context",
        what: "The context speaks of the same thing and gives another number, date, direction or a denial.",
        mend: "Say what the context says.",
        example: "\"the rate was 87%\" where the context has 46%",
    }
    CONTRADICTION = "answer.contradiction", Answer, Warning 0.75, Ordinary, Confidence Fact, {
        title: "The answer contradicts itself",
        what: "Two neighbouring sentences say the opposite of each other.",
        mend: "Decide which of the two holds.",
        example: "\"It always works. It never works.\"",
    }
    DISPUTED = "answer.disputed", Answer, Warning 0.80, Ordinary, Knowledge Fact, {
        title: "More facts disputed than verified",
        what: "Of the facts that were checked, more were disputed than verified.",
        mend: "Correct the disputed facts.",
        example: "one fact verified, three disputed",
    }
    LOW_LOGPROBS = "answer.low-logprobs", Answer, Warning 0.60, Ordinary, Confidence Fact, {
        title: "The model was guessing",
        what: "The log-probabilities of the answer's tokens are very low, on the whole or at one token.",
        mend: "Ask again, or ask somebody who knows.",
        example: "a token at −11",
    }
}
