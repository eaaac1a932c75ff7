//! What an auditor reads: views and canned questions, in the sqlite3 shell and here.

pub(crate) mod history;
pub(crate) mod upgrade;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};
use tempfile::{TempDir, tempdir};
use threadkeep::store::Store;
use threadkeep::store::audit::{Answer, AuditError, questions};

const VIEWS: &str = include_str!("views.sql");

pub(crate) fn statements(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(';')
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// What the sqlite3 shell prints, as rows; `None` when there is no such shell here.
#[allow(clippy::print_stderr)]
pub(crate) fn shell(database: &Path, sql: &str) -> Option<Vec<Value>> {
    let mut command = Command::new("sqlite3");
    command.args(["-readonly", "-json"]).arg(database);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("skipped: there is no sqlite3 shell here");
        return None;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(sql.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.success() && done.stderr.is_empty(),
        "{sql}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
    match done.stdout.as_slice() {
        [] => Some(Vec::new()),
        printed => Some(serde_json::from_slice(printed).unwrap()),
    }
}

/// The same through the bundled SQLite.
pub(crate) fn bundled(database: &Path, sql: &str) -> Vec<Value> {
    let connection = rusqlite::Connection::open(database).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let columns: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let cell = |at: usize| match row.get_ref(at).unwrap() {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap().into(),
            ValueRef::Blob(_) => panic!("a view shows raw bytes in {}", columns[at]),
        };
        let members = columns
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), cell(at)));
        found.push(Value::Object(members.collect::<Map<_, _>>()));
    }
    found
}

fn as_rows(answer: &Answer) -> Vec<Value> {
    let cells = |row| {
        answer
            .columns
            .iter()
            .cloned()
            .zip(json!(row).as_array().unwrap().clone())
    };
    answer
        .rows
        .iter()
        .map(|row| Value::Object(cells(row).collect()))
        .collect()
}

async fn written() -> (TempDir, PathBuf, Store) {
    let dir = tempdir().unwrap();
    let database = history::write(&dir).await;
    let store = Store::open_read_only(&dir.path().join("state"))
        .await
        .unwrap();
    (dir, database, store)
}

#[tokio::test]
async fn every_question_has_one_answer_in_the_shell_and_here() {
    let (_dir, database, store) = written().await;
    for question in questions() {
        let answer = store.ask(question.name).await.unwrap();
        assert!(
            !answer.rows.is_empty(),
            "{} finds nothing to test it on",
            question.name
        );
        assert!(!answer.truncated);
        if let Some(printed) = shell(&database, question.sql) {
            assert_eq!(as_rows(&answer), printed, "{}", question.name);
        }
    }
}

#[tokio::test]
async fn every_view_shows_the_same_in_the_shell_and_here() {
    let (_dir, database, _store) = written().await;
    for statement in statements(VIEWS) {
        let here = bundled(&database, statement);
        assert!(!here.is_empty(), "{statement}");
        if let Some(printed) = shell(&database, statement) {
            assert_eq!(here, printed, "{statement}");
        }
    }
}

#[tokio::test]
async fn every_file_is_a_question_that_says_what_it_answers_and_names_its_columns() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/audit");
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> = names
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let listed: Vec<_> = questions()
        .iter()
        .map(|question| question.name.to_owned())
        .collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), listed);
    let (_dir, _, store) = written().await;
    for question in questions() {
        assert!(
            !question.title.is_empty() && question.question.ends_with('?'),
            "{question:?}"
        );
        let answer = store.ask(question.name).await.unwrap();
        let explained: Vec<_> = question.columns.iter().map(|column| column.name).collect();
        assert_eq!(answer.columns, explained, "{}", question.name);
    }
}

#[tokio::test]
async fn a_question_that_is_not_there_says_where_to_look() {
    let (_dir, _, store) = written().await;
    let unknown = store.ask("who").await;
    assert!(matches!(&unknown, Err(AuditError::UnknownQuestion(name)) if name == "who"));
}

#[tokio::test]
async fn the_views_keep_their_columns() {
    let (_dir, database, _store) = written().await;
    let columns: Vec<_> = bundled(&database, include_str!("columns.sql"))
        .iter()
        .map(|row| {
            row.as_object()
                .unwrap()
                .values()
                .next()
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    insta::assert_snapshot!(columns.join("\n"));
}

/// The rows of a view, by its name.
fn view(database: &Path, name: &str) -> Vec<Value> {
    let named = format!(" audit_{name} ");
    let statement = statements(VIEWS)
        .find(|text| text.contains(&named))
        .unwrap();
    bundled(database, statement)
}

#[tokio::test]
async fn unknown_is_null_and_never_zero() {
    let (_dir, database, _store) = written().await;
    let tokens = |turn: &str| {
        let turns = view(&database, "turns");
        let found = turns.iter().find(|row| row["turn_id"] == turn).unwrap();
        (
            found["input_tokens"].clone(),
            found["output_tokens"].clone(),
        )
    };
    assert_eq!(tokens("docs-1"), (json!(70), json!(5)));
    assert_eq!(tokens("docs-2"), (Value::Null, Value::Null));
    assert_eq!(tokens("fork-1"), (json!(0), json!(0)));
    assert_eq!(tokens("open-1"), (Value::Null, Value::Null));
    let threads = view(&database, "threads");
    let docs = threads
        .iter()
        .find(|row| row["thread_id"] == "docs")
        .unwrap();
    assert_eq!(docs["input_tokens"], Value::Null);
    let usage = view(&database, "usage");
    assert_eq!(usage[1]["input_tokens"], Value::Null);
    let effects = view(&database, "effects");
    let deploy = effects
        .iter()
        .find(|row| row["target"] == "make deploy")
        .unwrap();
    assert_eq!(
        (&deploy["state"], &deploy["exit_code"]),
        (&json!("unknown"), &Value::Null)
    );
    let writes = view(&database, "file_writes");
    assert_eq!(writes[0]["before_digest"], Value::Null);
    assert_eq!(writes[0]["after_digest"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn what_was_erased_is_null_and_breaks_no_view() {
    let (_dir, database, store) = written().await;
    let eraser = rusqlite::Connection::open(&database).unwrap();
    eraser.execute_batch(include_str!("erase.sql")).unwrap();
    drop(eraser);
    for turn in view(&database, "turns") {
        for column in [
            "asked",
            "answered",
            "workspace",
            "permission_mode",
            "policy_digest",
        ] {
            assert_eq!(turn[column], Value::Null, "{column}");
        }
        assert_ne!(turn["status"], Value::Null);
    }
    assert!(
        view(&database, "tool_calls")
            .iter()
            .all(|call| call["tool"].is_null())
    );
    let events = view(&database, "events");
    assert!(
        events
            .iter()
            .all(|event| event["payload"].is_null() == (event["erased"] == 1))
    );
    for question in questions() {
        let answer = store.ask(question.name).await.unwrap();
        if let Some(printed) = shell(&database, question.sql) {
            assert_eq!(as_rows(&answer), printed, "{}", question.name);
        }
    }
}
