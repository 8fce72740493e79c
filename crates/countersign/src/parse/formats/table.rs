//! The formats by name, for those who know which model they talk to.

/// A call format.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Other names: the models that write it, and what inference servers call it.
    pub aliases: &'static [&'static str],
    /// The ways of writing calls that it uses.
    pub(super) ways: &'static [Way],
}

/// A way of writing calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Special tokens around name and JSON arguments.
    Token,
    /// Wrapper tags around JSON or tags.
    Tag,
    /// JSON without any marker.
    Bare,
    /// A list of Python calls without any marker.
    Python,
    /// Message headers with a recipient.
    Header,
    /// A tool's own name as the tag.
    ToolTag,
    /// A tool's name at the beginning of a line.
    Line,
}

impl Format {
    /// The format of that name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        FORMATS.iter().find(|format| format.name == name || format.aliases.contains(&name.as_str()))
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|format| format.name)
    }

    /// Whether it writes calls that way.
    pub(super) fn uses(&self, way: Way) -> bool {
        self.ways.contains(&way)
    }
}

const fn format(name: &'static str, aliases: &'static [&'static str], ways: &'static [Way]) -> Format {
    Format { name, aliases, ways }
}

use Way::{Bare, Header, Line, Python, Tag, Token, ToolTag};

const FORMATS: &[Format] = &[
    format("hermes", &["qwen", "qwen25", "qwen2.5", "qwen3", "reka", "nemotron"], &[Tag, Bare]),
    format("qwen-coder", &["qwen3-coder", "qwen3_coder", "qwen_coder", "qwen-xml", "stepfun", "step3.5"], &[Tag]),
    format("llama3", &["llama", "llama3_json", "llama-3", "llama32"], &[Token, Bare]),
    format("pythonic", &["llama4", "llama4_pythonic", "llama-pythonic"], &[Token, Python]),
    format("mistral", &["ministral", "devstral", "magistral"], &[Token, Line]),
    format("deepseek-v3", &["deepseek", "deepseek_v3", "deepseek-r1"], &[Token]),
    format("deepseek-v3.1", &["deepseek_v31", "deepseek31"], &[Token]),
    format("deepseek-v3.2", &["deepseek_v32", "deepseek-v4", "dsml"], &[Tag]),
    format("kimi-k2", &["kimi", "kimi_k2"], &[Token]),
    format("kimi-k3", &["kimi_k3"], &[Tag]),
    format("glm", &["glm45", "glm-4.5", "glm47", "glm-4.7", "glm4", "glm4_moe", "poolside", "longcat"], &[Tag]),
    format("harmony", &["gpt-oss", "gpt_oss", "openai-gpt-oss"], &[Header, Token]),
    format("minimax", &["minimax-m2", "minimax_m2", "minimax-m3", "minimax_m3"], &[Tag]),
    format("gemma", &["gemma4", "functiongemma"], &[Token]),
    format("cohere", &["command", "command-r", "command-r7b"], &[Token, Bare]),
    format("granite", &["granite4", "granite-20b"], &[Tag, Token, Bare]),
    format("phi4", &["phi-4", "phi4_mini", "functools", "firefunction"], &[Token]),
    format("internlm", &["internlm2"], &[Token]),
    format("hunyuan", &["hy", "hunyuan-a13b"], &[Tag]),
    format("seed-oss", &["seed", "seed_oss"], &[Tag]),
    format("step", &["step3"], &[Token, Tag]),
    format("lfm", &["lfm2", "lfm2.5"], &[Token]),
    format("gigachat", &["gigachat3"], &[Token]),
    format("apertus", &["solar", "inkling"], &[Token]),
    format("functionary", &["minicpm"], &[Tag, Line]),
    format("claude-xml", &["antml", "function_calls", "dots", "olmo"], &[Tag]),
    format("cline", &["roo", "cline-xml"], &[ToolTag]),
    format("bare-json", &["json-calls"], &[Bare]),
];
