use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rusqlite::{Connection, ToSql};
use serde_json::Value;
use tempfile::{TempDir, tempdir};
use threadkeep::domain::{Digest, Timestamp};
use threadkeep::store::ledger::{
    CommitRecord, commit_hash, event_hash, merkle_root, payload_digest,
};
use threadkeep::store::verify::{Head, VerifyOptions};
use threadkeep::store::{EventType, Store, StoreOptions};

use super::{block, blocks, rows, text_of};
use crate::audit::history;
use crate::verify::python;

/// The rows of the example, events first.
pub(super) struct Example {
    page: String,
    events: Vec<Value>,
    commits: Vec<Value>,
}

impl Example {
    pub fn read() -> Self {
        let page = text_of("docs/LEDGER.md");
        let lines = block(&page, "json").lines();
        let rows = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let (events, commits) = rows.partition(|row| row.get("event_id").is_some());
        Self {
            page,
            events,
            commits,
        }
    }

    /// The rows as a ledger, in a store of their own; returns its database.
    pub async fn written(&self, dir: &TempDir) -> PathBuf {
        let options = StoreOptions::new(dir.path().join("state"));
        let store = Store::open(options).await.unwrap().store;
        let database = store.dir().join("threadkeep.db");
        store.close().await;
        let ledger = Connection::open(&database).unwrap();
        for event in &self.events {
            let members = [
                "event_id",
                "thread_id",
                "event_seq",
                "event_type",
                "idempotency_key",
                "at",
                "payload",
            ];
            let digests = ["salt", "payload_digest", "prev_hash", "hash"];
            insert(
                &ledger,
                include_str!("insert_event.sql"),
                event,
                &members,
                &digests,
            );
        }
        for commit in &self.commits {
            let members = ["commit_id", "at", "first_event_id", "last_event_id"];
            let digests = ["root", "prev_hash", "hash"];
            insert(
                &ledger,
                include_str!("insert_commit.sql"),
                commit,
                &members,
                &digests,
            );
        }
        database
    }

    /// The head the page says is to be noted.
    fn head(&self) -> Head {
        let (_, said) = self.page.split_once("The head to note is `").unwrap();
        let (said, _) = said.split_once('`').unwrap();
        let (commit_id, hash) = said.split_once(':').unwrap();
        Head {
            commit_id: commit_id.parse().unwrap(),
            hash: digest(hash),
        }
    }
}

fn insert(ledger: &Connection, sql: &str, row: &Value, members: &[&str], digests: &[&str]) {
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    for member in members {
        values.push(match &row[member] {
            Value::Null => Box::new(None::<String>),
            Value::String(text) => Box::new(text.clone()),
            number => Box::new(number.as_i64().unwrap()),
        });
    }
    for member in digests {
        values.push(Box::new(bytes(row[member].as_str().unwrap())));
    }
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    ledger.execute(sql, values.as_slice()).unwrap();
}

fn bytes(hex: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(pair).collect()
}

fn digest(hex: &str) -> Digest {
    format!("sha256:{hex}").parse().unwrap()
}

fn member(row: &Value, name: &str) -> Digest {
    digest(row[name].as_str().unwrap())
}

#[tokio::test]
async fn the_example_is_what_the_formulas_of_the_program_give() {
    let example = Example::read();
    let dir = tempdir().unwrap();
    let database = example.written(&dir).await;
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let events = store.events_after(0, 10).await.unwrap();
    assert_eq!((events.len(), example.commits.len()), (4, 2));
    let mut text = String::new();
    for (event, row) in events.iter().zip(&example.events) {
        let salt = bytes(row["salt"].as_str().unwrap()).try_into().unwrap();
        let payload = event.payload.as_deref().unwrap();
        assert_eq!(
            payload_digest(&salt, payload),
            member(row, "payload_digest")
        );
        assert_eq!(event_hash(event, &mut text), member(row, "hash"));
    }
    for row in &example.commits {
        let number = |name: &str| row[name].as_i64().unwrap();
        let covered = number("first_event_id")..=number("last_event_id");
        let leaves: Vec<_> = events
            .iter()
            .filter(|event| covered.contains(&event.event_id))
            .map(|event| event.hash)
            .collect();
        let commit = CommitRecord {
            commit_id: number("commit_id"),
            at: Timestamp::from_millis(number("at")),
            first_event_id: *covered.start(),
            last_event_id: *covered.end(),
            root: merkle_root(&leaves),
            prev_hash: member(row, "prev_hash"),
            hash: Digest::ZERO,
        };
        assert_eq!(commit.root, member(row, "root"));
        assert_eq!(commit_hash(&commit), member(row, "hash"));
    }
}

#[test]
fn the_bytes_that_are_shown_hash_to_what_is_said() {
    let example = Example::read();
    let shown: Vec<_> = blocks(&example.page, "text").collect();
    let [event, commit] = shown.try_into().unwrap();
    assert_eq!(
        Digest::of(event.as_bytes()),
        member(&example.events[3], "hash")
    );
    assert_eq!(
        Digest::of(commit.as_bytes()),
        member(&example.commits[1], "hash")
    );
    assert_eq!(Digest::of(commit.as_bytes()), example.head().hash);

    let tree: BTreeMap<_, _> = rows(&example.page, "node")
        .into_iter()
        .map(|row| (row[0], digest(row[2].trim_matches('`'))))
        .collect();
    let leaf = |at: usize| {
        let hash = member(&example.events[at], "hash");
        Digest::of(&[&[0], &hash.as_bytes()[..]].concat())
    };
    let node = |left: &str, right: &str| {
        Digest::of(
            &[
                &[1],
                &tree[left].as_bytes()[..],
                &tree[right].as_bytes()[..],
            ]
            .concat(),
        )
    };
    assert_eq!(
        [tree["a"], tree["b"], tree["c"]],
        [leaf(1), leaf(2), leaf(3)]
    );
    assert_eq!(tree["ab"], node("a", "b"));
    assert_eq!(tree["root"], node("ab", "c"));
    assert_eq!(tree["root"], member(&example.commits[1], "root"));
}

#[tokio::test]
async fn both_verifiers_accept_the_example_and_what_an_erasure_leaves_of_it() {
    let example = Example::read();
    let dir = tempdir().unwrap();
    let database = example.written(&dir).await;
    for erased in [0, 4] {
        let store = Store::open_read_only(database.parent().unwrap())
            .await
            .unwrap();
        let options = VerifyOptions {
            expect_head: Some(example.head()),
            ..VerifyOptions::default()
        };
        let report = store.verify(options).await.unwrap();
        assert_eq!(report.findings, []);
        assert_eq!(
            (report.events, report.commits, report.erased),
            (4, 2, erased)
        );
        store.close().await;
        let said = python(&database, Some(example.head()));
        assert_eq!(said, (0, "intact".to_owned()));
        let ledger = Connection::open(&database).unwrap();
        ledger
            .execute_batch(include_str!("../verify/erase_all.sql"))
            .unwrap();
    }
}

#[tokio::test]
async fn a_payload_has_no_member_that_is_not_listed() {
    let page = text_of("docs/LEDGER.md");
    let mut listed = BTreeMap::new();
    for row in rows(&page, "type") {
        let members: BTreeSet<_> = row[2].split(", ").collect();
        for name in row[0].split('`').skip(1).step_by(2) {
            listed.insert(name, members.clone());
        }
    }
    let dir = tempdir().unwrap();
    let database = history::write(&dir).await;
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let events = store.events_after(0, 1_000).await.unwrap();
    for event in &events {
        let payload: Value = serde_json::from_str(event.payload.as_deref().unwrap()).unwrap();
        let members: BTreeSet<_> = payload.as_object().unwrap().keys().collect();
        let members = members.into_iter().map(String::as_str).collect();
        let listed = &listed[&*event.event_type];
        assert!(
            listed.is_superset(&members),
            "{}: {members:?}",
            event.event_type
        );
    }
    let seen: BTreeSet<_> = events.iter().map(|event| &*event.event_type).collect();
    let unseen: Vec<_> = listed.keys().filter(|name| !seen.contains(*name)).collect();
    assert!(unseen.is_empty(), "the history has no {unseen:?}");
}

#[test]
fn every_event_type_is_listed() {
    let source = text_of("src/store/event.rs");
    let there: BTreeSet<_> = source
        .lines()
        .filter_map(|line| line.trim().strip_suffix("\",")?.split_once(" = \""))
        .map(|(_, name)| name)
        .collect();
    assert!(there.iter().all(|name| EventType::of(name).is_some()));
    let page = text_of("docs/LEDGER.md");
    let listed: BTreeSet<_> = rows(&page, "type")
        .into_iter()
        .flat_map(|row| row[0].split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(listed, there);
}
