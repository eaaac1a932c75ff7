//! The words of the wire: envelopes, the methods and their parameters, objects, notifications and
//! errors of contract version 1.
//!
//! May use: `domain` and serde. Promises: what it read was checked to the letter; what it writes
//! is one closed JSON object on one line.

mod call;
mod canonical;
mod effect;
mod error;
mod event;
mod initialize;
pub mod line;
mod message;
mod notification;
mod object;
mod request_id;
mod strict;

pub(crate) use call::{ACTOR_LIMIT, NOTE_LIMIT};
pub use call::{
    Call, ContinueTurn, ForkThread, ListEffects, ListThreads, Once, Options, ReadThread,
    ReconcileEffect, StartThread, StartTurn,
};
pub use effect::{ApprovalCount, Effect, EffectCounts, FileWrite, Reconciled, TurnEvidence, Usage};
pub use error::{ErrorCode, Refused};
pub use event::Event;
pub use initialize::{Agreement, FEATURES, Feature, Initialize, Limits};
pub use message::{Answer, Invalid, Message, Reply, Request, parse};
pub use notification::{
    ApprovalRequested, ApprovalResolved, ItemChanged, ItemDelta, Notification, ThreadUpdated,
    ToolRequested, ToolResult, TurnCompleted, TurnFailure, TurnStarted,
};
pub use object::{Evidence, Item, Thread, Turn};
pub use request_id::RequestId;

/// The version of the contract spoken here.
pub const VERSION: u32 = 1;
/// The most bytes of a line that is read, its end not counted.
pub const LINE_LIMIT: usize = 1 << 20;
/// The most characters of an error's message.
pub const MESSAGE_LIMIT: usize = 4096;
