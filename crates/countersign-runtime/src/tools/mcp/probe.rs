//! What a server answers to `server/discover`, read so that a server of the older era is told by it.
//!
//! Such a server may refuse the question, answer it with an empty result or with anything else, answer it late, or not
//! at all. Whatever it is but a version that we speak, the connection goes on with `initialize`: this puts the refusal
//! that says so in the place of the answer, and drops an answer that comes after that.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use std::borrow::Cow;

/// A transport whose answers to `server/discover` can be relied on.
pub(super) struct Probed<T> {
    inner: T,
    asked: Vec<RequestId>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// Nothing was asked yet, or the answer has come.
    Settled,
    /// `server/discover` was asked.
    Asked,
    /// `initialize` was asked after that: what is said about the first question comes too late.
    GivenUp,
}

impl<T> Probed<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, asked: Vec::new(), stage: Stage::Settled }
    }

    fn note(&mut self, message: &ClientJsonRpcMessage) {
        let JsonRpcMessage::Request(request) = message else { return };
        match &request.request {
            ClientRequest::DiscoverRequest(_) => {
                self.asked.push(request.id.clone());
                self.stage = Stage::Asked;
            }
            ClientRequest::InitializeRequest(_) => self.stage = Stage::GivenUp,
            _ => {}
        }
    }

    /// A message as the client shall see it; `None` where it is no answer to anything that is still asked.
    fn read(&mut self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        if self.asked.is_empty() {
            return Some(message);
        }
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => return Some(message),
        };
        let ours = id.and_then(|id| self.asked.iter().find(|asked| is_same(asked, id)).cloned());
        match (self.stage, ours) {
            (Stage::GivenUp, Some(_)) => None,
            (Stage::Asked, Some(id)) => {
                self.stage = Stage::Settled;
                Some(if speaks_with_us(&message) { message } else { refusal(id) })
            }
            // An error without an id can only be about the one request that was sent.
            (Stage::Asked, None) if id.is_none() => Some(message),
            // An answer to a request that nobody sent.
            (Stage::Asked, None) => None,
            _ => Some(message),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Probed<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.note(&item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            if let Some(message) = self.read(message) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}

/// Whether an answer to `server/discover` leads on in the newer era: it names a version that we speak, or it refuses in
/// a way that only a server of that era knows.
fn speaks_with_us(answer: &ServerJsonRpcMessage) -> bool {
    match answer {
        JsonRpcMessage::Response(response) => match &response.result {
            ServerResult::DiscoverResult(result) => result.supported_versions.contains(&ProtocolVersion::LATEST),
            _ => false,
        },
        JsonRpcMessage::Error(error) if error.error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
            let supported = error.error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
            let latest = ProtocolVersion::LATEST.to_string();
            supported.is_some_and(|list| list.iter().any(|version| version.as_str() == Some(latest.as_str())))
        }
        _ => true,
    }
}

/// The answer of a server that does not know the question.
pub(super) fn refusal(id: RequestId) -> ServerJsonRpcMessage {
    let why = "server/discover was not answered with a version that is spoken here";
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None), Some(id))
}

/// Whether two ids are one; some servers write a number as text.
fn is_same(asked: &RequestId, answered: &RequestId) -> bool {
    asked == answered || asked.to_string() == answered.to_string()
}
