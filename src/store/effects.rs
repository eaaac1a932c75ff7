//! Changes outside the ledger: what is recorded of them, and what somebody found out.

use super::body::EffectReconciled;
use super::command::{Command, Expect, Verdict};
use super::decode::{decoded, digest};
use super::error::StoreError;
use super::event::{EventType, NewEvent};
use super::read::converted;
use super::record::{Claim, Durability, Outcome};
use super::{Store, mark, migrate};
use crate::domain::{
    Digest, EffectId, EffectState, FoundOutcome, ItemId, ThreadId, Timestamp, ToolUseId, TurnId,
};

/// The schema version that brought reconciliation.
pub(super) const SINCE: i64 = 3;

/// A change outside the ledger as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectRecord {
    /// Its name.
    pub id: EffectId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its turn.
    pub turn: TurnId,
    /// Its tool item.
    pub item: ItemId,
    /// Its tool call.
    pub tool_use: ToolUseId,
    /// `file.write`, `process.exec` …
    pub kind: String,
    /// The path relative to the workspace, or the command line.
    pub target: String,
    /// What is known of it.
    pub state: EffectState,
    /// Content before, for files.
    pub before: Option<Digest>,
    /// Content after, for files.
    pub after: Option<Digest>,
    /// Exit code of a process that ended by itself.
    pub exit_code: Option<i64>,
    /// When it was committed that it would be tried.
    pub created_at: Timestamp,
    /// When its outcome was recorded.
    pub settled_at: Option<Timestamp>,
    /// What was found out of an unknown outcome.
    pub reconciled: Option<Reconciled>,
}

/// What somebody found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciled {
    /// What became of it.
    pub outcome: FoundOutcome,
    /// When that was recorded.
    pub at: Timestamp,
    /// Who found out; `None` once erased.
    pub actor: Option<String>,
    /// How; `None` once erased.
    pub note: Option<String>,
}

/// Which effects to list.
#[derive(Debug, Clone, Default)]
pub struct EffectFilter {
    /// Of this thread.
    pub thread: Option<ThreadId>,
    /// Of this turn.
    pub turn: Option<TurnId>,
    /// In this state.
    pub state: Option<EffectState>,
    /// At most so many.
    pub limit: u32,
}

/// What somebody says became of an effect.
#[derive(Debug, Clone)]
pub struct Reconcile {
    /// The effect.
    pub effect: EffectId,
    /// What became of it.
    pub outcome: FoundOutcome,
    /// Who found out.
    pub actor: String,
    /// How.
    pub note: String,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

impl Store {
    /// Effects, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Older`], or the database.
    pub async fn effects(&self, filter: &EffectFilter) -> Result<Vec<EffectRecord>, StoreError> {
        let mut connection = self.inner.pool.acquire().await?;
        migrate::needs(&mut connection, SINCE).await?;
        let thread = filter.thread.as_ref().map(ThreadId::as_str);
        let turn = filter.turn.as_ref().map(TurnId::as_str);
        let state = filter.state.map(EffectState::as_str);
        let rows = sqlx::query_file_as!(
            EffectRow,
            "queries/list_effects.sql",
            thread,
            turn,
            state,
            filter.limit
        )
        .fetch_all(&mut *connection)
        .await?;
        converted(rows)
    }

    /// One effect.
    ///
    /// # Errors
    /// [`StoreError::UnknownEffect`], or the database.
    pub async fn effect(&self, effect: &EffectId) -> Result<EffectRecord, StoreError> {
        let id = effect.as_str();
        let row = sqlx::query_file_as!(EffectRow, "queries/effect.sql", id)
            .fetch_optional(&self.inner.pool)
            .await?;
        let row = row.ok_or_else(|| StoreError::UnknownEffect(effect.clone()))?;
        Ok(row.try_into()?)
    }

    /// The effects of a thread itself of which somebody found out what became of them.
    ///
    /// # Errors
    /// The database.
    pub async fn reconciled_effects(
        &self,
        thread: &ThreadId,
    ) -> Result<Vec<EffectRecord>, StoreError> {
        let id = thread.as_str();
        converted(
            sqlx::query_file_as!(EffectRow, "queries/list_reconciled_effects.sql", id)
                .fetch_all(&self.inner.pool)
                .await?,
        )
    }

    /// Records what became of an effect of unknown outcome. That is said once; the evidence of the
    /// turn stays as it was written.
    ///
    /// # Errors
    /// [`StoreError::UnknownEffect`], [`StoreError::EffectNotUnknown`], [`StoreError::KeyReused`],
    /// or the database.
    pub async fn reconcile(&self, found: Reconcile) -> Result<Outcome<EffectRecord>, StoreError> {
        let effect = self.effect(&found.effect).await?;
        let body = EffectReconciled {
            effect_id: found.effect.clone(),
            turn_id: effect.turn.clone(),
            outcome: found.outcome,
            actor: found.actor,
            note: found.note,
            request: mark(found.claim.as_ref()),
        };
        let mut event = NewEvent::new(EventType::EffectReconciled, &body)
            .of_item(&effect.item)
            .of_tool_use(&effect.tool_use);
        event.key = found.claim.as_ref().map(|claim| claim.key.clone());
        let command = Command {
            thread: effect.thread,
            turn: None,
            expect: Expect::Exists,
            claim: found.claim,
            events: vec![event],
            durability: Durability::Power,
        };
        match self.writer()?.execute(command).await {
            Ok(Verdict::Repeated { .. }) => {
                Ok(Outcome::Repeated(self.effect(&found.effect).await?))
            }
            Ok(_) => Ok(Outcome::Done(self.effect(&found.effect).await?)),
            // The schema refuses all but an unknown one; say what it is instead.
            Err(StoreError::Refused(problem)) => {
                let EffectRecord { id, state, .. } = self.effect(&found.effect).await?;
                Err(match state {
                    EffectState::Unknown => StoreError::Refused(problem),
                    state => StoreError::EffectNotUnknown { effect: id, state },
                })
            }
            Err(error) => Err(error),
        }
    }
}

struct EffectRow {
    effect_id: String,
    thread_id: String,
    turn_id: String,
    item_id: String,
    tool_use_id: String,
    kind: String,
    target: String,
    state: String,
    before_digest: Option<Vec<u8>>,
    after_digest: Option<Vec<u8>>,
    exit_code: Option<i64>,
    created_at: i64,
    settled_at: Option<i64>,
    reconciled_outcome: Option<String>,
    reconciled_at: Option<i64>,
    reconciled_payload: Option<String>,
}

impl TryFrom<EffectRow> for EffectRecord {
    type Error = sqlx::Error;

    fn try_from(row: EffectRow) -> Result<Self, sqlx::Error> {
        let said: Option<EffectReconciled> = row
            .reconciled_payload
            .as_deref()
            .and_then(|payload| serde_json::from_str(payload).ok());
        let (actor, note) = said.map(|said| (said.actor, said.note)).unzip();
        let reconciled = match (row.reconciled_outcome, row.reconciled_at) {
            (Some(outcome), Some(at)) => Some(Reconciled {
                outcome: decoded(&outcome)?,
                at: Timestamp::from_millis(at),
                actor,
                note,
            }),
            _ => None,
        };
        Ok(Self {
            id: decoded(&row.effect_id)?,
            thread: decoded(&row.thread_id)?,
            turn: decoded(&row.turn_id)?,
            item: decoded(&row.item_id)?,
            tool_use: decoded(&row.tool_use_id)?,
            kind: row.kind,
            target: row.target,
            state: decoded(&row.state)?,
            before: row.before_digest.as_deref().map(digest).transpose()?,
            after: row.after_digest.as_deref().map(digest).transpose()?,
            exit_code: row.exit_code,
            created_at: Timestamp::from_millis(row.created_at),
            settled_at: row.settled_at.map(Timestamp::from_millis),
            reconciled,
        })
    }
}
