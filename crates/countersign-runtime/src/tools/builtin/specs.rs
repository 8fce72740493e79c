//! What a model is told of the built-in tools.

use serde_json::{Value, json};

/// Keeps a note.
pub(super) fn create_note() -> Value {
    let properties = json!({
        "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What the note is called."},
        "content": {"type": "string", "minLength": 1, "description": "What it says."},
    });
    spec("create_note", "Keeps a note in this session.", &properties, &["name", "content"])
}

/// Lists the notes.
pub(super) fn list_notes() -> Value {
    spec("list_notes", "Lists the notes of this session, the newest first.", &json!({}), &[])
}

/// Keeps a material.
pub(super) fn save_material() -> Value {
    let properties = json!({
        "id": {"type": "string", "maxLength": 64, "description": "Its number. The same number again replaces it; without one it gets the next that is free."},
        "content": {"type": "string", "minLength": 1, "description": "What it says."},
    });
    spec("save_material", "Keeps a material in this session.", &properties, &["content"])
}

/// Lists the materials.
pub(super) fn list_materials() -> Value {
    spec("list_materials", "Lists the materials of this session, the newest first.", &json!({}), &[])
}

/// Searches the knowledge base.
pub(super) fn kb_search() -> Value {
    let properties = json!({
        "query": {"type": "string", "minLength": 1, "description": "What to look for."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many passages; 5 where it is left out."},
    });
    let about = "Searches the user's own documents. Gives passages with the document and the place in it.";
    spec("kb_search", about, &properties, &["query"])
}

fn spec(name: &str, description: &str, properties: &Value, required: &[&str]) -> Value {
    let parameters =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}
