//! The ledger: one `SQLite` file in which every event is chained to the one before it, and the
//! projections that are read from it.
//!
//! May use: `domain` and `SQLite`. Knows threads, turns, items, approvals, effects, evidence and
//! idempotency; nothing of JSON-RPC, models or tools. Promises: what a command returned is
//! committed; listeners hear of a commit only after it; a commit costs the same at event 10 and at
//! event 1,000,000; nothing above this layer learns that it is `SQLite`.

mod admission;
pub mod audit;
pub mod body;
mod clock;
mod command;
mod connect;
mod content;
mod decode;
mod dir;
mod effects;
mod error;
mod event;
mod evidence;
mod group;
pub mod ledger;
mod migrate;
mod open;
mod owner;
mod pack;
pub mod proof;
mod read;
mod record;
mod recovery;
mod state;
mod turn_writer;
pub mod verify;
mod writer;

use std::path::Path;
use std::sync::Arc;

use sqlx::SqlitePool;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

pub use clock::Clock;
pub use content::StoreContent;
pub use effects::{EffectFilter, EffectRecord, Reconcile, Reconciled};
pub use error::StoreError;
pub use event::{Event, EventType, NewEvent};
pub use evidence::{ApprovalCount, FILE_WRITES, FileWrite, TurnEvidence};
pub use open::{Opened, StoreOptions};
pub use record::{
    Archived, Claim, Durability, EvidenceRecord, Fork, ItemRecord, NewThread, NewTurn, Opening,
    Outcome, Place, RecoveredTurn, ThreadFilter, ThreadRecord, TurnRecord,
};
pub use turn_writer::{Pending, TurnStart, TurnWriter};
pub use writer::Commit;

use body::{RequestMark, ThreadArchived, ThreadForked, ThreadStarted};
use command::{Command, Expect, Fence, Verdict};
use dir::StateDir;
use group::FIRST_EPOCH;
use owner::Owner;
use recovery::{Orphan, Recovery};
use writer::Writer;

use crate::domain::{Digest, EventId, EventSeq, ItemId, OwnerId, ThreadId, TurnId};

/// The store of one state directory. Clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    dir: StateDir,
    clock: Clock,
    pool: SqlitePool,
    writer: Option<Writer>,
    owner: Owner,
    closing: CancellationToken,
    task: tokio::sync::Mutex<Option<tokio::task::JoinHandle<()>>>,
    /// Keeps others from setting aside what is written here.
    in_use: std::sync::Mutex<Option<std::fs::File>>,
}

impl Store {
    /// The state directory.
    pub fn dir(&self) -> &Path {
        self.inner.dir.path()
    }

    /// This process, as the owner of turns.
    pub fn owner(&self) -> &OwnerId {
        self.inner.owner.id()
    }

    /// Where the time comes from.
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// Commits of this process from now on, as they happen. A receiver that falls more than 64
    /// commits behind is told so and reads on with [`Store::events_after`].
    ///
    /// # Errors
    /// [`StoreError::Closing`] when the store was opened to be read only.
    pub fn commits(&self) -> Result<broadcast::Receiver<Arc<Commit>>, StoreError> {
        Ok(self.writer()?.commits())
    }

    /// Where content too large for an event is kept.
    ///
    /// # Errors
    /// [`StoreError::Closing`] when the store was opened to be read only.
    pub fn content(&self) -> Result<StoreContent, StoreError> {
        Ok(StoreContent {
            writer: self.writer()?.clone(),
        })
    }

    /// Commits what is queued and closes the database. Later commands fail with
    /// [`StoreError::Closing`].
    pub async fn close(&self) {
        self.inner.closing.cancel();
        if let Some(task) = self.inner.task.lock().await.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the writer did not end in order");
        }
        self.inner.pool.close().await;
        self.inner.owner.release();
        let mut in_use = self.inner.in_use.lock();
        drop(in_use.as_mut().map(|file| file.take()));
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.inner.writer.as_ref().ok_or(StoreError::Closing)
    }

    fn recovery(&self) -> Result<Recovery<'_>, StoreError> {
        Ok(Recovery {
            pool: &self.inner.pool,
            writer: self.writer()?,
            owner: &self.inner.owner,
        })
    }
}

/// Commands. Each returns when what it did is committed.
impl Store {
    /// Begins a thread. A thread that exists is returned as it is.
    ///
    /// # Errors
    /// [`StoreError::KeyReused`], or the database.
    pub async fn start_thread(&self, new: NewThread) -> Result<Outcome<ThreadRecord>, StoreError> {
        let thread = new.id.unwrap_or_else(ThreadId::generate);
        let body = ThreadStarted {
            title: new.title,
            metadata: new.metadata,
            request: mark(new.claim.as_ref()),
        };
        let root = Expect::Absent {
            prev_hash: Digest::ZERO,
            first_seq: 1,
        };
        let event = NewEvent::new(EventType::ThreadStarted, &body);
        self.command_thread(thread, root, event, new.claim).await
    }

    /// Begins a thread that goes on from an event of another.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::UnknownEvent`], [`StoreError::ThreadExists`],
    /// [`StoreError::KeyReused`], or the database.
    pub async fn fork_thread(&self, fork: Fork) -> Result<Outcome<ThreadRecord>, StoreError> {
        let thread = fork.id.unwrap_or_else(ThreadId::generate);
        let from = self.thread(&fork.source).await?;
        let seq = fork.at.unwrap_or(from.revision);
        let source = read::fork_source(&self.inner.pool, &fork.source, seq).await?;
        let child = Expect::Absent {
            prev_hash: source.hash,
            first_seq: seq + 1,
        };
        let body = ThreadForked {
            title: fork.title.or(from.title),
            metadata: from.metadata,
            source,
            request: mark(fork.claim.as_ref()),
        };
        let event = NewEvent::new(EventType::ThreadForked, &body);
        let keyed = fork.claim.is_some();
        match self
            .command_thread(thread.clone(), child, event, fork.claim)
            .await?
        {
            Outcome::Repeated(found) if !keyed => Err(StoreError::ThreadExists(found.id)),
            // With a key, the thread of that key; a thread that merely has the name is a conflict.
            Outcome::Repeated(found) if found.parent.as_ref() != Some(&fork.source) => {
                Err(StoreError::ThreadExists(found.id))
            }
            outcome => Ok(outcome),
        }
    }

    /// Puts a thread away: hidden by default, and no turn is taken any more. An archived thread
    /// is returned as it is.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::TurnActive`], [`StoreError::KeyReused`], or
    /// the database.
    pub async fn archive_thread(
        &self,
        thread: &ThreadId,
        claim: Option<Claim>,
    ) -> Result<Outcome<ThreadRecord>, StoreError> {
        let body = ThreadArchived {
            request: mark(claim.as_ref()),
        };
        let event = NewEvent::new(EventType::ThreadArchived, &body);
        match self
            .command_thread(thread.clone(), Expect::Idle, event, claim)
            .await
        {
            Err(StoreError::ThreadArchived(_)) => Ok(Outcome::Repeated(self.thread(thread).await?)),
            outcome => outcome,
        }
    }

    /// Admits a turn: it is running, owned by this process, and what the user said is kept.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::ThreadArchived`], [`StoreError::TurnActive`],
    /// [`StoreError::TurnExists`], [`StoreError::KeyReused`], or the database.
    pub async fn start_turn(&self, new: NewTurn) -> Result<TurnStart, StoreError> {
        self.inner
            .owner
            .hold(self.inner.clock.now())
            .map_err(|error| StoreError::Database(format!("the owner lock: {error}")))?;
        let fence = Fence {
            turn: new.id.clone().unwrap_or_else(TurnId::generate),
            owner: self.owner().clone(),
            epoch: FIRST_EPOCH,
        };
        let verdict = self
            .execute(|| Command {
                thread: new.thread.clone(),
                turn: Some(fence.turn.clone()),
                expect: new.opening.expect(&fence),
                claim: new.claim.clone(),
                events: admission::events(&new, &fence),
                durability: Durability::Power,
            })
            .await?;
        match verdict {
            Verdict::Repeated { thread, turn } => {
                let turn = turn.ok_or_else(|| StoreError::UnknownThread(thread.clone()))?;
                Ok(TurnStart::Repeated(self.repeated(&thread, &turn).await?))
            }
            Verdict::Committed(_) | Verdict::Exists => Ok(TurnStart::New {
                turn: self.turn(&new.thread, &fence.turn).await?,
                writer: TurnWriter::new(self.writer()?.clone(), new.thread, fence),
            }),
        }
    }

    /// Closes the turns of processes that are gone.
    ///
    /// # Errors
    /// The database.
    pub async fn recover(&self) -> Result<Vec<RecoveredTurn>, StoreError> {
        self.recovery()?.all().await
    }

    /// Closes a turn of this process that could not go on, so that it does not stay open.
    ///
    /// # Errors
    /// The database. A turn that ended or belongs to another process is left as it is.
    pub async fn abandon_turn(&self, turn: &TurnRecord, problem: &str) -> Result<(), StoreError> {
        if turn.owner != *self.owner() {
            return Ok(());
        }
        self.recovery()?.abandon(turn, problem).await
    }

    /// Closes a turn whose process is gone, and returns it as it stands then.
    ///
    /// # Errors
    /// [`StoreError::TurnActive`] when its process lives, or the database.
    pub async fn close_orphan(&self, turn: TurnRecord) -> Result<TurnRecord, StoreError> {
        match self.recovery()?.one(&turn).await? {
            Orphan::Owned(holder) => Err(StoreError::TurnActive {
                thread: turn.thread,
                turn: turn.id,
                holder,
            }),
            Orphan::Ended | Orphan::Closed(_) => self.turn(&turn.thread, &turn.id).await,
        }
    }

    async fn command_thread(
        &self,
        thread: ThreadId,
        expect: Expect,
        mut event: NewEvent,
        claim: Option<Claim>,
    ) -> Result<Outcome<ThreadRecord>, StoreError> {
        event.key = claim.as_ref().map(|claim| claim.key.clone());
        let verdict = self
            .execute(|| Command {
                thread: thread.clone(),
                turn: None,
                expect: expect.clone(),
                claim: claim.clone(),
                events: vec![event.clone()],
                durability: Durability::Power,
            })
            .await?;
        match verdict {
            Verdict::Committed(_) => Ok(Outcome::Done(self.thread(&thread).await?)),
            Verdict::Exists => Ok(Outcome::Repeated(self.thread(&thread).await?)),
            Verdict::Repeated { thread, .. } => Ok(Outcome::Repeated(self.thread(&thread).await?)),
        }
    }

    /// Carries out a command. One that meets the turn of a dead process closes that turn and is
    /// tried once more; a turn of a live process is a conflict that says who holds it.
    async fn execute(&self, command: impl Fn() -> Command) -> Result<Verdict, StoreError> {
        let (thread, turn) = match self.writer()?.execute(command()).await {
            Err(StoreError::TurnActive { thread, turn, .. }) => (thread, turn),
            verdict => return verdict,
        };
        let found = self.turn(&thread, &turn).await?;
        match self.recovery()?.one(&found).await? {
            Orphan::Owned(holder) => Err(StoreError::TurnActive {
                thread,
                turn,
                holder,
            }),
            Orphan::Ended | Orphan::Closed(_) => self.writer()?.execute(command()).await,
        }
    }
}

/// Reads. They see every commit that was acknowledged before they began.
impl Store {
    /// A thread as it stands.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], or the database.
    pub async fn thread(&self, thread: &ThreadId) -> Result<ThreadRecord, StoreError> {
        read::thread(&self.inner.pool, thread).await
    }

    /// Threads, the last changed first.
    ///
    /// # Errors
    /// The database.
    pub async fn threads(&self, filter: ThreadFilter) -> Result<Vec<ThreadRecord>, StoreError> {
        read::threads(&self.inner.pool, filter).await
    }

    /// Events of a thread after a place in it, what it shares with its sources included.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], or the database.
    pub async fn events(
        &self,
        thread: &ThreadId,
        after: EventSeq,
        limit: u32,
    ) -> Result<Vec<Event>, StoreError> {
        read::events(&self.inner.pool, thread, after, limit).await
    }

    /// Events of the whole store after one of them, in commit order.
    ///
    /// # Errors
    /// The database.
    pub async fn events_after(&self, after: EventId, limit: u32) -> Result<Vec<Event>, StoreError> {
        read::events_after(&self.inner.pool, after, limit).await
    }

    /// The last event committed; 0 in an empty store.
    ///
    /// # Errors
    /// The database.
    pub async fn last_event_id(&self) -> Result<EventId, StoreError> {
        read::last_event_id(&self.inner.pool).await
    }

    /// A turn of a thread.
    ///
    /// # Errors
    /// [`StoreError::UnknownTurn`], or the database.
    pub async fn turn(&self, thread: &ThreadId, turn: &TurnId) -> Result<TurnRecord, StoreError> {
        read::turn(&self.inner.pool, thread, turn).await
    }

    /// The turns of a thread itself, oldest first.
    ///
    /// # Errors
    /// The database.
    pub async fn turns(&self, thread: &ThreadId) -> Result<Vec<TurnRecord>, StoreError> {
        read::turns(&self.inner.pool, thread).await
    }

    /// The items of a thread and of what it shares with its sources, oldest first.
    ///
    /// # Errors
    /// The database.
    pub async fn items(&self, thread: &ThreadId) -> Result<Vec<ItemRecord>, StoreError> {
        read::items(&self.inner.pool, thread).await
    }

    /// One item.
    ///
    /// # Errors
    /// The database.
    pub async fn item(&self, item: &ItemId) -> Result<Option<ItemRecord>, StoreError> {
        read::item(&self.inner.pool, item).await
    }

    /// How many effects of a turn have an outcome nobody knows.
    ///
    /// # Errors
    /// The database.
    pub async fn unknown_effects(&self, turn: &TurnId) -> Result<i64, StoreError> {
        read::unknown_effects(&self.inner.pool, turn).await
    }
}

fn mark(claim: Option<&Claim>) -> Option<RequestMark> {
    claim.map(|claim| RequestMark {
        method: claim.method.clone(),
        digest: claim.digest,
    })
}
