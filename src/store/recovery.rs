//! Closes the turns of processes that are gone: in one transaction a turn, with evidence.

use serde_json::json;
use sqlx::SqlitePool;

use super::body::{
    ApprovalResolved, EffectSettled, Evidence, EvidenceUsage, ItemState, ToolContent, ToolResult,
    TurnEnded, TurnError,
};
use super::command::{Command, Expect, Fence, Verdict};
use super::decode::decoded;
use super::error::StoreError;
use super::event::{EventType, NewEvent};
use super::owner::{DeadOwner, Liveness, Owner};
use super::read;
use super::record::{Durability, ItemRecord, RecoveredTurn, TurnRecord};
use super::writer::Writer;
use crate::domain::{
    ApprovalId, EffectId, EvidenceStatus, ItemId, ItemKind, ItemStatus, ToolUseId,
};

/// What a tool call says whose process died before its effect was even intended.
const DID_NOT_RUN: &str = "not run: the process that would have run it ended first";
/// What a tool call says whose process died while it may have been acting.
const OUTCOME_UNKNOWN: &str = "outcome unknown: the process that ran it ended before it reported; it may have happened in whole or in part";

/// The most characters of a turn's error.
const MESSAGE_LIMIT: usize = 4_096;

/// How often a turn that keeps changing under our eyes is read again.
const ATTEMPTS: u32 = 3;

/// What recovery works with.
pub(super) struct Recovery<'s> {
    pub pool: &'s SqlitePool,
    pub writer: &'s Writer,
    pub owner: &'s Owner,
}

impl Recovery<'_> {
    /// Closes every unfinished turn whose owner is gone.
    pub async fn all(&self) -> Result<Vec<RecoveredTurn>, StoreError> {
        let mut recovered = Vec::new();
        for turn in read::unfinished_turns(self.pool).await? {
            if let Orphan::Closed(turn) = self.one(&turn).await? {
                recovered.push(turn);
            }
        }
        Ok(recovered)
    }

    /// Closes one turn if its owner is gone.
    pub async fn one(&self, turn: &TurnRecord) -> Result<Orphan, StoreError> {
        if turn.status.is_terminal() {
            return Ok(Orphan::Ended);
        }
        let liveness = self
            .owner
            .liveness(&turn.owner)
            .map_err(|error| StoreError::Database(format!("owner lock of {}: {error}", turn.id)))?;
        match liveness {
            Liveness::Ourselves => Ok(Orphan::Owned("this process runs it".to_owned())),
            Liveness::Alive(holder) => Ok(Orphan::Owned(holder)),
            Liveness::Dead(owner) => {
                let orphan = self.close(turn, turn_interrupted()).await?;
                if matches!(orphan, Orphan::Closed(_)) {
                    self.forget(turn, &owner).await?;
                }
                Ok(orphan)
            }
        }
    }

    /// Closes a turn of this process that could not go on because of `problem`.
    pub async fn abandon(&self, turn: &TurnRecord, problem: &str) -> Result<(), StoreError> {
        let now = read::turn(self.pool, &turn.thread, &turn.id).await?;
        if now.status.is_terminal() {
            return Ok(());
        }
        self.close(turn, turn_abandoned(problem)).await.map(drop)
    }

    async fn close(&self, turn: &TurnRecord, end: NewEvent) -> Result<Orphan, StoreError> {
        for _ in 0..ATTEMPTS {
            let (command, unknown_effects) = self.closing(turn, end.clone()).await?;
            match self.writer.execute(command).await {
                Ok(Verdict::Committed(_)) => {
                    let (thread, turn) = (turn.thread.clone(), turn.id.clone());
                    return Ok(Orphan::Closed(RecoveredTurn {
                        thread,
                        turn,
                        unknown_effects,
                    }));
                }
                Ok(_) => return Ok(Orphan::Ended),
                // Something was committed after we read; look again.
                Err(StoreError::Fenced(_)) => {
                    let now = read::turn(self.pool, &turn.thread, &turn.id).await?;
                    if now.status.is_terminal() {
                        return Ok(Orphan::Ended);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Fenced(turn.id.clone()))
    }

    /// Removes the lock file with the owner's last turn.
    async fn forget(&self, closed: &TurnRecord, dead: &DeadOwner) -> Result<(), StoreError> {
        let unfinished = read::unfinished_turns(self.pool).await?;
        if unfinished.iter().all(|turn| turn.owner != closed.owner)
            && let Err(error) = dead.forget()
        {
            tracing::warn!(%error, "the lock file of a process that is gone cannot be removed");
        }
        Ok(())
    }

    async fn closing(
        &self,
        turn: &TurnRecord,
        end: NewEvent,
    ) -> Result<(Command, usize), StoreError> {
        let id = turn.id.as_str();
        let thread_id = turn.thread.as_str();
        let seq = sqlx::query_file_scalar!("queries/last_seq.sql", thread_id)
            .fetch_one(self.pool)
            .await?
            .unwrap_or(0);
        let mut events = Vec::new();
        let effects = sqlx::query_file!("queries/intended_effects.sql", id)
            .fetch_all(self.pool)
            .await?;
        let mut acting: Vec<Acting> = Vec::new();
        for effect in &effects {
            let (item, tool_use) = (decoded(&effect.item_id)?, decoded(&effect.tool_use_id)?);
            events.push(effect_unknown(
                decoded(&effect.effect_id)?,
                &item,
                &tool_use,
            ));
            acting.push(Acting {
                tool_use,
                ground: effect.permission_decision.clone(),
            });
        }
        let approvals = sqlx::query_file!("queries/pending_approvals.sql", id)
            .fetch_all(self.pool)
            .await?;
        for approval in &approvals {
            events.push(approval_expired(
                &decoded(&approval.approval_id)?,
                &decoded(&approval.item_id)?,
            ));
        }
        for item in read::open_items(self.pool, &turn.id).await? {
            match item.kind {
                ItemKind::Tool => {
                    let acted = |one: &&Acting| item.tool_use.as_ref() == Some(&one.tool_use);
                    events.extend(tool_cancelled(&item, acting.iter().find(acted)));
                }
                _ => events.push(self.cancelled(&item).await?),
            }
        }
        events.push(end);
        let fence = Fence {
            turn: turn.id.clone(),
            owner: turn.owner.clone(),
            epoch: turn.epoch,
        };
        let command = Command {
            thread: turn.thread.clone(),
            turn: Some(turn.id.clone()),
            expect: Expect::TurnAt(fence, seq),
            claim: None,
            events,
            durability: Durability::Power,
        };
        Ok((command, effects.len()))
    }

    /// An item cut short keeps the text that was streamed.
    async fn cancelled(&self, item: &ItemRecord) -> Result<NewEvent, StoreError> {
        let (thread, id) = (item.thread.as_str(), item.id.as_str());
        let row = sqlx::query_file!("queries/item_text.sql", thread, item.first_event_seq, id)
            .fetch_one(self.pool)
            .await?;
        let content = match row.text {
            Some(text) => json!({ "text": text }),
            None => item.content.clone(),
        };
        let state = ItemState {
            kind: item.kind,
            status: ItemStatus::Cancelled,
            content,
        };
        Ok(NewEvent::new(EventType::ItemCompleted, &state)
            .of_item(&item.id)
            .keyed(&format!("{}/completed", item.id)))
    }
}

/// What recovery found of a turn.
pub(super) enum Orphan {
    /// It had ended.
    Ended,
    /// Its process lives; the text says which.
    Owned(String),
    /// Its process is gone and it was closed now.
    Closed(RecoveredTurn),
}

fn effect_unknown(effect_id: EffectId, item: &ItemId, tool_use: &ToolUseId) -> NewEvent {
    let key = format!("{effect_id}/settled");
    let settled = EffectSettled {
        effect_id,
        state: "unknown".to_owned(),
        after: None,
        exit_code: None,
        details: json!({ "via": "recovery" }),
    };
    NewEvent::new(EventType::EffectSettled, &settled)
        .of_item(item)
        .of_tool_use(tool_use)
        .keyed(&key)
}

fn approval_expired(approval: &ApprovalId, item: &ItemId) -> NewEvent {
    let resolved = ApprovalResolved {
        approved: false,
        via: "recovery".to_owned(),
        decision: serde_json::Value::Null,
    };
    NewEvent::new(EventType::ApprovalResolved, &resolved)
        .of_item(item)
        .of_approval(approval)
        .keyed(&format!("{approval}/resolved"))
}

/// A call that had begun to act.
struct Acting {
    tool_use: ToolUseId,
    /// On what ground; earlier versions did not write it down.
    ground: Option<String>,
}

fn tool_cancelled(item: &ItemRecord, acted: Option<&Acting>) -> Vec<NewEvent> {
    let text = acted.map_or(DID_NOT_RUN, |_| OUTCOME_UNKNOWN);
    let mut content = item.content.clone();
    let tool = serde_json::from_value::<ToolContent>(content.clone())
        .map_or_else(|_| "unknown".to_owned(), |content| content.tool);
    if let Some(members) = content.as_object_mut() {
        members.insert("result".to_owned(), text.into());
        members.insert("isError".to_owned(), true.into());
    }
    let result = ToolResult {
        tool,
        is_error: true,
        error: Some(text.to_owned()),
        result: None,
        permission_decision: acted.and_then(|acted| acted.ground.clone()),
    };
    let state = ItemState {
        kind: ItemKind::Tool,
        status: ItemStatus::Cancelled,
        content,
    };
    [
        (NewEvent::new(EventType::ToolResult, &result), "result"),
        (NewEvent::new(EventType::ItemCompleted, &state), "completed"),
    ]
    .into_iter()
    .map(|(event, name)| {
        let mut event = event
            .of_item(&item.id)
            .keyed(&format!("{}/{name}", item.id));
        event.tool_use.clone_from(&item.tool_use);
        event
    })
    .collect()
}

fn turn_interrupted() -> NewEvent {
    let message = "the process that ran this turn ended before the turn did";
    ended(EventType::TurnInterrupted, "owner_died", message)
}

fn turn_abandoned(problem: &str) -> NewEvent {
    let message: String = problem.chars().take(MESSAGE_LIMIT).collect();
    ended(EventType::TurnFailed, "internal", &message)
}

fn ended(event_type: EventType, code: &str, message: &str) -> NewEvent {
    let ended = TurnEnded {
        evidence: Evidence {
            status: EvidenceStatus::Partial,
            output_digest: None,
            artifact_ids: Vec::new(),
            commit: None,
            test_receipt_ids: Vec::new(),
            usage: EvidenceUsage::default(),
        },
        error: Some(TurnError {
            code: code.to_owned(),
            message: message.to_owned(),
        }),
    };
    NewEvent::new(event_type, &ended)
}
