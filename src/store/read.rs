//! Everything that is read outside a write: rows of `queries/` into records.

use serde_json::{Map, Value};
use sqlx::SqlitePool;

use super::body::TurnError;
use super::decode::{decoded, digest};
use super::error::StoreError;
use super::event::Event;
use super::record::{Archived, EvidenceRecord, ItemRecord, ThreadFilter, ThreadRecord, TurnRecord};
use crate::domain::{EventId, EventSeq, ItemId, ThreadId, Timestamp, TurnId};

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.to_string())
    }
}

pub(super) struct ThreadRow {
    thread_id: String,
    status: String,
    title: Option<String>,
    metadata: String,
    parent_thread_id: Option<String>,
    active_turn_id: Option<String>,
    created_at: i64,
    updated_at: i64,
    revision: i64,
    head: Vec<u8>,
}

impl TryFrom<ThreadRow> for ThreadRecord {
    type Error = sqlx::Error;

    fn try_from(row: ThreadRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: decoded(&row.thread_id)?,
            status: decoded(&row.status)?,
            title: row.title,
            metadata: json(&row.metadata)?,
            parent: optional(row.parent_thread_id.as_deref())?,
            active_turn: optional(row.active_turn_id.as_deref())?,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
            revision: row.revision,
            head: digest(&row.head)?,
        })
    }
}

pub(super) struct EventRow {
    event_id: i64,
    thread_id: String,
    event_seq: i64,
    event_type: String,
    turn_id: Option<String>,
    item_id: Option<String>,
    tool_use_id: Option<String>,
    approval_id: Option<String>,
    trace_id: Option<String>,
    parent_id: Option<String>,
    idempotency_key: Option<String>,
    at: i64,
    payload: Option<String>,
    payload_digest: Vec<u8>,
    prev_hash: Vec<u8>,
    hash: Vec<u8>,
}

impl TryFrom<EventRow> for Event {
    type Error = sqlx::Error;

    fn try_from(row: EventRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            event_id: row.event_id,
            thread: decoded(&row.thread_id)?,
            seq: row.event_seq,
            event_type: row.event_type.into(),
            turn: optional(row.turn_id.as_deref())?,
            item: optional(row.item_id.as_deref())?,
            tool_use: optional(row.tool_use_id.as_deref())?,
            approval: optional(row.approval_id.as_deref())?,
            trace: optional(row.trace_id.as_deref())?,
            parent: optional(row.parent_id.as_deref())?,
            key: optional(row.idempotency_key.as_deref())?,
            at: Timestamp::from_millis(row.at),
            payload: row.payload.map(Into::into),
            payload_digest: digest(&row.payload_digest)?,
            prev_hash: digest(&row.prev_hash)?,
            hash: digest(&row.hash)?,
        })
    }
}

pub(super) struct TurnRow {
    turn_id: String,
    thread_id: String,
    status: String,
    owner_id: String,
    epoch: i64,
    model: String,
    created_at: i64,
    completed_at: Option<i64>,
    error_code: Option<String>,
    error_message: Option<String>,
    first_event_seq: i64,
    revision: i64,
    evidence_status: Option<String>,
    event_digest: Option<Vec<u8>>,
    output_digest: Option<Vec<u8>>,
    last_event_seq: Option<i64>,
    artifact_ids: Option<String>,
    workspace_commit: Option<String>,
    test_receipt_ids: Option<String>,
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    continues: Option<String>,
    permission_mode: Option<String>,
}

impl TryFrom<TurnRow> for TurnRecord {
    type Error = sqlx::Error;

    fn try_from(row: TurnRow) -> Result<Self, sqlx::Error> {
        let evidence = match (&row.evidence_status, &row.event_digest, row.last_event_seq) {
            (Some(status), Some(event_digest), Some(last_event_seq)) => Some(EvidenceRecord {
                status: decoded(status)?,
                event_digest: digest(event_digest)?,
                output_digest: row.output_digest.as_deref().map(digest).transpose()?,
                first_event_seq: row.first_event_seq,
                last_event_seq,
                artifact_ids: json(row.artifact_ids.as_deref().unwrap_or("[]"))?,
                commit: row.workspace_commit,
                test_receipt_ids: json(row.test_receipt_ids.as_deref().unwrap_or("[]"))?,
                input_tokens: row.input_tokens,
                output_tokens: row.output_tokens,
            }),
            _ => None,
        };
        let error = row.error_code.map(|code| TurnError {
            code,
            message: row.error_message.unwrap_or_default(),
        });
        Ok(Self {
            id: decoded(&row.turn_id)?,
            thread: decoded(&row.thread_id)?,
            status: decoded(&row.status)?,
            owner: decoded(&row.owner_id)?,
            epoch: row.epoch,
            model: row.model,
            created_at: Timestamp::from_millis(row.created_at),
            completed_at: row.completed_at.map(Timestamp::from_millis),
            error,
            first_event_seq: row.first_event_seq,
            revision: row.revision,
            continues: optional(row.continues.as_deref())?,
            permission_mode: row.permission_mode,
            evidence,
        })
    }
}

pub(super) struct ItemRow {
    item_id: String,
    thread_id: String,
    turn_id: String,
    kind: String,
    status: String,
    parent_id: Option<String>,
    tool_use_id: Option<String>,
    created_at: i64,
    completed_at: Option<i64>,
    first_event_seq: i64,
    payload: Option<String>,
}

impl TryFrom<ItemRow> for ItemRecord {
    type Error = sqlx::Error;

    fn try_from(row: ItemRow) -> Result<Self, sqlx::Error> {
        let mut payload: Map<String, Value> = json(row.payload.as_deref().unwrap_or("{}"))?;
        Ok(Self {
            id: decoded(&row.item_id)?,
            thread: decoded(&row.thread_id)?,
            turn: decoded(&row.turn_id)?,
            kind: decoded(&row.kind)?,
            status: decoded(&row.status)?,
            parent: optional(row.parent_id.as_deref())?,
            tool_use: optional(row.tool_use_id.as_deref())?,
            created_at: Timestamp::from_millis(row.created_at),
            completed_at: row.completed_at.map(Timestamp::from_millis),
            first_event_seq: row.first_event_seq,
            content: payload.remove("content").unwrap_or_default(),
        })
    }
}

fn optional<T>(text: Option<&str>) -> Result<Option<T>, sqlx::Error>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.map(decoded).transpose()
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, sqlx::Error> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

pub(super) fn converted<R, T>(rows: Vec<R>) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = sqlx::Error>,
{
    Ok(rows
        .into_iter()
        .map(T::try_from)
        .collect::<Result<_, _>>()?)
}

pub(super) async fn thread(
    pool: &SqlitePool,
    thread: &ThreadId,
) -> Result<ThreadRecord, StoreError> {
    let id = thread.as_str();
    let row = sqlx::query_file_as!(ThreadRow, "queries/thread.sql", id)
        .fetch_optional(pool)
        .await?;
    let row = row.ok_or_else(|| StoreError::UnknownThread(thread.clone()))?;
    Ok(row.try_into()?)
}

pub(super) async fn threads(
    pool: &SqlitePool,
    filter: ThreadFilter,
) -> Result<Vec<ThreadRecord>, StoreError> {
    let archived = filter.archived == Archived::Included;
    let rows = sqlx::query_file_as!(
        ThreadRow,
        "queries/list_threads.sql",
        archived,
        filter.limit
    )
    .fetch_all(pool)
    .await?;
    converted(rows)
}

pub(super) async fn events(
    pool: &SqlitePool,
    thread: &ThreadId,
    after: EventSeq,
    limit: u32,
) -> Result<Vec<Event>, StoreError> {
    let known = self::thread(pool, thread).await?;
    let id = thread.as_str();
    let rows = match known.parent {
        None => {
            sqlx::query_file_as!(EventRow, "queries/read_thread_events.sql", id, after, limit)
                .fetch_all(pool)
                .await?
        }
        Some(_) => {
            sqlx::query_file_as!(EventRow, "queries/read_events.sql", id, after, limit)
                .fetch_all(pool)
                .await?
        }
    };
    converted(rows)
}

pub(super) async fn events_after(
    pool: &SqlitePool,
    after: EventId,
    limit: u32,
) -> Result<Vec<Event>, StoreError> {
    let rows = sqlx::query_file_as!(EventRow, "queries/read_ledger.sql", after, limit)
        .fetch_all(pool)
        .await?;
    converted(rows)
}

pub(super) async fn last_event_id(pool: &SqlitePool) -> Result<EventId, StoreError> {
    let last = sqlx::query_file_scalar!("queries/last_event_id.sql")
        .fetch_one(pool)
        .await?;
    Ok(last.unwrap_or(0))
}

pub(super) async fn turn(
    pool: &SqlitePool,
    thread: &ThreadId,
    turn: &TurnId,
) -> Result<TurnRecord, StoreError> {
    let id = turn.as_str();
    let row = sqlx::query_file_as!(TurnRow, "queries/turn.sql", id)
        .fetch_optional(pool)
        .await?;
    let found: Option<TurnRecord> = row.map(TryInto::try_into).transpose()?;
    match found {
        Some(found) if found.thread == *thread => Ok(found),
        _ => Err(StoreError::UnknownTurn {
            thread: thread.clone(),
            turn: turn.clone(),
        }),
    }
}

pub(super) async fn turns(
    pool: &SqlitePool,
    thread: &ThreadId,
) -> Result<Vec<TurnRecord>, StoreError> {
    let id = thread.as_str();
    converted(
        sqlx::query_file_as!(TurnRow, "queries/list_turns.sql", id)
            .fetch_all(pool)
            .await?,
    )
}

pub(super) async fn unfinished_turns(pool: &SqlitePool) -> Result<Vec<TurnRecord>, StoreError> {
    converted(
        sqlx::query_file_as!(TurnRow, "queries/unfinished_turns.sql")
            .fetch_all(pool)
            .await?,
    )
}

pub(super) async fn items(
    pool: &SqlitePool,
    thread: &ThreadId,
) -> Result<Vec<ItemRecord>, StoreError> {
    let id = thread.as_str();
    converted(
        sqlx::query_file_as!(ItemRow, "queries/list_items.sql", id)
            .fetch_all(pool)
            .await?,
    )
}

pub(super) async fn open_items(
    pool: &SqlitePool,
    turn: &TurnId,
) -> Result<Vec<ItemRecord>, StoreError> {
    let id = turn.as_str();
    converted(
        sqlx::query_file_as!(ItemRow, "queries/open_items.sql", id)
            .fetch_all(pool)
            .await?,
    )
}

pub(super) async fn item(
    pool: &SqlitePool,
    item: &ItemId,
) -> Result<Option<ItemRecord>, StoreError> {
    let id = item.as_str();
    let row = sqlx::query_file_as!(ItemRow, "queries/item.sql", id)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(TryInto::try_into).transpose()?)
}

/// The event at a place of a thread's history, as the source of a fork.
pub(super) async fn fork_source(
    pool: &SqlitePool,
    thread: &ThreadId,
    seq: EventSeq,
) -> Result<super::body::ForkSource, StoreError> {
    let id = thread.as_str();
    let row = sqlx::query_file!("queries/event_at.sql", id, seq)
        .fetch_optional(pool)
        .await?;
    let row = row.ok_or_else(|| StoreError::UnknownEvent {
        thread: thread.clone(),
        seq,
    })?;
    Ok(super::body::ForkSource {
        thread_id: thread.clone(),
        event_seq: seq,
        event_id: row.event_id,
        hash: digest(&row.hash)?,
    })
}

/// Effects of a turn without a known outcome.
pub(super) async fn unknown_effects(pool: &SqlitePool, turn: &TurnId) -> Result<i64, StoreError> {
    let id = turn.as_str();
    Ok(
        sqlx::query_file_scalar!("queries/count_unknown_effects.sql", id)
            .fetch_one(pool)
            .await?,
    )
}
