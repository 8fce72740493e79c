//! What a server answers to a call, as a result: its structure, else its words, and a short note for all else.

use super::super::tool::Ran;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// A result of a call.
pub(super) fn ran(result: CallToolResult) -> Ran {
    let is_error = result.is_error == Some(true);
    let call_id = result.meta.as_ref().and_then(|meta| meta.0.get(CALL_ID)).and_then(Value::as_str).map(str::to_owned);
    let words = words(&result.content);
    let content = match result.structured_content {
        // A failure is told in words; its structure is that of a success, if it has one.
        Some(structure) if !is_error || words.is_empty() => structure,
        _ => Value::from(words),
    };
    Ran { content, is_error, call_id, cut: 0 }
}

fn words(blocks: &[ContentBlock]) -> String {
    let told: Vec<String> = blocks.iter().map(describe).collect();
    told.join("\n")
}

fn describe(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => note(&image.mime_type, bytes(&image.data)),
        ContentBlock::Audio(audio) => note(&audio.mime_type, bytes(&audio.data)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                resource(uri, mime_type, Some(text.len()))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                resource(uri, mime_type, Some(bytes(blob)))
            }
            _ => "[resource]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => resource(&link.uri, &link.mime_type, None),
        _ => "[something that is neither text nor a picture]".to_owned(),
    }
}

fn note(media: &str, bytes: usize) -> String {
    format!("[{}, {bytes} bytes]", clip(media))
}

fn resource(uri: &str, media: &Option<String>, bytes: Option<usize>) -> String {
    let media = media.as_deref().map(|media| format!(", {}", clip(media))).unwrap_or_default();
    let bytes = bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
    format!("[resource {}{media}{bytes}]", clip(uri))
}

/// How many bytes a text in base 64 stands for.
fn bytes(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    (text.len().saturating_sub(padding)) * 3 / 4
}

fn clip(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// Where a server may say which call a result belongs to.
pub(super) const CALL_ID: &str = "countersign/call-id";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(result: Value) -> Ran {
        ran(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn structure_goes_before_words_and_pictures_are_noted() {
        let text = |text: &str| json!({"type": "text", "text": text});
        assert_eq!(read(json!({"content": [text("{\"a\":1}")]})).content, json!("{\"a\":1}"));
        assert_eq!(read(json!({"content": [text("a"), text("b")]})).content, json!("a\nb"));
        assert_eq!(read(json!({"content": [text("a")], "structuredContent": {"a": 1}})).content, json!({"a": 1}));
        let blocks = json!({"content": [
            text("see"),
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAA=", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///x", "mimeType": "text/plain", "text": "abc"}},
            {"type": "resource_link", "uri": "file:///y", "name": "y"},
        ]});
        let expected = "see\n[image/png, 3 bytes]\n[audio/wav, 2 bytes]\n[resource file:///x, text/plain, 3 bytes]\n[resource file:///y]";
        assert_eq!(read(blocks).content, json!(expected));
    }

    #[test]
    fn failures_and_ids_are_told() {
        let failed =
            read(json!({"content": [{"type": "text", "text": "no"}], "structuredContent": {}, "isError": true}));
        assert_eq!((failed.content, failed.is_error), (json!("no"), true));
        let other = read(json!({"content": [], "_meta": {"countersign/call-id": "other"}}));
        assert_eq!(other.call_id.as_deref(), Some("other"));
    }
}
