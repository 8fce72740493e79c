//! Claims, as they are in messages.

use super::Held::{Named, Number, Object, OrNull, Text, Truth};
use super::{Field, Form, Shape, TEXT_OR_NULL, always, object, sometimes, words};
use countersign::contract::ClaimKind;

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "ClaimKind", about: "What a claim is about.", form: Form::OpenWords(kinds) },
    words("ClaimStatus", "What became of a claim.", &["pending", "verified", "disputed", "unverifiable"]),
    object("Claim", "A claim where it stands in its message.", CLAIM),
    object("ClaimUpdate", "What changed about a claim.", UPDATE),
];

fn kinds() -> Vec<&'static str> {
    ClaimKind::SHIPPED.iter().map(|kind| kind.name()).collect()
}

const CLAIM: &[Field] = &[
    sometimes("id", Text, "Its name in a session."),
    always("start", Number, "UTF-8 byte offsets."),
    always("end", Number, ""),
    always("utf16_start", Number, "UTF-16 offsets, as JavaScript counts."),
    always("utf16_end", Number, ""),
    always("text", Text, ""),
    always("kind", Named("ClaimKind"), ""),
    always("type", Named("ClaimKind"), "The same as `kind`."),
    sometimes("value", Object, "What it says, in one form."),
    always("language", Text, ""),
    always("status", Named("ClaimStatus"), ""),
    always("verified", Truth, ""),
    always("verify_note", TEXT_OR_NULL, ""),
    sometimes("source", Object, "Who settled it."),
];

const UPDATE: &[Field] = &[
    always("id", Text, ""),
    always("status", Named("ClaimStatus"), ""),
    always("note", TEXT_OR_NULL, ""),
    always("source", OrNull(&Object), ""),
];
