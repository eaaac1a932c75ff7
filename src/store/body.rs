//! What the payload of each event type holds. The projection trigger in `migrations/` reads these
//! members by name, so a change here is a migration.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::{
    Digest, EffectId, EventId, EventSeq, EvidenceStatus, FoundOutcome, ItemKind, ItemStatus,
    OwnerId, ThreadId, TurnId,
};

/// The request with an idempotency key that an event answers; the key is the event's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestMark {
    /// The method, for example `turn/start`.
    pub method: String,
    /// Digest of what was asked.
    pub digest: Digest,
}

/// `thread.started`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ThreadStarted {
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whatever the host keeps with it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// `thread.forked`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ThreadForked {
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whatever the host keeps with it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The last event of the shared history.
    pub source: ForkSource,
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// Where a fork leaves its source. `hash` is the fork's first `prev_hash`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkSource {
    /// The thread forked.
    pub thread_id: ThreadId,
    /// The last event shared, by its place.
    pub event_seq: EventSeq,
    /// The same by commit order.
    pub event_id: EventId,
    /// Its hash.
    pub hash: Digest,
}

/// `thread.archived`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ThreadArchived {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// `turn.started`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    /// The process that runs it.
    pub owner_id: OwnerId,
    /// Which of its runs this is.
    pub epoch: i64,
    /// The model asked, `PROVIDER/NAME`.
    pub model: String,
    /// Canonical path of the workspace.
    pub workspace: String,
    /// Digest identifying the workspace.
    pub workspace_digest: Digest,
    /// Permission mode.
    pub permission_mode: String,
    /// Digest of mode, rules and limits.
    pub policy_digest: Digest,
    /// The interrupted turn it goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<TurnId>,
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// `item.started` and `item.completed`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ItemState {
    /// What it is.
    pub kind: ItemKind,
    /// Where it is on its way.
    pub status: ItemStatus,
    /// What it holds; text items `{"text": …}`, tool items [`ToolContent`].
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub content: Value,
}

/// `item.delta`
#[derive(Debug, Clone, Serialize)]
pub struct ItemDelta<'a> {
    /// What was added.
    pub delta: TextDelta<'a>,
}

/// Added text.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename = "text_delta")]
pub struct TextDelta<'a> {
    /// The text.
    pub text: &'a str,
}

/// Content of a tool item. On `item.started` only what was asked is known.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolContent {
    /// The call, as the ledger names it.
    pub tool_use_id: String,
    /// The call, as the provider names it.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments: parsed JSON, or the raw text in a string when it is not JSON.
    pub args: Value,
    /// Which answer of the turn made the call: 1, 2, 3 … Calls of one answer are one message when
    /// the conversation is told again.
    #[serde(default)]
    pub answer: u32,
    /// What the provider wants back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_state: Option<Value>,
    /// What the model read as the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// True when it failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// What else is recorded of the run.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// `tool.requested`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolRequested {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
}

/// `tool.result`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The tool.
    pub tool: String,
    /// True when it failed or did not run.
    pub is_error: bool,
    /// Why, when it failed.
    pub error: Option<String>,
    /// What the model reads; null when it failed.
    pub result: Option<String>,
    /// How it was allowed or refused: `allowed`, `approved`, `refused`, `not_asked` …
    pub permission_decision: Option<String>,
}

/// `approval.resolved`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ApprovalResolved {
    /// True when the operation may happen.
    pub approved: bool,
    /// Who or what settled it: `host`, `expiry`, `no_approver`, `invalid`, `recovery` …
    pub via: String,
    /// The decision as given (`{"kind": …}`), when there was one.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub decision: Value,
}

/// `effect.intended`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectIntended {
    /// Its name.
    pub effect_id: EffectId,
    /// `file.write`, `process.exec` …
    pub kind: String,
    /// A path relative to the workspace, or a command line.
    pub target: String,
    /// Digest of the call's arguments.
    pub args_digest: Digest,
    /// On what ground it may happen: `allowed`, `approved`, `granted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_decision: Option<String>,
    /// Content before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Digest>,
    /// Content it is to have after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
}

/// `effect.settled`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectSettled {
    /// Its name.
    pub effect_id: EffectId,
    /// `happened`, `did_not_happen` or `unknown`.
    pub state: String,
    /// Content after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
    /// Exit code of a process that ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What else is known.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// `effect.reconciled`: an event of the thread, not of the turn, which has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectReconciled {
    /// The effect.
    pub effect_id: EffectId,
    /// Its turn.
    pub turn_id: TurnId,
    /// What became of it.
    pub outcome: FoundOutcome,
    /// Who found out.
    pub actor: String,
    /// How.
    pub note: String,
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// `usage.recorded`: one answer of a model. A member left out is unknown, not zero.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageRecorded {
    /// The model, `PROVIDER/NAME`.
    pub model: String,
    /// Tokens read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Of those, from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// Tokens written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Of those, reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Why the model stopped.
    pub stop: String,
    /// From the request to its end, in ms.
    pub duration_ms: u64,
}

/// `turn.completed`, `turn.failed`, `turn.interrupted`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TurnEnded {
    /// What is known of the outcome.
    pub evidence: Evidence,
    /// What went wrong.
    pub error: Option<TurnError>,
}

/// The part of terminal evidence that only the kernel knows; the rest is read off the ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The outcome.
    pub status: EvidenceStatus,
    /// SHA-256 of the text of the turn's last assistant message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<Digest>,
    /// Artifacts the turn made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifact_ids: Vec<String>,
    /// Commit of the workspace, when it is a git work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Receipts of test runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_receipt_ids: Vec<String>,
    /// Tokens over the turn; a member is left out when any answer's is unknown.
    #[serde(default)]
    pub usage: EvidenceUsage,
}

/// Tokens over a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceUsage {
    /// Tokens read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// Why a turn failed or was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnError {
    /// A stable word: `model_unavailable`, `interrupted`, `owner_died`, `approval_refused` …
    pub code: String,
    /// For a person; at most 4,096 characters.
    pub message: String,
}
