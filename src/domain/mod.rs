//! The nouns every layer shares: identifiers, digests, times and states.
//!
//! May use: nothing of this crate. Promises: a value of one of these types is valid; it was
//! parsed once, at the edge, and no later layer checks it again.

mod digest;
mod id;
mod state;
mod timestamp;

pub use digest::{Digest, DigestError};
pub use id::{
    ApprovalId, EffectId, IdError, IdempotencyKey, ItemId, OwnerId, ThreadId, ToolUseId, TraceId,
    TurnId,
};
pub use state::{
    EffectState, EvidenceStatus, FoundOutcome, ItemKind, ItemStatus, ThreadStatus, TurnStatus,
    UnknownState,
};
pub use timestamp::{TimeError, Timestamp};

/// Commit order of an event over the whole store; 1 is the first event ever committed.
pub type EventId = i64;

/// Position of an event within its thread: 1, 2, 3 …
pub type EventSeq = i64;
