//! Tool definitions in OpenAI, Anthropic and MCP shape.

use super::WireError;
use super::built_in;
use crate::contract::{Annotations, FREE_TEXT, RawSchema, Takes, ToolSpec};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Reads a list of tools: an array, or an MCP `tools/list` answer (`{"tools": […]}`). Tools that a provider runs
/// itself (a type and no schema) are kept as such; those that it defines and the client runs get the schema they have.
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
    let place = own.environment.get("type").and_then(Value::as_str);
    let hosted = place.is_some_and(|place| place.starts_with("container"));
    let inner = own.function.map(|body| ("function", body)).or(own.custom.map(|body| ("custom", body)));
    let body = match inner {
        Some((key, body)) => serde_json::from_str(body.get())
            .map_err(|error| WireError::at("tools", format!("`{key}` must be an object: {error}")))?,
        None => own,
    };
    let typed = kind.as_deref().is_some_and(|kind| !matches!(kind, "function" | "custom"));
    let built_in = kind.as_deref().and_then(built_in::declared).filter(|_| !hosted);
    let takes =
        if kind.as_deref() == Some("custom") && body.input().is_none() { Takes::Text } else { Takes::Arguments };
    let input = match takes {
        Takes::Text => free_text(),
        Takes::Arguments => body.input().or_else(|| built_in?.schema()),
    };
    let called = || built_in.map(|tool| tool.name.to_owned()).or_else(|| kind.clone().filter(|_| typed));
    let Some(name) = body.name.clone().or_else(called) else {
        return Err(WireError::at("tools", "a tool definition needs a `name` (or `function.name`)"));
    };
    let hints = body.annotations.unwrap_or(outer_annotations);
    Ok(ToolSpec {
        name,
        description: body.description.clone().unwrap_or_default(),
        server_side: typed && input.is_none(),
        input,
        takes,
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
    #[serde(borrow, default)]
    custom: Option<&'a RawValue>,
    #[serde(default)]
    environment: Value,
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
    raw.filter(|raw| raw.get() != "null").map(|raw| RawSchema::new(raw.to_owned()))
}

/// The schema of a tool that takes free text.
fn free_text() -> Option<RawSchema> {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": [FREE_TEXT],
        "properties": {FREE_TEXT: {"type": "string"}},
    });
    RawValue::from_string(schema.to_string()).ok().map(RawSchema::new)
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
        let hosted = read_tool(r#"{"type":"shell","environment":{"type":"container_auto"}}"#).unwrap();
        assert!(hosted.server_side, "a shell in the provider's container is the provider's");
        let computer = read_tool(r#"{"type":"computer_use_preview","environment":"browser"}"#).unwrap();
        assert_eq!((computer.name.as_str(), computer.server_side), ("computer", false));
        for json in [r#"{"type":"shell"}"#, r#"{"type":"shell","environment":{"type":"local"}}"#] {
            let shell = read_tool(json).unwrap();
            assert!(!shell.server_side && shell.name == "shell" && shell.input.is_some(), "{json}");
        }
        assert_eq!(read_tool(r#"{"type":"bash_20250124","name":"bash"}"#).unwrap().name, "bash");
        assert_eq!(read_tools(&format!(r#"{{"tools":[{mcp}]}}"#)).unwrap().len(), 1);
        assert!(read_tools(r#"[{"description":"no name"}]"#).unwrap_err().message.contains("tools[0]"));
    }

    // CALL-2: free text is a form of its own; an ordinary tool may call itself custom too.
    #[test]
    fn a_custom_tool_takes_free_text() {
        let chat = r#"{"type":"custom","custom":{"name":"exec","description":"d","format":{"type":"text"}}}"#;
        let responses = r#"{"type":"custom","name":"exec","description":"d"}"#;
        for json in [chat, responses] {
            let tool = read_tool(json).unwrap();
            assert_eq!(
                (tool.name.as_str(), tool.description.as_str(), tool.takes),
                ("exec", "d", Takes::Text),
                "{json}"
            );
            assert!(tool.input.is_some() && !tool.server_side);
        }
        let anthropic = read_tool(r#"{"type":"custom","name":"f","input_schema":{"type":"object"}}"#).unwrap();
        assert_eq!(anthropic.takes, Takes::Arguments);
    }
}
