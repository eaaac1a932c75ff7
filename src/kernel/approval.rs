//! Asking whether an operation may happen, and what an answer covers.
//!
//! The shapes are those of the wire contract: `camelCase`, closed.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{ApprovalId, Digest, ItemId, ThreadId, Timestamp, TurnId};
use crate::kernel::tool::{Grant, Risk};

/// How long an approver may take; later it is a refusal.
pub const APPROVAL_TIMEOUT: Duration = Duration::from_mins(2);

/// The most characters of a reason in a refusal.
pub const REASON_LIMIT: usize = 2_048;

/// The most permissions a decision may name.
pub const PERMISSION_LIMIT: usize = 64;

/// A question: may this operation happen?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalRequest {
    /// Its name.
    pub id: ApprovalId,
    /// What the answer is good for, and until when.
    pub binding: ApprovalBinding,
    /// The whole act as data.
    pub operation: Value,
    /// How bad it can be.
    pub risk: Risk,
    /// Why it is asked, for a person; 1–4,096 characters.
    pub reason: String,
    /// What a lasting grant would cover, exactly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_permissions: Vec<Permission>,
}

/// What an answer is bound to. It is good for this operation under this policy, once, until it
/// expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalBinding {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn.
    pub turn_id: TurnId,
    /// The tool item.
    pub item_id: ItemId,
    /// SHA-256 of the operation's JSON text.
    pub operation_digest: Digest,
    /// SHA-256 of the policy the turn runs under.
    pub policy_digest: Digest,
    /// 128 random bits, used once.
    pub nonce: String,
    /// When it is too late to answer.
    pub expires_at: Timestamp,
    /// What identifies the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_digest: Option<Digest>,
    /// The workspace's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A [`Grant`] on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Permission {
    /// What may be done.
    pub capability: String,
    /// On what exactly.
    pub scope: String,
    /// Until when; for as long as the decision says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl From<&Grant> for Permission {
    fn from(grant: &Grant) -> Self {
        Self {
            capability: grant.capability.clone(),
            scope: grant.scope.clone(),
            expires_at: None,
        }
    }
}

/// An answer. Anything that does not parse as one is no answer, and so a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Decision {
    /// This operation, now.
    AcceptOnce {},
    /// This operation, and what the permissions name until the turn ends.
    AcceptForTurn {
        /// What is granted; must be among what was requested.
        permissions: Vec<Permission>,
    },
    /// This operation, and what the permissions name for as long as this process serves the thread.
    AcceptForSession {
        /// What is granted; must be among what was requested.
        permissions: Vec<Permission>,
    },
    /// Not this operation; the model is told and may go on.
    Decline {
        /// Why; at most [`REASON_LIMIT`] characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Not this operation, and the turn ends.
    Cancel {
        /// Why; at most [`REASON_LIMIT`] characters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// Who is asked: a host, a person, nobody.
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Answers. The kernel checks the answer, its scope and its time, and takes anything else than
    /// a valid acceptance for a refusal.
    ///
    /// # Errors
    /// [`Unanswered`] when there is no answer.
    async fn decide(&self, request: &ApprovalRequest) -> Result<Decision, Unanswered>;
}

/// There is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unanswered {
    /// What the record says settled it: `no_approver`, `host_error`, `invalid`, `disconnected` …
    pub via: &'static str,
    /// For the model and the record.
    pub message: String,
}

/// Nobody is there to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn decide(&self, _request: &ApprovalRequest) -> Result<Decision, Unanswered> {
        Err(Unanswered {
            via: "no_approver",
            message: "nobody is there to approve it".to_owned(),
        })
    }
}
