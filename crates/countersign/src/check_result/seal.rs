//! Seals: a runner signs what a tool returned, so that a forged or altered result shows.
//!
//! The seal is an HMAC-SHA256 over the call's id, the tool's name, the arguments and the content. Objects are
//! written with sorted keys and every field carries its length, so no two different results have one text. This
//! module never makes or keeps a key.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

/// The seal of a result, as `v1:` and hex.
pub fn seal(key: &[u8], call_id: &str, name: &str, arguments: &Value, content: &Value) -> String {
    let Some(mac) = absorb(key, call_id, name, arguments, content) else { return String::new() };
    let bytes = mac.finalize().into_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{VERSION}{hex}")
}

/// Whether a seal fits a result. The comparison takes the same time wherever the first difference is.
pub fn check(key: &[u8], seal: &str, call_id: &str, name: &str, arguments: &Value, content: &Value) -> bool {
    let Some(claimed) = seal.strip_prefix(VERSION).and_then(bytes) else { return false };
    absorb(key, call_id, name, arguments, content).is_some_and(|mac| mac.verify_slice(&claimed).is_ok())
}

fn absorb(key: &[u8], call_id: &str, name: &str, arguments: &Value, content: &Value) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    let mut canonical = [String::new(), String::new()];
    let [first, second] = &mut canonical;
    write_canonical(arguments, first);
    write_canonical(content, second);
    for field in [call_id, name, first.as_str(), second.as_str()] {
        mac.update(&(field.len() as u64).to_be_bytes());
        mac.update(field.as_bytes());
    }
    Some(mac)
}

/// JSON with sorted keys and no blanks.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(map.get(key).unwrap_or(&Value::Null), out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 64)?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit)).collect())
}

const VERSION: &str = "v1:";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // RESULT-1
    #[test]
    fn an_altered_or_forged_result_shows() {
        let (arguments, content) = (json!({"a": 1, "b": [2]}), json!({"total": 10, "items": ["x"]}));
        let made = seal(b"key", "call_1", "get_order", &arguments, &content);
        assert!(made.starts_with("v1:") && made.len() == 67);
        let fits = |seal: &str, id: &str, name: &str, content: &Value| {
            check(b"key", seal, id, name, &json!({"b": [2], "a": 1}), content)
        };
        assert!(fits(&made, "call_1", "get_order", &json!({"items": ["x"], "total": 10})));
        assert!(!fits(&made, "call_1", "get_order", &json!({"items": ["x"], "total": 11})));
        assert!(!fits(&made, "call_2", "get_order", &content));
        assert!(!fits(&made, "call_1get", "_order", &content), "fields must not run into each other");
        assert!(!check(b"other", &made, "call_1", "get_order", &arguments, &content));
        for broken in ["", "v1:", "v2:00", "v1:zz", &made[3..]] {
            assert!(!fits(broken, "call_1", "get_order", &content), "{broken}");
        }
    }
}
