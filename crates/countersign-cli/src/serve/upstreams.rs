//! The models behind the drop-in routes, and which of them a request goes to.

use crate::config::{Config, Http2, UpstreamApi};
use crate::failure::Failure;
use countersign_runtime::gateway::client::{Client, Version};
use countersign_runtime::gateway::transport::Transport;
use countersign_runtime::gateway::upstream::{Api, Timeouts, Upstream};
use countersign_runtime::gateway::wire::Fault;
use countersign_runtime::http;
use countersign_runtime::models::DemoModel;
use reqwest::Url;
use std::sync::Arc;
use std::time::Duration;

/// All upstreams.
pub(crate) struct Upstreams {
    list: Vec<Arc<Upstream>>,
}

impl Upstreams {
    /// The upstreams of a configuration; without any, the demo model.
    pub(crate) fn open(config: &Config) -> Result<Self, Failure> {
        let transports = Transports::open(config)?;
        let timeouts = Timeouts { first_byte: config.upstream.timeout, silence: config.upstream.silence };
        let mut list = Vec::new();
        let new = |name: &str, api: Api, url: &str| -> Result<Upstream, Failure> {
            let base = Url::parse(url).map_err(|error| Failure::unusable(format!("upstream `{name}`: {error}")))?;
            let transport = transports
                .to(&base)
                .ok_or_else(|| Failure::unusable(format!("upstream `{name}`: no host in {url}")))?;
            Ok(Upstream::web(name, api, transport, base, timeouts))
        };
        for named in &config.upstream.named {
            let mut upstream = new(&named.name, api(named.api), &named.url)?;
            upstream.key = named.key.as_ref().map(|key| key.expose().to_owned());
            upstream.models.clone_from(&named.models);
            upstream.fallback.clone_from(&named.fallback);
            upstream.retries = named.retries;
            list.push(upstream);
        }
        let own = &config.upstream;
        let usual = [
            ("openai", Api::OpenAi, &own.openai, &own.openai_api_key),
            ("anthropic", Api::Anthropic, &own.anthropic, &own.anthropic_api_key),
        ];
        for (name, api, url, key) in usual {
            if let Some(url) = url {
                let mut upstream = new(name, api, url)?;
                upstream.key = key.as_ref().map(|key| key.expose().to_owned());
                upstream.retries = own.retries;
                list.push(upstream);
            }
        }
        if list.is_empty() {
            let demo = |api| Upstream::demo(api, DemoModel::new(config.gateway.demo_seed));
            list.extend([demo(Api::OpenAi), demo(Api::Anthropic)]);
        }
        Ok(Self { list: list.into_iter().map(Arc::new).collect() })
    }

    /// Who is asked, and who then: by name, by model, or the usual one.
    pub(crate) fn choose(
        &self,
        api: Api,
        name: Option<&str>,
        model: Option<&str>,
    ) -> Result<Vec<Arc<Upstream>>, Fault> {
        let mut fitting = self.list.iter().filter(|upstream| upstream.api == api);
        let found = match name {
            Some(name) => {
                let found = fitting.find(|upstream| upstream.name == name);
                found.ok_or_else(|| unknown(name))?
            }
            None => {
                let belongs = |upstream: &&Arc<Upstream>| model.is_some_and(|model| takes(upstream, model));
                let usual = |upstream: &&Arc<Upstream>| upstream.models.is_empty();
                let found = fitting.clone().find(belongs).or_else(|| fitting.clone().rev().find(usual));
                found.ok_or_else(|| nobody(api))?
            }
        };
        Ok(self.with_fallbacks(found))
    }

    fn with_fallbacks(&self, first: &Arc<Upstream>) -> Vec<Arc<Upstream>> {
        let mut chain = vec![Arc::clone(first)];
        while let Some(name) = chain.last().and_then(|last| last.fallback.clone()) {
            let known = chain.iter().any(|upstream| upstream.name == name);
            let next = self.list.iter().find(|upstream| upstream.name == name && upstream.api == first.api);
            match next.filter(|_| !known) {
                Some(next) => chain.push(Arc::clone(next)),
                None => break,
            }
        }
        chain
    }
}

fn api(api: UpstreamApi) -> Api {
    match api {
        UpstreamApi::OpenAi => Api::OpenAi,
        UpstreamApi::Anthropic => Api::Anthropic,
    }
}

fn takes(upstream: &Upstream, model: &str) -> bool {
    upstream.models.iter().any(|pattern| matches(pattern, model))
}

/// Whether a model fits a pattern in which `*` stands for anything.
fn matches(pattern: &str, model: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = model.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

fn unknown(name: &str) -> Fault {
    Fault::new(400, "unknown_upstream", format!("there is no upstream `{name}` for this route"))
}

fn nobody(api: Api) -> Fault {
    let (what, flag) = match api {
        Api::OpenAi => ("OpenAI-compatible", "--upstream-openai URL"),
        Api::Anthropic => ("Anthropic-compatible", "--upstream-anthropic URL"),
    };
    Fault::new(
        404,
        "no_upstream",
        format!("no {what} upstream is configured for this route: start the server with {flag}"),
    )
}

/// What connections are made with.
struct Transports {
    connector: http::Connector,
    version: Version,
    /// For addresses that the environment names a proxy for.
    proxied: reqwest::Client,
}

impl Transports {
    fn open(config: &Config) -> Result<Self, Failure> {
        let only = config.upstream.http2 == Http2::Only;
        let (version, protocols) = if only { (Version::Http2, &HTTP2[..]) } else { (Version::Chosen, &EITHER[..]) };
        let unmade = |error: &dyn std::fmt::Display| Failure::Internal(format!("cannot make an HTTP client: {error}"));
        let connector = http::connector(protocols).map_err(|error| unmade(&error))?;
        let mut proxied = http::client()
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(MOST_IDLE)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if only {
            proxied = proxied.http2_prior_knowledge();
        }
        Ok(Self { connector, version, proxied: proxied.build().map_err(|error| unmade(&error))? })
    }

    /// The way to an address.
    fn to(&self, base: &Url) -> Option<Transport> {
        let origin = base.origin().ascii_serialization().parse().ok()?;
        if Transport::has_proxy(&origin) {
            return Some(Transport::Proxied(self.proxied.clone()));
        }
        let client = Client::new(self.connector.clone(), origin, self.version)?;
        Some(Transport::Direct(Box::new(client)))
    }
}

const HTTP2: [&str; 1] = ["h2"];
const EITHER: [&str; 2] = ["h2", "http/1.1"];
const CONNECT: Duration = Duration::from_secs(10);
/// Shorter than servers keep idle connections, so that we do not send into one that is being closed.
const IDLE: Duration = Duration::from_secs(25);
const MOST_IDLE: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_models() {
        for (pattern, model, fits) in [
            ("gpt-*", "gpt-4o", true),
            ("gpt-*", "my-gpt-4o", false),
            ("*", "anything", true),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("*-mini", "gpt-4o-mini", true),
            ("a*b*c", "a-x-b-y-c", true),
            ("a*b*c", "a-x-c", false),
        ] {
            assert_eq!(matches(pattern, model), fits, "{pattern} {model}");
        }
    }
}
