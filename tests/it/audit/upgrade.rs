use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::{TempDir, tempdir};
use threadkeep::store::audit::{AuditError, questions};
use threadkeep::store::{Store, StoreError, StoreOptions};

/// A store as the first schema version wrote it; returns the database.
pub(crate) fn first_schema(dir: &TempDir) -> PathBuf {
    let state = dir.path().join("state");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
    let database = state.join("threadkeep.db");
    let old = rusqlite::Connection::open(&database).unwrap();
    old.execute_batch(include_str!("v1_store.sql")).unwrap();
    drop(old);
    fs::set_permissions(&database, Permissions::from_mode(0o600)).unwrap();
    database
}

#[tokio::test]
async fn a_store_of_the_first_schema_gets_the_views_and_keeps_its_events() {
    let dir = tempdir().unwrap();
    let database = first_schema(&dir);
    let state = database.parent().unwrap();
    let reader = Store::open_read_only(state).await.unwrap();
    let before = reader.events_after(0, 1000).await.unwrap();
    let asked = reader.ask("threads").await;
    assert!(
        matches!(
            asked,
            Err(AuditError::Store(StoreError::Older { found: 1, .. }))
        ),
        "{asked:?}"
    );
    reader.close().await;

    let opened = Store::open(StoreOptions::new(state)).await.unwrap();
    // The turn that ran when the store was left.
    assert_eq!(opened.recovered.len(), 1);
    let after = opened.store.events_after(0, 1000).await.unwrap();
    assert_eq!(after[..before.len()], before);
    for question in questions() {
        opened.store.ask(question.name).await.unwrap();
    }
    let threads = opened.store.ask("threads").await.unwrap();
    assert_eq!(threads.rows.len(), 5);
}
