//! Endpoints from OpenAPI documents: version 3 with its servers, version 2 with its base path, JSON or YAML.

use super::file::{Watched, document};
use super::{AskError, FactChecker};
use countersign::contract::{Answer, Question};
use countersign::policy::facts::endpoints::Endpoints;
use serde_json::Value;
use std::path::Path;

/// A document and its endpoints.
#[derive(Debug)]
pub(super) struct OpenApi {
    endpoints: Watched<Endpoints>,
}

impl OpenApi {
    pub(super) fn open(base: &Path, file: &str) -> Result<Self, AskError> {
        let endpoints = Watched::open(base, file, |bytes| document(bytes).and_then(|document| read(&document)))?;
        Ok(Self { endpoints })
    }
}

impl FactChecker for OpenApi {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Endpoint { method, url, .. } = question else { return Err(AskError::OtherQuestion) };
        Ok(self.endpoints.current()?.judge(method.as_deref(), url))
    }
}

/// All endpoints of a document.
fn read(document: &Value) -> Result<Endpoints, String> {
    let paths = document.get("paths").and_then(Value::as_object);
    let paths = paths.ok_or("it is no OpenAPI document: it has no `paths`")?;
    let mut endpoints = Endpoints::default();
    let root = servers(document).unwrap_or_else(|| old_servers(document));
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
        let own = servers(item);
        let above = own.as_ref().unwrap_or(&root);
        let operations: Vec<(&str, &Value)> =
            METHODS.iter().filter_map(|method| Some((*method, item.get(method)?))).collect();
        if operations.is_empty() {
            // A path whose operations stand in another document.
            above.iter().for_each(|base| endpoints.add(None, base, path));
        }
        for base in above {
            for (method, _) in operations.iter().filter(|(_, operation)| servers(operation).is_none()) {
                endpoints.add(Some(method), base, path);
            }
        }
        for (method, operation) in operations {
            for base in servers(operation).into_iter().flatten() {
                endpoints.add(Some(method), &base, path);
            }
        }
    }
    Ok(endpoints)
}

/// The base URLs of a document, a path or an operation, where it lists any. Variables stay as they are: `{region}`
/// stands for anything.
fn servers(item: &Value) -> Option<Vec<String>> {
    let listed = item.get("servers")?.as_array()?;
    let urls: Vec<String> = listed.iter().filter_map(|server| server.get("url")?.as_str()).map(str::to_owned).collect();
    (!urls.is_empty()).then_some(urls)
}

/// The base URLs of a version 2 document; a base of nothing where there is none.
fn old_servers(document: &Value) -> Vec<String> {
    let text = |key: &str| document.get(key).and_then(Value::as_str);
    let base = text("basePath").unwrap_or_default();
    let Some(host) = text("host") else { return vec![base.to_owned()] };
    let listed = document.get("schemes").and_then(Value::as_array);
    let schemes: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    match schemes.is_empty() {
        true => vec![format!("//{host}{base}")],
        false => schemes.iter().map(|scheme| format!("{scheme}://{host}{base}")).collect(),
    }
}

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
