//! A forger who knows the formulas: hashes anew what was forged, as far as told.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use threadkeep::domain::{Digest, Timestamp};
use threadkeep::store::ledger::{CommitRecord, commit_hash, merkle_root};

/// How far the forger goes; each goes as far as those before it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Reach {
    /// Nothing is hashed anew.
    Nothing,
    /// Each event for itself: what it says fits its hash.
    Event,
    /// The chains of all threads.
    Events,
    /// The commits too.
    Commits,
    /// And everything that is read off the events.
    Everything,
}

impl Reach {
    pub fn named(name: &str) -> Self {
        match name {
            "event" => Self::Event,
            "events" => Self::Events,
            "commits" => Self::Commits,
            "everything" => Self::Everything,
            _ => panic!("nobody goes as far as {name}"),
        }
    }
}

/// Hashes anew in a database without guards. `projecting` is the trigger that reads off events.
pub(super) fn hash(forger: &Connection, reach: Reach, projecting: &str) {
    if reach >= Reach::Event {
        events(forger, reach);
    }
    if reach >= Reach::Commits {
        commits(forger);
    }
    if reach >= Reach::Everything {
        let retell = include_str!("retell.sql").replace("{event_is_projected}", projecting);
        forger.execute_batch(&retell).unwrap();
    }
}

struct Event {
    id: i64,
    thread: String,
    payload: Option<Vec<u8>>,
    salt: Option<Vec<u8>>,
    payload_digest: Digest,
    prev_hash: Digest,
    members: String,
    source: Option<i64>,
}

impl Event {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            thread: row.get(1)?,
            payload: row.get(2)?,
            salt: row.get(3)?,
            payload_digest: Digest::from_bytes(row.get(4)?),
            prev_hash: Digest::from_bytes(row.get(5)?),
            members: row.get(6)?,
            source: row.get(7)?,
        })
    }

    fn hash(&mut self) -> Digest {
        if let (Some(salt), Some(payload)) = (&self.salt, &self.payload) {
            self.payload_digest = Digest::of_parts(&[salt, payload]);
        }
        let (payload, before) = (self.payload_digest.hex(), self.prev_hash.hex());
        Digest::of(format!("{}{payload}\n{before}\n", self.members).as_bytes())
    }
}

fn events(forger: &Connection, reach: Reach) {
    let mut statement = forger.prepare(include_str!("read_events.sql")).unwrap();
    let events: Vec<_> = statement
        .query_map([], Event::read)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let (mut heads, mut hashes) = (HashMap::new(), HashMap::new());
    for mut event in events {
        if reach >= Reach::Events {
            let before = match event.source {
                Some(source) => hashes.get(&source),
                None => heads.get(&event.thread),
            };
            event.prev_hash = before.copied().unwrap_or(event.prev_hash);
        }
        let hash = event.hash();
        let written = params![
            event.id,
            event.payload_digest.as_bytes(),
            event.prev_hash.as_bytes(),
            hash.as_bytes()
        ];
        forger
            .execute(include_str!("write_event.sql"), written)
            .unwrap();
        hashes.insert(event.id, hash);
        heads.insert(event.thread, hash);
    }
}

fn commits(forger: &Connection) {
    let mut statement = forger.prepare(include_str!("read_commits.sql")).unwrap();
    let read = |row: &Row<'_>| {
        Ok(CommitRecord {
            commit_id: row.get(0)?,
            at: Timestamp::from_millis(row.get(1)?),
            first_event_id: row.get(2)?,
            last_event_id: row.get(3)?,
            root: Digest::ZERO,
            prev_hash: Digest::ZERO,
            hash: Digest::ZERO,
        })
    };
    let commits = statement.query_map([], read).unwrap();
    let mut prev_hash = Digest::ZERO;
    for mut commit in commits.map(Result::unwrap).collect::<Vec<_>>() {
        commit.root = merkle_root(&leaves(forger, &commit));
        commit.prev_hash = prev_hash;
        prev_hash = commit_hash(&commit);
        let written = params![
            commit.commit_id,
            commit.root.as_bytes(),
            commit.prev_hash.as_bytes(),
            prev_hash.as_bytes()
        ];
        forger
            .execute(include_str!("write_commit.sql"), written)
            .unwrap();
    }
}

fn leaves(forger: &Connection, commit: &CommitRecord) -> Vec<Digest> {
    let mut statement = forger.prepare(include_str!("read_leaves.sql")).unwrap();
    let range = [commit.first_event_id, commit.last_event_id];
    let leaves = statement.query_map(range, |row| row.get(0).map(Digest::from_bytes));
    leaves.unwrap().map(Result::unwrap).collect()
}
