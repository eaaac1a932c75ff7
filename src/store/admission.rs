//! How a turn begins in the ledger.

use serde_json::{Value, json};

use super::body::{ItemState, TurnStarted};
use super::command::{Expect, Fence};
use super::error::StoreError;
use super::event::{EventType, NewEvent};
use super::record::{Claim, NewTurn, Opening, TurnRecord};
use super::{Store, mark, state};
use crate::domain::{ItemId, ItemKind, ItemStatus, ThreadId, TurnId};

impl Opening {
    /// What must be true of the thread.
    pub(super) fn expect(&self, fence: &Fence) -> Expect {
        match self {
            Self::Said(_) => Expect::IdleFor(fence.clone(), None),
            Self::Continues { at, .. } => Expect::IdleFor(fence.clone(), Some(*at)),
        }
    }

    fn continues(&self) -> Option<TurnId> {
        match self {
            Self::Said(_) => None,
            Self::Continues { turn, .. } => Some(turn.clone()),
        }
    }
}

/// The events that admit a turn: it runs, and what the user said is kept.
pub(super) fn events(new: &NewTurn, fence: &Fence) -> Vec<NewEvent> {
    let started = TurnStarted {
        owner_id: fence.owner.clone(),
        epoch: fence.epoch,
        model: new.model.clone(),
        workspace: new.workspace.clone(),
        workspace_digest: new.workspace_digest,
        permission_mode: new.permission_mode.clone(),
        policy_digest: new.policy_digest,
        continues: new.opening.continues(),
        request: mark(new.claim.as_ref()),
    };
    let mut started = NewEvent::new(EventType::TurnStarted, &started);
    started.key = new.claim.as_ref().map(|claim| claim.key.clone());
    let mut events = vec![started];
    if let Opening::Said(text) = &new.opening {
        events.extend(said(text));
    }
    events
}

fn said(text: &str) -> [NewEvent; 2] {
    let item = ItemId::generate();
    let message = |event_type, status, content, name: &str| {
        let state = ItemState {
            kind: ItemKind::UserMessage,
            status,
            content,
        };
        NewEvent::new(event_type, &state)
            .of_item(&item)
            .keyed(&format!("{item}/{name}"))
    };
    let text = json!({ "text": text });
    [
        message(
            EventType::ItemStarted,
            ItemStatus::Started,
            Value::Null,
            "started",
        ),
        message(
            EventType::ItemCompleted,
            ItemStatus::Completed,
            text,
            "completed",
        ),
    ]
}

impl Store {
    /// The turn that a request with this claim started before, if it did.
    ///
    /// # Errors
    /// [`StoreError::KeyReused`], or the database.
    pub async fn claimed_turn(&self, claim: &Claim) -> Result<Option<TurnRecord>, StoreError> {
        let mut connection = self.inner.pool.acquire().await?;
        let Some(claimed) = state::claimed(&mut connection, claim).await? else {
            return Ok(None);
        };
        drop(connection);
        if claimed.digest != claim.digest {
            return Err(StoreError::KeyReused {
                method: claim.method.clone(),
                key: claim.key.to_string(),
            });
        }
        match claimed.turn {
            Some(turn) => self.repeated(&claimed.thread, &turn).await.map(Some),
            None => Ok(None),
        }
    }

    /// A turn as it stands, closed first if its process is gone.
    pub(super) async fn repeated(
        &self,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<TurnRecord, StoreError> {
        let found = self.turn(thread, turn).await?;
        self.recovery()?.one(&found).await?;
        self.turn(thread, turn).await
    }
}
