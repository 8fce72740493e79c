//! Leases and beats: who may write a run, and whether they live.

use super::write_connection::WriteConnection;
use crate::store::{Claimed, Lease, Owner, StoreError};

/// The run becomes ours, or another's turn is open in it.
pub(super) fn claim(database: &mut WriteConnection, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
    let (connection, standings) = database.parts()?;
    let Some(known) = standings.look(connection, run)? else {
        return Ok(Claimed::Held(standings.make(connection, run, owner)?));
    };
    if known.owner.node == owner.node {
        return Ok(Claimed::Held(known.lease()));
    }
    if known.open {
        return Ok(Claimed::Taken(known.owner.clone()));
    }
    Ok(Claimed::Held(take_over(database, run, owner)?))
}

/// The run becomes ours if nobody was faster.
pub(super) fn seize(
    database: &mut WriteConnection,
    run: &str,
    seen: u32,
    owner: &Owner,
) -> Result<Option<Lease>, StoreError> {
    let (connection, standings) = database.parts()?;
    match standings.look(connection, run)? {
        Some(known) if known.epoch == seen => take_over(database, run, owner).map(Some),
        _ => Ok(None),
    }
}

/// One more beat of a node.
pub(super) fn beat(database: &mut WriteConnection, node: &str) -> Result<(), StoreError> {
    let (connection, _) = database.parts()?;
    connection.prepare_cached(BEAT)?.execute([node])?;
    Ok(())
}

fn take_over(database: &mut WriteConnection, run: &str, owner: &Owner) -> Result<Lease, StoreError> {
    let (_, standings) = database.parts()?;
    let mut lease = Lease { epoch: 0, seq: 0, open: false };
    standings.change(run, |known| {
        known.take_over(owner);
        lease = known.lease();
    });
    Ok(lease)
}

const BEAT: &str = "INSERT INTO beats (node, beat) VALUES (?1, 1) ON CONFLICT (node) DO UPDATE SET beat = beat + 1";
