use std::collections::VecDeque;

use futures_util::FutureExt as _;

use crate::store::{Durability, NewEvent, Pending, Place, StoreError, TurnWriter};

/// Commits a turn may be ahead of the ledger.
const AHEAD: usize = 256;

/// What the turn writes, in order. The stream of a model does not wait for each of its commits;
/// whatever must be known to be committed waits for all before it.
pub(super) struct Journal {
    writer: TurnWriter,
    ahead: VecDeque<Pending>,
}

impl Journal {
    pub fn new(writer: TurnWriter) -> Self {
        Self {
            writer,
            ahead: VecDeque::new(),
        }
    }

    pub fn writer(&self) -> &TurnWriter {
        &self.writer
    }

    /// Writes without waiting for the commit. A commit that failed is told by a later call.
    pub async fn post(&mut self, events: Vec<NewEvent>) -> Result<(), StoreError> {
        while let Some(oldest) = self.ahead.front_mut() {
            match oldest.now_or_never() {
                Some(verdict) => verdict.map(drop)?,
                None if self.ahead.len() < AHEAD => break,
                None => match self.ahead.pop_front() {
                    Some(oldest) => {
                        oldest.await?;
                        continue;
                    }
                    None => break,
                },
            }
            self.ahead.pop_front();
        }
        let pending = self.writer.post(events, Durability::Process).await?;
        self.ahead.push_back(pending);
        Ok(())
    }

    /// Writes and returns when this and all before it are committed.
    pub async fn commit(
        &mut self,
        events: Vec<NewEvent>,
        durability: Durability,
    ) -> Result<Place, StoreError> {
        let last = self.writer.post(events, durability).await?;
        for pending in self.ahead.drain(..) {
            pending.await?;
        }
        last.await
    }
}
