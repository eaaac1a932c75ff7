//! Proves that the ledger is the one that was written, or names what is not.
//!
//! May use: read-only connections of its own, the formulas of `ledger`, the migrations. Promises:
//! nothing is written; an honest ledger is never accused; memory does not grow with the number of
//! events.

mod chain;
mod commits;
mod content;
mod event;
mod replay;
mod report;
pub(super) mod rows;
pub(super) mod scan;
mod thread;

pub use report::{Finding, Head, MAX_FINDINGS, Report, What};

use tokio::sync::mpsc;

use super::Store;
use super::error::StoreError;
use super::proof::TreeHead;
use crate::domain::ThreadId;

/// What to verify beyond the ledger itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyOptions {
    /// A head noted earlier, which must be in the ledger: it shows that nothing was cut off or
    /// rolled back since.
    pub expect_head: Option<Head>,
    /// The tree of a checkpoint whose signature was verified: it shows the same.
    pub expect_tree: Option<TreeHead>,
}

impl Store {
    /// Verifies everything: payloads, event chains, commit chain, projections, schema and kept
    /// content. The store may be at work meanwhile; what is committed while it is verified is not
    /// looked at.
    ///
    /// # Errors
    /// [`StoreError::Database`] when it cannot be read. A ledger that can be read and is not as it
    /// was written is no error: see [`Report::findings`].
    pub async fn verify(&self, options: VerifyOptions) -> Result<Report, StoreError> {
        let dir = &self.inner.dir;
        let (seen, replayed) = mpsc::channel(scan::SEEN);
        let (chains, projections, (contents, differing)) = tokio::try_join!(
            scan::chains(dir, options, seen),
            replay::projections(dir, replayed),
            content::contents(dir),
        )?;
        let mut findings = chains.findings;
        findings.append(projections);
        findings.append(differing);
        Ok(Report {
            events: chains.events,
            erased: chains.erased,
            commits: chains.commits,
            threads: chains.threads,
            contents,
            head: chains.head,
            findings: findings.list,
            unlisted: findings.unlisted,
        })
    }

    /// Verifies payloads and chain of one thread, and of what it shares with its sources. Commits,
    /// projections and content are not looked at.
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], or the database.
    pub async fn verify_thread(&self, thread: &ThreadId) -> Result<Report, StoreError> {
        thread::verify(&self.inner.dir, thread).await
    }
}
