//! A host of a real process: it spawns the service and speaks lines with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long anything may take before a test counts as hung.
const PATIENCE: Duration = Duration::from_mins(1);

/// A service and the lines it said.
pub(crate) struct Host {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    asked: u64,
    /// Every message so far, in order.
    pub heard: Vec<Value>,
}

impl Host {
    /// Spawns `serve` with these arguments, in `project`, and introduces itself.
    pub fn start(state: &Path, project: &Path, more: &[&str]) -> Self {
        let mut host = Self::spawn(state, project, more);
        let hello = json!({ "protocolVersion": 1, "minimumProtocolVersion": 1,
            "client": { "name": "test", "version": "1" } });
        let answer = host.ask("initialize", &hello);
        assert!(answer["error"].is_null(), "{answer}");
        host
    }

    fn spawn(state: &Path, project: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_threadkeep"))
            .arg("serve")
            .arg("--state-dir")
            .arg(state)
            .arg("--project")
            .arg(project)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (told, lines) = channel();
        // Ends with the pipe: a line cut by a kill is not a line.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if told.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            asked: 0,
            heard: Vec::new(),
        }
    }

    /// Sends a request and returns its id. A service that is gone does not hear it.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{message}");
        }
        self.asked
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        self.heard.push(message.clone());
        message
    }

    /// Sends a request and returns its response; what comes before it is in `heard`.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The result of a request that must succeed.
    pub fn result(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Waits for a notification.
    pub fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.next();
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// Waits until the service asks for a decision.
    pub fn question(&mut self) -> Value {
        loop {
            let message = self.next();
            if message["method"] == "approval/decide" {
                return message;
            }
        }
    }

    /// Answers a question of the service.
    pub fn answer(&mut self, id: &Value, result: &Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Every event of a thread.
    pub fn events(&mut self, thread: &str) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        loop {
            let after = events
                .last()
                .map_or(json!(0), |last| last["event_seq"].clone());
            let params = json!({ "threadId": thread, "afterEventSeq": after });
            let more = self.result("thread/read", &params);
            match more["events"].as_array() {
                Some(more) if !more.is_empty() => events.extend(more.iter().cloned()),
                _ => return events,
            }
        }
    }

    /// The process that serves.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL, at once. Returns every message that had been said.
    pub fn kill(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            // The last line may be cut.
            if let Ok(message) = serde_json::from_str(&line) {
                self.heard.push(message);
            }
        }
        self.heard
    }

    /// Closes the input and waits for the end.
    pub fn stop(mut self) {
        self.input.take();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}
