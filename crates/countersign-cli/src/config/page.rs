//! The reference page `docs/configuration.md`, written from the list of settings.

use super::keys::{Form, KEYS, Key};
use super::tables::{NamedTable, TABLES};

/// The page.
pub(crate) fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    let mut section = None;
    for key in KEYS {
        let table = key.path.split_once('.').map(|(table, _)| table);
        if section != Some(table) {
            let title = table.map_or_else(|| "Top of the file".to_owned(), |table| format!("`[{table}]`"));
            page.push_str(&format!(
                "\n## {title}\n\n| key | variable | flag | default | what |\n|---|---|---|---|---|\n"
            ));
            section = Some(table);
        }
        page.push_str(&row(key));
    }
    TABLES.iter().for_each(|table| add_table(&mut page, table));
    page.push_str(NOTES);
    page
}

fn add_table(page: &mut String, table: &NamedTable) {
    let NamedTable { name, about, example, .. } = table;
    page.push_str(&format!("\n## `[{name}.NAME]`\n\n{about}\n\n```toml\n{example}```\n\n"));
    page.push_str("| key | default | what |\n|---|---|---|\n");
    for (key, default, meaning) in table.keys {
        page.push_str(&format!("| `{key}` | {default} | {meaning} |\n"));
    }
}

fn row(key: &Key) -> String {
    let name = key.path.split_once('.').map_or(key.path, |(_, name)| name);
    let variables: Vec<String> = key.variables.iter().map(|name| format!("`{name}`")).collect();
    let flag = match (key.flag, key.form) {
        (Some(flag), _) => format!("`{flag}`"),
        (None, Form::Tables | Form::Named | Form::Hidden) => "file only".to_owned(),
        (None, _) => format!("`--set {}=…`", key.path),
    };
    format!("| `{name}` | {} | {flag} | {} | {} |\n", variables.join(", else "), key.default, key.meaning)
}

const INTRODUCTION: &str = "\
# Configuration of the server

Written from the code by `countersign config docs > docs/configuration.md`; drift fails a test.

`countersign serve` needs no configuration. What you set comes from a TOML file (`--config FILE`, else `COUNTERSIGN_CONFIG`, \
else `countersign.toml` in the current folder; `COUNTERSIGN_CONFIG=` reads none), then from variables, then from flags; the later wins. `--set KEY=VALUE` sets any key, such as `--set limits.connections=500`. \
An unknown key is refused, with the nearest known one named.

- `countersign config check` says whether it can be used, and where it cannot.
- `countersign config show` prints what holds and where each value comes from; secrets are hidden.
- `countersign config schema` prints the JSON Schema of the file, for your editor.
- `countersign doctor` looks at the world around: the port, the disk, the stores, the upstreams, the tools.
- `countersign tools` lists the tools that agents have; [agents.md](agents.md) shows how to give them some.

Spans of time are written as `500ms`, `10s`, `15m`, `2h` or `30d`; sizes as `512KiB`, `10MiB` or a number of bytes. Paths in the file are relative to the file.
";

const NOTES: &str = "
## Keys and what they open

Without keys the server is open, on loopback only, and refuses requests of web pages from elsewhere (`Origin`, `Host`).
A key comes as `Authorization: Bearer KEY`, as `x-api-key: KEY`, or as `countersign-key: KEY` where the other two carry a key for the upstream.
With keys, every route wants one except `/livez`, `/readyz` and `/`: also `/health`, `/metrics` and `/openapi.json`, because they tell about the inside.
`countersign keys create --name ci --scope engine` makes a key and shows it once; only its SHA-256 is kept, in `keys.json` in the data directory, or in PostgreSQL where that is configured. A running server sees new and revoked keys within two seconds.
Scopes: `engine` (`/v1/check` and the like, and the drop-in routes), `sessions` (`/v1/sessions`, `/v1/stop`), `review` (`/v1/reviews`, `/v1/verdicts`; together with `sessions` also the brake for what others run), `admin` (everything, also what other keys have made). `/health`, `/metrics` and `/openapi.json` take any key.
Once keys were configured, revoking the last one does not open the server again: remove `keys.json` and restart it for that.
While the key store is unavailable, keys that are known go on working for five minutes; then they are refused with 503.

## Health

`/health` is always 200 and says `healthy`, `degraded` (one layer is not well) or `unhealthy` (two or more are down). `/livez` is 200 while the process runs, `/readyz` once it has started.
";
