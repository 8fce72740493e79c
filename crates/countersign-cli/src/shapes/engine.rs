//! What the engine says of calls, results and texts.

use super::Held::{Anything, Arguments, List, Map, Named, Number, Object, OneOf, OrNull, Text, Truth};
use super::{Field, NUMBER_OR_NULL, Shape, TEXT_OR_NULL, TEXTS, always, object, sometimes, words};

pub(super) const SHAPES: &[Shape] = &[
    words("Status", "How a call ended.", &["approved", "caution", "requires_review", "rejected", "validation_failed"]),
    words("Action", "What to do next.", ACTIONS),
    words("Severity", "How grave a finding is.", &["info", "warning", "error"]),
    words("Layer", "What a finding is about.", LAYERS),
    object("PatchOperation", "One step of a repair (RFC 6902), on `{name, arguments}`.", PATCH),
    object("Correction", "A repair, offered or applied.", CORRECTION),
    object("Finding", "What is wrong, where, and how to mend it.", FINDING),
    object("ToolCall", "A call, as a model made it or as it may run.", TOOL_CALL),
    object("Verdict", "The verdict on a call.", VERDICT),
    object("VerificationReport", "What the checks of a result said.", VERIFICATION),
    words("SignalName", "A signal of the confidence.", SIGNAL_NAMES),
    object("Signals", "The signals; one without input is null or not there.", SIGNALS),
    object("Weights", "How much each signal counts.", WEIGHTS),
    object("AnswerReport", "What the checks of an answer said.", ANSWER_REPORT),
    object("Assessment", "How far the words beside a call can be trusted.", ASSESSMENT),
    object("LineStop", "A stop of the line of checks.", LINE_STOP),
    object("Explained", "A call, explained.", EXPLAINED),
    object("ClaimsReport", "The claims of a text.", CLAIMS_REPORT),
    object("ParsedMessage", "A message for the reader.", PARSED_MESSAGE),
    object("ParsedCall", "A complete call in what a model wrote.", PARSED_CALL),
    object("Repair", "What was mended in what a model wrote. Offsets are UTF-8 bytes.", REPAIR),
    object("Remark", "What stayed text, and why.", REMARK),
    object("ParseReport", "What a model wrote, read.", PARSE_REPORT),
    object("SentenceSupport", "How well a sentence stands in the context. Offsets are UTF-8 bytes.", SUPPORT),
    object("ScoreReport", "The confidence in an answer.", SCORE_REPORT),
    object("Hallucination", "A finding in the words of a step's report.", HALLUCINATION),
    object("StepValidation", "The call of a step.", STEP_VALIDATION),
    object("StepVerification", "The result of a step.", STEP_VERIFICATION),
    object("StepConfidence", "The answer of a step.", STEP_CONFIDENCE),
    object("StepReport", "The verdict on a step.", STEP_REPORT),
    object("LineError", "What stands in the place of an answer where one of an array could not be read.", LINE_ERROR),
];

const ACTIONS: &[&str] =
    &["proceed", "proceed_with_caution", "request_human_review", "reject_and_retry", "request_correction"];

const LAYERS: &[&str] = &[
    "tool_name",
    "parameter",
    "meaning",
    "danger",
    "context",
    "provenance",
    "fact",
    "capability",
    "repeat",
    "history",
    "result",
    "answer",
];

const FINDINGS: super::Held = List(&Named("Finding"));

const PATCH: &[Field] = &[
    always("op", OneOf(&["add", "replace", "remove", "move"]), ""),
    always("path", Text, "A JSON pointer."),
    sometimes("from", Text, "Where a moved value comes from."),
    sometimes("value", Anything, "The new value."),
];

const CORRECTION: &[Field] = &[
    always("note", Text, "What the repair does and why."),
    always("patch", List(&Named("PatchOperation")), "Empty where we can only say what to do."),
    always("applied", Truth, "Whether the returned call already has it."),
];

const FINDING: &[Field] = &[
    always("code", Text, "Which rule spoke, such as `call.unknown-tool`."),
    always("layer", Named("Layer"), ""),
    always("severity", Named("Severity"), ""),
    always("confidence", Number, "How sure we are that the finding is right."),
    always("pointer", Text, "Where: a JSON pointer on `{name, arguments}`, or on the result's content."),
    always("evidence", Text, "For people; secrets are redacted."),
    sometimes("correction", Named("Correction"), ""),
];

const TOOL_CALL: &[Field] = &[
    sometimes("id", OrNull(&Text), ""),
    always("name", Text, ""),
    always("arguments", Arguments, "An object; else what the model wrote instead, a list or a number too."),
];

const VERDICT: &[Field] = &[
    always("id", Anything, "The caller's id of the request, given back as it came."),
    always("status", Named("Status"), ""),
    always("action", Named("Action"), ""),
    always("score", Number, "The confidence of the checks."),
    always("findings", FINDINGS, "In the order of the checks."),
    sometimes("shadow", FINDINGS, "What checks in shadow mode found: without effect."),
    always("call", OrNull(&Named("ToolCall")), "The call to run, repaired; null where nothing may run."),
    sometimes("feedback", Text, "The message for the model, where it should try again."),
    always("explanation", Text, "For people."),
    sometimes("unanswered", List(&Anything), "Questions about the world that nobody answered."),
    sometimes("readings", List(&Anything), "What a second reader was given and said."),
];

const VERIFICATION: &[Field] = &[
    always("id", Anything, ""),
    always("is_suspicious", Truth, "Whether the result should not be trusted as it stands."),
    always("confidence", Number, "Checks passed over total."),
    always("checks_passed", Number, ""),
    always("total_checks", Number, ""),
    always("concerns", TEXTS, "One sentence for each thing that is wrong."),
    always("recommendations", TEXTS, "What to do."),
    always("findings", FINDINGS, ""),
];

const SIGNAL_NAMES: &[&str] = &[
    "model_logprobs",
    "token_probability",
    "semantic_consistency",
    "fact_verification",
    "coherence",
    "knowledge_grounding",
];

const SIGNALS: &[Field] = &[
    sometimes("model_logprobs", NUMBER_OR_NULL, ""),
    sometimes("token_probability", NUMBER_OR_NULL, ""),
    sometimes("semantic_consistency", NUMBER_OR_NULL, ""),
    sometimes("fact_verification", NUMBER_OR_NULL, ""),
    sometimes("coherence", NUMBER_OR_NULL, ""),
    sometimes("knowledge_grounding", NUMBER_OR_NULL, ""),
];

const WEIGHTS: &[Field] = &[
    always("model_logprobs", Number, ""),
    always("token_probability", Number, ""),
    always("semantic_consistency", Number, ""),
    always("fact_verification", Number, ""),
    always("coherence", Number, ""),
    always("knowledge_grounding", Number, ""),
];

const ANSWER_REPORT: &[Field] = &[
    always("status", Text, ""),
    always("score", Number, "The mean of what is known of the calls, the results and the answer."),
    always("findings", List(&Named("Finding")), ""),
    always("confidence", Object, "How sure one can be of the answer itself."),
    sometimes(
        "calls",
        Object,
        "How sure the checks were of the calls and their results: `validation`, `verification`, `suspicious`.",
    ),
    sometimes("unverified", TEXTS, "The claims that nobody has verified, by id."),
];

const ASSESSMENT: &[Field] = &[
    always("overall", NUMBER_OR_NULL, "Null where no signal had input."),
    always("signals", Named("Signals"), ""),
    always("weights", Named("Weights"), ""),
    always("absent", List(&Named("SignalName")), "The signals that had no input and so no say."),
];

const LINE_STOP: &[Field] = &[
    always("check", Text, "name, arguments, schema, meaning, danger, permission, provenance, …, decision."),
    always("ran", Truth, "False where the line did not come so far."),
    always("mode", OrNull(&OneOf(&["enforce", "advise", "shadow"])), ""),
    always("findings", FINDINGS, "What it said."),
    always("microseconds", NUMBER_OR_NULL, "What it took."),
    sometimes("status", Named("Status"), "What was decided, at the stop `decision`."),
];

const EXPLAINED: &[Field] =
    &[always("verdict", Named("Verdict"), ""), always("line", List(&Named("LineStop")), "In the order of the line.")];

const CLAIMS_REPORT: &[Field] = &[
    always("id", Anything, ""),
    always("content", Text, "The message, untouched."),
    always("needs_verify", Truth, "Whether a claim in it is not verified."),
    always("claims", List(&Named("Claim")), "In order, without overlaps."),
];

const PARSED_MESSAGE: &[Field] = &[sometimes("number", Number, "Of a numbered one."), always("text", Text, "")];

const REPAIR: &[Field] = &[
    always("code", Text, ""),
    always("at", Number, ""),
    always("end", Number, ""),
    always("note", Text, "For people."),
    always("before", Text, ""),
    always("after", Text, ""),
    always("confidence", Number, ""),
];

const REMARK: &[Field] = &[always("code", Text, ""), always("at", Number, ""), always("note", Text, "For people.")];

const PARSED_CALL: &[Field] = &[
    sometimes("id", Text, ""),
    always("name", Text, ""),
    always("arguments", Object, ""),
    sometimes("place", Text, "Where it stood, when not in the answer itself."),
    sometimes("unclosed", Truth, "Whether the end of the output closed it."),
];

const PARSE_REPORT: &[Field] = &[
    always("id", Anything, ""),
    always("text", Text, "The readable text: each tag replaced by its sentence."),
    always("remaining_text", Text, "The text without tags and calls."),
    always("messages", List(&Named("ParsedMessage")), ""),
    always("calls", List(&Named("ParsedCall")), "The complete calls, in order."),
    sometimes("value", Anything, "The value of a JSON answer."),
    sometimes("tags", List(&Object), "The tags of a tag protocol."),
    always("complete", Truth, "Whether nothing was cut."),
    sometimes("unfinished", List(&Anything), "What was begun and not finished; it never runs."),
    always("repairs", List(&Named("Repair")), ""),
    sometimes("reasoning", Text, "What the model said to itself."),
    sometimes("findings", List(&Named("Remark")), ""),
];

const SUPPORT: &[Field] = &[
    always("start", Number, ""),
    always("end", Number, ""),
    always("support", Number, "0 unsupported or contradicted, 1 fully supported."),
];

const RECOMMENDATION: super::Held = OneOf(&["high_confidence", "medium_confidence", "low_confidence", "manual_review"]);

const SCORE_REPORT: &[Field] = &[
    always("id", Anything, ""),
    always("overall_confidence", Number, "The weighted mean of the signals that had input."),
    always("recommendation", RECOMMENDATION, ""),
    always("signals", Named("Signals"), ""),
    always("absent", List(&Named("SignalName")), ""),
    always("sentences", List(&Named("SentenceSupport")), "Empty without context."),
    always("rationale", Text, "Which signals moved the score."),
];

const HALLUCINATION: &[Field] = &[
    always("is_hallucination", Truth, ""),
    always("confidence", Number, ""),
    always("hallucination_type", Text, "tool_name, parameter, fact …"),
    always("evidence", Text, "What was seen."),
    always("correction", TEXT_OR_NULL, "What would be right."),
];

const STEP_VALIDATION: &[Field] = &[
    always("is_valid", Truth, "Whether the call may run."),
    always("confidence", Number, ""),
    always("validated_params", Object, "The arguments to run with."),
    always("warnings", TEXTS, ""),
    always("corrections", Map(&Text), "What was corrected, by place."),
    always("suggestion", TEXT_OR_NULL, "What the caller should do."),
    always("hallucinations", List(&Named("Hallucination")), ""),
];

const STEP_VERIFICATION: &[Field] = &[
    always("is_suspicious", Truth, ""),
    always("confidence", Number, ""),
    always("checks_passed", Number, ""),
    always("total_checks", Number, ""),
    always("concerns", TEXTS, ""),
    always("recommendations", TEXTS, ""),
];

const STEP_CONFIDENCE: &[Field] = &[
    always("overall", Number, ""),
    always("recommendation", RECOMMENDATION, ""),
    always("signals", Named("Signals"), ""),
    always("absent", List(&Named("SignalName")), ""),
    always("sentences", List(&Named("SentenceSupport")), ""),
    always("rationale", Text, ""),
];

const STEP_REPORT: &[Field] = &[
    always("id", Anything, ""),
    always("status", Named("Status"), ""),
    always("action", Named("Action"), ""),
    always("explanation", Text, "For people."),
    always("tool_name", Text, ""),
    always("score", Number, "The mean of the three confidences."),
    always("findings", FINDINGS, "Call, result, answer."),
    sometimes("feedback", Text, "The message for the model."),
    always("validation", Named("StepValidation"), ""),
    always("verification", OrNull(&Named("StepVerification")), "Null where the call failed."),
    always("confidence", OrNull(&Named("StepConfidence")), "Null where the call failed."),
    sometimes("warnings", TEXTS, "Of a call that failed."),
    sometimes("suggestion", TEXT_OR_NULL, "Of a call that failed."),
    sometimes("readings", List(&Anything), "What a second reader was given and said."),
];

const LINE_ERROR: &[Field] = &[
    always("error", Text, "What is wrong."),
    always("line", Number, "Which one, from 1."),
    sometimes("id", Anything, ""),
];
