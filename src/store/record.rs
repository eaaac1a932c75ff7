use serde_json::{Map, Value};

use super::body::TurnError;
use crate::domain::{
    Digest, EventId, EventSeq, EvidenceStatus, IdempotencyKey, ItemId, ItemKind, ItemStatus,
    OwnerId, ThreadId, ThreadStatus, Timestamp, ToolUseId, TurnId, TurnStatus,
};

/// A thread as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadRecord {
    /// Its name.
    pub id: ThreadId,
    /// What it is doing.
    pub status: ThreadStatus,
    /// Its title.
    pub title: Option<String>,
    /// Whatever the host keeps with it.
    pub metadata: Map<String, Value>,
    /// The thread it was forked from.
    pub parent: Option<ThreadId>,
    /// The turn that runs now.
    pub active_turn: Option<TurnId>,
    /// When it began.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// Place of its last event.
    pub revision: EventSeq,
    /// Hash of its last event.
    pub head: Digest,
}

/// A turn as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// Its name.
    pub id: TurnId,
    /// Its thread.
    pub thread: ThreadId,
    /// Where it is on its way.
    pub status: TurnStatus,
    /// The process that runs or ran it.
    pub owner: OwnerId,
    /// Which of its runs this is.
    pub epoch: i64,
    /// The model asked, `PROVIDER/NAME`.
    pub model: String,
    /// When it was admitted.
    pub created_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Why it failed or was interrupted.
    pub error: Option<TurnError>,
    /// Place of its first event.
    pub first_event_seq: EventSeq,
    /// Place of the event that last changed it.
    pub revision: EventSeq,
    /// The interrupted turn it goes on with.
    pub continues: Option<TurnId>,
    /// Permission mode; `None` once erased.
    pub permission_mode: Option<String>,
    /// What is known of its outcome, once it ended.
    pub evidence: Option<EvidenceRecord>,
}

/// The terminal evidence of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRecord {
    /// The outcome.
    pub status: EvidenceStatus,
    /// Hash of the terminal event.
    pub event_digest: Digest,
    /// SHA-256 of the text of the turn's last assistant message.
    pub output_digest: Option<Digest>,
    /// First event covered.
    pub first_event_seq: EventSeq,
    /// Last event covered: the terminal one.
    pub last_event_seq: EventSeq,
    /// Artifacts the turn made.
    pub artifact_ids: Vec<String>,
    /// Commit of the workspace.
    pub commit: Option<String>,
    /// Receipts of test runs.
    pub test_receipt_ids: Vec<String>,
    /// Tokens read; `None` is unknown.
    pub input_tokens: Option<i64>,
    /// Tokens written; `None` is unknown.
    pub output_tokens: Option<i64>,
}

/// An item as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRecord {
    /// Its name.
    pub id: ItemId,
    /// The thread that wrote it.
    pub thread: ThreadId,
    /// Its turn.
    pub turn: TurnId,
    /// What it is.
    pub kind: ItemKind,
    /// Where it is on its way.
    pub status: ItemStatus,
    /// The item it is part of.
    pub parent: Option<ItemId>,
    /// Its tool call.
    pub tool_use: Option<ToolUseId>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// Place of its first event.
    pub first_event_seq: EventSeq,
    /// What it holds: `content` of the event that last wrote it. Null when erased or empty.
    pub content: Value,
}

/// How safe a commit must be before anyone is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Survives the death of the process.
    Process,
    /// Survives the loss of power: fsynced.
    Power,
}

/// The wish that a request happens once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The method, for example `turn/start`.
    pub method: String,
    /// Chosen by the caller.
    pub key: IdempotencyKey,
    /// Digest of what is asked.
    pub digest: Digest,
}

/// What a request that may happen once led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It happened now.
    Done(T),
    /// It had happened before; this is what it led to, as it stands now.
    Repeated(T),
}

impl<T> Outcome<T> {
    /// What it led to, now or before.
    pub fn into_inner(self) -> T {
        match self {
            Self::Done(value) | Self::Repeated(value) => value,
        }
    }
}

/// A thread to begin.
#[derive(Debug, Clone, Default)]
pub struct NewThread {
    /// Its name; made here when `None`. A thread of that name is returned as it is.
    pub id: Option<ThreadId>,
    /// At most 512 characters.
    pub title: Option<String>,
    /// Whatever the host keeps with it.
    pub metadata: Map<String, Value>,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

/// A thread to fork.
#[derive(Debug, Clone)]
pub struct Fork {
    /// The thread to fork.
    pub source: ThreadId,
    /// The last event to share; the source's last when `None`.
    pub at: Option<EventSeq>,
    /// Name of the new thread; made here when `None`.
    pub id: Option<ThreadId>,
    /// Its title; the source's when `None`.
    pub title: Option<String>,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

/// A turn to start.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Its thread.
    pub thread: ThreadId,
    /// Its name; made here when `None`.
    pub id: Option<TurnId>,
    /// How it begins.
    pub opening: Opening,
    /// The model to ask, `PROVIDER/NAME`.
    pub model: String,
    /// Canonical path of the workspace.
    pub workspace: String,
    /// Digest identifying the workspace.
    pub workspace_digest: Digest,
    /// Permission mode.
    pub permission_mode: String,
    /// Digest of mode, rules and limits.
    pub policy_digest: Digest,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

/// How a turn begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// With what the user says; never empty.
    Said(String),
    /// Where an interrupted turn left off.
    Continues {
        /// That turn.
        turn: TurnId,
        /// The last event of the thread, to which nothing may have been added.
        at: EventSeq,
    },
}

/// Which threads to list.
#[derive(Debug, Clone, Copy)]
pub struct ThreadFilter {
    /// Archived ones too.
    pub archived: Archived,
    /// At most so many.
    pub limit: u32,
}

/// Whether archived threads are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archived {
    /// Left out.
    Hidden,
    /// Listed with the others.
    Included,
}

/// Where a commit put its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Commit order of the command's last event.
    pub event_id: EventId,
    /// Place of that event in its thread.
    pub seq: EventSeq,
    /// Its hash.
    pub hash: Digest,
}

/// A turn that was closed because the process that ran it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredTurn {
    /// Its thread.
    pub thread: ThreadId,
    /// The turn.
    pub turn: TurnId,
    /// Effects whose outcome nobody knows.
    pub unknown_effects: usize,
}
