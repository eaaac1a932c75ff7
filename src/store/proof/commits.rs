use sqlx::SqliteConnection;

use super::super::error::StoreError;
use super::super::verify::rows::{CommitRow, Malformed, Records};
use super::super::verify::scan::PAGE;
use super::error::ProofError;
use crate::domain::{Digest, EventId};

/// Hands the commits to `visit`, each with its hash, until there are no more or `most` were seen.
/// They are read a page at a time. Each must follow the one before it.
pub(super) async fn each(
    connection: &mut SqliteConnection,
    most: u64,
    mut visit: impl FnMut(&CommitRow, Digest),
) -> Result<(), ProofError> {
    let mut last = Link::default();
    let mut seen = 0;
    // One that was put before the first is met, and does not follow.
    let mut from = i64::MIN;
    loop {
        let page = page_from(connection, from).await?;
        if page.is_empty() {
            return Ok(());
        }
        for commit in page {
            if seen == most {
                return Ok(());
            }
            last = last.follow(&commit)?;
            visit(&commit, last.hash);
            seen += 1;
        }
        from = last.commit_id.saturating_add(1);
    }
}

async fn page_from(
    connection: &mut SqliteConnection,
    commit_id: i64,
) -> Result<Vec<CommitRow>, StoreError> {
    let page = sqlx::query_file!("queries/verify/commit_page.sql", commit_id, PAGE)
        .fetch_one(connection)
        .await?;
    let (lengths, records) = (page.lengths, page.records.unwrap_or_default());
    let records = lengths
        .iter()
        .flat_map(|lengths| Records::new(lengths, &records));
    let commits = records.map(|record| CommitRow::parse(record?));
    Ok(commits.collect::<Result<_, Malformed>>()?)
}

/// The commit before the next.
#[derive(Debug, Clone, Copy)]
struct Link {
    commit_id: i64,
    last_event_id: EventId,
    hash: Digest,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            commit_id: 0,
            last_event_id: 0,
            hash: Digest::ZERO,
        }
    }
}

impl Link {
    fn follow(self, commit: &CommitRow) -> Result<Self, ProofError> {
        let follows = commit.commit_id == self.commit_id.saturating_add(1)
            && commit.first_event_id == self.last_event_id.saturating_add(1)
            && commit.prev_hash == Some(self.hash);
        match commit.hash.filter(|_| follows && commit.hash_holds()) {
            Some(hash) => Ok(Self {
                commit_id: commit.commit_id,
                last_event_id: commit.last_event_id,
                hash,
            }),
            None => Err(ProofError::Broken(format!(
                "commit {} is not the one that was made after commit {}",
                commit.commit_id, self.commit_id
            ))),
        }
    }
}
