use serde::Serialize;

use crate::domain::{Digest, EventId, EventSeq};

/// The most findings a report names; the rest is counted.
pub const MAX_FINDINGS: usize = 100;

/// A commit as it can be noted elsewhere: it vouches for itself and all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Head {
    /// Its number.
    pub commit_id: i64,
    /// Its hash.
    pub hash: Digest,
}

/// What is wrong. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A payload is not the one that was hashed.
    PayloadChanged,
    /// A member of an event is not the one that was hashed.
    EventChanged,
    /// An event is not there.
    EventMissing,
    /// An event does not follow the one before it in its thread, or the one its thread was forked at.
    ChainBroken,
    /// A commit is not the one that was made, or not of these events.
    CommitChanged,
    /// A commit is not there.
    CommitMissing,
    /// The head noted earlier is not in this ledger: it was cut off, rolled back or written anew.
    HeadNotFound,
    /// The state that a checkpoint signed is not one of this ledger: it was cut off, rolled back or
    /// written anew.
    CheckpointNotFound,
    /// A row of a projection is not what the events say.
    ProjectionDiffers,
    /// Kept content is not what its digest says.
    ContentDiffers,
    /// A table, index, trigger or view is not as the migrations make it.
    SchemaDiffers,
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is.
    pub what: What,
    /// The event, by commit order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The event, by its place in the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_seq: Option<EventSeq>,
    /// The commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<i64>,
    /// The table, or the kind of the schema's object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The row's key, the content's digest, or the object's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The whole of it for a person.
    pub message: String,
}

impl Finding {
    pub(super) fn new(what: What, message: String) -> Self {
        Self {
            what,
            event_id: None,
            thread: None,
            event_seq: None,
            commit_id: None,
            table: None,
            key: None,
            message,
        }
    }

    pub(super) fn at_event(mut self, event_id: EventId) -> Self {
        self.event_id = Some(event_id);
        self
    }

    pub(super) fn in_thread(mut self, thread: &str, seq: EventSeq) -> Self {
        self.thread = Some(thread.to_owned());
        self.event_seq = Some(seq);
        self
    }

    pub(super) fn at_commit(mut self, commit_id: i64) -> Self {
        self.commit_id = Some(commit_id);
        self
    }

    pub(super) fn in_table(mut self, table: &str, key: String) -> Self {
        self.table = Some(table.to_owned());
        self.key = Some(key);
        self
    }
}

/// What verifying found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Events that were read.
    pub events: u64,
    /// Events whose payload is erased. Their hashes hold, what they said cannot be told any more.
    pub erased: u64,
    /// Commits that were read.
    pub commits: u64,
    /// Threads they belong to.
    pub threads: u64,
    /// Contents that were hashed.
    pub contents: u64,
    /// The last commit; none in an empty ledger.
    pub head: Option<Head>,
    /// What is wrong, the first bad event first; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub unlisted: u64,
}

impl Report {
    /// True when nothing is wrong.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Findings of one check, bounded.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub list: Vec<Finding>,
    pub unlisted: u64,
}

impl Findings {
    pub fn push(&mut self, finding: Finding) {
        if self.list.len() < MAX_FINDINGS {
            self.list.push(finding);
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds one that is named even when others must make room.
    pub fn push_named(&mut self, finding: Finding) {
        if self.list.len() >= MAX_FINDINGS {
            self.list.pop();
            self.unlisted += 1;
        }
        self.list.push(finding);
    }

    /// Adds the findings of another check after these.
    pub fn append(&mut self, other: Self) {
        self.unlisted += other.unlisted;
        for finding in other.list {
            self.push(finding);
        }
    }

    /// Brings them into the order of the events they are about.
    pub fn sort(&mut self) {
        self.list
            .sort_by_key(|finding| finding.event_id.unwrap_or(EventId::MAX));
    }
}
