//! Forgeries, and the verifier that needs nothing of this program.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::tempdir;
use threadkeep::store::{Durability, Fork};

use crate::store::{new_turn, open, start, thread, turn_completed};

const UNGUARD: &str = include_str!("unguard.sql");

/// Three threads, one of them a fork, and two turns; returns the database and its noted head.
async fn ledger(dir: &tempfile::TempDir) -> (PathBuf, String) {
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
    store.close().await;
    let head = rusqlite::Connection::open(&database)
        .unwrap()
        .query_row(include_str!("head.sql"), [], |row| row.get::<_, String>(0))
        .unwrap();
    (database, head)
}

fn verify(database: &Path, head: &str) -> (i32, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/audit/verify.py");
    let ran = Command::new("python3")
        .arg(script)
        .arg(database)
        .arg(head)
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    (ran.status.code().unwrap(), said.trim().to_owned())
}

#[tokio::test]
async fn python_alone_finds_every_forgery_of_the_chains_and_names_the_place() {
    let forgeries = [
        (include_str!("edit_payload.sql"), "event 4 "),
        (include_str!("edit_time.sql"), "event 4 "),
        (include_str!("remove_middle.sql"), "event 5 "),
        (include_str!("remove_thread.sql"), "up to event 7,"),
        (include_str!("remove_last.sql"), "the head noted earlier"),
        (include_str!("edit_commit.sql"), "commit 2"),
    ];
    for (forgery, place) in forgeries {
        let dir = tempdir().unwrap();
        let (database, head) = ledger(&dir).await;
        assert_eq!(verify(&database, &head), (0, "intact".to_owned()));
        let forger = rusqlite::Connection::open(&database).unwrap();
        forger.execute_batch(UNGUARD).unwrap();
        forger.execute_batch(forgery).unwrap();
        drop(forger);
        let (code, said) = verify(&database, &head);
        assert!(
            code == 1 && said.contains(place),
            "{forgery}\n{code} {said}"
        );
    }
}

#[test]
fn a_file_that_is_no_ledger_is_unreadable_and_not_broken() {
    assert_eq!(verify(Path::new("/nowhere/threadkeep.db"), "1:00").0, 2);
}
