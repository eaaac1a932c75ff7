//! Forgeries, and the two verifiers that must find them: the program's own, and the one that needs
//! nothing of it. And honest histories, which neither may accuse.

mod anew;
mod forgeries;
mod honest;
mod projections;

use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::{TempDir, tempdir};
use threadkeep::domain::Digest;
use threadkeep::store::verify::{Head, Report, VerifyOptions, What};
use threadkeep::store::{Durability, Fork, Store, StoreError};

use crate::store::{new_turn, open, start, thread, turn_completed};

/// Three threads, one of them a fork, and two turns; returns the database and its noted head.
async fn ledger(dir: &TempDir) -> (PathBuf, Head) {
    let store = open(dir).await;
    let root = thread(&store).await;
    let writer = start(&store, new_turn(&root, "one")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    let fork = Fork {
        source: root,
        at: Some(3),
        id: None,
        title: None,
        claim: None,
    };
    store.fork_thread(fork).await.unwrap();
    let other = thread(&store).await;
    let writer = start(&store, new_turn(&other, "two")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    let database = store.dir().join("threadkeep.db");
    let report = store.verify(VerifyOptions::default()).await.unwrap();
    assert_eq!(report.findings, []);
    assert_eq!((report.events, report.threads), (11, 3));
    store.close().await;
    (database, report.head.unwrap())
}

/// Does to a database what a forger does: takes the guards away, forges, puts them back.
pub(crate) fn forge(database: &Path, forgery: &str) {
    forge_and(database, forgery, |_, _| ());
}

/// The same, with something done before the guards come back, which are told what was the trigger
/// that reads everything off the events.
fn forge_and<T>(
    database: &Path,
    forgery: &str,
    before_guards: impl FnOnce(&Connection, &str) -> T,
) -> T {
    let forger = Connection::open(database).unwrap();
    let guards: Vec<(String, String)> = forger
        .prepare(include_str!("guards.sql"))
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (name, _) in &guards {
        let drop = include_str!("drop_guard.sql").replace("{name}", name);
        forger.execute_batch(&drop).unwrap();
    }
    forger.execute_batch(forgery).unwrap();
    let projecting = guards.iter().find(|(name, _)| name == "event_is_projected");
    let done = before_guards(&forger, &projecting.unwrap().1);
    for (_, sql) in &guards {
        forger.execute_batch(sql).unwrap();
    }
    done
}

/// Moves the log into the file: the last connection to close does, if it may write.
fn one_file(database: &Path) {
    let reader = Connection::open(database).unwrap();
    reader
        .query_row(include_str!("count_commits.sql"), [], |_| Ok(()))
        .unwrap();
}

/// A copy of a store in one file, to forge.
fn copy(database: &Path) -> (TempDir, PathBuf) {
    let dir = tempdir().unwrap();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let copy = state.join("threadkeep.db");
    std::fs::copy(database, &copy).unwrap();
    (dir, copy)
}

async fn verify(database: &Path, noted: Option<Head>) -> Report {
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let options = VerifyOptions {
        expect_head: noted,
        ..VerifyOptions::default()
    };
    let report = store.verify(options).await.unwrap();
    store.close().await;
    report
}

pub(crate) fn python(database: &Path, head: Option<Head>) -> (i32, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/audit/verify.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(database);
    command.args(head.map(|head| format!("{}:{}", head.commit_id, head.hash.hex())));
    let ran = command.output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    (ran.status.code().unwrap(), said.trim().to_owned())
}

#[test]
fn a_file_that_is_no_ledger_is_unreadable_and_not_broken() {
    assert_eq!(python(Path::new("/nowhere/threadkeep.db"), None).0, 2);
}

#[tokio::test]
async fn a_database_that_is_no_ledger_is_unreadable_and_not_broken() {
    let dir = tempdir().unwrap();
    let (database, _) = ledger(&dir).await;
    std::fs::write(&database, vec![b'x'; 8192]).unwrap();
    std::fs::remove_file(database.with_extension("db-wal")).unwrap();
    let store = Store::open_read_only(database.parent().unwrap()).await;
    let failed = match store {
        Ok(store) => store.verify(VerifyOptions::default()).await.err(),
        Err(error) => Some(error),
    };
    assert!(
        matches!(failed, Some(StoreError::Directory { .. })),
        "{failed:?}"
    );
}

#[tokio::test]
async fn a_head_that_never_was_is_not_found() {
    let dir = tempdir().unwrap();
    let (database, head) = ledger(&dir).await;
    let other = Head {
        hash: Digest::of(b"another"),
        ..head
    };
    let report = verify(&database, Some(other)).await;
    assert_eq!(report.findings[0].what, What::HeadNotFound);
    assert_eq!(python(&database, Some(other)).0, 1);
}

#[tokio::test]
async fn a_report_is_bounded_and_counts_the_rest() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    for _ in 0..60 {
        thread(&store).await;
    }
    let database = store.dir().join("threadkeep.db");
    store.close().await;
    forge(&database, include_str!("edit_all.sql"));
    let report = verify(&database, None).await;
    // Each event, and the row of each thread.
    assert_eq!((report.findings.len(), report.unlisted), (100, 20));
}

#[tokio::test]
async fn one_thread_is_verified_with_what_it_shares_and_nothing_else() {
    let dir = tempdir().unwrap();
    let (database, _) = ledger(&dir).await;
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let events = store.events_after(0, 100).await.unwrap();
    let (root, fork, other) = (&events[0].thread, &events[5].thread, &events[6].thread);
    for (thread, count) in [(root, 5), (fork, 4), (other, 5)] {
        let report = store.verify_thread(thread).await.unwrap();
        assert!(report.is_intact() && report.events == count, "{report:?}");
    }
    // Event 3 is the last that the fork shares, event 4 is the root's alone.
    forge(&database, include_str!("edit_payload.sql"));
    assert_eq!(
        store.verify_thread(root).await.unwrap().findings[0].event_id,
        Some(4)
    );
    assert!(store.verify_thread(fork).await.unwrap().is_intact());
    forge(&database, include_str!("edit_shared.sql"));
    assert_eq!(
        store.verify_thread(fork).await.unwrap().findings[0].event_id,
        Some(3)
    );
    assert!(store.verify_thread(other).await.unwrap().is_intact());
    let nobody = store.verify_thread(&"nobody".parse().unwrap()).await;
    assert!(
        matches!(nobody, Err(StoreError::UnknownThread(_))),
        "{nobody:?}"
    );
}

#[tokio::test]
async fn an_event_before_the_first_of_a_thread_is_found_in_that_thread() {
    let dir = tempdir().unwrap();
    let (database, _) = ledger(&dir).await;
    forge(&database, include_str!("add_before.sql"));
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let root = &store.events_after(0, 1).await.unwrap()[0].thread;
    let report = store.verify_thread(root).await.unwrap();
    let first = &report.findings[0];
    assert_eq!(
        (first.what, first.event_id),
        (What::EventChanged, Some(12)),
        "{first:?}"
    );
}
