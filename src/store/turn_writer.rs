use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::sync::oneshot;

use super::command::{Command, Expect, Fence, Verdict};
use super::error::StoreError;
use super::event::NewEvent;
use super::record::{Durability, Place, TurnRecord};
use super::writer::Writer;
use crate::domain::{ThreadId, TurnId};

/// What came of starting a turn.
pub enum TurnStart {
    /// It was admitted now.
    New {
        /// The turn.
        turn: TurnRecord,
        /// The right to write it.
        writer: TurnWriter,
    },
    /// The same request had started this turn before.
    Repeated(TurnRecord),
}

/// The right to write one turn. It is lost when the turn ends or another process takes it over.
#[derive(Clone)]
pub struct TurnWriter {
    writer: Writer,
    turn: Arc<(ThreadId, Fence)>,
}

impl TurnWriter {
    pub(super) fn new(writer: Writer, thread: ThreadId, fence: Fence) -> Self {
        Self {
            writer,
            turn: Arc::new((thread, fence)),
        }
    }

    /// The thread.
    pub fn thread(&self) -> &ThreadId {
        &self.turn.0
    }

    /// The turn.
    pub fn turn(&self) -> &TurnId {
        &self.turn.1.turn
    }

    /// Adds events to the turn; they are committed on return. None at all is an error of the
    /// caller and refused.
    ///
    /// # Errors
    /// [`StoreError::Fenced`], [`StoreError::Refused`], [`StoreError::Overloaded`], or the
    /// database. Nothing was added then.
    pub async fn append(
        &self,
        events: Vec<NewEvent>,
        durability: Durability,
    ) -> Result<Place, StoreError> {
        self.post(events, durability).await?.await
    }

    /// Queues events in order behind those before, and returns what tells when they are committed.
    ///
    /// # Errors
    /// [`StoreError::Overloaded`] or [`StoreError::Closing`]; the rest is told by [`Pending`].
    pub async fn post(
        &self,
        events: Vec<NewEvent>,
        durability: Durability,
    ) -> Result<Pending, StoreError> {
        if events.is_empty() {
            return Err(StoreError::Refused(
                "a commit needs at least one event".to_owned(),
            ));
        }
        let (thread, fence) = &*self.turn;
        let command = Command {
            thread: thread.clone(),
            turn: Some(fence.turn.clone()),
            expect: Expect::Turn(fence.clone()),
            claim: None,
            events,
            durability,
        };
        Ok(Pending {
            verdict: self.writer.submit(command).await?,
            turn: fence.turn.clone(),
        })
    }
}

/// Events on their way to the ledger; ready when they are committed or refused.
pub struct Pending {
    verdict: oneshot::Receiver<Result<Verdict, StoreError>>,
    turn: TurnId,
}

impl Future for Pending {
    type Output = Result<Place, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let verdict = ready!(Pin::new(&mut self.verdict).poll(context));
        Poll::Ready(match verdict.unwrap_or(Err(StoreError::Closing))? {
            Verdict::Committed(place) => Ok(place),
            Verdict::Repeated { .. } | Verdict::Exists => {
                Err(StoreError::Fenced(self.turn.clone()))
            }
        })
    }
}
