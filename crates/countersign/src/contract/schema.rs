//! Looking things up in a JSON Schema as it was written.

use serde_json::Value;

/// The schema behind a reference inside the same document; the schema itself where there is none.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    reference.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

/// A schema and the branches of its allOf, anyOf and oneOf, and theirs.
pub(crate) fn branches<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a Value> {
    let mut found = vec![resolve(schema, root)];
    let mut at = 0;
    while let Some(schema) = found.get(at).copied() {
        let parts = COMBINING.iter().filter_map(|word| schema.get(*word)?.as_array()).flatten();
        found.extend(parts.take(MOST_BRANCHES.saturating_sub(found.len())).map(|part| resolve(part, root)));
        at += 1;
    }
    found
}

/// The schema of a property, also inside allOf, anyOf and oneOf.
pub(crate) fn property<'a>(schema: &'a Value, key: &str, root: &'a Value) -> Option<&'a Value> {
    let of = |schema: &'a Value| Some(resolve(schema.get("properties")?.get(key)?, root));
    of(resolve(schema, root)).or_else(|| branches(schema, root).into_iter().skip(1).find_map(of))
}

/// The schema of the items, also inside allOf, anyOf and oneOf.
pub(crate) fn items<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    branches(schema, root).into_iter().find_map(|branch| Some(resolve(branch.get("items")?, root)))
}

/// Whether a schema, or one of its branches, names a type.
pub(crate) fn takes(schema: &Value, root: &Value, kind: &str) -> bool {
    branches(schema, root).iter().any(|branch| match branch.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    })
}

/// The keywords that put schemas together.
pub(crate) const COMBINING: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// More branches are not looked at.
const MOST_BRANCHES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn properties_are_found_in_branches_and_behind_references() {
        let root = json!({
            "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}}},
            "oneOf": [{"anyOf": [{"$ref": "#/$defs/point"}]}, {"type": ["array", "null"], "items": {"type": "string"}}]
        });
        assert_eq!(property(&root, "x", &root), Some(&json!({"type": "number"})));
        assert_eq!(items(&root, &root), Some(&json!({"type": "string"})));
        assert!(takes(&root, &root, "array") && takes(&root, &root, "object") && !takes(&root, &root, "string"));
        // A schema that refers to itself ends.
        let endless = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert_eq!(property(&endless, "x", &endless), None);
    }
}
