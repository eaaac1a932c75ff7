//! Tells an empty copy of the schema every event again, through the very trigger that wrote the
//! projections, and compares what comes out with what is there.

use std::fmt::Write as _;

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use tokio::sync::mpsc::Receiver;

use super::super::dir::StateDir;
use super::super::error::StoreError;
use super::super::{connect, migrate};
use super::report::{Finding, Findings, MAX_FINDINGS, What};
use super::scan::{PAGE, Seen};
use crate::domain::EventId;

/// What is run on the copy, with the ledger attached beside it. Only a test can check these
/// statements: there is no attached ledger when the program is built.
macro_rules! statement {
    ($name:literal) => {
        sqlx::query(include_str!(concat!(
            "../../../queries/verify/",
            $name,
            ".sql"
        )))
    };
}

macro_rules! comparisons {
    ($($table:literal since $version:literal),*) => {
        [$(($version, $table, include_str!(concat!("../../../queries/verify/compare_", $table, ".sql")))),*]
    };
}

/// The schema version that brought a projection, its name, and what finds its rows that differ.
const COMPARISONS: [(i64, &str, &str); 8] = comparisons![
    "thread" since 1,
    "turn" since 1,
    "item" since 1,
    "approval" since 1,
    "effect" since 1,
    "reconciliation" since 3,
    "terminal_evidence" since 1,
    "idempotency" since 1
];

/// Compares schema and projections with what migrations and events make of them.
/// The events are told as the chains are read, which says which of them mean anything.
pub(super) async fn projections(
    dir: &StateDir,
    seen: Receiver<Seen>,
) -> Result<Findings, StoreError> {
    let mut connection = connect::scan(dir).await?;
    let version = migrate::version(&mut connection).await?;
    connection.close().await?;
    let mut scratch = connect::scratch().await?;
    migrate::build(&mut scratch, version).await?;
    statement!("attach")
        .bind(read_only_uri(dir)?)
        .execute(&mut scratch)
        .await?;
    // One transaction, so that every read is of the same state of the ledger.
    let mut replay = scratch.begin().await?;
    let mut findings = schema(&mut replay).await?;
    prepare(&mut replay).await?;
    tell(&mut replay, seen, &mut findings).await?;
    let mut differing = compare(&mut replay, version).await?;
    if !differing.list.is_empty() {
        // Rows that an erased event wrote cannot be told, so they differ without fault.
        statement!("replay_erased").execute(&mut *replay).await?;
        differing = compare(&mut replay, version).await?;
    }
    findings.append(differing);
    Ok(findings)
}

/// The database as a URI (<https://www.sqlite.org/uri.html>) that cannot be written through.
fn read_only_uri(dir: &StateDir) -> Result<String, StoreError> {
    let path = std::path::absolute(dir.database())
        .map_err(|error| StoreError::Database(format!("the state directory: {error}")))?;
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            letter if letter.is_ascii_alphanumeric() => uri.push(char::from(*letter)),
            // Writing to a `String` cannot fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri.push_str("?mode=ro");
    Ok(uri)
}

async fn schema(replay: &mut SqliteConnection) -> Result<Findings, StoreError> {
    let mut findings = Findings::default();
    let rows = statement!("compare_schema")
        .bind(limit())
        .fetch_all(&mut *replay)
        .await?;
    for row in rows {
        let (kind, name): (String, String) = (row.try_get("type")?, row.try_get("name")?);
        let fault = match Fault::of(&row)? {
            Fault::Added => "no migration makes it",
            Fault::Removed => "it is missing",
            Fault::Changed => "it is not as the migrations make it",
        };
        let finding = Finding::new(What::SchemaDiffers, format!("{kind} {name}: {fault}"));
        findings.push(finding.in_table(&kind, name));
    }
    Ok(findings)
}

/// Makes the copy ready to be told events.
async fn prepare(replay: &mut SqliteConnection) -> Result<(), StoreError> {
    let triggers = statement!("replay_triggers")
        .fetch_all(&mut *replay)
        .await?;
    statement!("prepare_replay").execute(&mut *replay).await?;
    for trigger in triggers {
        let trigger: String = trigger.try_get("sql")?;
        // The text is that of a migration compiled into this program.
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger))
            .execute(&mut *replay)
            .await?;
    }
    Ok(())
}

/// How a row differs from what it should be.
enum Fault {
    Added,
    Removed,
    Changed,
}

impl Fault {
    fn of(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(match (row.try_get("added")?, row.try_get("removed")?) {
            (true, _) => Self::Added,
            (_, true) => Self::Removed,
            _ => Self::Changed,
        })
    }
}

/// One more than can be listed, so that it is known that there are more.
fn limit() -> i64 {
    i64::try_from(MAX_FINDINGS).map_or(i64::MAX, |most| most + 1)
}

/// Tells the copy all events: those that reading the chains comes across, and those after them that
/// are seen from here only.
async fn tell(
    replay: &mut SqliteConnection,
    mut seen: Receiver<Seen>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let mut last = 0;
    while let Some(page) = seen.recv().await {
        tell_page(replay, &page.projected, findings).await?;
        last = page.last;
    }
    loop {
        let events = events_after(replay, last).await?;
        let Some(end) = events.last() else {
            return Ok(());
        };
        last = *end;
        tell_page(replay, &events, findings).await?;
    }
}

/// Tells a page of events, one by one if need be, so that those that cannot be told are named.
async fn tell_page(
    replay: &mut SqliteConnection,
    events: &[EventId],
    findings: &mut Findings,
) -> Result<(), StoreError> {
    match tell_events(replay, events).await {
        Err(error) if is_refusal(&error) => {}
        told => return Ok(told?),
    }
    for event in events {
        match tell_events(replay, std::slice::from_ref(event)).await {
            Err(error) if is_refusal(&error) => {
                let why = error
                    .as_database_error()
                    .map_or("", |error| error.message());
                let message = format!("event {event}: it cannot have been projected: {why}");
                findings.push(Finding::new(What::ProjectionDiffers, message).at_event(*event));
            }
            told => told?,
        }
    }
    Ok(())
}

async fn events_after(
    replay: &mut SqliteConnection,
    last: EventId,
) -> Result<Vec<EventId>, sqlx::Error> {
    let rows = statement!("replay_next")
        .bind(last)
        .bind(PAGE)
        .fetch_all(replay)
        .await?;
    rows.iter().map(|row| row.try_get("event_id")).collect()
}

async fn tell_events(replay: &mut SqliteConnection, events: &[EventId]) -> Result<(), sqlx::Error> {
    statement!("replay_page")
        .bind(serde_json::json!(events).to_string())
        .execute(replay)
        .await
        .map(drop)
}

/// Result codes by which the copy refuses an event: `SQLITE_ERROR`, `SQLITE_CONSTRAINT`,
/// `SQLITE_MISMATCH`.
const REFUSALS: [u32; 3] = [1, 19, 20];

fn is_refusal(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| REFUSALS.contains(&(code & 0xff)))
}

/// Finds the rows of the projections that are not what the events say.
async fn compare(replay: &mut SqliteConnection, version: i64) -> Result<Findings, StoreError> {
    let mut findings = Findings::default();
    let there = COMPARISONS
        .into_iter()
        .filter(|(since, ..)| *since <= version);
    for (_, table, comparison) in there {
        let rows = sqlx::query(comparison)
            .bind(limit())
            .fetch_all(&mut *replay)
            .await?;
        for row in rows {
            findings.push(difference(table, &row)?);
        }
    }
    Ok(findings)
}

fn difference(table: &str, row: &SqliteRow) -> Result<Finding, sqlx::Error> {
    let key: String = row.try_get("key")?;
    let event: EventId = row.try_get("event_id")?;
    let columns: String = row.try_get("columns")?;
    let fault = match Fault::of(row)? {
        Fault::Added => "no event made this row".to_owned(),
        Fault::Removed => format!("the row is missing that event {event} wrote last"),
        Fault::Changed => format!("not what event {event} and those before it say: {columns}"),
    };
    let mut finding = Finding::new(What::ProjectionDiffers, format!("{table} {key}: {fault}"))
        .at_event(event)
        .in_table(table, key);
    finding.thread = row.try_get("thread_id")?;
    Ok(finding)
}
