use std::path::PathBuf;

use crate::domain::{EffectId, EffectState, EventSeq, ThreadId, TurnId};

/// Why the store did not do as asked. Nothing was changed unless a variant says so.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// No thread of that name.
    #[error("there is no thread {0}; `threadkeep threads` lists those there are")]
    UnknownThread(ThreadId),
    /// No turn of that name in that thread.
    #[error("thread {thread} has no turn {turn}")]
    UnknownTurn {
        /// The thread.
        thread: ThreadId,
        /// The turn.
        turn: TurnId,
    },
    /// No turn of that name anywhere.
    #[error("there is no turn {0}; `threadkeep show THREAD` shows those of a thread")]
    UnknownTurnId(TurnId),
    /// The turn runs, so it has no terminal evidence yet.
    #[error("turn {0} has not ended; its evidence is written when it does")]
    TurnNotEnded(TurnId),
    /// No effect of that name.
    #[error("there is no effect {0}; `threadkeep effects` lists those there are")]
    UnknownEffect(EffectId),
    /// The outcome of the effect is known, or it is still being tried.
    #[error("the state of effect {effect} is {state}; only one that is unknown can be reconciled")]
    EffectNotUnknown {
        /// The effect.
        effect: EffectId,
        /// Its state.
        state: EffectState,
    },
    /// The thread has no event at that place.
    #[error("thread {thread} has no event {seq}")]
    UnknownEvent {
        /// The thread.
        thread: ThreadId,
        /// The place.
        seq: EventSeq,
    },
    /// The name of a new thread is taken.
    #[error("thread {0} exists already; choose another id or leave it out")]
    ThreadExists(ThreadId),
    /// The name of a new turn is taken.
    #[error("turn {0} exists already; choose another id or leave it out")]
    TurnExists(TurnId),
    /// A turn runs in the thread.
    #[error("turn {turn} is running in thread {thread} ({holder}); wait for it or interrupt it")]
    TurnActive {
        /// The thread.
        thread: ThreadId,
        /// The turn.
        turn: TurnId,
        /// Who holds it: "this process" or "process 4711 since …".
        holder: String,
    },
    /// Something was added to the thread meanwhile.
    #[error("thread {0} went on meanwhile; read it and try again")]
    ThreadMoved(ThreadId),
    /// The last turn of the thread was not interrupted.
    #[error("thread {0} has no interrupted turn to go on with; start a turn instead")]
    NothingToContinue(ThreadId),
    /// The thread is archived.
    #[error("thread {0} is archived and takes no turn; fork it to go on")]
    ThreadArchived(ThreadId),
    /// The turn ended, or another process took it over: this writer has no right to it any more.
    #[error("turn {0} has ended or belongs to another process; nothing was written")]
    Fenced(TurnId),
    /// The idempotency key was used for another request.
    #[error("idempotency key {key} was used for {method} with other parameters; use a new key")]
    KeyReused {
        /// The method.
        method: String,
        /// The key.
        key: String,
    },
    /// A damaged store was set aside, and may know the idempotency key.
    #[error(
        "whether idempotency key {key} was used is not known: the damaged store {} may say so. Nothing was done; look into it, then move it out of the directory and try again",
        aside.display()
    )]
    KeyForgotten {
        /// The key.
        key: String,
        /// Where the store is.
        aside: PathBuf,
    },
    /// The writer has more to do than it takes.
    #[error("the store has too much to write; try again in {retry_after_ms} ms")]
    Overloaded {
        /// When to try again, in ms.
        retry_after_ms: u64,
    },
    /// The store is closing.
    #[error("the store is closing")]
    Closing,
    /// The ledger refused an event: it does not fit what is already recorded.
    #[error("the ledger refused the event: {0}")]
    Refused(String),
    /// The state directory is not private, or not ours.
    #[error("state directory {path}: {problem}")]
    Directory {
        /// The directory or file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The database was written by a later version. It is left untouched.
    #[error(
        "{path} has schema version {found}, this threadkeep knows {known}: install a newer threadkeep; the file was not touched"
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The database was written by an earlier version and is only read.
    #[error(
        "the database has schema version {found}, this needs {needed}: start threadkeep once on it (`serve` or `exec`) and ask again"
    )]
    Older {
        /// Its version.
        found: i64,
        /// The version that is needed.
        needed: i64,
    },
    /// The database is damaged and was set aside whole.
    #[error(
        "{path} is damaged ({problem}); it was kept as {kept}, and the next start begins afresh"
    )]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What `SQLite` says.
        problem: String,
        /// Where it is now.
        kept: PathBuf,
    },
    /// The database is damaged and is where it was.
    #[error("{path} is damaged: {problem}")]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What `SQLite` says, and why it stayed.
        problem: String,
    },
    /// The database cannot be read or written now.
    #[error("the database cannot be used: {0}")]
    Database(String),
}
