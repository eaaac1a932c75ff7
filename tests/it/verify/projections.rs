//! What is read off the events, and the schema and content beside them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};
use threadkeep::store::Store;
use threadkeep::store::verify::{VerifyOptions, What};

use super::{copy, forge, verify};
use crate::audit::history;

/// A store with something of everything, in one file without a log beside it.
async fn history(dir: &TempDir) -> PathBuf {
    let database = history::write(dir).await;
    // The last connection to close moves the log into the file, if it may write.
    drop(columns(&database));
    assert!(verify(&database, None).await.is_intact());
    database
}

/// The projections: table, column, first column of the key.
fn columns(database: &Path) -> Vec<(String, String, String)> {
    let reader = rusqlite::Connection::open(database).unwrap();
    let mut statement = reader.prepare(include_str!("columns.sql")).unwrap();
    let columns = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    columns.map(Result::unwrap).collect()
}

#[tokio::test]
async fn every_value_of_every_projection_is_compared() {
    let dir = tempdir().unwrap();
    let database = history(&dir).await;
    let columns = columns(&database);
    assert!(columns.len() > 70, "{columns:?}");
    for (table, column, key) in &columns {
        let (_dir, copy) = copy(&database);
        let edit = include_str!("edit_column.sql")
            .replace("{table}", table)
            .replace("{column}", column)
            .replace("{key}", key);
        forge(&copy, &edit);
        let report = verify(&copy, None).await;
        let found = report.findings.iter().any(|finding| {
            finding.what == What::ProjectionDiffers && finding.table.as_ref() == Some(table)
        });
        assert!(found, "{table}.{column} {:?}", report.findings);
        let others = report
            .findings
            .iter()
            .filter(|finding| finding.table.as_ref() != Some(table));
        assert_eq!(others.count(), 0, "{table}.{column} {:?}", report.findings);
    }
}

#[tokio::test]
async fn a_row_less_and_a_row_more_are_found_in_every_projection() {
    let dir = tempdir().unwrap();
    let database = history(&dir).await;
    let keys: BTreeSet<_> = columns(&database)
        .into_iter()
        .map(|(table, _, key)| (table, key))
        .collect();
    assert_eq!(keys.len(), 8);
    for (table, key) in keys {
        let (_dir, copy) = copy(&database);
        let removal = include_str!("remove_row.sql")
            .replace("{table}", &table)
            .replace("{key}", &key);
        forge(&copy, &removal);
        let report = verify(&copy, None).await;
        assert!(!report.is_intact(), "{table}");
        for finding in report.findings {
            assert_eq!(
                (finding.what, finding.table.as_ref()),
                (What::ProjectionDiffers, Some(&table))
            );
            assert!(finding.event_id.is_some() && finding.thread.is_some());
        }
    }
    forge(&database, include_str!("add_rows.sql"));
    let report = verify(&database, None).await;
    let keys: Vec<_> = report
        .findings
        .iter()
        .map(|finding| finding.key.as_deref().unwrap())
        .collect();
    assert_eq!(keys, ["approval-x", "turn-x"]);
}

#[tokio::test]
async fn every_change_of_the_schema_is_found() {
    let dir = tempdir().unwrap();
    let database = history(&dir).await;
    let forger = rusqlite::Connection::open(&database).unwrap();
    forger.execute_batch(include_str!("schema.sql")).unwrap();
    drop(forger);
    let report = verify(&database, None).await;
    let said: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            assert_eq!(finding.what, What::SchemaDiffers);
            finding.message.as_str()
        })
        .collect();
    assert_eq!(
        said,
        [
            "index turn_unfinished: it is missing",
            "trigger event_is_never_deleted: it is missing",
            "trigger whitewash: no migration makes it",
            "view audit_commits: it is not as the migrations make it",
            "view audit_turns: it is missing",
        ]
    );
}

#[tokio::test]
async fn claims_that_retention_drops_are_not_missed_and_others_are() {
    let dir = tempdir().unwrap();
    let database = history(&dir).await;
    let (_dir, pruned) = copy(&database);
    forge(&pruned, include_str!("drop_claims.sql"));
    assert_eq!(verify(&pruned, None).await.findings, []);
    forge(&database, include_str!("drop_late_claim.sql"));
    let report = verify(&database, None).await;
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].table.as_deref(), Some("idempotency"));
}

#[tokio::test]
async fn an_erasure_is_counted_and_is_no_forgery() {
    let dir = tempdir().unwrap();
    let database = history(&dir).await;
    let eraser = rusqlite::Connection::open(&database).unwrap();
    eraser.execute_batch(include_str!("erase.sql")).unwrap();
    drop(eraser);
    let report = verify(&database, None).await;
    assert_eq!(report.findings, []);
    assert_eq!(report.erased, 5);
}

#[tokio::test]
async fn changed_content_is_found_whatever_its_length() {
    for bytes in [0, 1, 256 * 1024, 600_000] {
        let dir = tempdir().unwrap();
        let store = crate::store::open(&dir).await;
        let spool = dir.path().join("spool");
        std::fs::write(&spool, vec![b'x'; bytes]).unwrap();
        let file = tokio::fs::File::open(&spool).await.unwrap();
        let (digest, _) = store.content().unwrap().keep(file).await.unwrap();
        let report = store.verify(VerifyOptions::default()).await.unwrap();
        assert!(report.is_intact() && report.contents == 1);
        let database = store.dir().join("threadkeep.db");
        store.close().await;
        forge(&database, include_str!("content.sql"));
        let report = verify(&database, None).await;
        if bytes == 0 {
            assert!(report.is_intact());
            continue;
        }
        assert_eq!(report.findings[0].what, What::ContentDiffers);
        assert_eq!(report.findings[0].key, Some(digest.hex()));
    }
}

#[tokio::test]
async fn a_store_of_the_first_schema_is_verified_as_it_is() {
    let dir = tempdir().unwrap();
    let database = crate::audit::upgrade::first_schema(&dir);
    let report = verify(&database, None).await;
    assert_eq!(report.findings, []);
    let store = Store::open_read_only(database.parent().unwrap()).await;
    let asked = store.unwrap().ask("threads").await;
    assert!(asked.is_err());
}
