//! Tool definitions in OpenAI, Anthropic and MCP shape.

use super::WireError;
use crate::contract::{Annotations, RawSchema, ToolSpec};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Reads a list of tools: an array, or an MCP `tools/list` answer (`{"tools": […]}`). Tools that a provider runs
/// itself (a type and no schema) are kept as such.
pub fn read_tools(json: &str) -> Result<Vec<ToolSpec>, WireError> {
    let listed: Result<Vec<&RawValue>, _> = serde_json::from_str(json);
    let items = match listed {
        Ok(items) => items,
        Err(_) => serde_json::from_str::<Listing>(json)
            .map(|listing| listing.tools.or(listing.result.map(|r| r.tools)).unwrap_or_default())
            .map_err(|_| WireError::at("tools", "`tools` must be an array of tool definitions"))?,
    };
    items.iter().enumerate().map(|(at, item)| read_tool(item.get()).map_err(|e| inside(at, e))).collect()
}

/// Reads one tool definition.
pub fn read_tool(json: &str) -> Result<ToolSpec, WireError> {
    let own: RawFunction = serde_json::from_str(json)
        .map_err(|_| WireError::at("tools", "a tool definition must be an object with a `name`"))?;
    let kind = own.kind.clone();
    let outer_output = own.output();
    let outer_annotations = own.annotations.unwrap_or_default();
    let body = match own.function {
        Some(function) => serde_json::from_str(function.get())
            .map_err(|error| WireError::at("tools", format!("`function` must be an object: {error}")))?,
        None => own,
    };
    let typed = kind.as_deref().is_some_and(|kind| !matches!(kind, "function" | "custom"));
    let input = body.input();
    let Some(name) = body.name.clone().or_else(|| kind.clone().filter(|_| typed)) else {
        return Err(WireError::at("tools", "a tool definition needs a `name` (or `function.name`)"));
    };
    let hints = body.annotations.unwrap_or(outer_annotations);
    Ok(ToolSpec {
        name,
        description: body.description.clone().unwrap_or_default(),
        server_side: typed && input.is_none(),
        input,
        output: body.output().or(outer_output),
        annotations: Annotations {
            read_only: hints.read_only,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
        },
    })
}

fn inside(at: usize, error: WireError) -> WireError {
    WireError::at(&format!("tools[{at}]"), format!("tools[{at}]: {}", error.message))
}

#[derive(Deserialize)]
struct Listing<'a> {
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    result: Option<Inner<'a>>,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct RawFunction<'a> {
    #[serde(rename = "type", default, deserialize_with = "text")]
    kind: Option<String>,
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "text")]
    name: Option<String>,
    #[serde(default, deserialize_with = "text")]
    description: Option<String>,
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "inputSchema")]
    input_schema_mcp: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "outputSchema")]
    output_schema_mcp: Option<&'a RawValue>,
    #[serde(default)]
    annotations: Option<RawAnnotations>,
}

#[derive(Deserialize, Default, Clone, Copy)]
struct RawAnnotations {
    #[serde(default, rename = "readOnlyHint")]
    read_only: Option<bool>,
    #[serde(default, rename = "destructiveHint")]
    destructive: Option<bool>,
    #[serde(default, rename = "idempotentHint")]
    idempotent: Option<bool>,
}

impl RawFunction<'_> {
    fn input(&self) -> Option<RawSchema> {
        schema(self.parameters.or(self.input_schema).or(self.input_schema_mcp))
    }

    fn output(&self) -> Option<RawSchema> {
        schema(self.output_schema.or(self.output_schema_mcp))
    }
}

fn schema(raw: Option<&RawValue>) -> Option<RawSchema> {
    raw.filter(|raw| raw.get() != "null").map(|raw| RawSchema(Arc::from(raw.to_owned())))
}

/// A string where there is one; a tool is not refused for a description that is a number.
fn text<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(input)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_shapes_are_one() {
        let openai = r#"{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}"#;
        let anthropic = r#"{"name":"f","description":"d","input_schema":{"type":"object"}}"#;
        let mcp =
            r#"{"name":"f","description":"d","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}"#;
        for json in [openai, anthropic, mcp] {
            let tool = read_tool(json).unwrap();
            assert_eq!((tool.name.as_str(), tool.description.as_str()), ("f", "d"), "{json}");
            assert_eq!(tool.input.unwrap().0.get(), r#"{"type":"object"}"#);
        }
        assert_eq!(read_tool(mcp).unwrap().annotations.destructive, Some(true));
        assert!(read_tool(r#"{"type":"web_search_20250305","name":"web_search"}"#).unwrap().server_side);
        assert_eq!(read_tools(&format!(r#"{{"tools":[{mcp}]}}"#)).unwrap().len(), 1);
        assert!(read_tools(r#"[{"description":"no name"}]"#).unwrap_err().message.contains("tools[0]"));
    }
}
