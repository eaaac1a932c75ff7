//! Which turns of this process run, and how each is told to stop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use crate::domain::TurnId;

/// The turns that run.
#[derive(Default)]
pub(super) struct Running {
    turns: Mutex<HashMap<TurnId, Stop>>,
}

/// How a turn is told to stop, and how it tells that it has.
#[derive(Clone)]
struct Stop {
    cancel: CancellationToken,
    ended: CancellationToken,
}

/// A turn's place among those that run; given up when dropped.
pub(super) struct RunningTurn {
    turn: TurnId,
    pub cancel: CancellationToken,
    running: Arc<Running>,
    _permit: OwnedSemaphorePermit,
}

impl Running {
    /// A place for `turn`, unless it has one.
    pub fn enter(
        self: &Arc<Self>,
        turn: &TurnId,
        cancel: CancellationToken,
        permit: OwnedSemaphorePermit,
    ) -> Option<RunningTurn> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.contains_key(turn) {
            return None;
        }
        let stop = Stop {
            cancel: cancel.clone(),
            ended: CancellationToken::new(),
        };
        turns.insert(turn.clone(), stop);
        Some(RunningTurn {
            turn: turn.clone(),
            cancel,
            running: Arc::clone(self),
            _permit: permit,
        })
    }

    pub fn stop(&self, turn: &TurnId) -> Option<CancellationToken> {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = turns.get(turn)?;
        stop.cancel.cancel();
        Some(stop.ended.clone())
    }

    pub fn ended(&self, turn: &TurnId) -> Option<CancellationToken> {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.get(turn).map(|stop| stop.ended.clone())
    }

    pub fn count(&self) -> usize {
        self.turns
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        let mut turns = self
            .running
            .turns
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = turns.remove(&self.turn) {
            stop.ended.cancel();
        }
    }
}
