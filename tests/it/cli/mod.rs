//! The command line as somebody types it: a real process, its exit code and what it prints.

mod checkpoint;
mod effects;
mod endings;
mod evidence;
mod input;
mod once;
mod reading;
mod together;
mod usage;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Seconds after which a command that does not end is killed.
const PATIENCE: &str = "60";

/// A project, a state directory and what is typed there.
pub(crate) struct Desk {
    dir: TempDir,
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Desk {
    pub fn new() -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        std::fs::write(dir.path().join("project/README.md"), "# Lighthouse\n").unwrap();
        Self { dir }
    }

    /// Another machine, to which the state directory was carried.
    pub fn moved(&self) -> Self {
        let elsewhere = Self::new();
        let mut carry = Command::new("cp");
        carry.arg("-a").args([self.state(), elsewhere.state()]);
        assert!(carry.status().unwrap().success());
        elsewhere
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn state(&self) -> PathBuf {
        self.path("state")
    }

    pub fn database(&self) -> PathBuf {
        self.path("state/threadkeep.db")
    }

    /// The name of a model that plays these replies.
    pub fn script(&self, replies: &Value) -> String {
        let text = json!({ "replies": replies, "repeat_last": true }).to_string();
        let name = format!(
            "{}.json",
            threadkeep::domain::Digest::of(text.as_bytes()).hex()
        );
        std::fs::write(self.path(&name), text).unwrap();
        format!("rehearsal/{}", self.path(&name).display())
    }

    /// The command, killed when it does not end; nothing of the surroundings reaches it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command
            .args(["-s", "KILL", PATIENCE, env!("CARGO_BIN_EXE_threadkeep")])
            .args(arguments);
        self.seat(&mut command);
        command
    }

    /// The same process itself, so that its pid is known; its end is the caller's concern.
    pub fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadkeep"));
        command.args(arguments);
        self.seat(&mut command);
        command.spawn().unwrap()
    }

    fn seat(&self, command: &mut Command) {
        command
            .current_dir(self.path("project"))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.dir.path())
            .env("THREADKEEP_STATE_DIR", self.state())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    pub fn says(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).output().unwrap())
    }

    /// What it says when this is its standard input.
    pub fn hears(&self, arguments: &[&str], input: &[u8]) -> Said {
        fed(&mut self.command(arguments), input)
    }

    /// `exec` with `--output json`: its outcome.
    pub fn exec(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["exec", "--output", "json"];
        all.extend(arguments);
        let said = self.says(&all);
        let outcome: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        assert_eq!(outcome["exitCode"], json!(said.code), "{said:?}");
        outcome
    }

    /// The rows of `audit`.
    pub fn asks(&self, question: &str) -> Vec<Value> {
        let said = self.says(&["audit", question, "--json"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.lines()
    }
}

impl Said {
    /// Standard output as objects, one a line.
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        self.out.lines().map(parse).collect()
    }

    /// That it was refused as usage, in words, and said nothing on standard output.
    pub fn is_usage(&self, words: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        assert!(self.err.contains(words), "no {words:?} in {self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

/// What a command says when this is its standard input.
fn fed(command: &mut Command, input: &[u8]) -> Said {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // It may have heard enough before the end.
    let _ = child.stdin.take().unwrap().write_all(input);
    said(child.wait_with_output().unwrap())
}

pub(crate) fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A reply that calls the shell, and one that says it is done.
fn runs(command: &str, more: &Value) -> Value {
    let mut arguments = json!({ "command": command });
    if let Value::Object(more) = more {
        arguments.as_object_mut().unwrap().extend(more.clone());
    }
    json!([
        { "steps": [{ "tool_call": { "name": "shell", "arguments": arguments } }] },
        { "steps": [{ "text": "done" }] },
    ])
}

/// Waits until something holds.
fn until(holds: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed().as_secs() < 30, "it never came");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

fn kill(name: &str, child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(sent.unwrap().success());
}
