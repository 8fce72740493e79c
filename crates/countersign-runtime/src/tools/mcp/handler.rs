//! What a server may ask of us: hardly anything.
//!
//! It may say that its tools have changed. It is told that there are no roots; it may not ask our model or our user.

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{NotificationContext, RoleClient};
use std::sync::Arc;
use tokio::sync::Notify;

/// Answers a server.
pub(super) struct Handler {
    /// Woken when the server says that its tools have changed.
    pub(super) changed: Arc<Notify>,
}

impl rmcp::ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        let info = ClientConfig::new(ClientCapabilities::default(), us);
        info.with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}
