//! Reads the ledger page by page for the checks of the chains: while one page is hashed, the next is
//! read.

use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::mpsc::Sender;
use tokio::task::{JoinError, spawn_blocking};

use super::super::connect;
use super::super::dir::StateDir;
use super::super::error::StoreError;
use super::VerifyOptions;
use super::chain::{Chain, ForkStart, LongPayload, Open};
use super::event::payload_is;
use super::report::{Findings, Head, What};
use super::rows::{CommitRow, EventRow, Malformed, Records};
use crate::domain::{Digest, EventId};

/// Events of a page, and commits of one.
pub(in crate::store) const PAGE: i64 = 1_024;
/// The longest payload of a page, in bytes; a longer one is read by itself.
pub(super) const LONGEST: i64 = 16 * 1024;

/// Events that came by while the chains are read.
pub(super) struct Seen {
    /// Those that are projected.
    pub projected: Vec<EventId>,
    /// The last one.
    pub last: EventId,
}

/// Pages of them that wait to be told.
pub(super) const SEEN: usize = 4;

/// What the chains show.
pub(super) struct Chains {
    pub events: u64,
    pub erased: u64,
    pub commits: u64,
    pub threads: u64,
    pub head: Option<Head>,
    pub findings: Findings,
}

/// A page of events, packed.
#[derive(Default)]
pub(super) struct Page {
    pub lengths: String,
    pub records: Vec<u8>,
    /// Where its last event is; `None` when there are no more.
    pub last: Option<i64>,
}

impl Page {
    /// Its events in order.
    pub fn rows(&self) -> impl Iterator<Item = Result<EventRow<'_>, Malformed>> {
        let records = self
            .last
            .map(|_| Records::new(&self.lengths, &self.records));
        records
            .into_iter()
            .flatten()
            .map(|record| EventRow::parse(record?, LONGEST))
    }
}

impl From<Malformed> for StoreError {
    fn from(_: Malformed) -> Self {
        Self::Database("its rows are not stored as they are written".to_owned())
    }
}

/// A task that died, as an error of the store.
pub(super) fn died(error: &JoinError) -> StoreError {
    StoreError::Database(format!("verifying was cut short: {error}"))
}

/// Checks event chain and commit chain of the whole ledger, and says what comes by.
pub(super) async fn chains(
    dir: &StateDir,
    expected: VerifyOptions,
    seen: Sender<Seen>,
) -> Result<Chains, StoreError> {
    let mut connection = connect::scan(dir).await?;
    let mut snapshot = connection.begin().await?;
    let mut chain = Chain::new(expected);
    let mut commits = CommitCursor::new();
    let mut page = event_page(&mut snapshot, Some(EventId::MIN)).await?;
    while let Some(last) = page.last {
        let covering = commits.up_to(&mut snapshot, last).await?;
        let hashing = spawn_blocking(move || check(chain, covering, &page));
        let next = event_page(&mut snapshot, last.checked_add(1)).await?;
        let (checked, mut open) = hashing.await.map_err(|error| died(&error))??;
        chain = checked;
        let projected = std::mem::take(&mut open.projected);
        // Nobody listens any more when replaying failed, which ends this too.
        let _ = seen.send(Seen { projected, last }).await;
        look_up(&mut snapshot, open, chain.findings()).await?;
        page = next;
    }
    for commit in commits.up_to(&mut snapshot, EventId::MAX).await? {
        chain.commit(commit);
    }
    Ok(chain.end())
}

fn check(
    mut chain: Chain,
    commits: Vec<CommitRow>,
    page: &Page,
) -> Result<(Chain, Open), Malformed> {
    let mut open = Open::default();
    for commit in commits {
        chain.commit(commit);
    }
    for row in page.rows() {
        chain.event(&row?, &mut open);
    }
    Ok((chain, open))
}

async fn event_page(
    connection: &mut SqliteConnection,
    first: Option<EventId>,
) -> Result<Page, sqlx::Error> {
    let Some(first) = first else {
        return Ok(Page::default());
    };
    let row = sqlx::query_file!("queries/verify/event_page.sql", first, PAGE, LONGEST)
        .fetch_one(connection)
        .await?;
    Ok(Page {
        lengths: row.lengths.unwrap_or_default(),
        records: row.records.unwrap_or_default(),
        last: row.last_event_id,
    })
}

/// How far the commits are read.
struct CommitCursor {
    /// Where to go on; `None` at the end.
    next: Option<i64>,
    reached: EventId,
}

impl CommitCursor {
    fn new() -> Self {
        Self {
            next: Some(i64::MIN),
            reached: 0,
        }
    }

    /// The next commits, as many as cover the events up to `last`.
    async fn up_to(
        &mut self,
        connection: &mut SqliteConnection,
        last: EventId,
    ) -> Result<Vec<CommitRow>, StoreError> {
        let mut commits = Vec::new();
        while let Some(first) = self.next
            && self.reached < last
        {
            let page = sqlx::query_file!("queries/verify/commit_page.sql", first, PAGE)
                .fetch_one(&mut *connection)
                .await?;
            let (lengths, records) = (page.lengths, page.records.unwrap_or_default());
            self.next = page.last_commit_id.and_then(|last| last.checked_add(1));
            for record in lengths
                .iter()
                .flat_map(|lengths| Records::new(lengths, &records))
            {
                let commit = CommitRow::parse(record?)?;
                // What was put before the first commit covers nothing.
                if commit.commit_id > 0 {
                    self.reached = commit.last_event_id;
                }
                commits.push(commit);
            }
        }
        Ok(commits)
    }
}

/// Checks what a page left open.
pub(super) async fn look_up(
    connection: &mut SqliteConnection,
    open: Open,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    for long in open.long {
        if !long_payload_holds(connection, &long).await? {
            let why = "its payload is not the one that was hashed";
            findings.push(long.place.finding(What::PayloadChanged, why));
        }
    }
    for fork in open.forks {
        if fork_source(connection, &fork).await?.is_none() {
            let why = "it does not go on from the event that it says it was forked at";
            findings.push(fork.place.finding(What::ChainBroken, why));
        }
    }
    Ok(())
}

async fn long_payload_holds(
    connection: &mut SqliteConnection,
    long: &LongPayload,
) -> Result<bool, StoreError> {
    let payload = sqlx::query_file_scalar!("queries/verify/payload.sql", long.place.event_id)
        .fetch_one(connection)
        .await?
        .unwrap_or_default();
    Ok(payload_is(&long.salt, &payload, &long.digest))
}

/// The thread that wrote the event a fork goes on from; `None` when the fork does not go on from
/// the event it names.
pub(super) async fn fork_source(
    connection: &mut SqliteConnection,
    fork: &ForkStart,
) -> Result<Option<String>, StoreError> {
    let source = sqlx::query_file!("queries/verify/fork_source.sql", fork.place.event_id)
        .fetch_optional(connection)
        .await?;
    let goes_on = |seq, hash: &[u8]| {
        seq == fork.place.seq.saturating_sub(1)
            && Digest::try_from(hash).is_ok_and(|hash| hash == fork.prev_hash)
    };
    Ok(source
        .filter(|source| goes_on(source.event_seq, &source.hash))
        .map(|source| source.thread_id))
}
