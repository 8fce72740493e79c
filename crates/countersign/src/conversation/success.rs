//! Whether a tool's result tells of success.

use crate::text::lists::word_list;
use serde_json::Value;

/// Whether a result tells of success: not marked as an error, and not saying itself that it failed.
pub fn succeeded(content: &Value, is_error: bool) -> bool {
    let failed = |key: &str| {
        let word = content.get(key).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        FAILED.contains(&word.as_str())
    };
    let denied = ["success", "succeeded", "is_success", "ok", "sent", "deleted"]
        .iter()
        .any(|key| content.get(*key) == Some(&Value::Bool(false)));
    let error =
        content.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false)) && error != "");
    let text = content.as_str().unwrap_or_default().trim_start();
    let said =
        ["error", "failed", "traceback", "失败", "错误"].iter().any(|word| text.to_lowercase().starts_with(word));
    let said = said || names_exception(text);
    !(is_error || denied || error || said || ["status", "state", "result"].iter().any(|key| failed(key)))
}

/// `TypeError: …`, `[ToolError] …`: the name of an exception at the beginning.
fn names_exception(text: &str) -> bool {
    let text = text.trim_start_matches(['[', '(', '<']);
    let word: &str =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').next().unwrap_or_default();
    word.ends_with("Error") || word.ends_with("Exception")
}

const FAILED: &[&str] = word_list!("conversation", "success/failed");

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // RESULT-7
    #[test]
    fn success_is_read_from_the_result() {
        assert!(succeeded(&json!({"status": "ok"}), false) && succeeded(&json!(null), false));
        assert!(!succeeded(&json!({"status": "failed"}), false) && !succeeded(&json!({"error": "x"}), false));
        assert!(!succeeded(&json!({"status": "失败"}), false) && !succeeded(&json!({"ok": false}), false));
        assert!(!succeeded(&json!("Error: no"), false) && !succeeded(&json!({}), true));
    }
}
