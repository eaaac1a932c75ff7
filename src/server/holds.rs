use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::domain::{ThreadId, TurnId};
use crate::store::{Event, EventType};

/// How long events wait for the response that goes before them: longer than an interrupt may take
/// and than a host may take nothing, so that only a handler that is stuck is overtaken.
const HOLD_WAIT: Duration = Duration::from_secs(35);

/// What a request is about to bring about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    /// A thread begins or is put away.
    Thread(ThreadId),
    /// A turn begins.
    TurnStart(TurnId),
    /// A turn ends.
    TurnEnd(TurnId),
}

impl Cause {
    fn of(event: &Event) -> Option<Self> {
        match event.known_type()? {
            EventType::ThreadStarted | EventType::ThreadForked | EventType::ThreadArchived => {
                Some(Self::Thread(event.thread.clone()))
            }
            EventType::TurnStarted => event.turn.clone().map(Self::TurnStart),
            ends if ends.ends_turn() => event.turn.clone().map(Self::TurnEnd),
            _ => None,
        }
    }
}

/// Puts responses before the notifications of what their requests brought about.
#[derive(Default)]
pub(super) struct Holds {
    held: Mutex<HashMap<Cause, usize>>,
    released: Notify,
}

impl Holds {
    fn held(&self) -> MutexGuard<'_, HashMap<Cause, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until the guard is dropped, the event of `cause` is not told.
    pub fn hold(self: &Arc<Self>, cause: Cause) -> Hold {
        *self.held().entry(cause.clone()).or_insert(0) += 1;
        Hold {
            holds: Arc::clone(self),
            cause,
        }
    }

    /// The cause of `event`, when a response must go before it.
    pub fn cause(&self, event: &Event) -> Option<Cause> {
        if self.held().is_empty() {
            return None;
        }
        Cause::of(event).filter(|cause| self.held().contains_key(cause))
    }

    /// Waits until the response to what brought `cause` about is on its way.
    pub async fn wait(&self, cause: &Cause) {
        let released = async {
            loop {
                let mut released = std::pin::pin!(self.released.notified());
                released.as_mut().enable();
                if !self.held().contains_key(cause) {
                    return;
                }
                released.await;
            }
        };
        if tokio::time::timeout(HOLD_WAIT, released).await.is_err() {
            tracing::warn!(?cause, "a response is late; its events go before it");
        }
    }
}

/// Holds an event back until dropped.
pub(super) struct Hold {
    holds: Arc<Holds>,
    cause: Cause,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.holds.held();
        if let Some(holders) = held.get_mut(&self.cause) {
            *holders -= 1;
            if *holders == 0 {
                held.remove(&self.cause);
            }
        }
        drop(held);
        self.holds.released.notify_waiters();
    }
}
