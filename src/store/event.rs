use std::borrow::Cow;
use std::sync::Arc;

use crate::domain::{
    ApprovalId, Digest, EventId, EventSeq, IdempotencyKey, ItemId, ThreadId, Timestamp, ToolUseId,
    TraceId, TurnId,
};

macro_rules! event_types {
    ($($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)?) => {
        /// What kind of thing an event records. Written with `.` in the ledger.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventType {
            $($(#[$doc])* $variant,)*
        }

        impl EventType {
            /// The name stored and hashed.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The type of that name; `None` for one a later version wrote.
            #[must_use]
            pub fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

event_types! {
    /// A thread begins.
    ThreadStarted = "thread.started",
    /// A thread begins as the continuation of another.
    ThreadForked = "thread.forked",
    /// A thread is put away.
    ThreadArchived = "thread.archived",
    /// A turn is admitted and at work.
    TurnStarted = "turn.started",
    /// A turn ended as asked. Terminal.
    TurnCompleted = "turn.completed",
    /// A turn ended by an error. Terminal.
    TurnFailed = "turn.failed",
    /// A turn was told to stop or lost its process. Terminal.
    TurnInterrupted = "turn.interrupted",
    /// An item begins.
    ItemStarted = "item.started",
    /// More of an item's content.
    ItemDelta = "item.delta",
    /// An item is whole, failed or cancelled.
    ItemCompleted = "item.completed",
    /// The model called a tool.
    ToolRequested = "tool.requested",
    /// The call was answered.
    ToolResult = "tool.result",
    /// Somebody is asked whether an operation may happen.
    ApprovalRequested = "approval.requested",
    /// The question was settled.
    ApprovalResolved = "approval.resolved",
    /// Something outside the ledger is about to be changed.
    EffectIntended = "effect.intended",
    /// What became of it.
    EffectSettled = "effect.settled",
    /// Somebody found out what became of an effect of unknown outcome.
    EffectReconciled = "effect.reconciled",
    /// What one answer of a model cost.
    UsageRecorded = "usage.recorded",
}

impl EventType {
    /// True for the three events that end a turn.
    #[must_use]
    pub const fn ends_turn(self) -> bool {
        matches!(
            self,
            Self::TurnCompleted | Self::TurnFailed | Self::TurnInterrupted
        )
    }
}

/// An event before it is committed: the store adds its place, time, salt and hashes.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What it records.
    pub event_type: EventType,
    /// The item it belongs to.
    pub item: Option<ItemId>,
    /// The tool call it belongs to.
    pub tool_use: Option<ToolUseId>,
    /// The approval it belongs to.
    pub approval: Option<ApprovalId>,
    /// The cause it shares with other events.
    pub trace: Option<TraceId>,
    /// The item it is part of.
    pub parent: Option<ItemId>,
    /// A stable name of what it records, so that a replay can tell it has seen it.
    pub key: Option<IdempotencyKey>,
    /// JSON text; these bytes are hashed as they are.
    pub payload: String,
}

impl NewEvent {
    /// An event of `event_type` with a [body](super::body) as payload and no references.
    #[must_use]
    pub fn new(event_type: EventType, body: &impl serde::Serialize) -> Self {
        // A body is a plain struct of this crate: its serialisation has no failing branch. Should
        // one ever appear, `null` is stored and the projection trigger refuses the event.
        let payload = serde_json::to_string(body).unwrap_or_else(|_| "null".to_owned());
        Self {
            event_type,
            item: None,
            tool_use: None,
            approval: None,
            trace: None,
            parent: None,
            key: None,
            payload,
        }
    }

    /// The same event, of `item`.
    #[must_use]
    pub fn of_item(mut self, item: &ItemId) -> Self {
        self.item = Some(item.clone());
        self
    }

    /// The same event, of the tool call `tool_use`.
    #[must_use]
    pub fn of_tool_use(mut self, tool_use: &ToolUseId) -> Self {
        self.tool_use = Some(tool_use.clone());
        self
    }

    /// The same event, of `approval`.
    #[must_use]
    pub fn of_approval(mut self, approval: &ApprovalId) -> Self {
        self.approval = Some(approval.clone());
        self
    }

    /// The same event with a stable key; a text that cannot be a key is left out.
    #[must_use]
    pub fn keyed(mut self, key: &str) -> Self {
        self.key = key.parse().ok();
        self
    }
}

/// A committed event, as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Commit order over the whole store.
    pub event_id: EventId,
    /// The thread that wrote it: for a fork's shared history, the thread it came from.
    pub thread: ThreadId,
    /// Its place in the thread.
    pub seq: EventSeq,
    /// What it records; a name of a later version is kept as it is.
    pub event_type: Cow<'static, str>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The item it belongs to.
    pub item: Option<ItemId>,
    /// The tool call it belongs to.
    pub tool_use: Option<ToolUseId>,
    /// The approval it belongs to.
    pub approval: Option<ApprovalId>,
    /// The cause it shares with other events.
    pub trace: Option<TraceId>,
    /// The item it is part of.
    pub parent: Option<ItemId>,
    /// A stable name of what it records.
    pub key: Option<IdempotencyKey>,
    /// When it was committed.
    pub at: Timestamp,
    /// JSON text exactly as hashed; `None` once erased.
    pub payload: Option<Arc<str>>,
    /// SHA-256 of salt and payload.
    pub payload_digest: Digest,
    /// Hash of the event before it.
    pub prev_hash: Digest,
    /// Its own hash.
    pub hash: Digest,
}

impl Event {
    /// The references in the order they are hashed and stored.
    pub(super) fn references(&self) -> [Option<&str>; 7] {
        [
            self.turn.as_ref().map(TurnId::as_str),
            self.item.as_ref().map(ItemId::as_str),
            self.tool_use.as_ref().map(ToolUseId::as_str),
            self.approval.as_ref().map(ApprovalId::as_str),
            self.trace.as_ref().map(TraceId::as_str),
            self.parent.as_ref().map(ItemId::as_str),
            self.key.as_ref().map(IdempotencyKey::as_str),
        ]
    }

    /// Its type, when this version knows it.
    #[must_use]
    pub fn known_type(&self) -> Option<EventType> {
        EventType::of(&self.event_type)
    }
}
