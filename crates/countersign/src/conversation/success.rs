//! Whether a tool's result tells of success.

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
    let text = content.as_str().unwrap_or_default().trim_start().to_lowercase();
    let said = ["error", "failed", "traceback", "失败", "错误"].iter().any(|word| text.starts_with(word));
    !(is_error || denied || error || said || ["status", "state", "result"].iter().any(|key| failed(key)))
}

const FAILED: &[&str] = &[
    "failed",
    "fail",
    "unsuccessful",
    "超时",
    "拒绝",
    "被拒绝",
    "已拒绝",
    "未成功",
    "failure",
    "error",
    "rejected",
    "declined",
    "denied",
    "timeout",
    "aborted",
    "失败",
    "错误",
];
