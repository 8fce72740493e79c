//! The guards in front of MCP servers, opened from the configuration.

use super::policy_reload::PolicyReload;
use crate::config::{Config, DataDir};
use crate::failure::Failure;
use countersign_runtime::gateway::exchange::Gateway;
use countersign_runtime::mcp_guard::{HttpGuard, McpGuardSettings, McpUpstream, PinFile, Verdicts};
use countersign_runtime::redact::redact;
use countersign_runtime::tools::McpTransport;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The guards, by the names of their servers.
pub(crate) type McpGuards = BTreeMap<String, HttpGuard>;

/// Makes a guard for each server that is to have one. Nothing is sent yet.
pub(super) fn open(config: &Config, policy: &Arc<PolicyReload>, gateway: &Gateway) -> Result<McpGuards, Failure> {
    let wanted = config.mcp.iter().filter(|server| config.guarded_mcp.contains(&server.name));
    wanted
        .map(|server| {
            let McpTransport::Http { url, headers } = &server.transport else {
                return Err(Failure::unusable(format!("mcp.{}: it has no `url`", server.name)));
            };
            let policy = Arc::clone(policy);
            let mut settings = McpGuardSettings::new(Arc::new(move || Arc::clone(&policy.current().rules)));
            if let DataDir::Folder(folder) = &config.data_dir {
                settings.pins = Some(PinFile::of(&folder.join("mcp-pins"), &server.name, &redact(url)));
            }
            settings.verdicts = Verdicts::Kept(server.name.clone());
            let upstream = McpUpstream::new(url, headers)
                .map_err(|why| Failure::unusable(format!("mcp.{}: {why}", server.name)))?;
            let guard = HttpGuard::new(upstream, settings).with_people(gateway.people.clone());
            Ok((server.name.clone(), guard.with_ledger(gateway.ledger.clone())))
        })
        .collect()
}
