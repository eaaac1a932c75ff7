use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::domain::{
    Digest, EventSeq, EvidenceStatus, ItemId, ItemKind, ItemStatus, ThreadId, ThreadStatus,
    Timestamp, TurnId, TurnStatus,
};

/// A thread on the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread<'a> {
    /// Its name.
    pub id: &'a ThreadId,
    /// What it is doing.
    pub status: ThreadStatus,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    /// The thread it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_thread_id: Option<&'a ThreadId>,
    /// What the host keeps with it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: &'a Map<String, Value>,
    /// When it began.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub updated_at: Timestamp,
    /// Place of its last event.
    pub revision: EventSeq,
    /// Hash of that event.
    pub head_hash: Digest,
}

/// A turn on the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn<'a> {
    /// Its name.
    pub id: &'a TurnId,
    /// Its thread.
    pub thread_id: &'a ThreadId,
    /// Where it is on its way.
    pub status: TurnStatus,
    /// When it was admitted.
    pub created_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// Place of the event that last changed it.
    pub revision: EventSeq,
    /// What is known of its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_evidence: Option<Evidence<'a>>,
}

/// Terminal evidence on the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence<'a> {
    /// The outcome.
    pub status: EvidenceStatus,
    /// Hash of the terminal event.
    pub event_digest: Digest,
    /// SHA-256 of the text of the turn's last assistant message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<Digest>,
    /// Artifacts the turn made.
    pub artifact_ids: &'a [String],
    /// Commit of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'a str>,
    /// Receipts of test runs.
    pub test_receipt_ids: &'a [String],
}

/// An item on the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item<'a> {
    /// Its name.
    pub id: &'a ItemId,
    /// Its thread.
    pub thread_id: &'a ThreadId,
    /// Its turn.
    pub turn_id: &'a TurnId,
    /// What it is.
    pub kind: ItemKind,
    /// Where it is on its way.
    pub status: ItemStatus,
    /// The item it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<&'a ItemId>,
    /// What it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'a RawValue>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
}
