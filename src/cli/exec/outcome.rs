use serde_json::{Value, json};

use super::super::failure::Exit;
use crate::domain::{EvidenceStatus, ItemKind, ThreadId, TurnStatus};
use crate::server::view;
use crate::store::{Store, StoreError, TurnRecord};

/// How a turn ended.
pub(super) struct Outcome {
    turn: TurnRecord,
    /// What the model said last.
    text: String,
    unknown_effects: i64,
    repeated: bool,
}

impl Outcome {
    pub async fn of(store: &Store, turn: TurnRecord, repeated: bool) -> Result<Self, StoreError> {
        let items = store.items(&turn.thread).await?;
        let last = items
            .iter()
            .rev()
            .find(|item| item.turn == turn.id && item.kind == ItemKind::AssistantMessage);
        let text = last.and_then(|item| item.content["text"].as_str());
        Ok(Self {
            text: text.unwrap_or_default().to_owned(),
            unknown_effects: store.unknown_effects(&turn.id).await?,
            turn,
            repeated,
        })
    }

    pub fn thread(&self) -> &ThreadId {
        &self.turn.thread
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The exit code says what the evidence says.
    pub fn exit(&self) -> Exit {
        let status = self.turn.evidence.as_ref().map(|evidence| evidence.status);
        match (self.turn.status, status) {
            (TurnStatus::Completed, Some(EvidenceStatus::Succeeded))
                if self.unknown_effects == 0 =>
            {
                Exit::Done
            }
            (TurnStatus::Completed, Some(EvidenceStatus::Succeeded | EvidenceStatus::Partial)) => {
                Exit::Unknown
            }
            (TurnStatus::Interrupted, _) => Exit::Interrupted,
            (_, Some(EvidenceStatus::BudgetExhausted)) => Exit::BudgetExhausted,
            (_, Some(EvidenceStatus::Blocked)) => Exit::Blocked,
            _ => Exit::Failed,
        }
    }

    /// What a person should know besides the answer.
    pub fn problem(&self) -> Option<String> {
        if let Some(error) = &self.turn.error {
            return Some(format!("{}: {}", self.turn.status, error.message));
        }
        let count = self.unknown_effects;
        (count > 0)
            .then(|| format!("the outcome of {count} effects is unknown; look before you go on"))
    }

    pub fn json(&self) -> Value {
        let evidence = self.turn.evidence.as_ref();
        json!({
            "threadId": self.turn.thread,
            "turnId": self.turn.id,
            "status": self.turn.status,
            "text": self.text,
            "error": self.turn.error,
            "evidence": view::turn(&self.turn).terminal_evidence,
            "usage": {
                "inputTokens": evidence.and_then(|evidence| evidence.input_tokens),
                "outputTokens": evidence.and_then(|evidence| evidence.output_tokens),
            },
            "unknownEffects": self.unknown_effects,
            "repeated": self.repeated,
            "exitCode": self.exit() as u8,
        })
    }
}
