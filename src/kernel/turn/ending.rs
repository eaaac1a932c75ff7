use serde_json::json;

use super::super::model::{ModelError, ModelErrorKind};
use crate::domain::{Digest, EvidenceStatus, ItemId, ItemKind, ItemStatus};
use crate::kernel::process::Survivor;
use crate::store::body::{Evidence, EvidenceUsage, ItemState, TurnEnded, TurnError};
use crate::store::{EventType, NewEvent};

/// The most characters of a turn's error.
const MESSAGE_LIMIT: usize = 4_096;

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model said all it wanted.
    Completed,
    /// It was told to stop.
    Interrupted,
    /// An approval was refused in a way that ends the turn.
    Blocked(String),
    /// A budget is spent; the text says which.
    BudgetSpent(String),
    /// The model could not answer.
    ModelFailed(ModelError),
    /// The model stopped for a reason that is no answer.
    Stopped {
        code: &'static str,
        message: &'static str,
    },
}

/// What is known when a turn ends.
pub(super) struct Known {
    /// Text of its last assistant message.
    pub output: Option<String>,
    /// Commit of the workspace.
    pub commit: Option<String>,
    /// Tokens over all answers.
    pub usage: EvidenceUsage,
    /// Effects whose outcome nobody knows.
    pub unknown_effects: usize,
}

impl Ending {
    /// The terminal event.
    pub fn event(&self, known: &Known) -> NewEvent {
        let evidence = Evidence {
            status: self.status(known.unknown_effects),
            output_digest: known
                .output
                .as_ref()
                .map(|text| Digest::of(text.as_bytes())),
            artifact_ids: Vec::new(),
            commit: known.commit.clone(),
            test_receipt_ids: Vec::new(),
            usage: known.usage,
        };
        let ended = TurnEnded {
            evidence,
            error: self.error(),
        };
        NewEvent::new(self.event_type(), &ended)
    }

    const fn event_type(&self) -> EventType {
        match self {
            Self::Completed => EventType::TurnCompleted,
            Self::Interrupted => EventType::TurnInterrupted,
            Self::Blocked(_)
            | Self::BudgetSpent(_)
            | Self::ModelFailed(_)
            | Self::Stopped { .. } => EventType::TurnFailed,
        }
    }

    /// What has an unknown part is never called a success, and never all cancelled.
    const fn status(&self, unknown_effects: usize) -> EvidenceStatus {
        match self {
            Self::Completed | Self::Interrupted if unknown_effects > 0 => EvidenceStatus::Partial,
            Self::Completed => EvidenceStatus::Succeeded,
            Self::Interrupted => EvidenceStatus::Cancelled,
            Self::Blocked(_) => EvidenceStatus::Blocked,
            Self::BudgetSpent(_) => EvidenceStatus::BudgetExhausted,
            Self::ModelFailed(_) | Self::Stopped { .. } => EvidenceStatus::Failed,
        }
    }

    fn error(&self) -> Option<TurnError> {
        let (code, message) = match self {
            Self::Completed => return None,
            Self::Interrupted => ("interrupted", "the turn was told to stop"),
            Self::Blocked(reason) => ("approval_refused", reason.as_str()),
            Self::BudgetSpent(which) => ("budget_exhausted", which.as_str()),
            Self::ModelFailed(error) => (model_code(error.kind), error.message.as_str()),
            Self::Stopped { code, message } => (*code, *message),
        };
        Some(TurnError {
            code: code.to_owned(),
            message: message.chars().take(MESSAGE_LIMIT).collect(),
        })
    }
}

const fn model_code(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unconfigured => "model_unconfigured",
        ModelErrorKind::Unauthorized => "model_unauthorized",
        ModelErrorKind::RateLimited => "model_rate_limited",
        ModelErrorKind::Unavailable => "model_unavailable",
        ModelErrorKind::Cut => "model_cut",
        ModelErrorKind::ContextTooLong => "model_context_too_long",
        ModelErrorKind::Rejected => "model_rejected",
        ModelErrorKind::Malformed => "model_malformed",
    }
}

/// Tells which programs of the turn could not be killed.
pub(super) fn survivors(survivors: &[Survivor]) -> Vec<NewEvent> {
    let list: Vec<String> = survivors
        .iter()
        .map(|survivor| format!("{} ({})", survivor.pid, survivor.command))
        .collect();
    let text = format!("could not be killed: {}", list.join(", "));
    let pids: Vec<i32> = survivors.iter().map(|survivor| survivor.pid).collect();
    error_item(json!({ "text": text, "willRetry": false, "pids": pids }))
}

/// An item that tells of something that went wrong: begun and whole at once.
pub(super) fn error_item(content: serde_json::Value) -> Vec<NewEvent> {
    let item = ItemId::generate();
    let state = |status, content| ItemState {
        kind: ItemKind::Error,
        status,
        content,
    };
    vec![
        NewEvent::new(
            EventType::ItemStarted,
            &state(ItemStatus::Started, serde_json::Value::Null),
        )
        .of_item(&item)
        .keyed(&format!("{item}/started")),
        NewEvent::new(
            EventType::ItemCompleted,
            &state(ItemStatus::Completed, content),
        )
        .of_item(&item)
        .keyed(&format!("{item}/completed")),
    ]
}
