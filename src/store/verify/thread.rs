use sqlx::{Connection as _, SqliteConnection};

use super::super::connect;
use super::super::dir::StateDir;
use super::super::error::StoreError;
use super::chain::{Links, Open};
use super::report::Report;
use super::scan::{LONGEST, PAGE, Page, fork_source, look_up};
use crate::domain::{EventSeq, ThreadId};

/// Checks the chain of one thread, then that of the thread it was forked from up to there, and so
/// on to the root.
pub(super) async fn verify(dir: &StateDir, thread: &ThreadId) -> Result<Report, StoreError> {
    let mut connection = connect::scan(dir).await?;
    let mut snapshot = connection.begin().await?;
    let (mut links, mut threads) = (Links::default(), 0);
    let mut next = Some((thread.to_string(), EventSeq::MAX));
    while let Some((id, last)) = next {
        next = part(&mut snapshot, &mut links, (&id, last)).await?;
        threads += 1;
    }
    if links.events == 0 {
        return Err(StoreError::UnknownThread(thread.clone()));
    }
    links.findings.sort();
    Ok(Report {
        events: links.events,
        erased: links.erased,
        commits: 0,
        threads,
        contents: 0,
        head: None,
        findings: links.findings.list,
        unlisted: links.findings.unlisted,
    })
}

/// Checks the events of one thread up to one of them; returns where the thread was forked.
async fn part(
    snapshot: &mut SqliteConnection,
    links: &mut Links,
    (thread, last): (&str, EventSeq),
) -> Result<Option<(String, EventSeq)>, StoreError> {
    let (mut next, mut source) = (Some(EventSeq::MIN), None);
    while let Some(first) = next {
        let page = thread_page(snapshot, thread, (first, last)).await?;
        let Some(end) = page.last else { break };
        let mut open = Open::default();
        for row in page.rows() {
            links.event(&row?, &mut open);
        }
        if let Some(fork) = open.forks.first() {
            let thread = fork_source(snapshot, fork).await?;
            source = thread.map(|thread| (thread, fork.place.seq.saturating_sub(1)));
        }
        look_up(snapshot, open, &mut links.findings).await?;
        next = end.checked_add(1);
    }
    Ok(source)
}

async fn thread_page(
    snapshot: &mut SqliteConnection,
    thread: &str,
    (first, last): (EventSeq, EventSeq),
) -> Result<Page, sqlx::Error> {
    let row = sqlx::query_file!(
        "queries/verify/thread_page.sql",
        thread,
        first,
        last,
        PAGE,
        LONGEST
    )
    .fetch_one(snapshot)
    .await?;
    Ok(Page {
        lengths: row.lengths.unwrap_or_default(),
        records: row.records.unwrap_or_default(),
        last: row.last_event_seq,
    })
}
