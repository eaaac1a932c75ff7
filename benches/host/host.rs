use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A host: it spawns the service and speaks lines with it.
pub struct Host {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
    line: String,
}

/// What the service is started with.
pub struct Setting<'a> {
    pub state: &'a Path,
    pub model: &'a str,
    pub base_url: Option<&'a str>,
}

impl Host {
    /// Spawns the service and introduces itself.
    pub fn start(setting: &Setting<'_>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadkeep"));
        command
            .args(["serve", "--model", setting.model, "--state-dir"])
            .arg(setting.state)
            .arg("--project")
            .arg(setting.state.parent().expect("a parent"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        if let Some(url) = setting.base_url {
            command.env("OPENAI_BASE_URL", url);
        }
        let mut child = command.spawn().expect("the service starts");
        let mut host = Self {
            input: child.stdin.take().expect("a pipe"),
            output: BufReader::with_capacity(1 << 16, child.stdout.take().expect("a pipe")),
            child,
            asked: 0,
            line: String::new(),
        };
        let hello = json!({ "protocolVersion": 1, "minimumProtocolVersion": 1,
            "client": { "name": "bench", "version": "1" } });
        host.ask("initialize", &hello);
        host
    }

    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        let mut line = message.to_string();
        line.push('\n');
        self.input
            .write_all(line.as_bytes())
            .expect("the service reads");
        self.asked
    }

    /// The next line, as text.
    pub fn line(&mut self) -> &str {
        self.line.clear();
        self.output
            .read_line(&mut self.line)
            .expect("the service writes");
        assert!(!self.line.is_empty(), "the service ended");
        &self.line
    }

    pub fn message(&mut self) -> Value {
        serde_json::from_str(self.line()).expect("JSON")
    }

    /// Asks and returns the result; notifications on the way are dropped.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let mut message = self.message();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].take();
            }
        }
    }

    pub fn thread(&mut self) -> String {
        let started = self.ask("thread/start", &json!({}));
        started["thread"]["id"].as_str().expect("an id").to_owned()
    }

    /// Runs a turn and returns how long it took from the request to its completion, and how many
    /// deltas came.
    pub fn turn(&mut self, thread: &str) -> (Duration, usize) {
        let began = Instant::now();
        self.send("turn/start", &json!({ "threadId": thread, "input": "go" }));
        let mut deltas = 0;
        loop {
            let line = self.line();
            if line.contains(r#""item/delta""#) {
                deltas += 1;
            } else if line.contains(r#""turn/completed""#) {
                assert!(line.contains(r#""succeeded""#), "{line}");
                return (began.elapsed(), deltas);
            }
        }
    }

    /// Reads at least `wanted` events of a thread and returns how long that took. An answer is
    /// bounded in bytes; a host goes on from the last event it has. Lines are taken whole and not
    /// parsed: the host's cost is not ours.
    pub fn read_all(&mut self, method: &str, thread: &str, wanted: usize) -> Duration {
        let began = Instant::now();
        let mut events = 0;
        while events < wanted {
            self.send(
                method,
                &json!({ "threadId": thread, "afterEventSeq": events }),
            );
            while !self.line().contains("\"result\"") {}
            let more = self.line.matches("\"event_seq\"").count();
            assert!(more > 0, "{events} of {wanted} events came");
            events += more;
        }
        began.elapsed()
    }

    /// A number out of /proc, by the name at the start of its line.
    pub fn proc(&self, file: &str, name: &str) -> u64 {
        let path = format!("/proc/{}/{file}", self.child.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
            .unwrap_or(0)
    }

    pub fn open_files(&self) -> usize {
        let path = format!("/proc/{}/fd", self.child.id());
        std::fs::read_dir(path).map_or(0, Iterator::count)
    }

    /// Closes the input and waits for the service to end. Returns how long that took.
    pub fn stop(self) -> Duration {
        let began = Instant::now();
        let Self {
            mut child,
            input,
            mut output,
            ..
        } = self;
        drop(input);
        std::io::copy(&mut output, &mut std::io::sink()).expect("the rest");
        child.wait().expect("an end");
        began.elapsed()
    }
}
