//! A shape as a JSON Schema (2020-12).

use super::{Form, Held, Presence, Shape, all, fields};
use serde_json::{Map, Value, json};

/// Where a document keeps its shapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(pub &'static str);

impl Place {
    /// Every shape, by its name.
    pub(crate) fn schemas(self) -> Map<String, Value> {
        all().map(|shape| (shape.name.to_owned(), self.schema(shape))).collect()
    }

    fn schema(self, shape: &Shape) -> Value {
        match shape.form {
            Form::Words(words) => return json!({"description": shape.about, "type": "string", "enum": words}),
            Form::OpenWords(_) => return json!({"description": shape.about, "type": "string"}),
            Form::Fields(_) | Form::Open(_) | Form::Extends(..) => {}
        }
        let fields = fields(shape);
        let one = |holds, about: &str| describe(self.schema_of(holds), about);
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.to_owned(), one(field.holds, field.about))).collect();
        let always = fields.iter().filter(|field| field.presence == Presence::Always);
        let required: Vec<_> = always.map(|field| field.name).collect();
        // OpenAPI's readers do not take an empty list.
        match required.is_empty() {
            true => json!({"description": shape.about, "type": "object", "properties": properties}),
            false => {
                json!({"description": shape.about, "type": "object", "required": required, "properties": properties})
            }
        }
    }

    /// What a field holds.
    pub(crate) fn schema_of(self, holds: Held) -> Value {
        match holds {
            Held::Text => json!({"type": "string"}),
            Held::Number => json!({"type": "number"}),
            Held::Truth => json!({"type": "boolean"}),
            Held::Anything | Held::Arguments => json!({}),
            Held::Object => json!({"type": "object"}),
            Held::OneOf(words) => json!({"type": "string", "enum": words}),
            Held::Named(name) => json!({ "$ref": format!("{}{name}", self.0) }),
            Held::List(item) => json!({"type": "array", "items": self.schema_of(*item)}),
            Held::Map(item) => json!({"type": "object", "additionalProperties": self.schema_of(*item)}),
            Held::OrNull(inner) => json!({"anyOf": [self.schema_of(*inner), {"type": "null"}]}),
            Held::AnyOf(several) => {
                json!({"anyOf": several.iter().map(|one| self.schema_of(*one)).collect::<Vec<_>>()})
            }
        }
    }
}

/// A schema with a word for people.
pub(crate) fn describe(mut schema: Value, about: &str) -> Value {
    if let Some(fields) = schema.as_object_mut().filter(|_| !about.is_empty()) {
        fields.insert("description".to_owned(), json!(about));
    }
    schema
}
