use std::collections::HashMap;

use super::VerifyOptions;
use super::commits::Commits;
use super::event::{Hasher, Place, Read, payload_holds};
use super::report::{Finding, Findings, What};
use super::rows::{CommitRow, EventRow, Payload};
use super::scan::Chains;
use crate::domain::{Digest, EventId, EventSeq};

/// Follows the chains of all threads and of the commits along the ledger.
pub(super) struct Chain {
    links: Links,
    commits: Commits,
    next: EventId,
}

/// Follows the chains of threads. What it keeps grows with their number (some hundred bytes each),
/// not with that of events.
#[derive(Default)]
pub(super) struct Links {
    threads: HashMap<String, Link>,
    hasher: Hasher,
    pub findings: Findings,
    pub events: u64,
    pub erased: u64,
}

/// The last event of a thread.
struct Link {
    seq: EventSeq,
    hash: Digest,
}

/// What a page leaves to be looked up elsewhere.
#[derive(Default)]
pub(super) struct Open {
    /// Forks, whose source must be looked up.
    pub forks: Vec<ForkStart>,
    /// Payloads that must be read by themselves.
    pub long: Vec<LongPayload>,
    /// Events that are projected, and so must be replayed.
    pub projected: Vec<EventId>,
}

/// Events that change no projection. They are most of them, and need not be replayed.
const UNPROJECTED: [&[u8]; 4] = [
    b"item.delta",
    b"tool.requested",
    b"tool.result",
    b"usage.recorded",
];

/// The first event of a fork.
pub(super) struct ForkStart {
    pub place: Place,
    pub prev_hash: Digest,
}

/// A payload that no page holds.
pub(super) struct LongPayload {
    pub place: Place,
    pub salt: Vec<u8>,
    pub digest: Vec<u8>,
}

impl Chain {
    /// Starts at the first event; `expected` must come by.
    pub fn new(expected: VerifyOptions) -> Self {
        Self {
            links: Links::default(),
            commits: Commits::new(expected.expect_head, expected.expect_tree),
            next: 1,
        }
    }

    pub fn findings(&mut self) -> &mut Findings {
        &mut self.links.findings
    }

    /// Adds the next commit.
    pub fn commit(&mut self, commit: CommitRow) {
        self.commits.add(commit, &mut self.links.findings);
    }

    /// Checks the next event. The commits that cover it must have been added.
    pub fn event(&mut self, row: &EventRow<'_>, open: &mut Open) {
        if row.event_id < 1 {
            let why = "events are counted from 1, so it was put before the first";
            let finding = Place::of(row).finding(What::ChainBroken, why);
            self.links.findings.push(finding);
            return;
        }
        if row.event_id != self.next {
            self.links.findings.push(gap(self.next, row.event_id));
        }
        self.next = row.event_id.saturating_add(1);
        if !UNPROJECTED.contains(&row.event_type()) {
            open.projected.push(row.event_id);
        }
        let hash = self.links.event(row, open);
        self.commits
            .cover(row.event_id, hash, &mut self.links.findings);
    }

    /// Checks what can be seen only at the end.
    pub fn end(mut self) -> Chains {
        self.commits
            .end(self.next.saturating_sub(1), &mut self.links.findings);
        self.links.findings.sort();
        Chains {
            events: self.links.events,
            erased: self.links.erased,
            commits: self.commits.count,
            threads: self.links.threads.len() as u64,
            head: self.commits.head(),
            findings: self.links.findings,
        }
    }
}

impl Open {
    fn payload(&mut self, row: &EventRow<'_>) {
        if matches!(row.payload, Payload::Long) {
            self.long.push(LongPayload {
                place: Place::of(row),
                salt: row.salt.to_vec(),
                digest: row.payload_digest.to_vec(),
            });
        }
    }
}

impl Links {
    /// Checks the next event of a thread; those of different threads may come mixed. Returns its
    /// hash, if that is what its members hash to.
    pub fn event(&mut self, row: &EventRow<'_>, open: &mut Open) -> Option<Digest> {
        self.events += 1;
        self.erased += u64::from(matches!(row.payload, Payload::Erased));
        let Some(event) = self.hasher.read(row) else {
            let why = "its members are not the ones that were hashed";
            let finding = Place::of(row).finding(What::EventChanged, why);
            self.findings.push(finding);
            self.skip(row);
            return None;
        };
        if payload_holds(row) {
            open.payload(row);
        } else {
            let why = "its payload is not the one that was hashed";
            let finding = Place::of(row).finding(What::PayloadChanged, why);
            self.findings.push(finding);
        }
        if let Some(finding) = self.follow(row, &event, &mut open.forks) {
            self.findings.push(finding);
        }
        Some(event.hash)
    }

    /// Checks that an event follows the one before it in its thread, and goes on from it.
    fn follow(
        &mut self,
        row: &EventRow<'_>,
        event: &Read<'_>,
        forks: &mut Vec<ForkStart>,
    ) -> Option<Finding> {
        if event.seq < 1 {
            let why = "the events of a thread are counted from 1, so it was put before the first";
            return Some(Place::of(row).finding(What::ChainBroken, why));
        }
        let link = Link {
            seq: event.seq,
            hash: event.hash,
        };
        let Some(before) = self.threads.get_mut(event.thread) else {
            self.threads.insert(event.thread.to_owned(), link);
            return begin(row, event, forks);
        };
        let before = std::mem::replace(before, link);
        let next = before.seq.saturating_add(1);
        if event.seq > next {
            return Some(missing(row, event, next));
        }
        let follows = event.seq == next && event.prev_hash == before.hash;
        (!follows).then(|| {
            let why = "it does not follow the event before it in its thread";
            Place::of(row).finding(What::ChainBroken, why)
        })
    }

    /// Goes on from an event that cannot be trusted, so that it is named once.
    fn skip(&mut self, row: &EventRow<'_>) {
        let Place { thread, seq, .. } = Place::of(row);
        if let Ok(hash) = row.hash.try_into()
            && seq > 0
        {
            self.threads.insert(thread, Link { seq, hash });
        }
    }
}

fn begin(row: &EventRow<'_>, event: &Read<'_>, forks: &mut Vec<ForkStart>) -> Option<Finding> {
    if event.event_type == "thread.forked" {
        // Where an erased fork leaves its source cannot be told any more.
        if !matches!(row.payload, Payload::Erased) {
            forks.push(ForkStart {
                place: Place::of(row),
                prev_hash: event.prev_hash,
            });
        }
        return None;
    }
    if event.seq > 1 {
        return Some(missing(row, event, 1));
    }
    (event.prev_hash != Digest::ZERO).then(|| {
        let why = "it is the first of its thread and yet there is one before it";
        Place::of(row).finding(What::ChainBroken, why)
    })
}

fn missing(row: &EventRow<'_>, event: &Read<'_>, first: EventSeq) -> Finding {
    let (thread, last) = (event.thread, event.seq.saturating_sub(1));
    let what = if first == last {
        format!("event_seq {first} is missing")
    } else {
        format!("event_seq {first} to {last} are missing")
    };
    let message = format!("thread {thread}: {what} before event {}", row.event_id);
    Finding::new(What::EventMissing, message)
        .at_event(row.event_id)
        .in_thread(thread, first)
}

fn gap(first: EventId, next: EventId) -> Finding {
    let last = next.saturating_sub(1);
    let message = if first == last {
        format!("event {first} is missing")
    } else {
        format!("events {first} to {last} are missing")
    };
    Finding::new(What::EventMissing, message).at_event(first)
}
