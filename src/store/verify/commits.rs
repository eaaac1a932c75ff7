use std::collections::VecDeque;

use super::super::ledger::merkle_root;
use super::super::proof::{Tree, TreeHead};
use super::report::{Finding, Findings, Head, What};
use super::rows::CommitRow;
use crate::domain::{Digest, EventId};

/// Follows the commit chain beside the events.
pub(super) struct Commits {
    /// Commits that were read and whose events have not all come by.
    waiting: VecDeque<CommitRow>,
    /// Hashes of the events of the first of them.
    leaves: Vec<Digest>,
    last: Head,
    /// The last event of the last commit read.
    reached: EventId,
    noted: Option<Head>,
    awaited: Option<Awaited>,
    /// True while events come by that no commit covers, so that it is said once.
    uncovered: bool,
    pub count: u64,
}

/// A tree signed earlier, and that of the commits so far.
struct Awaited {
    signed: TreeHead,
    tree: Tree,
}

impl Awaited {
    /// Whether these are so many commits as the tree signed earlier, and others.
    fn differs(&self) -> bool {
        self.tree.size() == self.signed.size && self.tree.root() != self.signed.root
    }
}

impl Commits {
    pub fn new(noted: Option<Head>, signed: Option<TreeHead>) -> Self {
        Self {
            waiting: VecDeque::new(),
            leaves: Vec::new(),
            last: Head {
                commit_id: 0,
                hash: Digest::ZERO,
            },
            reached: 0,
            noted,
            awaited: signed.map(|signed| Awaited {
                signed,
                tree: Tree::default(),
            }),
            uncovered: false,
            count: 0,
        }
    }

    /// The last commit.
    pub fn head(&self) -> Option<Head> {
        (self.last.commit_id > 0).then_some(self.last)
    }

    /// The next commit of the chain.
    pub fn add(&mut self, commit: CommitRow, findings: &mut Findings) {
        let id = commit.commit_id;
        if id < 1 {
            let why = "commits are counted from 1, so it was put before the first";
            findings.push(changed(&commit, why));
            return;
        }
        self.count += 1;
        let next = self.last.commit_id.saturating_add(1);
        let after_gap = id != next;
        if after_gap {
            findings.push(missing(next, self.reached, &commit));
        }
        let begins = self.reached.saturating_add(1);
        if !after_gap && commit.first_event_id != begins {
            let why = format!("it does not begin at event {begins}, after the commit before it");
            findings.push(changed(&commit, &why));
        } else if !after_gap && commit.prev_hash != Some(self.last.hash) {
            findings.push(changed(&commit, "it does not follow the commit before it"));
        } else if !commit.hash_holds() {
            findings.push(changed(
                &commit,
                "its members are not the ones that were hashed",
            ));
        }
        let hash = commit.hash.unwrap_or(Digest::ZERO);
        self.last = Head {
            commit_id: id,
            hash,
        };
        self.noted = self.noted.filter(|noted| *noted != self.last);
        if let Some(awaited) = &mut self.awaited
            && awaited.tree.size() < awaited.signed.size
        {
            awaited.tree.push(hash.as_bytes());
        }
        self.reached = commit.last_event_id;
        self.waiting.push_back(commit);
    }

    /// The next event came by; its hash is a leaf of its commit's tree, unless it cannot be trusted.
    pub fn cover(&mut self, event_id: EventId, hash: Option<Digest>, findings: &mut Findings) {
        // A commit whose last events are missing; the gap was told.
        while let Some(commit) = self.waiting.front()
            && commit.last_event_id < event_id
        {
            self.close();
        }
        let Some(commit) = self
            .waiting
            .front()
            .filter(|commit| commit.first_event_id <= event_id)
        else {
            if !std::mem::replace(&mut self.uncovered, true) {
                let message = format!("event {event_id}: no commit covers it");
                findings.push(Finding::new(What::CommitMissing, message).at_event(event_id));
            }
            return;
        };
        self.uncovered = false;
        self.leaves.extend(hash);
        if commit.last_event_id == event_id {
            // Without one of its events the root cannot be told; what is wrong with that was said.
            let before = event_id.saturating_sub(commit.first_event_id);
            let whole = i64::try_from(self.leaves.len())
                .is_ok_and(|leaves| leaves == before.saturating_add(1));
            if whole && commit.root != Some(merkle_root(&self.leaves)) {
                findings.push(changed(commit, "its root is not that of its events"));
            }
            self.close();
        }
    }

    fn close(&mut self) {
        self.waiting.pop_front();
        self.leaves.clear();
    }

    /// No more events come after `seen`.
    pub fn end(&mut self, seen: EventId, findings: &mut Findings) {
        if let (Some(first), Some(last)) = (self.waiting.front(), self.waiting.back()) {
            let (from, to) = (
                first.first_event_id.max(seen.saturating_add(1)),
                last.last_event_id,
            );
            let message = format!(
                "events {from} to {to} are missing: they were committed, up to commit {}",
                last.commit_id
            );
            let finding = Finding::new(What::EventMissing, message).at_event(from);
            findings.push(finding.at_commit(first.commit_id));
        }
        if let Some(finding) = self.awaited.as_ref().and_then(contradiction) {
            findings.push_named(finding);
        }
        if let Some(noted) = self.noted {
            let id = noted.commit_id;
            let last = self.last.commit_id;
            let message = if last < id {
                format!("commit {id} was noted earlier, and the ledger ends at commit {last}")
            } else {
                format!("commit {id} is not the one noted earlier: the ledger was written anew")
            };
            findings.push_named(Finding::new(What::HeadNotFound, message).at_commit(id));
        }
    }
}

/// What is wrong when the ledger is not the one that was signed.
fn contradiction(awaited: &Awaited) -> Option<Finding> {
    let (signed, there) = (awaited.signed.size, awaited.tree.size());
    let message = if there < signed {
        format!(
            "the checkpoint has {signed} commits, and the ledger ends at commit {there}: it was cut \
             off or rolled back"
        )
    } else if awaited.differs() {
        format!(
            "the first {signed} commits are not those of the checkpoint: the ledger was rolled back \
             and went on, or was written anew"
        )
    } else {
        return None;
    };
    Some(Finding::new(What::CheckpointNotFound, message))
}

fn changed(commit: &CommitRow, why: &str) -> Finding {
    let CommitRow {
        commit_id: id,
        first_event_id: first,
        last_event_id: last,
        ..
    } = commit;
    let message = format!("commit {id} (events {first} to {last}): {why}");
    Finding::new(What::CommitChanged, message)
        .at_commit(*id)
        .at_event(*first)
}

/// Commits are missing after one that ended with the event `reached`.
fn missing(first: i64, reached: EventId, next: &CommitRow) -> Finding {
    let last = next.commit_id - 1;
    let message = if first == last {
        format!("commit {first} is missing")
    } else {
        format!("commits {first} to {last} are missing")
    };
    Finding::new(What::CommitMissing, message)
        .at_commit(first)
        .at_event(reached.saturating_add(1).min(next.first_event_id))
}
