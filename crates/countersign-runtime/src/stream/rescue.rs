//! Turns that can go on without the process that wrote them.

use crate::store::StoreError;
use async_trait::async_trait;
use std::sync::Arc;

/// Takes up turns whose writer has died.
#[async_trait]
pub trait Rescuer: Send + Sync {
    /// Whether the open turn of a run can go on: it waits for somebody, and all that it needs is in the log.
    async fn can_go_on(&self, run: &Arc<str>) -> Result<bool, StoreError>;

    /// Goes on with it. The run is ours, under this epoch; whatever happens, the turn must be ended.
    async fn go_on(self: Arc<Self>, run: Arc<str>, epoch: u32);
}
