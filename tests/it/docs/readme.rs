use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::{block, first_column, text_of};
use crate::audit::{bundled, shell, statements};

const BINARY: &str = env!("CARGO_BIN_EXE_threadkeep");

/// A project and a state directory, as somebody who follows the README has them.
struct Newcomer {
    dir: TempDir,
}

impl Newcomer {
    fn new() -> Self {
        let dir = tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        fs::write(dir.path().join("project/README.md"), "# Lighthouse\n").unwrap();
        Self { dir }
    }

    /// What `command` comes to when it is typed in the project, with the binary on the path.
    fn types(&self, command: &mut Command) -> Output {
        let mut path = Path::new(BINARY).parent().unwrap().as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command
            .current_dir(self.dir.path().join("project"))
            .env("PATH", path)
            .env("THREADKEEP_STATE_DIR", self.dir.path().join("state"))
            .env_remove("THREADKEEP_MODEL")
            .output()
            .unwrap()
    }

    fn exec(&self, arguments: &[&str]) -> Option<i32> {
        let mut command = Command::new("threadkeep");
        self.types(command.arg("exec").args(arguments))
            .status
            .code()
    }

    /// The answer to a statement, by the sqlite3 shell where there is one.
    fn asks(&self, statement: &str) -> Vec<Value> {
        let database = self.dir.path().join("state/threadkeep.db");
        shell(&database, statement).unwrap_or_else(|| bundled(&database, statement))
    }
}

fn said(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The answers without what differs from run to run.
fn without(mut rows: Vec<Value>, members: &[&str]) -> Vec<Value> {
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        for member in members {
            assert!(row.remove(*member).is_some(), "no {member}");
        }
    }
    rows
}

#[test]
fn the_host_example_runs_a_turn_as_it_stands() {
    let readme = text_of("README.md");
    let newcomer = Newcomer::new();
    let example = block(&readme, "python");
    let printed = said(&newcomer.types(Command::new("python3").args(["-c", example])));

    assert!(printed.contains("Lighthouse"), "{printed}");
    let (_, digest) = printed.split_once("-- completed sha256:").unwrap();
    let turns = newcomer.asks(statements(block(&readme, "sql")).next().unwrap());
    assert_eq!(
        without(turns, &["started_at"]),
        [json!({
            "model": "rehearsal/default",
            "status": "completed",
            "evidence_status": "succeeded",
            "asked": "what is in this repository?",
        })]
    );
    assert_eq!(digest.trim().len(), 64);
    let verified = newcomer.types(Command::new("threadkeep").arg("verify"));
    assert!(said(&verified).contains("intact"), "{verified:?}");
}

#[test]
fn the_five_questions_are_answered_as_they_stand() {
    let newcomer = Newcomer::new();
    let write = ["--allow", "fs.write", "write notes.txt: hello"];
    assert_eq!(newcomer.exec(&write), Some(0));
    let run = ["--allow", "process.exec:cat notes.txt", "run cat notes.txt"];
    assert_eq!(newcomer.exec(&run), Some(0));
    assert_eq!(newcomer.exec(&["run rm notes.txt"]), Some(5));

    let readme = text_of("README.md");
    let answers: Vec<_> = statements(block(&readme, "sql"))
        .map(|statement| newcomer.asks(statement))
        .collect();
    let [turns, commands, writes, refused, head] = answers.try_into().unwrap();
    let outcomes: Vec<_> = turns
        .iter()
        .map(|turn| {
            (
                turn["asked"].as_str().unwrap(),
                turn["evidence_status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            ("run rm notes.txt", "blocked"),
            ("run cat notes.txt", "succeeded"),
            ("write notes.txt: hello", "succeeded")
        ]
    );
    assert_eq!(
        without(commands, &["started_at"]),
        [json!({
            "command": "cat notes.txt",
            "permission_decision": "allowed",
            "state": "happened",
            "exit_code": 0,
        })]
    );
    // `printf 'hello\n' | sha256sum`
    let hello = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
    assert_eq!(
        without(writes, &["started_at"]),
        [json!({
            "path": "notes.txt",
            "state": "happened",
            "before_digest": null,
            "after_digest": hello,
        })]
    );
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0]["settled_by"], "no_approver");
    let operation: Value = serde_json::from_str(refused[0]["operation"].as_str().unwrap()).unwrap();
    assert_eq!(operation["command"], "rm notes.txt");

    // The head that is to be noted is the one `verify` asks for.
    let [head] = head.try_into().unwrap();
    let noted = format!("{}:{}", head["commit_id"], head["hash"].as_str().unwrap());
    let mut verify = Command::new("threadkeep");
    let verified = newcomer.types(verify.args(["verify", "--expect-head", &noted]));
    assert!(said(&verified).contains("intact"), "{verified:?}");
}

#[test]
fn the_error_tables_list_the_codes_there_are() {
    let source = text_of("src/protocol/error.rs");
    let mut there: Vec<_> = source
        .split("=> -")
        .skip(1)
        .filter_map(|rest| rest.split(',').next())
        .map(|digits| format!("-{digits}"))
        .collect();
    there.sort();
    assert_eq!(there.len(), 10);
    for document in ["README.md", "docs/WIRE.md"] {
        let text = text_of(document);
        let mut listed = first_column(&text, "code");
        listed.sort_unstable();
        assert_eq!(listed, there, "{document}");
    }
}

#[test]
fn the_exit_table_lists_the_codes_there_are() {
    let source = text_of("src/cli/failure.rs");
    let (_, exits) = source.split_once("enum Exit {").unwrap();
    let (exits, _) = exits.split_once('}').unwrap();
    let there: Vec<_> = exits
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
        .map(|(_, number)| number)
        .collect();
    assert_eq!(there, ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(first_column(&text_of("README.md"), "exit code"), there);
}
