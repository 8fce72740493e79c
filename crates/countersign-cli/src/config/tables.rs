//! The keys of tables that have names: what is on the reference page about them.
//!
//! Only the file can hold such tables, so they have no variables and no flags. A test holds this list against `raw`.

/// A kind of table that has a name.
#[derive(Debug)]
pub(super) struct NamedTable {
    /// What is before the name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// One that can be copied.
    pub example: &'static str,
    /// Its keys: name, default, meaning.
    pub keys: &'static [(&'static str, &'static str, &'static str)],
}

/// All kinds, in the order of the reference page.
pub(super) const TABLES: &[NamedTable] = &[
    NamedTable {
        name: "upstreams",
        about: "More upstreams of the drop-in routes. A request goes where its model belongs, or where its header `countersign-upstream` says.",
        example: "[upstreams.local]\napi = \"openai\"\nurl = \"http://127.0.0.1:8000/v1\"\nmodels = [\"llama-*\"]\n",
        keys: &[
            ("api", "needed", "`openai` or `anthropic`."),
            ("url", "needed", "The address: with `/v1` for `openai`, without for `anthropic`."),
            ("api_key_env", "none", "The variable that holds its key."),
            ("models", "none", "The models that go there; `*` stands for anything."),
            ("retries", "0", "How often a failed request is sent again."),
            ("fallback", "none", "The upstream that is asked when this one fails."),
        ],
    },
    NamedTable {
        name: "reviewers",
        about: "Who is told of what waits for a decision. The name is what the audit calls them.",
        example: "[reviewers.ann]\nwebhook = \"https://hooks.slack.com/services/T0/B0/XXXX\"\nkey = \"people\"\nquiet_hours = \"22:00-07:00\"\ntime_zone = \"Europe/Oslo\"\n\n[reviewers.lead]\nwebhook = \"https://example.com/hook\"\nbefore_expiry = \"5m\"\n",
        keys: &[
            ("webhook", "this or `email`", "An address that takes messages; never shown."),
            ("webhook_env", "none", "The variable that holds it."),
            ("kind", "told from the address, else `webhook`", "Its form: `feishu`, `slack` or `webhook`."),
            ("email", "this or `webhook`", "Addresses for e-mail; needs `alerts.smtp`."),
            ("tools", "`[\"*\"]`", "Which tools they are told of; `*` stands for anything."),
            (
                "batch",
                "10s",
                "How long is waited for more items, so that several are one message; `0s` for not at all.",
            ),
            (
                "before_expiry",
                "told at once",
                "They are told only of items that nobody has decided on when so little time is left: an escalation.",
            ),
            (
                "quiet_hours",
                "none",
                "When they are not told, such as `22:00-07:00`; what still waits at the end is told then, and how many items ended undecided.",
            ),
            ("time_zone", "`UTC`", "Where those hours hold, such as `Europe/Oslo`."),
            (
                "urgent",
                "none",
                "Tools that they are told of in quiet hours too. So they are of items in which a check found an error.",
            ),
            (
                "show",
                "`call`",
                "`call`: what was asked, the call and why it waits; `tool`: the name of the tool alone.",
            ),
            (
                "key",
                "none",
                "The key, by name or id, whose rights a link has; on a server with keys there are no links without it. It needs the scope `review`.",
            ),
            ("links", "true", "Whether messages hold links that decide; they need `public_url`."),
        ],
    },
    NamedTable {
        name: "mcp",
        about: "An MCP server. Its tools are named `NAME__tool`. Every call is judged before it runs, and every result before the model sees it.",
        example: "[mcp.fs]\ncommand = \"npx\"\nargs = [\"@modelcontextprotocol/server-filesystem\", \"/data\"]\ntools = [\"read_*\", \"list_directory\"]\nreads = [\"read_*\", \"list_directory\"]\n",
        keys: &[
            ("command", "this or `url`", "A program that speaks MCP on its standard input and output."),
            ("args", "none", "Its arguments."),
            ("env", "none", "Its variables, `{ NAME = \"value\" }`; never shown."),
            ("cwd", "where the server was started", "The folder that it is started in, relative to the file."),
            ("url", "this or `command`", "The address of a server that speaks MCP over streamable HTTP."),
            ("headers", "none", "What is sent with each request, `{ name = \"value\" }`; never shown."),
            ("header_env", "none", "The same, each value from the variable that is named."),
            (
                "oauth",
                "found by itself",
                "How you sign in with `countersign mcp login NAME`, where a server wants it: `{ client_id = \"…\", client_secret_env = \"VARIABLE\", scopes = [\"…\"], client_metadata_url = \"https://…\" }` for a client that is registered already; `grant = \"client_credentials\"` signs in without a person. Tokens are kept in the data folder, for you alone.",
            ),
            (
                "questions",
                "`refuse`",
                "What becomes of its questions to the user (elicitation): `refuse`, or `defaults`: a form is answered with the values that the server suggests, where it suggests one for all that it needs.",
            ),
            (
                "guard",
                "false",
                "Whether other clients reach it too, at `/mcp/NAME` of this server, every call and result guarded; needs `url`.",
            ),
            ("prefix", "`NAME__`", "The prefix of its tools' names; `\"\"` for nothing."),
            (
                "tools",
                "`[\"*\"]`",
                "Which of its tools are offered, by the server's own names; `*` stands for anything.",
            ),
            (
                "reads",
                "none",
                "Which of them only read, by your word: what a server says of itself never lowers a risk. A tool that reads may be asked again.",
            ),
            ("timeout", "60s", "How long a call may take."),
            ("output", "256KiB", "How much of a result is kept, 1KiB to 16MiB."),
            ("parallel", "4", "How many calls at once, 1 to 256."),
        ],
    },
    NamedTable {
        name: "openapi",
        about: "An HTTP service whose operations are tools, named `NAME__operationId`. GET and HEAD read, everything else acts.",
        example: "[openapi.pets]\ndocument = \"pets.yaml\"\nbase = \"http://127.0.0.1:9000\"\noperations = [\"get*\", \"list*\"]\nheader_env = { authorization = \"PETS_AUTHORIZATION\" }\n",
        keys: &[
            (
                "document",
                "needed",
                "Its OpenAPI document, JSON or YAML: a file beside this one, or an http or https address.",
            ),
            ("base", "the document's first server", "Where the service is."),
            ("operations", "`[\"*\"]`", "Which operations, by their ids; `*` stands for anything."),
            ("prefix", "`NAME__`", "The prefix of its tools' names; `\"\"` for nothing."),
            ("headers", "none", "What is sent with each request, `{ name = \"value\" }`; never shown."),
            ("header_env", "none", "The same, each value from the variable that is named."),
            ("reads", "none", "Which operations only read, by your word, beside GET and HEAD."),
            ("timeout", "60s", "How long a call may take."),
            ("output", "256KiB", "How much of a result is kept, 1KiB to 16MiB."),
            ("parallel", "4", "How many calls at once, 1 to 256."),
        ],
    },
    NamedTable {
        name: "agents",
        about: "Who answers in sessions. `concierge`, `react`, `rewoo` and `orchestrator` are built in and can be changed; any other name adds an agent.",
        example: "[agents.librarian]\nprotocol = \"react\"\nprompt = { en = \"prompts/librarian.en.md\", zh = \"prompts/librarian.zh.md\" }\ntools = [\"fs__*\", \"kb_search\"]\nrounds = 20\n",
        keys: &[
            (
                "protocol",
                "the built-in one's, else `react`",
                "How it works: `concierge` (answers, keeps notes and materials, searches, delegates), `react` (calls tools in a loop), `rewoo` (plans, works the plan off in parallel, solves).",
            ),
            ("prompt", "built in", "Who it is: a file for both languages, or `{ en = \"…\", zh = \"…\" }`."),
            (
                "tools",
                "`[\"*\"]`",
                "Which of the configured and built-in tools it has; `*` stands for anything. Tools of the session are always there.",
            ),
            ("model", "the session's", "Which model it asks."),
            ("rounds", "12", "How often the model is asked in one turn, 1 to 100."),
            ("parallel", "8", "How many tools run at once, 1 to 64."),
            ("time", "10m", "How long its turn may take; waits for people and for clients' tools do not count."),
            ("delegate", "`orchestrator`, for a concierge", "Whom it hands tasks to."),
        ],
    },
];
