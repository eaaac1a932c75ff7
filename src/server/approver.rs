use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::domain::ApprovalId;
use crate::kernel::approval::{
    ApprovalRequest, Approver, Decision, PERMISSION_LIMIT, REASON_LIMIT, Unanswered,
};
use crate::protocol::{Answer, RequestId, line};
use crate::transport::Outbox;

/// Questions that wait for the host at once.
const PENDING_LIMIT: usize = 64;
/// Questions that were told and are not yet asked; each is asked within moments.
const TOLD_KEPT: usize = 256;
/// The most characters of a host's error that go on record.
const ERROR_SHOWN: usize = 200;

/// Asks the host. Whatever is no valid answer is no answer.
pub(super) struct HostApprover {
    outbox: Outbox,
    /// The host understands questions.
    agreed: AtomicBool,
    gone: CancellationToken,
    pending: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
    told: Mutex<Told>,
}

/// Puts a question behind the notification that it is asked.
#[derive(Default)]
struct Told {
    told: VecDeque<ApprovalId>,
    waiting: HashMap<ApprovalId, oneshot::Sender<()>>,
}

#[derive(Serialize)]
struct Params<'a> {
    request: &'a ApprovalRequest,
}

impl HostApprover {
    pub fn new(outbox: Outbox) -> Self {
        Self {
            outbox,
            agreed: AtomicBool::new(false),
            gone: CancellationToken::new(),
            pending: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// The host understands questions.
    pub fn agree(&self) {
        self.agreed.store(true, Ordering::Release);
    }

    /// The host is gone: who waits gets no answer.
    pub fn disconnect(&self) {
        self.gone.cancel();
    }

    /// The host was told that `approval` is asked.
    pub fn tell(&self, approval: &ApprovalId) {
        let mut told = lock(&self.told);
        if let Some(waiting) = told.waiting.remove(approval) {
            // Who waited may have given up.
            let _ = waiting.send(());
            return;
        }
        if told.told.len() == TOLD_KEPT {
            told.told.pop_front();
        }
        told.told.push_back(approval.clone());
    }

    /// The host answered the request `id`.
    pub fn answer(&self, id: Option<&RequestId>, answer: Answer) {
        let asked = match id {
            Some(RequestId::Text(id)) => lock(&self.pending).remove(id),
            _ => None,
        };
        if asked.is_none_or(|asked| asked.send(answer).is_err()) {
            let id = id.map_or_else(|| "null".to_owned(), ToString::to_string);
            let id: String = id.chars().take(80).collect();
            tracing::warn!(
                id,
                "an answer was ignored: nothing is asked under its id (any more)"
            );
        }
    }

    /// Waits until the host was told that `approval` is asked.
    async fn when_told(&self, approval: &ApprovalId) {
        let told = {
            let mut told = lock(&self.told);
            if let Some(at) = told.told.iter().position(|id| id == approval) {
                told.told.remove(at);
                return;
            }
            told.waiting.retain(|_, waiting| !waiting.is_closed());
            let (waiting, told_now) = oneshot::channel();
            told.waiting.insert(approval.clone(), waiting);
            told_now
        };
        // An error means that nobody will be told: there is no answer to wait for either.
        let _ = told.await;
    }

    async fn ask(&self, request: &ApprovalRequest) -> Result<Decision, Unanswered> {
        self.when_told(&request.id).await;
        let id = format!("server:{}", uuid::Uuid::new_v4());
        let asked = line::request(&id, "approval/decide", &Params { request });
        let asked = asked.map_err(|error| unanswered("invalid", error.to_string()))?;
        let question = self.register(id)?;
        if !self.outbox.send(asked).await {
            return Err(disconnected());
        }
        question.answered().await
    }

    fn register(&self, id: String) -> Result<Question<'_>, Unanswered> {
        let (answer, answered) = oneshot::channel();
        let mut pending = lock(&self.pending);
        if pending.len() >= PENDING_LIMIT {
            let message = format!("{PENDING_LIMIT} questions wait for the host already");
            return Err(unanswered("overloaded", message));
        }
        pending.insert(id.clone(), answer);
        Ok(Question {
            approver: self,
            id,
            answered,
        })
    }
}

#[async_trait]
impl Approver for HostApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Result<Decision, Unanswered> {
        if !self.agreed.load(Ordering::Acquire) {
            let message = "the host did not agree to structured_approval";
            return Err(unanswered("no_approver", message.to_owned()));
        }
        tokio::select! {
            biased;
            () = self.gone.cancelled() => Err(disconnected()),
            decision = self.ask(request) => decision,
        }
    }
}

/// A question on its way; dropped, it takes no answer any more.
struct Question<'a> {
    approver: &'a HostApprover,
    id: String,
    answered: oneshot::Receiver<Answer>,
}

impl Question<'_> {
    async fn answered(mut self) -> Result<Decision, Unanswered> {
        (&mut self.answered)
            .await
            .map_or_else(|_| Err(disconnected()), decision)
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        lock(&self.approver.pending).remove(&self.id);
    }
}

/// The decision an answer is, to the letter.
fn decision(answer: Answer) -> Result<Decision, Unanswered> {
    let value = match answer {
        Answer::Result(value) => value,
        Answer::Invalid(problem) => return Err(unanswered("invalid", problem)),
        Answer::Error(error) => {
            let said = error.get("message").and_then(Value::as_str);
            let said: String = said
                .unwrap_or("no message")
                .chars()
                .take(ERROR_SHOWN)
                .collect();
            let message = format!("the host answered with an error: {said}");
            return Err(unanswered("host_error", message));
        }
    };
    if !in_objects(&value) {
        let message = "the answer is no decision: it is an object, and so is each permission";
        return Err(unanswered("invalid", message.to_owned()));
    }
    let decision = serde_json::from_value(value)
        .map_err(|error| unanswered("invalid", format!("the answer is no decision: {error}")))?;
    let fits = match &decision {
        Decision::AcceptOnce {} => true,
        Decision::AcceptForTurn { permissions } | Decision::AcceptForSession { permissions } => {
            permissions.len() <= PERMISSION_LIMIT
        }
        Decision::Decline { reason } | Decision::Cancel { reason } => reason
            .as_ref()
            .is_none_or(|reason| reason.chars().count() <= REASON_LIMIT),
    };
    if !fits {
        let message = format!(
            "the answer is no decision: a reason has at most {REASON_LIMIT} characters, and at most {PERMISSION_LIMIT} permissions are granted"
        );
        return Err(unanswered("invalid", message));
    }
    Ok(decision)
}

/// That no array stands for an object: a derived type would take an array of its members for one.
fn in_objects(decision: &Value) -> bool {
    let permissions = decision.get("permissions").and_then(Value::as_array);
    decision.is_object() && permissions.is_none_or(|all| all.iter().all(Value::is_object))
}

fn unanswered(via: &'static str, message: String) -> Unanswered {
    Unanswered { via, message }
}

fn disconnected() -> Unanswered {
    unanswered("disconnected", "the host is gone".to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_decision_to_the_letter_is_one() {
        let permission = json!({"capability": "fs.write", "scope": "a"});
        let permissions = |count: usize| vec![permission.clone(); count];
        for right in [
            json!({"kind": "acceptOnce"}),
            json!({"kind": "acceptForTurn", "permissions": permissions(PERMISSION_LIMIT)}),
            json!({"kind": "acceptForSession", "permissions": []}),
            json!({"kind": "decline"}),
            json!({"kind": "cancel", "reason": "r".repeat(REASON_LIMIT)}),
        ] {
            assert!(decision(Answer::Result(right.clone())).is_ok(), "{right}");
        }
        for wrong in [
            Value::Null,
            json!(true),
            json!("acceptOnce"),
            json!({}),
            json!({"kind": "accept"}),
            json!({"kind": "AcceptOnce"}),
            json!({"kind": "acceptOnce", "permissions": []}),
            json!({"kind": "acceptOnce", "reason": "fine"}),
            json!({"kind": "acceptForTurn"}),
            json!({"kind": "acceptForTurn", "permissions": permissions(PERMISSION_LIMIT + 1)}),
            json!({"kind": "acceptForTurn", "permissions": [{"capability": "a"}]}),
            json!({"kind": "acceptForTurn", "permissions": [{"capability": "a", "scope": "b", "c": 1}]}),
            json!({"kind": "acceptForTurn", "permissions": [{"capability": "a", "scope": "b", "expiresAt": "soon"}]}),
            json!({"kind": "decline", "reason": "r".repeat(REASON_LIMIT + 1)}),
            json!({"kind": "decline", "reason": 7}),
            json!({"approved": true}),
        ] {
            let refused = decision(Answer::Result(wrong.clone())).unwrap_err();
            assert_eq!(refused.via, "invalid", "{wrong}");
        }
        let error = decision(Answer::Error(json!({"code": 1, "message": "no"}))).unwrap_err();
        assert_eq!(error.via, "host_error");
        let invalid = decision(Answer::Invalid("no".to_owned())).unwrap_err();
        assert_eq!(invalid.via, "invalid");
    }
}
