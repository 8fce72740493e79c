//! What waits for people: the items of the queue, and one with everything that a decision needs.

use super::Held::{AnyOf, Anything, List, Named, Number, Object, OneOf, OrNull, Text, Truth};
use super::{Field, Form, NUMBER_OR_NULL, Shape, TEXT_OR_NULL, TEXTS, always, object, sometimes, words};

pub(super) const SHAPES: &[Shape] = &[
    words("ReviewState", "What became of an item.", &["pending", "approved", "edited", "rejected", "expired"]),
    object("Decided", "What a person has said.", DECIDED),
    Shape { name: "ReviewContext", about: "What was said before it, shortened.", form: Form::Open(CONTEXT) },
    object("Review", "A call, a result or an answer that a person decides on.", REVIEW),
    object("ValuePlace", "A place of the conversation that says a value.", PLACE),
    object("ArgumentSource", "Where an argument of a call comes from.", SOURCE),
    object("MessageClaims", "The claims of one message of the context.", MESSAGE_CLAIMS),
    Shape { name: "ReviewDetail", about: "An item with everything around it.", form: Form::Extends("Review", DETAIL) },
    object("BriefReview", "An item in a line, with `brief=true`.", BRIEF),
    object("ReviewList", "What waits for people.", LIST),
];

const DECIDED: &[Field] = &[
    always("decision", OneOf(&["approve", "edit", "reject"]), ""),
    always(
        "reviewer",
        TEXT_OR_NULL,
        "Who: the key's name, and what they call themselves behind it; without keys the latter alone.",
    ),
    always("key", TEXT_OR_NULL, "With which key, where there are keys."),
    always("reason", TEXT_OR_NULL, ""),
    always("arguments", Anything, "The arguments to run, for an edit of a call."),
    sometimes("content", Anything, "What stands in the place of a result or an answer, for an edit of one."),
];

const CONTEXT: &[Field] = &[
    sometimes("messages", List(&Object), "As the model was sent them."),
    sometimes("user", Anything, ""),
    sometimes("explanation", Text, "Why it is here, in a sentence."),
    sometimes("kind", Text, "`result` or `answer` where it is about one."),
    sometimes("result", Anything, "What the tool gave, for a result."),
    sometimes("concerns", List(&Text), "What speaks against a result."),
    sometimes("verification", Named("VerificationReport"), "What the checks of a result said."),
    sometimes("question", Text, "What was asked, for an answer."),
    sometimes("answer", Text, "The answer."),
    sometimes("message_id", Text, "The answer's name in its session."),
];

const REVIEW: &[Field] = &[
    always("review_id", Text, ""),
    always("state", Named("ReviewState"), ""),
    always("session_id", TEXT_OR_NULL, ""),
    always("caller", Text, ""),
    always("tool", Text, "Empty for an answer."),
    always("call", Named("ToolCall"), "The proposed call, or the one that a result answers; empty for an answer."),
    always("patch", List(&Named("Correction")), "The corrections."),
    always("findings", List(&Named("Finding")), "Why it is here."),
    always("signals", Object, "What moved the decision."),
    always("context", Named("ReviewContext"), ""),
    always("created_at", Text, "RFC 3339."),
    always("expires_at", Text, "When it is too late, RFC 3339: a call is denied then, what waits is withheld."),
    always("expires_at_ms", Number, "The same in milliseconds since 1970."),
    always("policy_version", Text, ""),
    always("arguments_digest", Text, ""),
    always("reserved_by", TEXT_OR_NULL, "Who has it."),
    always("reserved_key", TEXT_OR_NULL, ""),
    always("reserved_until_ms", NUMBER_OR_NULL, ""),
    always("decided", OrNull(&Named("Decided")), ""),
    always("used", Truth, "Whether the approval was used."),
    always("waits", Truth, "Whether somebody waits for the decision."),
    sometimes("about", ABOUT, "What is decided on."),
    sometimes("made", OrNull(&Named("ToolCall")), "The call as the model made it."),
    sometimes("verdict_id", TEXT_OR_NULL, "The verdict in the audit."),
];

const PLACE: &[Field] = &[
    always("from", OneOf(&["user", "result", "instructions", "model"]), "Whose words."),
    always("tool", TEXT_OR_NULL, "The tool, for a result."),
    always("message", NUMBER_OR_NULL, "The index of the message."),
    always("excerpt", Text, "The sentence."),
];

const SOURCE: &[Field] = &[
    always("pointer", Text, "A JSON pointer on `{name, arguments}`."),
    always("kind", OneOf(&["value", "writing"]), "`writing` is a longer text of the model's own."),
    always("found", List(&Named("ValuePlace")), "Empty where nobody said it."),
];

const MESSAGE_CLAIMS: &[Field] = &[
    always("message", Number, "The index in `context.messages`."),
    always("claims", List(&Named("Claim")), "Offsets into its text."),
];

const DETAIL: &[Field] = &[
    always("about", ABOUT, "What is decided on."),
    always("made", OrNull(&Named("ToolCall")), "The call as the model made it."),
    sometimes("said", Text, "What the model said beside it."),
    always("tool_schema", OrNull(&Object), "The tool's parameters as a JSON Schema."),
    always("tool_description", TEXT_OR_NULL, ""),
    always("context_claims", List(&Named("MessageClaims")), ""),
    always("assessment", Named("Assessment"), ""),
    always("at_expiry", OneOf(&["denied", "withheld", "nothing"]), "What happens where nobody decides."),
    always("verdict_id", TEXT_OR_NULL, "The verdict in the audit."),
    always("sources", List(&Named("ArgumentSource")), "Where each argument of a call comes from."),
    always("followed", OrNull(&Named("ValuePlace")), "The sentence of a tool result that the call follows."),
];

const ABOUT: super::Held = OneOf(&["call", "result", "answer"]);

const BRIEF: &[Field] = &[
    always("review_id", Text, ""),
    always("state", Named("ReviewState"), ""),
    always("about", ABOUT, ""),
    always("tool", Text, ""),
    always("session_id", TEXT_OR_NULL, ""),
    always("created_at", Text, "RFC 3339."),
    always("expires_at", Text, "RFC 3339."),
    always("reserved_by", TEXT_OR_NULL, ""),
];

const LIST: &[Field] = &[
    always("reviews", List(&AnyOf(&[Named("Review"), Named("BriefReview")])), ""),
    sometimes("unreadable", TEXTS, "Rows of the store that cannot be read, by id."),
];
