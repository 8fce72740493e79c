//! Where a reader begins: its mode, its cursor, and what the log says to them.

use super::draft::timestamp;
use super::frame::Reset;
use super::hub::Hub;
use super::planted::PlantedBug;
use super::run::Run;
use crate::store::{Head, StoreError};
use countersign::contract::EventId;

/// What a reader wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Only what comes from now on.
    None,
    /// Only what is there.
    Replay,
    /// What is there, and then what comes.
    #[default]
    Hybrid,
}

impl Mode {
    /// The mode with this word.
    pub fn from_name(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "replay" => Some(Self::Replay),
            "hybrid" => Some(Self::Hybrid),
            _ => None,
        }
    }
}

/// What a reader asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A mode, from after an event or from the beginning.
    From {
        /// What it wants to see.
        mode: Mode,
        /// The last event that it has.
        after: Option<EventId>,
    },
    /// Whatever is written from a place on, turn after turn, until the run is removed or the hub closes.
    Following {
        /// Where it begins.
        from: FollowFrom,
    },
    /// The turn that it has just begun, live from its first event, which follows this number.
    OwnTurn {
        /// The newest event before the turn.
        after: u64,
    },
}

/// Where a reader that follows begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowFrom {
    /// With what comes from now on.
    Now,
    /// With what it missed: after an event, or from the beginning.
    After(Option<EventId>),
}

/// A cursor that cannot be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadCursor {
    /// What follows it is not kept any more.
    Trimmed {
        /// The oldest event that is.
        oldest: Option<EventId>,
    },
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for BadCursor {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// How a reader goes on: from where, until where, and with which words before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The number after which it reads.
    pub after: u64,
    /// What is up to here is replayed, what is later is live.
    pub replayed: u64,
    /// How far it reads.
    pub until: Until,
    /// What it is told first.
    pub reset: Option<(Reset, String)>,
}

/// How far a reader reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// To the end of what is replayed.
    Replayed,
    /// To the end of the running turn.
    TurnEnds,
    /// Until nothing can come any more.
    Closed,
}

/// Plans a reading. The caller has subscribed to the head before.
pub(super) async fn plan(hub: &Hub, run: &Run, head: Head, start: Start) -> Result<Plan, BadCursor> {
    let running = if head.open { Until::TurnEnds } else { Until::Replayed };
    let (place, until) = match start {
        Start::OwnTurn { after } => return Ok(Plan { after, replayed: after, until: Until::TurnEnds, reset: None }),
        Start::From { mode: Mode::None, .. } => (FollowFrom::Now, running),
        Start::From { mode: Mode::Replay, after } => (FollowFrom::After(after), Until::Replayed),
        Start::From { mode: Mode::Hybrid, after } => (FollowFrom::After(after), running),
        Start::Following { from } => (from, Until::Closed),
    };
    let found = match place {
        FollowFrom::Now => Ok(head.seq),
        FollowFrom::After(None) => Ok(head.oldest - 1),
        FollowFrom::After(Some(cursor)) => check(hub, run, head, cursor).await?,
    };
    match found {
        Ok(after) => Ok(Plan { after, replayed: head.seq, until, reset: None }),
        Err(reason) => {
            let reset = describe(hub, run, head, reason).await?;
            Ok(Plan { after: head.oldest - 1, replayed: head.seq, until, reset: Some(reset) })
        }
    }
}

/// The number after which a cursor goes on, or why it means nothing here.
async fn check(hub: &Hub, run: &Run, head: Head, cursor: EventId) -> Result<Result<u64, &'static str>, BadCursor> {
    if cursor.seq > head.seq {
        return Ok(Err("past_head"));
    }
    if cursor.epoch > head.epoch {
        return Ok(Err("unknown_epoch"));
    }
    if cursor.seq + 1 < head.oldest {
        return Err(BadCursor::Trimmed { oldest: first(hub, run, head).await? });
    }
    // The beginning of a log, and the last event before what is kept, cannot be looked at.
    if cursor.seq + 1 == head.oldest {
        return Ok(Ok(cursor.seq));
    }
    let found = hub.read(run, cursor.seq - 1, 1).await?;
    let same = found.first().is_some_and(|entry| entry.id == cursor);
    let again = u64::from(hub.plant.is(PlantedBug::CursorIncluded));
    Ok(if same { Ok(cursor.seq - again) } else { Err("unknown_epoch") })
}

/// A reset with the oldest and the newest event.
pub(super) async fn describe(
    hub: &Hub,
    run: &Run,
    head: Head,
    reason: &'static str,
) -> Result<(Reset, String), StoreError> {
    let oldest = first(hub, run, head).await?;
    let last = match head.seq {
        0 => None,
        seq => hub.read(run, seq - 1, 1).await?.first().map(|entry| entry.id),
    };
    Ok((Reset { reason, oldest, newest: last }, timestamp(super::draft::now_millis())))
}

async fn first(hub: &Hub, run: &Run, head: Head) -> Result<Option<EventId>, StoreError> {
    Ok(hub.read(run, head.oldest - 1, 1).await?.first().map(|entry| entry.id))
}
