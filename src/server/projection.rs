//! Events as notifications. An object is told as it stood when its event was committed: what
//! changes is read off the event, what never changes is remembered or read once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::view;
use crate::domain::{
    ApprovalId, ItemId, ItemKind, ItemStatus, ThreadId, ThreadStatus, Timestamp, ToolUseId, TurnId,
    TurnStatus,
};
use crate::protocol::{
    ApprovalRequested, ApprovalResolved, Evidence, Item, ItemChanged, ItemDelta, Notification,
    Thread, ThreadUpdated, ToolRequested, ToolResult, Turn, TurnCompleted, TurnFailure,
    TurnStarted, line,
};
use crate::store::body::TurnEnded;
use crate::store::{Event, EventType, Store, StoreError, ThreadRecord};

/// Threads remembered; each may hold some KiB of metadata.
const THREADS_KEPT: usize = 64;
/// Beginnings of turns and items remembered.
const BEGINNINGS_KEPT: usize = 1024;

/// Why an event cannot be told.
#[derive(Debug, thiserror::Error)]
pub(super) enum Untold {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("its payload is not what its type says: {0}")]
    Payload(#[from] serde_json::Error),
    #[error("it has no {0}")]
    Missing(&'static str),
}

/// Notifications ready to be sent.
#[derive(Default)]
pub(super) struct Lines {
    pub bytes: Vec<u8>,
    pub messages: usize,
}

impl Lines {
    fn add(&mut self, told: &impl Notification) -> Result<(), Untold> {
        line::notification(&mut self.bytes, told)?;
        self.messages += 1;
        Ok(())
    }
}

/// Turns events into notifications.
pub(super) struct Projector {
    store: Store,
    threads: HashMap<ThreadId, ThreadRecord>,
    turns: HashMap<TurnId, Timestamp>,
    items: HashMap<ItemId, Timestamp>,
}

impl Projector {
    pub fn new(store: Store) -> Self {
        Self {
            store,
            threads: HashMap::new(),
            turns: HashMap::new(),
            items: HashMap::new(),
        }
    }

    /// Adds what `event` tells to `lines`; on an error perhaps only the first part of it. Effects,
    /// usage, types of later versions and erased events tell nothing.
    pub async fn tell(&mut self, event: &Event, lines: &mut Lines) -> Result<(), Untold> {
        let (Some(event_type), Some(payload)) = (event.known_type(), &event.payload) else {
            return Ok(());
        };
        match event_type {
            EventType::ItemDelta => delta(event, payload, lines),
            EventType::ThreadStarted | EventType::ThreadForked => {
                self.thread(event, ThreadStatus::Idle, lines).await
            }
            EventType::ThreadArchived => self.thread(event, ThreadStatus::Archived, lines).await,
            EventType::TurnStarted => {
                self.thread(event, ThreadStatus::Active, lines).await?;
                self.turn_started(event, lines)
            }
            EventType::TurnCompleted | EventType::TurnFailed | EventType::TurnInterrupted => {
                self.turn_ended(event, payload, lines).await?;
                self.thread(event, ThreadStatus::Idle, lines).await
            }
            EventType::ItemStarted | EventType::ItemCompleted => {
                self.item(event, payload, lines).await
            }
            EventType::ToolRequested => tool_requested(event, payload, lines),
            EventType::ToolResult => tool_result(event, payload, lines),
            EventType::ApprovalRequested => approval_requested(payload, lines),
            EventType::ApprovalResolved => approval_resolved(event, payload, lines),
            EventType::EffectIntended
            | EventType::EffectSettled
            | EventType::EffectReconciled
            | EventType::UsageRecorded => Ok(()),
        }
    }

    async fn thread(
        &mut self,
        event: &Event,
        status: ThreadStatus,
        lines: &mut Lines,
    ) -> Result<(), Untold> {
        if !self.threads.contains_key(&event.thread) {
            let record = self.store.thread(&event.thread).await?;
            make_room(&mut self.threads, THREADS_KEPT);
            self.threads.insert(event.thread.clone(), record);
        }
        let record = &self.threads[&event.thread];
        lines.add(&ThreadUpdated {
            thread: Thread {
                status,
                updated_at: event.at,
                revision: event.seq,
                head_hash: event.hash,
                ..view::thread(record)
            },
        })
    }

    fn turn_started(&mut self, event: &Event, lines: &mut Lines) -> Result<(), Untold> {
        let id = turn(event)?;
        make_room(&mut self.turns, BEGINNINGS_KEPT);
        self.turns.insert(id.clone(), event.at);
        lines.add(&TurnStarted {
            turn: Turn {
                id,
                thread_id: &event.thread,
                status: TurnStatus::Running,
                created_at: event.at,
                completed_at: None,
                revision: event.seq,
                terminal_evidence: None,
            },
        })
    }

    async fn turn_ended(
        &mut self,
        event: &Event,
        payload: &str,
        lines: &mut Lines,
    ) -> Result<(), Untold> {
        let id = turn(event)?;
        let created_at = match self.turns.remove(id) {
            Some(at) => at,
            None => self.store.turn(&event.thread, id).await?.created_at,
        };
        let ended: TurnEnded = serde_json::from_str(payload)?;
        let evidence = &ended.evidence;
        lines.add(&TurnCompleted {
            turn: Turn {
                id,
                thread_id: &event.thread,
                status: match event.known_type() {
                    Some(EventType::TurnCompleted) => TurnStatus::Completed,
                    Some(EventType::TurnFailed) => TurnStatus::Failed,
                    _ => TurnStatus::Interrupted,
                },
                created_at,
                completed_at: Some(event.at),
                revision: event.seq,
                terminal_evidence: Some(Evidence {
                    status: evidence.status,
                    event_digest: event.hash,
                    output_digest: evidence.output_digest,
                    artifact_ids: &evidence.artifact_ids,
                    commit: evidence.commit.as_deref(),
                    test_receipt_ids: &evidence.test_receipt_ids,
                }),
            },
            error: ended.error.as_ref().map(|error| TurnFailure {
                code: &error.code,
                message: &error.message,
            }),
        })
    }

    async fn item(
        &mut self,
        event: &Event,
        payload: &str,
        lines: &mut Lines,
    ) -> Result<(), Untold> {
        #[derive(Deserialize)]
        struct State<'a> {
            kind: ItemKind,
            status: ItemStatus,
            #[serde(borrow)]
            content: Option<&'a RawValue>,
        }
        let state: State<'_> = serde_json::from_str(payload)?;
        let id = item(event)?;
        let ends = event.known_type() == Some(EventType::ItemCompleted);
        let created_at = match self.items.remove(id) {
            Some(at) => at,
            None if ends => {
                let known = self.store.item(id).await?;
                known.map_or(event.at, |item| item.created_at)
            }
            None => event.at,
        };
        if !ends {
            make_room(&mut self.items, BEGINNINGS_KEPT);
            self.items.insert(id.clone(), created_at);
        }
        lines.add(&ItemChanged {
            item: Item {
                id,
                thread_id: &event.thread,
                turn_id: turn(event)?,
                kind: state.kind,
                status: state.status,
                parent_id: event.parent.as_ref(),
                content: state.content,
                created_at,
                completed_at: ends.then_some(event.at),
            },
        })
    }
}

fn delta(event: &Event, payload: &str, lines: &mut Lines) -> Result<(), Untold> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        delta: &'a RawValue,
    }
    let body: Body<'_> = serde_json::from_str(payload)?;
    lines.add(&ItemDelta {
        thread_id: &event.thread,
        turn_id: turn(event)?,
        item_id: item(event)?,
        delta: body.delta,
    })
}

fn tool_requested(event: &Event, payload: &str, lines: &mut Lines) -> Result<(), Untold> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        tool: &'a RawValue,
        #[serde(borrow)]
        args: &'a RawValue,
    }
    let body: Body<'_> = serde_json::from_str(payload)?;
    lines.add(&ToolRequested {
        thread_id: &event.thread,
        turn_id: turn(event)?,
        item_id: item(event)?,
        tool_use_id: tool_use(event)?,
        tool: body.tool,
        args: body.args,
    })
}

fn tool_result(event: &Event, payload: &str, lines: &mut Lines) -> Result<(), Untold> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        #[serde(borrow)]
        tool: &'a RawValue,
        is_error: bool,
        #[serde(borrow)]
        error: Option<&'a RawValue>,
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        #[serde(borrow)]
        permission_decision: Option<&'a RawValue>,
    }
    let body: Body<'_> = serde_json::from_str(payload)?;
    lines.add(&ToolResult {
        thread_id: &event.thread,
        turn_id: turn(event)?,
        item_id: item(event)?,
        tool_use_id: tool_use(event)?,
        tool: body.tool,
        is_error: body.is_error,
        error: body.error,
        result: body.result,
        permission_decision: body.permission_decision,
    })
}

fn approval_requested(payload: &str, lines: &mut Lines) -> Result<(), Untold> {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        request: &'a RawValue,
    }
    let body: Body<'_> = serde_json::from_str(payload)?;
    lines.add(&ApprovalRequested {
        request: body.request,
    })
}

fn approval_resolved(event: &Event, payload: &str, lines: &mut Lines) -> Result<(), Untold> {
    #[derive(Deserialize)]
    struct Body<'a> {
        approved: bool,
        #[serde(borrow)]
        via: Cow<'a, str>,
    }
    let body: Body<'_> = serde_json::from_str(payload)?;
    lines.add(&ApprovalResolved {
        thread_id: &event.thread,
        turn_id: turn(event)?,
        approval_id: approval(event)?,
        approved: body.approved,
        via: &body.via,
    })
}

fn turn(event: &Event) -> Result<&TurnId, Untold> {
    event.turn.as_ref().ok_or(Untold::Missing("turn"))
}

fn item(event: &Event) -> Result<&ItemId, Untold> {
    event.item.as_ref().ok_or(Untold::Missing("item"))
}

fn tool_use(event: &Event) -> Result<&ToolUseId, Untold> {
    event.tool_use.as_ref().ok_or(Untold::Missing("tool call"))
}

fn approval(event: &Event) -> Result<&ApprovalId, Untold> {
    event.approval.as_ref().ok_or(Untold::Missing("approval"))
}

/// Forgets everything when there is no room for one more: what is needed again is read again.
fn make_room<K: Eq + Hash, V>(known: &mut HashMap<K, V>, limit: usize) {
    if known.len() >= limit {
        known.clear();
    }
}
