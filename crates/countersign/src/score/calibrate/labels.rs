//! Reads a label as people write it.

use serde_json::Value;

/// Whether a label says good or bad; none where it says neither. Review decisions count: an answer that had to be
/// edited was not good.
pub fn read_label(label: &Value) -> Option<bool> {
    match label {
        Value::Bool(good) => Some(*good),
        Value::Number(number) => match number.as_f64()? {
            1.0 => Some(true),
            0.0 => Some(false),
            _ => None,
        },
        Value::String(word) => match word.trim().to_lowercase().as_str() {
            "good" | "approved" | "approve" | "true" | "1" | "yes" | "correct" | "right" | "supported" | "好"
            | "通过" => Some(true),
            "bad" | "rejected" | "reject" | "edit" | "edited" | "false" | "0" | "no" | "incorrect" | "wrong"
            | "unsupported" | "坏" | "拒绝" | "修改" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SCORE-4
    #[test]
    fn labels_and_review_decisions_are_read() {
        for good in [json!("good"), json!(true), json!(1), json!("Approved"), json!("approve")] {
            assert_eq!(read_label(&good), Some(true), "{good}");
        }
        for bad in [json!("bad"), json!(false), json!(0), json!("rejected"), json!("edit"), json!("reject")] {
            assert_eq!(read_label(&bad), Some(false), "{bad}");
        }
        for none in [json!(null), json!(0.5), json!("maybe"), json!([])] {
            assert_eq!(read_label(&none), None, "{none}");
        }
    }
}
