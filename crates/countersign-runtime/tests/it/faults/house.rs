//! Turns over a log in memory, with a model that says what a test wants.

use crate::streams::bench::options;
use bytes::Bytes;
use countersign::contract::Status;
use countersign::policy::Policy;
use countersign_runtime::models::{AnswerStream, Ask, Model, ModelError};
use countersign_runtime::review::Reviews;
use countersign_runtime::sessions::{NewSession, Session, SessionClaims, Sessions};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::EventLog;
use countersign_runtime::store::memory::{MemoryFlags, MemoryLog, MemoryRecords};
use countersign_runtime::stream::{Hub, PlantedBug};
use countersign_runtime::turn::{Ending, Rules, TurnOptions, TurnParts, TurnServices, TurnWatcher, Turns};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Everything that a turn needs.
pub(super) struct House {
    pub hub: Arc<Hub>,
    pub sessions: Sessions,
    pub turns: Arc<Turns>,
    pub script: Arc<Script>,
}

/// What the model says: these bytes, and then an end.
#[derive(Default)]
pub(super) struct Script {
    said: Mutex<(Vec<u8>, End)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum End {
    /// The stream is over.
    #[default]
    Over,
    /// The connection breaks.
    Broken,
    /// Nothing more comes.
    Silence,
}

impl Script {
    pub(super) fn set(&self, bytes: &[u8], end: End) {
        *self.said.lock().unwrap() = (bytes.to_vec(), end);
    }
}

#[async_trait::async_trait]
impl Model for Script {
    async fn ask(&self, _: Ask) -> Result<AnswerStream, ModelError> {
        let (bytes, end) = self.said.lock().unwrap().clone();
        // Pieces of an odd size, so that characters and lines are torn.
        let pieces: Vec<_> = bytes.chunks(61).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let pieces = stream::iter(pieces);
        Ok(match end {
            End::Over => Box::pin(pieces),
            End::Broken => {
                let broken = async { Err(ModelError::Cut("the test has cut it".to_owned())) };
                Box::pin(pieces.chain(stream::once(broken)))
            }
            End::Silence => Box::pin(pieces.chain(stream::pending())),
        })
    }
}

struct Nobody;

impl TurnWatcher for Nobody {
    fn turn_ended(&self, _: &str, _: &Ending) {}

    fn call_judged(&self, _: Status) {}
}

impl House {
    pub(super) fn new(bug: Option<PlantedBug>) -> Self {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::default());
        let hub = super::hub(&log, options("house"), bug);
        let sessions = Sessions::new(Arc::new(MemoryRecords::default()), Arc::clone(&hub));
        let policy = Policy::standard();
        let script = Arc::new(Script::default());
        let parts = TurnParts {
            sessions: sessions.clone(),
            claims: Arc::new(SessionClaims::new(sessions.clone())),
            model: Arc::clone(&script) as Arc<dyn Model>,
            rules: Arc::new(move || Arc::new(Rules { policy: Arc::clone(&policy), asker: None })),
            reviews: Reviews::new(Arc::new(MemoryRecords::default()), None, Duration::from_secs(60)),
            stop: StopSwitch::new(Arc::new(MemoryFlags::default()), Vec::new(), None),
            watcher: Arc::new(Nobody),
            options: TurnOptions { tool_patience: Duration::from_millis(20), ..TurnOptions::default() },
            services: TurnServices::default(),
        };
        Self { hub, sessions, turns: Turns::with_bug(parts, bug), script }
    }

    pub(super) async fn session(&self, tools: Vec<Value>) -> Session {
        let new = NewSession {
            agent: "concierge".to_owned(),
            user: None,
            caller: String::new(),
            model: None,
            tools,
            context: json!({}),
        };
        self.sessions.create(new).await.unwrap()
    }
}
