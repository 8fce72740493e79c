//! Configurations in JSON. Only the commands that change are written again; everybody else's bytes stay.

use super::entry::{Change, Changed, Standing, Start};
use countersign_runtime::mcp_guard::edit_json;
use serde_json::{Map, Value};

/// Changes the servers under a key, at the top and in the projects that Claude Code keeps in its one file.
pub(crate) fn change(text: &str, key: &str, change: &Change) -> Result<Changed, String> {
    if text.trim().is_empty() {
        return Ok(Changed { servers: Vec::new(), text: text.to_owned() });
    }
    let before: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is not plain JSON ({error}); take comments out, or edit it by hand"))?;
    let (mut after, mut servers) = (before.clone(), Vec::new());
    if let Some(listed) = after.get_mut(key).and_then(Value::as_object_mut) {
        change_all(listed, "", change, &mut servers);
    }
    for (project, settings) in after.get_mut("projects").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Some(listed) = settings.get_mut(key).and_then(Value::as_object_mut) {
            change_all(listed, project, change, &mut servers);
        }
    }
    let text = if before == after { text.to_owned() } else { edit_json(text, &before, &after) };
    Ok(Changed { servers, text })
}

fn change_all(
    listed: &mut Map<String, Value>,
    place: &str,
    change: &Change,
    servers: &mut Vec<(String, Standing, bool)>,
) {
    for (name, entry) in listed {
        let shown = if place.is_empty() { name.clone() } else { format!("{name} (in {place})") };
        let Some(start) = read(entry) else {
            servers.push((shown, Standing::Remote, false));
            continue;
        };
        let changed = change.apply(name, &start);
        let now = changed.as_ref().unwrap_or(&start);
        servers.push((shown, if now.is_guarded() { Standing::Guarded } else { Standing::Open }, changed.is_some()));
        if let (Some(now), Some(fields)) = (changed, entry.as_object_mut()) {
            fields.insert("command".to_owned(), now.command.into());
            fields.insert("args".to_owned(), now.args.into());
        }
    }
}

fn read(entry: &Value) -> Option<Start> {
    let command = entry.get("command")?.as_str()?.to_owned();
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    Some(Start { command, args: args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect() })
}

#[cfg(test)]
mod tests {
    use super::super::entry::Guarding;
    use super::*;

    fn guard() -> Change {
        Change::Guard(Guarding { program: "/opt/countersign".to_owned(), options: Vec::new() })
    }

    // MCP-1: one line changes, comes back as it was, and nobody else's entry is touched.
    #[test]
    fn a_guard_goes_in_front_and_out_again() {
        let text = "{\n  \"theme\": \"dark\", \"n\": 1.10,\n  \"mcpServers\": {\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": {\"K\": \"v\"}},\n    \"web\": {\"type\": \"http\", \"url\": \"https://x\"}\n  },\n  \"projects\": {\"/p\": {\"mcpServers\": {\"time\": {\"command\": \"uvx\"}}}}\n}\n";
        let guarded = change(text, "mcpServers", &guard()).unwrap();
        let value: Value = serde_json::from_str(&guarded.text).unwrap();
        let files = &value["mcpServers"]["files"];
        assert_eq!(files["command"], "/opt/countersign");
        assert_eq!(files["args"], serde_json::json!(["mcp", "--name", "files", "--", "npx", "-y", "server"]));
        assert_eq!((&files["env"]["K"], &value["mcpServers"]["web"]["url"]), (&"v".into(), &"https://x".into()));
        assert!(guarded.text.contains("\"theme\": \"dark\", \"n\": 1.10,"), "{}", guarded.text);
        let standings: Vec<_> = guarded.servers.iter().map(|(_, standing, changed)| (*standing, *changed)).collect();
        assert_eq!(standings, [(Standing::Guarded, true), (Standing::Remote, false), (Standing::Guarded, true)]);
        let again = change(&guarded.text, "mcpServers", &guard()).unwrap();
        assert_eq!(again.text, guarded.text, "twice is once");
        let restored = change(&guarded.text, "mcpServers", &Change::Unguard).unwrap();
        let (restored, original): (Value, Value) =
            (serde_json::from_str(&restored.text).unwrap(), serde_json::from_str(text).unwrap());
        assert_eq!(restored["mcpServers"], original["mcpServers"]);
        assert_eq!(change(text, "mcpServers", &Change::Look).unwrap().text, text);
        assert!(change("{ // comment\n}", "mcpServers", &guard()).unwrap_err().contains("by hand"));
        assert_eq!(change("", "mcpServers", &guard()).unwrap().servers, []);
    }
}
