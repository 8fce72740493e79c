//! What an approval is bound to: caller, tool, tool definition, arguments and policy, in one digest.

use crate::contract::digest::hex;
use sha2::{Digest, Sha256};

/// What an approval is bound to, beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Who calls: the key, and in sessions the user and the session after it.
    pub caller: String,
    /// Which tool.
    pub tool: String,
    /// The digest of the tool's definition.
    pub tool_digest: String,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// The version of the policy.
    pub policy_version: String,
}

impl Binding {
    /// All of it in one digest.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.caller, &self.tool, &self.tool_digest, &self.arguments_digest, &self.policy_version] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hex(&hash.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::digest::arguments_digest;
    use serde_json::{Value, json};

    // REVIEW-1, RESOLVE-2
    #[test]
    fn a_binding_holds_for_one_call_only() {
        let binding = |caller: &str, tool: &str, arguments: Value, policy: &str| {
            Binding {
                caller: caller.into(),
                tool: tool.into(),
                tool_digest: String::new(),
                arguments_digest: arguments_digest(&arguments),
                policy_version: policy.into(),
            }
            .digest()
        };
        let one = binding("ann", "pay", json!({"to": "bob", "amount": 5}), "1");
        assert_eq!(one, binding("ann", "pay", json!({"amount": 5, "to": "bob"}), "1"), "key order does not matter");
        assert_ne!(one, binding("eve", "pay", json!({"to": "bob", "amount": 5}), "1"));
        assert_ne!(one, binding("ann", "pay", json!({"to": "bob", "amount": 50}), "1"));
        assert_ne!(one, binding("ann", "pay", json!({"to": "bob", "amount": 5}), "2"));
        assert_ne!(binding("a", "bc", json!({}), "1"), binding("ab", "c", json!({}), "1"), "parts do not run together");
    }

    // REVIEW-1: a changed definition is another tool; the order of its schema's keys does not matter.
    #[test]
    fn a_tool_is_known_by_its_definition() {
        let tool = |text: &str| {
            let read = crate::wire::tools::read_tools(text).unwrap();
            crate::contract::digest::tool_digest(read.first())
        };
        let one =
            tool(r#"[{"name": "pay", "description": "d", "input_schema": {"type": "object", "properties": {}}}]"#);
        let two = r#"[{"name": "pay", "description": "d", "input_schema": {"properties": {}, "type": "object"}, "cache_control": {"type": "ephemeral"}}]"#;
        assert_eq!(one, tool(two));
        assert_ne!(
            one,
            tool(r#"[{"name": "pay", "description": "e", "input_schema": {"type": "object", "properties": {}}}]"#)
        );
        assert_ne!(one, tool(r#"[{"name": "pay", "description": "d", "input_schema": {"type": "object"}}]"#));
    }
}
