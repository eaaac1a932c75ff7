//! What the writer reads while it holds the write lock.

use sqlx::SqliteConnection;

use super::command::{Command, Expect, Fence};
use super::decode::{decoded, digest};
use super::group::{Claimed, Facts, LedgerHead, ThreadState};
use super::record::Claim;
use crate::domain::{ThreadId, ThreadStatus};

/// Where the ledger ends.
pub(super) async fn ledger_head(
    connection: &mut SqliteConnection,
) -> Result<LedgerHead, sqlx::Error> {
    let row = sqlx::query_file!("queries/ledger_head.sql")
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(LedgerHead::EMPTY);
    };
    Ok(LedgerHead {
        commit_id: row.commit_id,
        event_id: row.last_event_id,
        hash: digest(&row.hash)?,
    })
}

/// What is true of a thread; `None` when it does not exist.
pub(super) async fn thread_state(
    connection: &mut SqliteConnection,
    thread: &ThreadId,
) -> Result<Option<ThreadState>, sqlx::Error> {
    let id = thread.as_str();
    let row = sqlx::query_file!("queries/thread_state.sql", id)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let active = match (row.turn_id, row.owner_id, row.epoch) {
        (Some(turn), Some(owner), Some(epoch)) => Some(Fence {
            turn: decoded(&turn)?,
            owner: decoded(&owner)?,
            epoch,
        }),
        _ => None,
    };
    Ok(Some(ThreadState {
        archived: decoded::<ThreadStatus>(&row.status)? == ThreadStatus::Archived,
        active,
        seq: row.event_seq,
        head: digest(&row.hash)?,
    }))
}

/// What a request with this method and key led to.
pub(super) async fn claimed(
    connection: &mut SqliteConnection,
    claim: &Claim,
) -> Result<Option<Claimed>, sqlx::Error> {
    let (method, key) = (&claim.method, claim.key.as_str());
    let row = sqlx::query_file!("queries/claim.sql", method, key)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Claimed {
        digest: digest(&row.request_digest)?,
        thread: decoded(&row.thread_id)?,
        turn: row.turn_id.as_deref().map(decoded).transpose()?,
    }))
}

/// What else a command must be judged by.
pub(super) async fn facts(
    connection: &mut SqliteConnection,
    command: &Command,
) -> Result<Facts, sqlx::Error> {
    let mut facts = Facts::default();
    if let Some(claim) = &command.claim {
        facts.claimed = claimed(connection, claim).await?;
    }
    if let Expect::IdleFor(fence, _) = &command.expect {
        let turn = fence.turn.as_str();
        let row = sqlx::query_file!("queries/turn_exists.sql", turn)
            .fetch_one(connection)
            .await?;
        facts.turn_taken = row.count > 0;
    }
    Ok(facts)
}
