use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::{
    ApprovalId, Digest, EventSeq, IdempotencyKey, ItemId, ThreadId, Timestamp, ToolUseId, TraceId,
    TurnId,
};

/// An event of a thread's history on the wire.
#[derive(Debug, Clone, Serialize)]
pub struct Event<'a> {
    /// Always [`Event::SCHEMA`].
    pub schema: &'static str,
    /// Always [`Event::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The thread that wrote it: for a fork's shared history, the thread it came from.
    pub thread_id: &'a ThreadId,
    /// Its turn.
    pub turn_id: Option<&'a TurnId>,
    /// Its item.
    pub item_id: Option<&'a ItemId>,
    /// Its place in the thread.
    pub event_seq: EventSeq,
    /// What it records.
    pub event_type: &'a str,
    /// Its tool call.
    pub tool_use_id: Option<&'a ToolUseId>,
    /// Its approval.
    pub approval_id: Option<&'a ApprovalId>,
    /// The cause it shares with others.
    pub trace_id: Option<&'a TraceId>,
    /// The item it is part of.
    pub parent_id: Option<&'a ItemId>,
    /// A stable name of what it records.
    pub idempotency_key: Option<&'a IdempotencyKey>,
    /// When it was committed.
    pub timestamp: Timestamp,
    /// What it holds; null once erased.
    pub payload: Option<&'a RawValue>,
    /// Hash of the event before it.
    pub prev_hash: Digest,
    /// Its own hash.
    pub hash: Digest,
}

impl Event<'_> {
    /// Names the shape.
    pub const SCHEMA: &'static str = "threadkeep.event";
    /// Its version.
    pub const SCHEMA_VERSION: u32 = 1;
}
