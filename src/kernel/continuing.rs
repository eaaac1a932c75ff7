//! Going on with a turn that was interrupted.

use std::sync::Arc;

use super::approval::Approver;
use super::error::KernelError;
use super::model::ModelName;
use super::permission::PermissionMode;
use super::service::{Kernel, Started, Wish};
use crate::domain::{ThreadId, TurnId, TurnStatus};
use crate::store::{Claim, Opening, StoreError, TurnRecord};

/// How often a thread that keeps changing under our eyes is read again.
const ATTEMPTS: u32 = 3;

/// An interrupted turn to go on with.
#[derive(Debug, Clone)]
pub struct Continuation {
    /// Its thread.
    pub thread: ThreadId,
    /// Name of the turn that goes on; made here when `None`.
    pub turn: Option<TurnId>,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

impl Kernel {
    /// Begins a turn that goes on where the last turn of a thread was interrupted: the model is
    /// asked what it was asked then, finished calls are not made again, those that had not begun
    /// are, and those of unknown outcome are told as such. It runs with the same model and at most
    /// the same rights.
    ///
    /// # Errors
    /// [`StoreError::NothingToContinue`], and those of [`Kernel::start_turn`].
    pub async fn continue_turn(
        &self,
        going_on: Continuation,
        approver: Arc<dyn Approver>,
    ) -> Result<Started, KernelError> {
        for _ in 0..ATTEMPTS {
            if let Some(claim) = &going_on.claim
                && let Some(turn) = self.store().claimed_turn(claim).await?
            {
                return Ok(Started::Repeated(turn));
            }
            let wish = self.wish(&going_on).await?;
            match self.admit(wish, Arc::clone(&approver)).await {
                Err(KernelError::Store(StoreError::ThreadMoved(_))) => {}
                admitted => return admitted,
            }
        }
        Err(StoreError::ThreadMoved(going_on.thread).into())
    }

    async fn wish(&self, going_on: &Continuation) -> Result<Wish, KernelError> {
        let store = self.store();
        let thread = store.thread(&going_on.thread).await?;
        if let Some(active) = &thread.active_turn {
            let active = store.turn(&thread.id, active).await?;
            store.close_orphan(active).await?;
        }
        let thread = store.thread(&going_on.thread).await?;
        let last: Option<TurnRecord> = store.turns(&thread.id).await?.pop();
        let Some(last) = last.filter(|turn| turn.status == TurnStatus::Interrupted) else {
            return Err(StoreError::NothingToContinue(thread.id).into());
        };
        Ok(Wish {
            thread: thread.id,
            turn: going_on.turn.clone(),
            model: Some(model(&last)?),
            mode: Some(self.no_wider(last.permission_mode.as_deref())),
            opening: Opening::Continues {
                turn: last.id,
                at: thread.revision,
            },
            claim: going_on.claim.clone(),
        })
    }

    /// The mode of the interrupted turn, unless the kernel's own is narrower. One that is not known
    /// any more is the narrowest.
    fn no_wider(&self, mode: Option<&str>) -> PermissionMode {
        let own = self.options().permissions.mode;
        let then = mode
            .and_then(|mode| mode.parse().ok())
            .unwrap_or(PermissionMode::Plan);
        own.max(then)
    }
}

fn model(turn: &TurnRecord) -> Result<ModelName, KernelError> {
    turn.model
        .parse()
        .map_err(|error| KernelError::Internal(format!("model {:?}: {error}", turn.model)))
}
