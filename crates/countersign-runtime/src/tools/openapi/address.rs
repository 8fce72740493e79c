//! Arguments in an address: encoded, so that none can change where a request goes.
//!
//! An argument in a path is one part of it, whatever it says: no slash of it is one of the path, and no dots of it lead
//! upwards. What a server might take for such is refused rather than encoded.

use super::operation::{Lists, Operation, Parameter, Spot};
use reqwest::Url;
use serde_json::{Map, Value};

/// The address of a call. An argument that cannot be in one is told.
pub(super) fn address(base: &Url, operation: &Operation, arguments: &Map<String, Value>) -> Result<Url, String> {
    let mut path = base.path().trim_end_matches('/').to_owned();
    for part in operation.path.split('/').skip(1) {
        path.push('/');
        path.push_str(&fill_part(part, operation, arguments)?);
    }
    let mut url = base.clone();
    url.set_path(&path);
    // The parser has its own idea of a path: where it is another than ours, nothing is sent.
    if url.path() != path || url.origin() != base.origin() {
        return Err("the arguments do not make a path of this service".to_owned());
    }
    let mut query = base.query().unwrap_or_default().to_owned();
    for (name, value) in pairs(operation, arguments) {
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&format!("{}={}", encode(&name), encode(&value)));
    }
    url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
    url.set_fragment(None);
    Ok(url)
}

/// One part of a path with its arguments in it.
fn fill_part(part: &str, operation: &Operation, arguments: &Map<String, Value>) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), part);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(&encode_fixed(before));
        filled.push_str(&argument(name, operation, arguments)?);
        rest = after;
    }
    filled.push_str(&encode_fixed(rest));
    if part.contains('{') && is_dots(&filled) {
        return Err(format!("{part} would lead out of the path"));
    }
    Ok(filled)
}

fn argument(name: &str, operation: &Operation, arguments: &Map<String, Value>) -> Result<String, String> {
    let known = |parameter: &&Parameter| parameter.place == Spot::Path && parameter.name == name;
    let parameter = operation.parameters.iter().find(known).ok_or_else(|| format!("nothing is called {name:?}"))?;
    let argument = &parameter.argument;
    let value = arguments.get(argument).ok_or_else(|| format!("the argument {argument:?} is missing"))?;
    let text = joined(value).ok_or_else(|| format!("the argument {argument:?} cannot be used in an address"))?;
    if text.is_empty() {
        return Err(format!("the argument {argument:?} is empty, which would change the path"));
    }
    if text.split(['/', '\\']).any(|piece| is_dots(piece.trim())) || text.chars().any(char::is_control) {
        return Err(format!("the argument {argument:?} would lead out of the path"));
    }
    Ok(encode(&text))
}

fn is_dots(part: &str) -> bool {
    matches!(part, "." | "..")
}

/// The names and values of a query.
fn pairs(operation: &Operation, arguments: &Map<String, Value>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.place == Spot::Query) {
        let name = &parameter.name;
        let Some(value) = arguments.get(&parameter.argument).filter(|value| !value.is_null()) else { continue };
        match (value, parameter.lists) {
            (Value::Array(items), Lists::Repeated | Lists::Bracketed) => {
                pairs.extend(items.iter().map(|item| (name.clone(), text(item))));
            }
            (Value::Object(fields), Lists::Bracketed) => {
                pairs.extend(fields.iter().map(|(key, value)| (format!("{name}[{key}]"), text(value))));
            }
            (Value::Object(fields), Lists::Repeated) => {
                pairs.extend(fields.iter().map(|(key, value)| (key.clone(), text(value))));
            }
            _ => pairs.push((name.clone(), joined(value).unwrap_or_else(|| value.to_string()))),
        }
    }
    pairs
}

/// A value as it is in a path or a header: lists and objects with commas. None for lists in lists.
pub(super) fn joined(value: &Value) -> Option<String> {
    let simple = |value: &Value| (!value.is_array() && !value.is_object()).then(|| text(value));
    match value {
        Value::Array(items) => items.iter().map(simple).collect::<Option<Vec<_>>>().map(|items| items.join(",")),
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(key, value)| Some(format!("{key},{}", simple(value)?)));
            pairs.collect::<Option<Vec<_>>>().map(|pairs| pairs.join(","))
        }
        other => simple(other),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A text in which only letters, digits and `-._~` stand for themselves.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        push(&mut out, byte, byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    }
    out
}

/// The document's own part of a path: what is encoded in it stays so.
fn encode_fixed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        push(&mut out, byte, byte.is_ascii_alphanumeric() || b"-._~%:@!$&'()*+,;=".contains(&byte));
    }
    out
}

fn push(out: &mut String, byte: u8, plain: bool) {
    if plain {
        out.push(char::from(byte));
    } else {
        out.push_str(&format!("%{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::operations;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn files() -> Operation {
        let document = json!({"paths": {"/files/{owner}/{name}.json": {"get": {"operationId": "f", "parameters": [
            {"name": "owner", "in": "path", "schema": {"type": "string"}},
            {"name": "name", "in": "path", "schema": {"type": "string"}},
            {"name": "tag", "in": "query", "schema": {"type": "array"}},
            {"name": "few", "in": "query", "explode": false, "schema": {"type": "array"}},
            {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
        ]}}}});
        operations(&document, &[]).0.remove(0)
    }

    fn made(arguments: Value) -> Result<Url, String> {
        let base = Url::parse("http://service.test:9000/v1/?key=k").unwrap();
        address(&base, &files(), arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_go_where_they_belong() {
        let url =
            made(json!({"owner": "a b/c?d#e%2F", "name": 7, "tag": ["x&y", 2], "few": [1, 2], "deep": {"a": true}}));
        let expected = "http://service.test:9000/v1/files/a%20b%2Fc%3Fd%23e%252F/7.json?key=k&tag=x%26y&tag=2&few=1%2C2&deep%5Ba%5D=true";
        assert_eq!(url.unwrap().as_str(), expected);
    }

    // CALL-6
    #[test]
    fn no_argument_leads_out_of_its_place() {
        for hostile in
            ["..", ".", "../admin", "..\\admin", "a/../../b", "x/..", ".\t.", ". ./..", "", "a\r\nHost: b", "..\n"]
        {
            let refused = made(json!({"owner": hostile, "name": "n"}));
            assert!(refused.is_err(), "{hostile:?} became {refused:?}");
        }
        for hostile in ["@evil.test", "//evil.test", "http://evil.test", "%2e%2e", "?admin=1", "#x", "…", "a;b"] {
            let url = made(json!({"owner": hostile, "name": "n"})).unwrap();
            assert_eq!((url.host_str(), url.path_segments().unwrap().count()), (Some("service.test"), 4), "{url}");
        }
        assert!(made(json!({"owner": {"a": [1]}, "name": "n"})).is_err());
        assert!(made(json!({"owner": "o"})).unwrap_err().contains("missing"));
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("..".to_owned()),
            Just(".".to_owned()),
            Just("/".to_owned()),
            Just("\\".to_owned()),
            Just("%2e".to_owned()),
            Just("%2F".to_owned()),
            Just("\t".to_owned()),
            Just("\n".to_owned()),
            Just("@".to_owned()),
            Just(":".to_owned()),
            Just("?".to_owned()),
            Just("#".to_owned()),
            Just("&".to_owned()),
            Just("\u{ff0f}".to_owned()),
            "\\PC{0,4}",
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        // CALL-6
        #[test]
        fn an_address_keeps_its_host_its_parts_and_its_values(owner in hostile(), name in hostile(), tag in hostile()) {
            let arguments = json!({"owner": owner, "name": name, "tag": [tag]});
            if let Ok(url) = made(arguments) {
                prop_assert_eq!((url.scheme(), url.host_str(), url.port()), ("http", Some("service.test"), Some(9000)));
                prop_assert!(url.username().is_empty() && url.fragment().is_none());
                let parts: Vec<&str> = url.path_segments().unwrap().collect();
                prop_assert_eq!(parts.len(), 4, "{}", url);
                prop_assert_eq!((parts[0], parts[1]), ("v1", "files"));
                prop_assert!(parts[3].ends_with(".json"));
                let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
                prop_assert_eq!(&pairs, &vec![("key".to_owned(), "k".to_owned()), ("tag".to_owned(), tag)]);
                // Read again, it is the same: nothing in it was left for a parser to understand otherwise.
                prop_assert_eq!(Url::parse(url.as_str()).unwrap(), url);
            }
        }
    }
}
