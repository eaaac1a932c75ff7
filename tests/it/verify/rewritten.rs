//! A forger who knows the hash formulas and hashes anew what was forged.

use rusqlite::{Connection, params};
use tempfile::tempdir;
use threadkeep::domain::{Digest, Timestamp};
use threadkeep::store::ledger::{
    CommitRecord, commit_hash, event_hash, merkle_root, payload_digest,
};
use threadkeep::store::verify::What;
use threadkeep::store::{Event, Store};

use super::{ledger, python, verify};

/// How far the forger goes.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Reach {
    Event,
    Thread,
    Commits,
}

#[tokio::test]
async fn what_was_hashed_anew_is_found_by_what_still_stands() {
    let cases = [
        (Reach::Event, What::CommitChanged, "commit 2"),
        (Reach::Thread, What::CommitChanged, "commit 2"),
        (Reach::Commits, What::HeadNotFound, "the head noted earlier"),
    ];
    for (reach, what, place) in cases {
        let dir = tempdir().unwrap();
        let (database, head) = ledger(&dir).await;
        let store = Store::open_read_only(database.parent().unwrap())
            .await
            .unwrap();
        let mut events = store.events_after(0, 100).await.unwrap();
        store.close().await;
        let forger = unguarded(&database);
        rewrite(&mut events, reach, &forger);
        if reach == Reach::Commits {
            commit_anew(&events, &forger);
        }
        drop(forger);
        let report = verify(&database, Some(head)).await;
        let found: Vec<_> = report.findings.iter().map(|one| one.what).collect();
        assert_eq!(found[0], what, "{reach:?} {:?}", report.findings);
        assert_eq!(found.contains(&What::ChainBroken), reach == Reach::Event);
        let (code, said) = python(&database, Some(head));
        assert!(code == 1 && said.contains(place), "{reach:?} {said}");
    }
}

/// What is erased vouches for nothing, but where a thread that is no fork begins needs no payload.
#[tokio::test]
async fn an_erased_beginning_that_names_one_before_it_is_found() {
    let dir = tempdir().unwrap();
    let (database, _) = ledger(&dir).await;
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let mut events = store.events_after(0, 100).await.unwrap();
    store.close().await;
    let begins = |event: &Event| event.event_type == "thread.started" && event.event_id > 1;
    let first = events.iter().position(begins).unwrap();
    let (thread, begin) = (events[first].thread.clone(), events[first].event_id);
    let forger = unguarded(&database);
    let mut head = Digest::of(b"one before it");
    for event in events.iter_mut().filter(|event| event.thread == thread) {
        event.prev_hash = head;
        head = write(event, &forger);
    }
    commit_anew(&events, &forger);
    forger.execute_batch(include_str!("erase_all.sql")).unwrap();
    drop(forger);
    let report = verify(&database, None).await;
    let found = &report.findings[0];
    assert_eq!(
        (found.what, found.event_id),
        (What::ChainBroken, Some(begin))
    );
    let (code, said) = python(&database, None);
    let named = format!("event {begin} ");
    assert!(code == 1 && said.contains(&named), "{said}");
}

/// The database without its guards, and what a later look at the schema would say of that is of no
/// interest here.
fn unguarded(database: &std::path::Path) -> Connection {
    let forger = Connection::open(database).unwrap();
    for name in ["event_is_never_changed", "ledger_commit_is_never_changed"] {
        let drop = include_str!("drop_guard.sql").replace("{name}", name);
        forger.execute_batch(&drop).unwrap();
    }
    forger
}

fn rewrite(events: &mut [Event], reach: Reach, forger: &Connection) {
    let (thread, first) = (events[3].thread.clone(), 4);
    let payload = events[3].payload.as_deref().unwrap().replace("one", "ten");
    let salt: [u8; 16] = forger
        .query_row(include_str!("event_salt.sql"), [first], |row| row.get(0))
        .unwrap();
    events[3].payload_digest = payload_digest(&salt, &payload);
    events[3].payload = Some(payload.into());
    let mut head = None;
    for event in events {
        let touched = event.event_id == first
            || (reach >= Reach::Thread && event.thread == thread && event.event_id > first);
        if !touched {
            continue;
        }
        event.prev_hash = head.unwrap_or(event.prev_hash);
        head = Some(write(event, forger));
    }
}

/// Hashes an event anew, writes it, and returns its hash.
fn write(event: &mut Event, forger: &Connection) -> Digest {
    event.hash = event_hash(event, &mut String::new());
    let written = params![
        event.event_id,
        event.payload.as_deref(),
        event.payload_digest.as_bytes(),
        event.prev_hash.as_bytes(),
        event.hash.as_bytes()
    ];
    forger
        .execute(include_str!("write_event.sql"), written)
        .unwrap();
    event.hash
}

fn commit_anew(events: &[Event], forger: &Connection) {
    let mut statement = forger.prepare(include_str!("commits.sql")).unwrap();
    let commits: Vec<CommitRecord> = statement
        .query_map([], |row| {
            Ok(CommitRecord {
                commit_id: row.get(0)?,
                at: Timestamp::from_millis(row.get(1)?),
                first_event_id: row.get(2)?,
                last_event_id: row.get(3)?,
                root: Digest::ZERO,
                prev_hash: Digest::ZERO,
                hash: Digest::ZERO,
            })
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut prev_hash = Digest::ZERO;
    for mut commit in commits {
        let covered = |event: &&Event| {
            (commit.first_event_id..=commit.last_event_id).contains(&event.event_id)
        };
        let leaves: Vec<_> = events
            .iter()
            .filter(covered)
            .map(|event| event.hash)
            .collect();
        commit.root = merkle_root(&leaves);
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
