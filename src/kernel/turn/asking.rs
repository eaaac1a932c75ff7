use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::approval::{
    APPROVAL_TIMEOUT, ApprovalBinding, ApprovalRequest, Approver, Decision, PERMISSION_LIMIT,
    Permission, REASON_LIMIT,
};
use super::super::session::Grants;
use super::journal::Journal;
use crate::domain::{ApprovalId, Digest, ItemId, Timestamp, ToolUseId};
use crate::kernel::tool::{Grant, Plan};
use crate::kernel::workspace::Workspace;
use crate::store::body::ApprovalResolved;
use crate::store::{Clock, Durability, EventType, NewEvent, StoreError};

/// The most characters of a reason for asking.
const REQUEST_REASON_LIMIT: usize = 4_096;

/// Asks about the acts of one turn.
pub(in crate::kernel) struct Asking {
    pub approver: Arc<dyn Approver>,
    pub workspace: Arc<Workspace>,
    pub policy_digest: Digest,
    pub clock: Clock,
    pub grants: Arc<Grants>,
}

/// What came of asking.
pub(super) enum Verdict {
    /// It may happen.
    Approved,
    /// It may not; the model is told and may go on.
    Declined(String),
    /// It may not, and the turn ends.
    Ends(String),
    /// The turn was told to stop meanwhile.
    Cancelled,
}

/// Whom an approval is about.
pub(super) struct Subject<'a> {
    pub item: &'a ItemId,
    pub tool_use: &'a ToolUseId,
}

/// An answer as it is recorded.
struct Settled {
    verdict: Verdict,
    via: &'static str,
    decision: Value,
}

impl Asking {
    /// Asks about `plan` and records question and answer. Whatever is no valid acceptance in time
    /// is a refusal.
    pub(super) async fn ask(
        &self,
        plan: &Plan,
        subject: Subject<'_>,
        journal: &mut Journal,
        cancel: &CancellationToken,
    ) -> Result<Verdict, StoreError> {
        let request = self.request(plan, &subject, journal);
        let asked = NewEvent::new(EventType::ApprovalRequested, &json!({ "request": request }));
        let event = |event: NewEvent, name: &str| {
            event
                .of_item(subject.item)
                .of_tool_use(subject.tool_use)
                .of_approval(&request.id)
                .keyed(&format!("{}/{name}", request.id))
        };
        journal
            .commit(vec![event(asked, "requested")], Durability::Power)
            .await?;
        let settled = tokio::select! {
            biased;
            () = cancel.cancelled() => refused(Verdict::Cancelled, "interrupt", Value::Null),
            answer = tokio::time::timeout(APPROVAL_TIMEOUT, self.approver.decide(&request)) => {
                match answer {
                    Err(_) => expired(),
                    Ok(Err(unanswered)) if unanswered.via == "no_approver" => {
                        refused(Verdict::Ends(unanswered.message), unanswered.via, Value::Null)
                    }
                    Ok(Err(unanswered)) => {
                        refused(Verdict::Declined(unanswered.message), unanswered.via, Value::Null)
                    }
                    Ok(Ok(decision)) => self.settle(decision, &request, &plan.grant),
                }
            }
        };
        let resolved = ApprovalResolved {
            approved: matches!(settled.verdict, Verdict::Approved),
            via: settled.via.to_owned(),
            decision: settled.decision,
        };
        let resolved = NewEvent::new(EventType::ApprovalResolved, &resolved);
        journal
            .commit(vec![event(resolved, "resolved")], Durability::Power)
            .await?;
        Ok(settled.verdict)
    }

    fn request(&self, plan: &Plan, subject: &Subject<'_>, journal: &Journal) -> ApprovalRequest {
        let reason: String = plan.reason.chars().take(REQUEST_REASON_LIMIT).collect();
        ApprovalRequest {
            id: ApprovalId::generate(),
            binding: ApprovalBinding {
                thread_id: journal.writer().thread().clone(),
                turn_id: journal.writer().turn().clone(),
                item_id: subject.item.clone(),
                operation_digest: Digest::of(plan.operation.to_string().as_bytes()),
                policy_digest: self.policy_digest,
                // Version 4: 122 random bits and nothing else.
                nonce: uuid::Uuid::new_v4().simple().to_string(),
                expires_at: self.clock.now().plus(APPROVAL_TIMEOUT),
                workspace_digest: Some(self.workspace.digest()),
                cwd: self.workspace.root().to_str().map(str::to_owned),
            },
            operation: plan.operation.clone(),
            risk: plan.risk,
            reason: if reason.is_empty() {
                "it needs approval".to_owned()
            } else {
                reason
            },
            requested_permissions: vec![Permission::from(&plan.grant)],
        }
    }

    /// Checks an answer against its question and its time, and keeps what it grants.
    fn settle(&self, decision: Decision, request: &ApprovalRequest, grant: &Grant) -> Settled {
        let record = serde_json::to_value(&decision).unwrap_or_default();
        let now = self.clock.now();
        if now >= request.binding.expires_at {
            return Settled {
                decision: record,
                ..expired()
            };
        }
        if let Some(problem) = problem(&decision, request) {
            return refused(Verdict::Declined(problem), "invalid", record);
        }
        let granted =
            |permissions: &[Permission]| permissions.iter().any(|permission| live(permission, now));
        match decision {
            Decision::AcceptForTurn { permissions } if granted(&permissions) => {
                self.grants.for_turn(grant, until(&permissions));
            }
            Decision::AcceptForSession { permissions } if granted(&permissions) => {
                self.grants.for_session(grant, until(&permissions));
            }
            Decision::AcceptOnce {}
            | Decision::AcceptForTurn { .. }
            | Decision::AcceptForSession { .. } => {}
            Decision::Decline { reason } => {
                let reason = said(reason, "it was declined");
                return refused(Verdict::Declined(reason), "host", record);
            }
            Decision::Cancel { reason } => {
                let reason = said(reason, "it was declined and the turn cancelled");
                return refused(Verdict::Ends(reason), "host", record);
            }
        }
        Settled {
            verdict: Verdict::Approved,
            via: "host",
            decision: record,
        }
    }
}

/// What makes an answer invalid: it grants what was not asked for, or says too much.
fn problem(decision: &Decision, request: &ApprovalRequest) -> Option<String> {
    match decision {
        Decision::AcceptOnce {} => None,
        Decision::AcceptForTurn { permissions } | Decision::AcceptForSession { permissions } => {
            let asked = |permission: &Permission| {
                request.requested_permissions.iter().any(|asked| {
                    (&asked.capability, &asked.scope) == (&permission.capability, &permission.scope)
                })
            };
            (permissions.len() > PERMISSION_LIMIT || !permissions.iter().all(asked))
                .then(|| "the answer grants what was not asked for".to_owned())
        }
        Decision::Decline { reason } | Decision::Cancel { reason } => reason
            .as_ref()
            .is_some_and(|reason| reason.chars().count() > REASON_LIMIT)
            .then(|| format!("the reason has more than {REASON_LIMIT} characters")),
    }
}

fn live(permission: &Permission, now: Timestamp) -> bool {
    permission.expires_at.is_none_or(|until| now < until)
}

/// The earliest end any of the permissions names.
fn until(permissions: &[Permission]) -> Option<Timestamp> {
    permissions
        .iter()
        .filter_map(|permission| permission.expires_at)
        .min()
}

fn said(reason: Option<String>, otherwise: &str) -> String {
    reason
        .filter(|reason| !reason.trim().is_empty())
        .map_or_else(
            || otherwise.to_owned(),
            |reason| format!("{otherwise}: {reason}"),
        )
}

fn expired() -> Settled {
    let waited = APPROVAL_TIMEOUT.as_secs();
    let reason = format!("nobody answered within {waited} s");
    refused(Verdict::Declined(reason), "expiry", Value::Null)
}

const fn refused(verdict: Verdict, via: &'static str, decision: Value) -> Settled {
    Settled {
        verdict,
        via,
        decision,
    }
}
