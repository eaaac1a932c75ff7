use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::domain::EventId;
use crate::store::{Commit, Event, Store, StoreError};

/// Events read from the ledger at once by one who fell behind.
const CATCH_UP: u32 = 1_000;

/// The events of this process from one moment on, each once and in order, however slowly they are
/// taken.
pub(super) struct Follow {
    store: Store,
    commits: broadcast::Receiver<Arc<Commit>>,
    seen: EventId,
}

impl Follow {
    /// From now on.
    pub async fn new(store: &Store) -> Result<Self, StoreError> {
        Ok(Self {
            commits: store.commits()?,
            seen: store.last_event_id().await?,
            store: store.clone(),
        })
    }

    /// The next events; empty when there will be none.
    pub async fn next(&mut self) -> Result<Vec<Arc<Event>>, StoreError> {
        loop {
            let events = match self.commits.recv().await {
                Ok(commit) => commit.events.clone(),
                Err(RecvError::Lagged(_)) => {
                    let missed = self.store.events_after(self.seen, CATCH_UP).await?;
                    missed.into_iter().map(Arc::new).collect()
                }
                Err(RecvError::Closed) => return Ok(Vec::new()),
            };
            let new: Vec<_> = events
                .into_iter()
                .filter(|event| event.event_id > self.seen)
                .collect();
            if let Some(last) = new.last() {
                self.seen = last.event_id;
                return Ok(new);
            }
        }
    }
}
