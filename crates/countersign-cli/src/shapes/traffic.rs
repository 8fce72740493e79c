//! What the gateway carried, as conversations.

use super::Held::{Anything, List, Map, Named, Number, Object, OneOf, Text, Truth};
use super::{Field, Form, Shape, TEXT_OR_NULL, always, object, sometimes};

pub(super) const SHAPES: &[Shape] = &[
    object("TrafficCall", "A call in a history.", CALL),
    object("TrafficResult", "A result in a history.", RESULT),
    object("TrafficMessage", "A message that was new in a request.", MESSAGE),
    object("TrafficAnswer", "What the client got, shortened.", ANSWER),
    object("Exchange", "A request to the gateway and its answer.", EXCHANGE),
    object("ConversationSummary", "Exchanges that go on from each other.", SUMMARY),
    object("ConversationPage", "Conversations, the newest first.", PAGE),
    object("AuditedMessage", "A message of a trace.", AUDITED_MESSAGE),
    object("AuditedItem", "A call, a result or an answer of a trace, judged.", AUDITED_ITEM),
    object("AuditedConversation", "A conversation of a trace file.", AUDITED),
    object("AuditedFile", "A trace file, judged; nothing of it is stored.", AUDITED_FILE),
    Shape {
        name: "ConversationDetail",
        about: "A conversation with its newest exchanges, the oldest of them first.",
        form: Form::Extends("ConversationSummary", DETAIL),
    },
];

const CALL: &[Field] =
    &[always("id", TEXT_OR_NULL, ""), always("name", Text, ""), always("arguments", Anything, "Shortened.")];

const RESULT: &[Field] = &[
    always("call_id", TEXT_OR_NULL, ""),
    always("content", Anything, "Shortened."),
    always("is_error", Truth, "Whether the tool failed."),
];

const MESSAGE: &[Field] = &[
    always("role", OneOf(&["user", "assistant", "tool", "system"]), ""),
    always("text", Text, "Shortened."),
    always("calls", List(&Named("TrafficCall")), ""),
    always("results", List(&Named("TrafficResult")), ""),
];

const ANSWER: &[Field] = &[
    always("text", Text, "What the model said."),
    always("claims", List(&Named("Claim")), "In its text; nobody has looked them up."),
    always("note", Text, "What the client was told about calls that it did not get."),
];

const STATE: super::Held = OneOf(&["open", "answered", "failed", "broken", "unread"]);

const EXCHANGE: &[Field] = &[
    always("answer_id", Text, "Its name, and that of its verdicts' answer."),
    always("conversation_id", Text, ""),
    always("created_at", Text, "RFC 3339."),
    always("key", TEXT_OR_NULL, "The caller's key."),
    always("route", OneOf(&["chat", "responses", "messages"]), ""),
    always("model", TEXT_OR_NULL, ""),
    always("mode", Text, "What the gateway does with calls."),
    always("title", Text, "The first words of the user."),
    always("messages", List(&Named("TrafficMessage")), "What was new in the request."),
    always("left_out", Number, "New messages that are not kept, because there were many."),
    always("repeat", Truth, "Whether the same request was made before."),
    always("state", STATE, "How it stands."),
    sometimes("answer", Named("TrafficAnswer"), "Once it is over."),
    sometimes("reason", Text, "Why it failed."),
    always("verdicts", List(&Named("StoredVerdict")), "What was decided on its results, calls and answer."),
    always("reviews", List(&Object), "What waits for a person in it."),
];

const SUMMARY: &[Field] = &[
    always("conversation_id", Text, ""),
    always("title", Text, "The first words of the user."),
    always("model", TEXT_OR_NULL, "Of the newest exchange."),
    always("route", Text, ""),
    always("mode", Text, ""),
    always("key", TEXT_OR_NULL, "The caller's key."),
    always("state", STATE, "How the newest exchange stands."),
    always("exchanges", Number, "At most 200 are counted."),
    always("calls", Number, "Each once, however often it was tried."),
    always("refused", Number, ""),
    always("repaired", Number, ""),
    always("waiting", Number, "Calls that wait for a person."),
    always("created_at", Text, "RFC 3339."),
    always("updated_at", Text, "RFC 3339."),
];

const PAGE: &[Field] = &[
    always("conversations", List(&Named("ConversationSummary")), ""),
    always("next", TEXT_OR_NULL, "Goes on with `after`."),
    always("kept", Truth, "Whether exchanges are kept at all (`gateway.conversations`)."),
];

const AUDITED_MESSAGE: &[Field] = &[
    always("role", OneOf(&["user", "assistant", "tool", "system"]), ""),
    always("text", Text, "Shortened."),
    always("line", Number, "Where it is in the file."),
    always("calls", List(&Object), "`{id, name, arguments, line}`"),
    always("results", List(&Named("TrafficResult")), ""),
];

const AUDITED_ITEM: &[Field] = &[
    always("kind", OneOf(&["call", "result", "answer"]), ""),
    always("line", Number, ""),
    sometimes("tool", Text, ""),
    sometimes("call_id", Text, ""),
    always("status", Named("Status"), ""),
    sometimes("excerpt", Text, ""),
    always("findings", List(&Named("Finding")), ""),
];

const AUDITED: &[Field] = &[
    always("id", TEXT_OR_NULL, ""),
    always("format", Text, ""),
    always("model", TEXT_OR_NULL, ""),
    always("line", Number, ""),
    always("title", Text, "The first words of the user."),
    always("counts", Map(&Number), ""),
    always("left_out", Number, "Messages at the beginning that are not shown, because there are many."),
    always("messages", List(&Named("AuditedMessage")), ""),
    always("items", List(&Named("AuditedItem")), "What was judged."),
    always("not_checked", List(&Object), "What could not be checked, and why."),
];

const AUDITED_FILE: &[Field] = &[
    always("counts", Map(&Number), "Of all conversations."),
    always("conversations", List(&Named("AuditedConversation")), "At most 200."),
    always("left_out", Number, "Conversations that are counted and not shown."),
    always("problems", List(&Object), "Lines that could not be read: `{line, reason}`."),
];

const DETAIL: &[Field] = &[
    always("list", List(&Named("Exchange")), ""),
    always("next", TEXT_OR_NULL, "Goes on with `after`, to older ones."),
];
