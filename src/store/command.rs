use tokio::sync::oneshot;

use super::error::StoreError;
use super::event::NewEvent;
use super::record::{Claim, Durability, Place};
use crate::domain::{Digest, EventSeq, OwnerId, ThreadId, TurnId};

/// Events to add to one thread, and what must be true of it for that.
#[derive(Debug)]
pub(super) struct Command {
    /// The thread.
    pub thread: ThreadId,
    /// The turn the events belong to.
    pub turn: Option<TurnId>,
    /// What must be true.
    pub expect: Expect,
    /// The wish that it happens once; the first event carries key and mark.
    pub claim: Option<Claim>,
    /// Never empty.
    pub events: Vec<NewEvent>,
    /// How safe it must be.
    pub durability: Durability,
}

/// What must be true of a thread when a command is carried out.
#[derive(Debug, Clone)]
pub(super) enum Expect {
    /// It does not exist; its first event follows `prev_hash` and has place `first_seq`.
    Absent {
        prev_hash: Digest,
        first_seq: EventSeq,
    },
    /// It exists, whatever it is doing.
    Exists,
    /// It exists, is not archived, and no turn runs.
    Idle,
    /// The same, and the name of the turn to start is free; nothing was added since the place, if
    /// one is given.
    IdleFor(Fence, Option<EventSeq>),
    /// The turn runs under this owner and epoch.
    Turn(Fence),
    /// The turn runs under this owner and epoch, and nothing was added since `seq`.
    TurnAt(Fence, EventSeq),
}

/// The right to write a turn: lost when another epoch begins or the turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    pub turn: TurnId,
    pub owner: OwnerId,
    pub epoch: i64,
}

/// What came of a command.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// Its events are committed.
    Committed(Place),
    /// The same request was carried out before.
    Repeated {
        thread: ThreadId,
        turn: Option<TurnId>,
    },
    /// The thread to begin exists; nothing was added.
    Exists,
}

/// A command on its way to the writer.
pub(super) struct Submission {
    pub command: Command,
    pub reply: oneshot::Sender<Result<Verdict, StoreError>>,
}

impl Command {
    /// Rough size in memory, for the bound of a group.
    pub fn bytes(&self) -> usize {
        self.events
            .iter()
            .map(|event| event.payload.len() + 256)
            .sum()
    }
}
