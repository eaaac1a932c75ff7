//! The whole evidence of a turn: what was written when it ended, and what the ledger says besides.

use super::Store;
use super::decode::{decoded, digest};
use super::error::StoreError;
use super::record::{EvidenceRecord, TurnRecord};
use crate::domain::{Digest, EffectId, EffectState, TurnId};

/// The most file writes that are listed; more are counted.
pub const FILE_WRITES: u32 = 1_000;

/// The evidence of a turn that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEvidence {
    /// The turn.
    pub turn: TurnRecord,
    /// What was written when it ended.
    pub terminal: EvidenceRecord,
    /// Hash of the event before its first: where its part of the chain begins.
    pub prev_hash: Digest,
    /// The commit that holds its terminal event.
    pub commit_id: i64,
    /// Hash of that commit.
    pub commit_hash: Digest,
    /// How many of its effects are in each state now.
    pub effects: Vec<(EffectState, i64)>,
    /// How its approvals were decided.
    pub approvals: Vec<ApprovalCount>,
    /// The files it wrote or tried to, in order; at most [`FILE_WRITES`].
    pub file_writes: Vec<FileWrite>,
    /// How many more there were.
    pub file_writes_omitted: i64,
}

/// Approvals that were settled alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalCount {
    /// `pending`, `approved`, `refused`.
    pub status: String,
    /// The decision; `None` when nobody decided.
    pub decision: Option<String>,
    /// Who or what settled it: `host`, `expiry`, `no_approver` …
    pub via: Option<String>,
    /// How many.
    pub count: i64,
}

/// A file that was written, or was to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWrite {
    /// The effect.
    pub effect: EffectId,
    /// Its path relative to the workspace.
    pub path: String,
    /// What is known of it.
    pub state: EffectState,
    /// Content before; `None` when there was no file.
    pub before: Option<Digest>,
    /// Content after.
    pub after: Option<Digest>,
}

impl Store {
    /// A turn, wherever it is.
    ///
    /// # Errors
    /// [`StoreError::UnknownTurnId`], or the database.
    pub async fn turn_anywhere(&self, turn: &TurnId) -> Result<TurnRecord, StoreError> {
        let id = turn.as_str();
        let thread = sqlx::query_file_scalar!("queries/thread_of_turn.sql", id)
            .fetch_optional(&self.inner.pool)
            .await?
            .ok_or_else(|| StoreError::UnknownTurnId(turn.clone()))?;
        self.turn(&decoded(&thread)?, turn).await
    }

    /// The evidence of a turn that ended. It is read as of one moment; effects may be reconciled
    /// later, the rest does not change.
    ///
    /// # Errors
    /// [`StoreError::TurnNotEnded`], or the database.
    pub async fn evidence(&self, turn: TurnRecord) -> Result<TurnEvidence, StoreError> {
        let id = turn.id.as_str();
        let Some(terminal) = turn.evidence.clone() else {
            return Err(StoreError::TurnNotEnded(turn.id));
        };
        let mut snapshot = self.inner.pool.begin().await?;
        let chain = sqlx::query_file!("queries/turn_chain.sql", id)
            .fetch_one(&mut *snapshot)
            .await?;
        let effects = sqlx::query_file!("queries/turn_effects_by_state.sql", id)
            .fetch_all(&mut *snapshot)
            .await?;
        let approvals =
            sqlx::query_file_as!(ApprovalCount, "queries/turn_approvals_by_decision.sql", id)
                .fetch_all(&mut *snapshot)
                .await?;
        let written = sqlx::query_file_scalar!("queries/turn_file_write_count.sql", id)
            .fetch_one(&mut *snapshot)
            .await?;
        let writes = sqlx::query_file!("queries/turn_file_writes.sql", id, FILE_WRITES)
            .fetch_all(&mut *snapshot)
            .await?;
        let file_writes = writes
            .into_iter()
            .map(|row| {
                Ok(FileWrite {
                    effect: decoded(&row.effect_id)?,
                    path: row.target,
                    state: decoded(&row.state)?,
                    before: row.before_digest.as_deref().map(digest).transpose()?,
                    after: row.after_digest.as_deref().map(digest).transpose()?,
                })
            })
            .collect::<Result<Vec<_>, sqlx::Error>>()?;
        let effects = effects
            .into_iter()
            .map(|row| Ok((decoded(&row.state)?, row.count)))
            .collect::<Result<_, sqlx::Error>>()?;
        Ok(TurnEvidence {
            prev_hash: digest(&chain.prev_hash)?,
            commit_id: chain.commit_id,
            commit_hash: digest(&chain.commit_hash)?,
            terminal,
            effects,
            approvals,
            file_writes_omitted: written - i64::try_from(file_writes.len()).unwrap_or(written),
            file_writes,
            turn,
        })
    }
}
