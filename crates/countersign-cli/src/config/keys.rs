//! Every setting, once: its place in the TOML, its variable, its flag, its default and what it means.
//!
//! The reference page and `config schema` are for people and editors; this list is what the layers follow, so a setting
//! that is not here cannot be set from outside the file, and a test holds the list against `raw`.

/// A setting.
#[derive(Debug)]
pub(super) struct Key {
    /// Where it is in the TOML: `upstream.openai`.
    pub path: &'static str,
    /// Its variable, and others that are heard when it is absent.
    pub variables: &'static [&'static str],
    /// Its flag, where it has one beside `--set`.
    pub flag: Option<&'static str>,
    /// What form it has.
    pub form: Form,
    /// What holds when nobody says anything.
    pub default: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// The form of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A word or an address.
    Text,
    /// A word that is never shown.
    Secret,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Truth,
    /// Words, with commas between them in a variable.
    Texts,
    /// Such words, never shown.
    Secrets,
    /// Tables; only the file can hold them.
    Tables,
    /// Tables with names, whose keys `tables` lists; only the file can hold them.
    Named,
    /// Names with values that are never shown; only the file can hold them.
    Hidden,
}

/// The setting at a place.
pub(super) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

const fn key(path: &'static str, variables: &'static [&'static str], form: Form) -> Key {
    Key { path, variables, flag: None, form, default: "", meaning: "" }
}

impl Key {
    const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    const fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }
}

/// All settings, in the order of the reference page.
pub(super) const KEYS: &[Key] = &[
    key("listen", &["COUNTERSIGN_LISTEN"], Form::Text).flag("--listen").default("127.0.0.1:7420").meaning(
        "The address to listen on. An address that is not loopback needs API keys: without them the server refuses to start.",
    ),
    key("data_dir", &["COUNTERSIGN_DATA_DIR"], Form::Text)
        .flag("--data-dir")
        .default("$XDG_DATA_HOME/countersign, else ~/.local/share/countersign")
        .meaning("Where sessions, reviews, keys and the event log are kept. `:memory:` keeps them until the process ends."),
    key("policy", &["COUNTERSIGN_POLICY"], Form::Text)
        .flag("--policy")
        .default("the built-in policy")
        .meaning("Your rules, a TOML file. It is read again when it changes; a file that cannot be used leaves the old rules in force."),
    key("tools", &["COUNTERSIGN_TOOLS"], Form::Text)
        .flag("--tools")
        .default("none")
        .meaning("The tools, where a request has none: a JSON array or an MCP tools/list answer."),
    key("knowledge_base", &["COUNTERSIGN_KNOWLEDGE_BASE"], Form::Text)
        .flag("--kb")
        .default("none")
        .meaning("A folder of documents to look claims up in, or the index that `countersign kb build` made of one."),
    key("advertise", &["COUNTERSIGN_ADVERTISE"], Form::Text)
        .default("none")
        .meaning("Where other nodes reach this one, such as `http://10.0.0.5:7420`. Needed only with several nodes."),
    key("public_url", &["COUNTERSIGN_PUBLIC_URL"], Form::Text).default("none").meaning(
        "Where people reach this server, such as `https://countersign.example.com`. Messages about reviews then hold links that decide; see [server.md](server.md#nobody-misses-a-review).",
    ),
    key("reviewers", &[], Form::Named)
        .default("none")
        .meaning("Who is told of what waits for a decision: `[reviewers.NAME]`."),
    key("upstreams", &[], Form::Named).default("none").meaning("More upstreams: `[upstreams.NAME]`."),
    key("mcp", &[], Form::Named).default("none").meaning("MCP servers whose tools agents have: `[mcp.NAME]`."),
    key("openapi", &[], Form::Named)
        .default("none")
        .meaning("HTTP services whose operations are tools of agents: `[openapi.NAME]`."),
    key("agents", &[], Form::Named)
        .default("`concierge`, `react`, `rewoo` and `orchestrator`")
        .meaning("Who answers in sessions: `[agents.NAME]` changes a built-in agent or adds one."),
    key("server.tls_certificate", &["COUNTERSIGN_TLS_CERTIFICATE"], Form::Text).default("none: plain http").meaning(
        "The certificate of the listener and those that it hangs on, a PEM file. With it the server speaks https only. It is read again when it changes; a file that cannot be used leaves the old one in force.",
    ),
    key("server.tls_key", &["COUNTERSIGN_TLS_KEY"], Form::Text)
        .default("none")
        .meaning("The key of that certificate, a PEM file (PKCS#8, PKCS#1 or SEC1) that only the server may read."),
    key("upstream.openai", &["COUNTERSIGN_UPSTREAM_OPENAI"], Form::Text)
        .flag("--upstream-openai")
        .default("none: the built-in demo model answers")
        .meaning("An OpenAI-compatible address, with its `/v1`."),
    key("upstream.openai_api_key", &["COUNTERSIGN_OPENAI_API_KEY", "OPENAI_API_KEY"], Form::Secret)
        .default("none")
        .meaning("The key for that address."),
    key("upstream.anthropic", &["COUNTERSIGN_UPSTREAM_ANTHROPIC"], Form::Text)
        .flag("--upstream-anthropic")
        .default("none")
        .meaning("An Anthropic-compatible address, without `/v1`."),
    key("upstream.anthropic_api_key", &["COUNTERSIGN_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"], Form::Secret)
        .default("none")
        .meaning("The key for that address."),
    key("upstream.model", &["COUNTERSIGN_MODEL"], Form::Text)
        .flag("--model")
        .default("the first of the upstream's models")
        .meaning("The model of hosted sessions that name none."),
    key("upstream.timeout", &["COUNTERSIGN_UPSTREAM_TIMEOUT"], Form::Text)
        .default("10m")
        .meaning("How long an upstream may take to begin its answer on the drop-in routes."),
    key("upstream.silence", &["COUNTERSIGN_UPSTREAM_SILENCE"], Form::Text)
        .default("2m")
        .meaning("How long an answer that has begun may say nothing."),
    key("upstream.http2", &["COUNTERSIGN_UPSTREAM_HTTP2"], Form::Text)
        .default("auto")
        .meaning("`auto`: where the upstream offers it over TLS; `only`: always, without asking (h2c)."),
    key("upstream.logprobs", &["COUNTERSIGN_UPSTREAM_LOGPROBS"], Form::Text).default("auto").meaning(
        "Whether hosted turns ask for the log-probabilities of tokens, which are two of the six signals: `auto` (where the upstream gives them; one that refuses them is asked without), `on` (always, with a warning where none come), `off`.",
    ),
    key("upstream.retries", &["COUNTERSIGN_UPSTREAM_RETRIES"], Form::Number)
        .default("0: clients have their own")
        .meaning("How often a request that got 408, 409, 429 or 5xx is sent again, with the pause that the upstream asks for."),
    key("gateway.mode", &["COUNTERSIGN_GATEWAY_MODE"], Form::Text).default("enforce").meaning(
        "What becomes of tool calls on the drop-in routes: `enforce` (held, checked, mended), `advise` (passed and judged, the verdict is named), `shadow` (the same, for the record), `off`.",
    ),
    key("gateway.routes", &[], Form::Tables)
        .default("none")
        .meaning("The mode of one route: `[gateway.routes]` with `chat`, `responses` or `messages`."),
    key("gateway.keys", &[], Form::Tables)
        .default("none")
        .meaning("The mode of one API key, by its id (`key_…`); it wins over the route's."),
    key("gateway.tools", &[], Form::Tables)
        .default("none")
        .meaning("The mode of one tool: calls of a tool that is not in `enforce` pass as they are and are judged beside it."),
    key("gateway.corrections", &["COUNTERSIGN_GATEWAY_CORRECTIONS"], Form::Number)
        .default("2")
        .meaning("How often the model is asked to correct a call before it is refused; 0 to 10."),
    key("gateway.correction_time", &["COUNTERSIGN_GATEWAY_CORRECTION_TIME"], Form::Text)
        .default("60s")
        .meaning("How long all corrections of one answer may take."),
    key("gateway.correction_tokens", &["COUNTERSIGN_GATEWAY_CORRECTION_TOKENS"], Form::Number)
        .default("200000")
        .meaning("How many tokens an answer may have cost for another correction to begin."),
    key("gateway.after_corrections", &["COUNTERSIGN_GATEWAY_AFTER_CORRECTIONS"], Form::Text)
        .default("refuse")
        .meaning("What follows when corrections did not help: `refuse` with a readable text, or `review` by a person."),
    key("gateway.hold_for_review", &["COUNTERSIGN_GATEWAY_HOLD_FOR_REVIEW"], Form::Text)
        .default("connected")
        .meaning("When a client waits for a person: while a reviewer is `connected` to `/v1/reviews/events`, `always`, or `never`."),
    key("gateway.review_hold", &["COUNTERSIGN_GATEWAY_REVIEW_HOLD"], Form::Text)
        .default("55s")
        .meaning("How long it waits; then it gets a readable answer, and the same call attaches to the item later."),
    key("gateway.claims", &["COUNTERSIGN_GATEWAY_CLAIMS"], Form::Text).default("asked").meaning(
        "Whether answers carry their claims in a field `countersign`: where the request's header `countersign: claims` asks for it, or `always`.",
    ),
    key("gateway.suspicious_results", &["COUNTERSIGN_GATEWAY_SUSPICIOUS_RESULTS"], Form::Text)
        .default("the policy's")
        .meaning("What happens on the gateway to a tool result in a request that looks wrong, whatever the policy's `suspicious_results` says: `pass` (recorded), `mark` (a note for the model), `review` (withheld until a person approves)."),
    key("gateway.doubtful_answers", &["COUNTERSIGN_GATEWAY_DOUBTFUL_ANSWERS"], Form::Text)
        .default("the policy's")
        .meaning("What happens on the gateway to an answer that a check doubts, whatever the policy's `doubtful_answers` says: `pass` (recorded), `mark` (named in a header or comment), `correct` (the model is asked again)."),
    key("gateway.compressed_answers", &["COUNTERSIGN_GATEWAY_COMPRESSED_ANSWERS"], Form::Text).default("refuse").meaning(
        "What becomes of an answer that the upstream compressed unasked in a way that cannot be read here (`br`, `zstd`): `refuse` with an error, or `pass` it on unchecked.",
    ),
    key("gateway.unknown_items", &["COUNTERSIGN_GATEWAY_UNKNOWN_ITEMS"], Form::Text)
        .default("refuse")
        .meaning("What becomes of an item of a responses answer that the client may run and that the gateway does not know: `refuse` (a text says so), or `pass` (unjudged)."),
    key("gateway.other_routes", &["COUNTERSIGN_GATEWAY_OTHER_ROUTES"], Form::Text).default("refuse").meaning(
        "What becomes of a request that declares tools on a route of the upstream whose answers are not read here: `refuse` (403), or `pass`, and with it whatever calls come back.",
    ),
    key("gateway.audit", &["COUNTERSIGN_GATEWAY_AUDIT"], Form::Text).default("required").meaning(
        "Whether a call may be released that could not be recorded: `required` (a call is committed to the audit before the client gets it; while the store fails, calls are held back with a text that says so) or `best_effort` (written behind the answers; a crash may lose the newest).",
    ),
    key("gateway.audit_age", &["COUNTERSIGN_GATEWAY_AUDIT_AGE"], Form::Text).default("90d").meaning(
        "How long the audit is kept: verdicts with the requests that they were made on, examined results, decided reviews and notes; `unlimited` keeps it.",
    ),
    key("gateway.audit_size", &["COUNTERSIGN_GATEWAY_AUDIT_SIZE"], Form::Text).default("2GiB").meaning(
        "How many bytes of the audit are kept, about; the oldest go first. `unlimited` keeps all.",
    ),
    key("gateway.conversations", &["COUNTERSIGN_GATEWAY_CONVERSATIONS"], Form::Text).default("keep").meaning(
        "Whether exchanges through the gateway are kept as conversations for the console and `GET /v1/conversations`: `keep` (what is new in each request and the answer, shortened and without secrets, as long as the audit) or `off`.",
    ),
    key("gateway.demo_seed", &["COUNTERSIGN_GATEWAY_DEMO_SEED"], Form::Number)
        .default("1")
        .meaning("The seed of the demo model that answers where no upstream is set."),
    key("factcheck.automatic", &["COUNTERSIGN_FACTCHECK_AUTOMATIC"], Form::Truth).default("true").meaning(
        "Whether claims are looked up by themselves: on every relayed and delegated message, and after each hosted answer that carries some. It delays no stream; `POST /v1/sessions/{id}/factcheck` works either way.",
    ),
    key("factcheck.judge", &["COUNTERSIGN_FACTCHECK_JUDGE"], Form::Text).default("none: no model is asked").meaning(
        "The upstream whose model is asked about a claim on which no result, document or checker said anything: a name under `[upstreams]` with `api = \"openai\"`, or `openai`. It is asked last, and disputes a claim only with a quotation.",
    ),
    key("factcheck.judge_model", &["COUNTERSIGN_FACTCHECK_JUDGE_MODEL"], Form::Text)
        .default("`upstream.model`")
        .meaning("The model that judges."),
    key("factcheck.judge_timeout", &["COUNTERSIGN_FACTCHECK_JUDGE_TIMEOUT"], Form::Text)
        .default("20s")
        .meaning("How long it may take for one claim."),
    key("search.url", &["COUNTERSIGN_SEARCH_URL"], Form::Text)
        .default("none: nothing is searched")
        .meaning("Where the web is searched, such as `http://127.0.0.1:8888/search`."),
    key("search.kind", &["COUNTERSIGN_SEARCH_KIND"], Form::Text).default("searxng").meaning(
        "`searxng`: asked with `q` and `format=json`; `generic`: any service that answers in JSON, described by the keys below.",
    ),
    key("search.method", &["COUNTERSIGN_SEARCH_METHOD"], Form::Text)
        .default("GET")
        .meaning("Generic: `GET` with the query as a parameter, or `POST` with it in a JSON body."),
    key("search.query", &["COUNTERSIGN_SEARCH_QUERY"], Form::Text)
        .default("query")
        .meaning("Generic: the name of that parameter or field."),
    key("search.results", &["COUNTERSIGN_SEARCH_RESULTS"], Form::Text)
        .default("the whole answer")
        .meaning("Generic: the list of results, a JSON pointer such as `/data/items`."),
    key("search.title", &["COUNTERSIGN_SEARCH_TITLE"], Form::Text)
        .default("/title")
        .meaning("Generic: the title, a JSON pointer inside one result."),
    key("search.link", &["COUNTERSIGN_SEARCH_LINK"], Form::Text).default("/link").meaning("Generic: the address."),
    key("search.content", &["COUNTERSIGN_SEARCH_CONTENT"], Form::Text)
        .default("/content")
        .meaning("Generic: what it says."),
    key("search.icon", &["COUNTERSIGN_SEARCH_ICON"], Form::Text)
        .default("/icon")
        .meaning("Generic: a small picture."),
    key("search.publish_date", &["COUNTERSIGN_SEARCH_PUBLISH_DATE"], Form::Text)
        .default("/publish_date")
        .meaning("Generic: when it was published."),
    key("search.headers", &[], Form::Hidden)
        .default("none")
        .meaning("What is sent with each search: `[search.headers]`."),
    key("search.header_env", &[], Form::Tables)
        .default("none")
        .meaning("The same, each value from the variable that is named: `header_env = { authorization = \"SEARCH_KEY\" }`."),
    key("search.limit", &["COUNTERSIGN_SEARCH_LIMIT"], Form::Number)
        .default("10")
        .meaning("How many results are kept, 1 to 100."),
    key("search.timeout", &["COUNTERSIGN_SEARCH_TIMEOUT"], Form::Text)
        .default("10s")
        .meaning("How long a search may take."),
    key("access.api_keys", &["COUNTERSIGN_API_KEYS"], Form::Secrets).default("none").meaning(
        "Keys. A plain one opens the engine, sessions and the upstream's other routes; `NAME:SCOPE+SCOPE=SECRET` names its scopes (`engine`, `sessions`, `review`, `upstream`, `admin`), and SECRET is the key. `countersign keys create` makes keys that are kept as digests.",
    ),
    key("access.session_key", &["COUNTERSIGN_SESSION_KEY"], Form::Secret)
        .default("made once and kept in the data directory")
        .meaning("What the cookies of people are sealed with, 32 characters or more. Several nodes behind one address need the same; a new one signs everybody out."),
    key("access.own_reviews", &["COUNTERSIGN_OWN_REVIEWS"], Form::Text).default("deny").meaning(
        "Whether a key with the scope `review` may decide on calls that were made with the same key: `deny` or `allow`.",
    ),
    key("access.rate_limit", &["COUNTERSIGN_RATE_LIMIT"], Form::Number)
        .default("none")
        .meaning("Requests on `/v1` per second and key; without keys, per peer address."),
    key("access.allowed_origins", &["COUNTERSIGN_ALLOWED_ORIGINS"], Form::Texts).default("loopback only").meaning(
        "Origins whose pages may call this server from a browser, such as `https://console.example.com`.",
    ),
    key("access.allowed_hosts", &["COUNTERSIGN_ALLOWED_HOSTS"], Form::Texts).default("loopback names only").meaning(
        "Names under which a server without keys may be addressed, beside the loopback ones (against DNS rebinding).",
    ),
    key("oidc.issuer", &["COUNTERSIGN_OIDC_ISSUER"], Form::Text).default("none: people sign in with keys").meaning(
        "The OpenID Connect provider that people sign in to the console with, as it writes itself, such as `https://login.example.com/realms/main`. With it the server wants a key or a sign-in for everything, as it does with keys.",
    ),
    key("oidc.client_id", &["COUNTERSIGN_OIDC_CLIENT_ID"], Form::Text)
        .default("none")
        .meaning("What this server is called there. Register `ADDRESS/console/oidc/callback` as its redirect, where ADDRESS is `oidc.address`."),
    key("oidc.client_secret", &["COUNTERSIGN_OIDC_CLIENT_SECRET"], Form::Secret)
        .default("none: a public client; PKCE is used either way")
        .meaning("Its secret there."),
    key("oidc.address", &["COUNTERSIGN_OIDC_ADDRESS"], Form::Text)
        .default("`advertise`, else the address that it listens on")
        .meaning("Where browsers reach this server, such as `https://agents.example.com`: the provider sends them back there."),
    key("oidc.scopes", &["COUNTERSIGN_OIDC_SCOPES"], Form::Texts)
        .default("openid, profile, email")
        .meaning("What is asked for about a person."),
    key("oidc.claim", &["COUNTERSIGN_OIDC_CLAIM"], Form::Text)
        .default("groups")
        .meaning("The claim that grants: a word or a list, in the ID token or else at the provider's userinfo address. An `email` that is not verified grants nothing."),
    key("oidc.grants", &[], Form::Tables).default("none").meaning(
        "What a value of the claim opens: `[oidc.grants]` with `\"agents-team\" = [\"sessions\", \"review\"]`; `*` stands for anything, as in `\"*@example.com\"`. Who gets nothing is not let in.",
    ),
    key("oidc.session_age", &["COUNTERSIGN_OIDC_SESSION_AGE"], Form::Text)
        .default("12h")
        .meaning("How long somebody stays signed in; what they may do is asked again at the next sign-in."),
    key("stores.postgres_url", &["COUNTERSIGN_POSTGRES_URL"], Form::Secret)
        .default("none: SQLite in the data directory")
        .meaning("The shared record of several nodes, such as `postgres://user:password@host/name?sslmode=verify-full&sslrootcert=ca.pem`. `sslmode` means what it means to PostgreSQL's own clients: `disable`, `prefer` (the default), `require`, `verify-ca`, `verify-full`."),
    key("stores.redis_url", &["COUNTERSIGN_REDIS_URL"], Form::Secret)
        .default("none")
        .meaning("The hot tail, stop flags and limits that several nodes share, such as `redis://host:6379`; `rediss://host:6379?sslrootcert=ca.pem` speaks TLS and checks the certificate, without `sslrootcert` against those of the system."),
    key("alerts.webhook", &["COUNTERSIGN_ALERT_WEBHOOK"], Form::Secret)
        .default("none")
        .meaning("Where alerts are sent."),
    key("alerts.kind", &["COUNTERSIGN_ALERT_KIND"], Form::Text)
        .default("told from the address, else `webhook`")
        .meaning("The form of those alerts: `feishu`, `slack` or `webhook`."),
    key("alerts.targets", &[], Form::Tables)
        .default("none")
        .meaning("More places: `[[alerts.targets]]` with `kind` and `url`, which is `mailto:ops@example.com` for e-mail."),
    key("alerts.smtp", &["COUNTERSIGN_SMTP"], Form::Secret).default("none").meaning(
        "Who takes e-mails: `smtps://NAME:PASSWORD@HOST:465`, or `smtp://…:587`, which must offer STARTTLS unless it is on this machine.",
    ),
    key("alerts.mail_from", &["COUNTERSIGN_MAIL_FROM"], Form::Text)
        .default("none")
        .meaning("Who e-mails are from, such as `Countersign <countersign@example.com>`; needed with `alerts.smtp`."),
    key("alerts.link_secret", &["COUNTERSIGN_LINK_SECRET"], Form::Secret)
        .default("`links.key` in the data directory, made once")
        .meaning("What links to reviews are signed with, at least 32 characters, the same on every node; needed with several nodes."),
    key("telemetry.otlp_endpoint", &["COUNTERSIGN_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"], Form::Text)
        .default("none")
        .meaning("An OpenTelemetry collector (OTLP over HTTP, protobuf); traces go to `/v1/traces` under it."),
    key("telemetry.log_format", &["COUNTERSIGN_LOG_FORMAT"], Form::Text)
        .flag("--log-format")
        .default("`human` on a terminal, else `json`")
        .meaning("How log lines are written to standard error: `human` or `json`."),
    key("telemetry.log_level", &["COUNTERSIGN_LOG_LEVEL"], Form::Text)
        .flag("--log-level")
        .default("info")
        .meaning("`error`, `warn`, `info`, `debug`, `trace`, or a filter such as `info,countersign=debug`."),
    key("sessions.shutdown_grace", &["COUNTERSIGN_SHUTDOWN_GRACE"], Form::Text)
        .default("10s")
        .meaning("How long running turns may go on after SIGTERM."),
    key("sessions.lease", &["COUNTERSIGN_LEASE"], Form::Text)
        .default("5s")
        .meaning("How long a node may be silent until its turns are given up as lost."),
    key("sessions.heartbeat", &["COUNTERSIGN_HEARTBEAT"], Form::Text)
        .default("10s")
        .meaning("How often a quiet stream carries a comment; at most 15s."),
    key("sessions.review_expiry", &["COUNTERSIGN_REVIEW_EXPIRY"], Form::Text)
        .default("15m")
        .meaning("How long a call waits for a person; then it is denied. A policy says otherwise for a tool: `[tools.NAME] review_expires = \"10m\"`."),
    key("sessions.tool_patience", &["COUNTERSIGN_TOOL_PATIENCE"], Form::Text)
        .default("15m")
        .meaning("How long a client may take to run a tool of its own; then the call has failed."),
    key("sessions.evidence_age", &["COUNTERSIGN_EVIDENCE_AGE"], Form::Text)
        .default("10m")
        .meaning("How long what a tool that only reads has said is taken again for the same call of a plan; `0s` for never."),
    key("sessions.retention_age", &["COUNTERSIGN_RETENTION_AGE"], Form::Text)
        .default("kept until removed")
        .meaning("How long a session's events are kept, such as `30d`."),
    key("sessions.retention_size", &["COUNTERSIGN_RETENTION_SIZE"], Form::Text)
        .default("kept until removed")
        .meaning("How many bytes of events a session keeps, such as `64MiB`; the oldest go first."),
    key("limits.file_size", &["COUNTERSIGN_FILE_SIZE"], Form::Text).default("10MiB").meaning("The largest upload."),
    key("limits.body_size", &["COUNTERSIGN_BODY_SIZE"], Form::Text)
        .default("20MiB")
        .meaning("The largest JSON body."),
    key("limits.connections", &["COUNTERSIGN_CONNECTIONS"], Form::Number)
        .default("20000")
        .meaning("How many connections may be open; more are answered 503 at once."),
];
