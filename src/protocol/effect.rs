use serde::Serialize;

use crate::domain::{
    Digest, EffectId, EffectState, EventSeq, EvidenceStatus, FoundOutcome, ItemId, ThreadId,
    Timestamp, ToolUseId, TurnId, TurnStatus,
};

/// A change outside the ledger, on the wire.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect<'a> {
    /// Its name.
    pub id: &'a EffectId,
    /// Its thread.
    pub thread_id: &'a ThreadId,
    /// Its turn.
    pub turn_id: &'a TurnId,
    /// Its tool item.
    pub item_id: &'a ItemId,
    /// Its tool call.
    pub tool_use_id: &'a ToolUseId,
    /// `file.write`, `process.exec` …
    pub kind: &'a str,
    /// The path relative to the workspace, or the command line.
    pub target: &'a str,
    /// What is known of it.
    pub state: EffectState,
    /// Content before, for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Digest>,
    /// Content after, for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
    /// Exit code of a process that ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// When it was committed that it would be tried.
    pub created_at: Timestamp,
    /// When its outcome was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Timestamp>,
    /// What was found out of an unknown outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconciled: Option<Reconciled<'a>>,
}

/// What somebody found out.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconciled<'a> {
    /// What became of it.
    pub outcome: FoundOutcome,
    /// When that was recorded.
    pub at: Timestamp,
    /// Who found out; null once erased.
    pub actor: Option<&'a str>,
    /// How; null once erased.
    pub note: Option<&'a str>,
}

/// The whole evidence of a turn that ended. Null is unknown or none, never zero.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnEvidence<'a> {
    /// The thread.
    pub thread_id: &'a ThreadId,
    /// The turn.
    pub turn_id: &'a TurnId,
    /// How it ended.
    pub turn_status: TurnStatus,
    /// The outcome.
    pub status: EvidenceStatus,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its first event.
    pub first_event_seq: EventSeq,
    /// Its last event: the terminal one.
    pub last_event_seq: EventSeq,
    /// Hash of the event before its first.
    pub prev_hash: Digest,
    /// Hash of the terminal event.
    pub event_digest: Digest,
    /// The commit that holds the terminal event.
    pub commit_id: i64,
    /// Hash of that commit.
    pub commit_hash: Digest,
    /// SHA-256 of the text of the last assistant message.
    pub output_digest: Option<Digest>,
    /// Tokens.
    pub usage: Usage,
    /// How many effects are in each state now.
    pub effects: EffectCounts,
    /// How approvals were decided.
    pub approvals: Vec<ApprovalCount<'a>>,
    /// Files written, or that were to be; 1,000 at most.
    pub file_writes: Vec<FileWrite<'a>>,
    /// How many more there were.
    pub file_writes_omitted: i64,
    /// Commit of the workspace, when it is a git work tree.
    pub commit: Option<&'a str>,
    /// Artifacts the turn made.
    pub artifact_ids: &'a [String],
    /// Receipts of test runs.
    pub test_receipt_ids: &'a [String],
}

/// Tokens over a turn; null when those of any answer are unknown.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: Option<i64>,
    /// Tokens written.
    pub output_tokens: Option<i64>,
}

/// How many effects are in each state.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct EffectCounts {
    /// They happened.
    pub happened: i64,
    /// Nothing of them happened.
    pub did_not_happen: i64,
    /// Nobody knows.
    pub unknown: i64,
}

/// Approvals that were settled alike.
#[derive(Debug, Clone, Serialize)]
pub struct ApprovalCount<'a> {
    /// `approved` or `refused`.
    pub status: &'a str,
    /// The decision; null when nobody decided.
    pub decision: Option<&'a str>,
    /// Who or what settled it.
    pub via: Option<&'a str>,
    /// How many.
    pub count: i64,
}

/// A file that was written, or was to be.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileWrite<'a> {
    /// The effect.
    pub effect_id: &'a EffectId,
    /// Its path relative to the workspace.
    pub path: &'a str,
    /// What is known of it.
    pub state: EffectState,
    /// Content before; null when there was no file.
    pub before: Option<Digest>,
    /// Content after; null when not known.
    pub after: Option<Digest>,
}
