//! The forgeries, one after the other as the files beside this one tell them, and what is found:
//! by the program, by its command line and by the verifier that needs nothing of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::{TempDir, tempdir};
use threadkeep::store::verify::{Finding, Head};

use super::anew::{self, Reach};
use super::{copy, forge_and, python, verify};
use crate::audit::history;

/// What stands before each forgery.
const BEGINS: &str = "\n-- == ";

/// One forgery, as its file tells it.
struct Forgery<'f> {
    what: &'f str,
    reach: Reach,
    title: &'f str,
    statements: &'f str,
}

impl<'f> Forgery<'f> {
    fn read(section: &'f str) -> Self {
        let (header, statements) = section.split_once('\n').unwrap();
        let (found, title) = header.split_once(": ").unwrap();
        let (what, reach) = match found.split_once(", ") {
            Some((what, reach)) => (what, Reach::named(reach)),
            None => (found, Reach::Nothing),
        };
        Self {
            what,
            reach,
            title,
            statements,
        }
    }

    /// Forges, and returns what must be named.
    fn commit(&self, database: &Path, of: Of) -> Vec<Named> {
        let prepared = [include_str!("named.sql"), self.statements].concat();
        if of == Of::Beside {
            let forger = Connection::open(database).unwrap();
            forger.execute_batch(&prepared).unwrap();
            return Named::read(&forger);
        }
        forge_and(database, &prepared, |forger, projecting| {
            anew::hash(forger, self.reach, projecting);
            Named::read(forger)
        })
    }
}

/// What is forged.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// Events and commits: verify.py finds it too.
    Chains,
    /// What is read off them: verify.py does not look at it.
    Rows,
    /// The schema and content, where no guard is in the way or all of them are the point.
    Beside,
}

/// What must be named, where it is known.
#[derive(Debug)]
struct Named {
    event_id: Option<i64>,
    commit_id: Option<i64>,
    table: Option<String>,
    key: Option<String>,
}

impl Named {
    /// What must be named first, and what else may be.
    fn read(forger: &Connection) -> Vec<Self> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                event_id: row.get(0)?,
                commit_id: row.get(1)?,
                table: row.get(2)?,
                key: row.get(3)?,
            })
        };
        let mut statement = forger.prepare(include_str!("read_named.sql")).unwrap();
        let named = statement.query_map([], read).unwrap();
        named.map(Result::unwrap).collect()
    }

    fn is_named_by(&self, finding: &Finding) -> bool {
        let same = |wanted: Option<i64>, found| wanted.is_none() || wanted == found;
        same(self.event_id, finding.event_id)
            && same(self.commit_id, finding.commit_id)
            && self.table == finding.table
            && self.key == finding.key
    }

    /// In the words of verify.py, which names an event or a commit.
    fn is_said(&self, said: &str) -> bool {
        let event = self.event_id.map(|id| format!("event {id} "));
        let commit = self.commit_id.map(|id| format!("commit {id}:"));
        let mut names = event.into_iter().chain(commit);
        names.any(|name| said.contains(&name))
    }
}

/// A store with something of everything, content too, in one file; and its noted head.
async fn store(dir: &TempDir) -> (PathBuf, Head) {
    let database = history::write(dir).await;
    let store = crate::store::open(dir).await;
    let spool = dir.path().join("spool");
    // No piece is like another.
    let numbers: Vec<u8> = (0..150_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&spool, numbers).unwrap();
    let file = tokio::fs::File::open(&spool).await.unwrap();
    store.content().unwrap().keep(file).await.unwrap();
    store.close().await;
    super::one_file(&database);
    let report = verify(&database, None).await;
    assert_eq!(report.findings, []);
    (database, report.head.unwrap())
}

/// The exit code of `threadkeep verify`.
fn command_line(database: &Path, noted: Option<Head>) -> Option<i32> {
    let head = |head: Head| format!("--expect-head={}:{}", head.commit_id, head.hash.hex());
    let ran = Command::new(env!("CARGO_BIN_EXE_threadkeep"))
        .arg("verify")
        .args(noted.map(head))
        .arg("--state-dir")
        .arg(database.parent().unwrap())
        .output();
    ran.unwrap().status.code()
}

/// Commits the forgeries of a file, each on a copy of its own: each must be found, and named first.
async fn all_are_found(file: &str, of: Of, count: usize) {
    let dir = tempdir().unwrap();
    let (database, head) = store(&dir).await;
    let sections: Vec<_> = file.split(BEGINS).skip(1).collect();
    assert_eq!(sections.len(), count);
    let mut wrong = Vec::new();
    for forgery in sections.into_iter().map(Forgery::read) {
        let (_dir, copy) = copy(&database);
        let named = forgery.commit(&copy, of);
        let noted = (of != Of::Rows).then_some(head);
        let findings = verify(&copy, noted).await.findings;
        let what = |finding: &Finding| serde_json::json!(finding.what) == forgery.what;
        let found = findings
            .first()
            .is_some_and(|finding| what(finding) && named[0].is_named_by(finding));
        let code = command_line(&copy, noted);
        let (python, said) = python(&copy, noted);
        let said_so = if of == Of::Chains {
            python == 1 && named.iter().any(|named| named.is_said(&said))
        } else {
            python == 0
        };
        if !found || code != Some(1) || !said_so {
            let title = forgery.title;
            wrong.push(format!(
                "{title}\n  {named:?}\n  {:?}\n  {code:?}\n  {said}",
                findings.iter().take(3).collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn forgeries_of_an_event_name_it() {
    all_are_found(include_str!("events.sql"), Of::Chains, 28).await;
}

#[tokio::test]
async fn events_and_commits_that_go_come_or_change_places_are_named() {
    all_are_found(include_str!("order.sql"), Of::Chains, 31).await;
}

#[tokio::test]
async fn what_was_hashed_anew_is_found_by_what_still_stands() {
    all_are_found(include_str!("hashed.sql"), Of::Chains, 13).await;
}

#[tokio::test]
async fn forgeries_of_what_is_read_off_the_events_name_the_row_and_its_event() {
    all_are_found(include_str!("rows.sql"), Of::Rows, 35).await;
}

#[tokio::test]
async fn forgeries_of_the_schema_and_of_kept_content_are_named() {
    all_are_found(include_str!("beside.sql"), Of::Beside, 20).await;
}
