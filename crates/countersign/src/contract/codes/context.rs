//! Codes of who asks and whether they may.

codes! {
    DENIED = "context.denied", Context, Error 0.95, Deny, Parameters Capability, {
        title: "The policy denies the call",
        what: "A rule of the policy denies this call to this caller. Denied is denied at every level.",
        mend: "Ask somebody who may, or change the policy.",
        example: "`delete_file` by a viewer",
    }
    REVIEW = "context.review", Context, Warning 0.90, Review, Parameters Capability, {
        title: "The policy asks for a person",
        what: "A rule of the policy sends this call to a person.",
        mend: "Wait for the decision.",
        example: "a payment above the limit of the policy",
    }
    WARNED = "context.warned", Context, Warning 0.80, Ordinary, Parameters Capability, {
        title: "The policy warns",
        what: "A rule of the policy wants this call to be noticed.",
        mend: "Read the rule's reason.",
        example: "a write outside working hours",
    }
    RULE_FAILED = "context.rule-failed", Context, Error 0.90, Deny, Parameters Capability, {
        title: "A rule of the policy could not be evaluated",
        what: "A deny rule applied to this call and its condition failed, so that nobody can say whether the call is allowed. It fails closed.",
        mend: "Mend the rule; `countersign policy check` shows its line. Use `has(…)` for keys that may be absent.",
        example: "`when = \"user.age > 3\"` for a user without an age",
    }
}
