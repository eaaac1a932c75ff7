//! What only a real process can show.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::host::{checked, is_response};

/// From the first cause to the end of the process; some more for a machine that is busy.
const GONE_WITHIN: Duration = Duration::from_millis(1_500);
const PATIENCE: Duration = Duration::from_secs(30);

struct Service {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    asked: u64,
    /// Dropped with the service; until then the watch is on.
    _watch: Sender<()>,
}

impl Service {
    fn start(dir: &TempDir, replies: &Value) -> Self {
        Self::spawn(dir, replies, |command| command.stderr(Stdio::null()))
    }

    fn spawn(
        dir: &TempDir,
        replies: &Value,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Self {
        let script = dir.path().join("script.json");
        let text = json!({ "replies": replies, "repeat_last": true }).to_string();
        std::fs::write(&script, text).unwrap();
        let work = dir.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadkeep"));
        command
            .arg("serve")
            .args(["--state-dir".as_ref(), dir.path().join("state").as_os_str()])
            .args(["--project".as_ref(), work.as_os_str()])
            .args(["--model", &format!("rehearsal/{}", script.display())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = change(&mut command).spawn().unwrap();
        Self {
            _watch: watch(child.id()),
            input: child.stdin.take(),
            output: child.stdout.take().map(BufReader::new),
            child,
            asked: 0,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = json!(self.asked);
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(format!("{request}\n").as_bytes());
        id
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        checked(&line)
    }

    fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.read();
            if message["method"] == method {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        loop {
            let message = self.read();
            if is_response(&message, &id) {
                return message;
            }
        }
    }

    fn introduce(&mut self) {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": 1, "minimumProtocolVersion": 1, "client": client });
        assert!(self.ask("initialize", &params)["result"].is_object());
    }

    /// Starts the thread `t` and in it a turn.
    fn turn(&mut self) -> Value {
        self.ask("thread/start", &json!({ "threadId": "t" }));
        self.ask(
            "turn/start",
            &json!({ "threadId": "t", "input": "the user's words" }),
        )
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &pid])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// How the process ends, and how long that takes from now.
    fn ended(&mut self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, begun.elapsed());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// A size from `/proc/PID/status`, in KiB.
    fn memory(&self, name: &str) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// How many entries `/proc/PID/NAME` has: `fd`, files that are open; `task`, threads.
    fn count(&self, name: &str) -> usize {
        let entries = std::fs::read_dir(format!("/proc/{}/{name}", self.child.id()));
        entries.unwrap().count()
    }

    fn descriptor(&self, number: u32) -> std::path::PathBuf {
        std::fs::read_link(format!("/proc/{}/fd/{number}", self.child.id())).unwrap()
    }
}

/// Kills a process that is not done in time, so that who waits for it fails instead of hanging.
fn watch(pid: u32) -> Sender<()> {
    let (on, off) = channel();
    std::thread::spawn(move || {
        if off.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let kill = ["-s", "KILL", &pid.to_string()];
            drop(Command::new("kill").args(kill).status());
        }
    });
    on
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answering() -> Value {
    json!([{ "steps": [{ "text": "ok" }] }])
}

fn hanging() -> Value {
    json!([{ "steps": [{ "text": "a" }, { "hang": true }] }])
}

/// C10: descriptor 1 is another name of stderr and 0 is empty, so what anybody else in the process
/// prints or reads is not the protocol's.
#[test]
fn only_the_protocol_has_the_protocols_descriptors() {
    let dir = TempDir::new().unwrap();
    let mut service = Service::spawn(&dir, &answering(), |command| {
        command
            .stderr(Stdio::piped())
            .env("THREADKEEP_LOG", "trace")
    });
    service.introduce();
    assert_eq!(service.descriptor(1), service.descriptor(2));
    assert_eq!(service.descriptor(0), std::path::Path::new("/dev/null"));
    // A stray print of anything in the process, tried from outside.
    let stray = format!("/proc/{}/fd/1", service.child.id());
    std::fs::write(stray, "not protocol\n").unwrap();
    service.turn();
    service.until("turn/completed");
    service.input = None;
    let mut rest = String::new();
    service
        .output
        .take()
        .unwrap()
        .read_to_string(&mut rest)
        .unwrap();
    rest.lines().for_each(|line| drop(checked(line)));
    let mut said = String::new();
    service
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(said.contains("not protocol"));
    assert!(service.ended().0.success());
}

#[test]
fn a_stderr_that_nobody_reads_or_that_is_closed_holds_nothing_up() {
    let dir = TempDir::new().unwrap();
    for closed in [false, true] {
        let mut service = Service::spawn(&dir, &answering(), |command| {
            command
                .stderr(Stdio::piped())
                .env("THREADKEEP_LOG", "trace")
        });
        if closed {
            drop(service.child.stderr.take());
        }
        service.introduce();
        // Each is logged: together more than a pipe holds.
        for n in 0..3_000 {
            let told = json!({ "jsonrpc": "2.0", "method": format!("notification/{n}") });
            service.write(format!("{told}\n").as_bytes());
        }
        assert!(service.ask("thread/list", &json!({}))["result"].is_object());
        service.input = None;
        let (status, took) = service.ended();
        assert!(status.success() && took < GONE_WITHIN, "{status} {took:?}");
    }
}

/// C13.
#[test]
fn a_line_of_64_mib_costs_no_memory() {
    let dir = TempDir::new().unwrap();
    let mut service = Service::start(&dir, &answering());
    service.introduce();
    service.ask("thread/list", &json!({}));
    let before = service.memory("VmHWM:");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        service.write(&piece);
    }
    service.write(b"\n");
    let refused = service.read();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    assert!(service.ask("thread/list", &json!({}))["result"].is_object());
    let grown = service.memory("VmHWM:") - before;
    assert!(grown < 6 * 1024, "it grew by {grown} KiB");
}

/// C9. In each turn a tool is used. What may grow is the conversation that is kept in memory, four
/// messages and some 3 KiB a turn, and caches until they are full; twice that is the slack.
/// Pages of the program's file are not counted: the kernel maps and takes them as it likes.
#[test]
fn after_500_turns_files_threads_and_memory_are_as_after_10() {
    let dir = TempDir::new().unwrap();
    let look = json!({ "name": "list_dir", "arguments": { "path": "." } });
    let replies = json!([
        { "when": "go on", "steps": [{ "tool_call": look }] },
        { "when": "go on", "steps": [{ "text": "ok" }] },
    ]);
    let mut service = Service::start(&dir, &replies);
    service.introduce();
    service.ask("thread/start", &json!({ "threadId": "t" }));
    let mut run = |turns: u32| {
        for _ in 0..turns {
            service.ask("turn/start", &json!({ "threadId": "t", "input": "go on" }));
            let completed = service.until("turn/completed");
            assert_eq!(completed["params"]["turn"]["status"], "completed");
        }
        (
            service.count("fd"),
            service.count("task"),
            service.memory("RssAnon:"),
        )
    };
    let (files, threads, memory) = run(10);
    let (files_then, threads_then, memory_then) = run(490);
    assert!(files_then <= files + 2, "{files} files, then {files_then}");
    assert!(
        threads_then <= threads + 4,
        "{threads} threads, then {threads_then}"
    );
    let grown = memory_then.saturating_sub(memory);
    assert!(grown < 4 * 1024, "it grew by {grown} KiB");
}

/// A host that stops reading: what it did not read waits in the ledger.
#[test]
fn a_host_that_stops_reading_costs_no_memory() {
    // Both say as much in all; one is read all along.
    let replies = json!([{ "steps": [{ "text": "word {n} ", "repeat": 30_000 }] }]);
    let peak = |reading: bool| {
        let dir = TempDir::new().unwrap();
        let mut service = Service::start(&dir, &replies);
        service.introduce();
        service.turn();
        if reading {
            service.until("turn/completed");
        } else {
            // The turn is over when its thread is idle again; a second process sees that.
            let state = dir.path().join("state");
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(idle(&state));
        }
        let peak = service.memory("VmHWM:");
        if !reading {
            service.until("turn/completed");
        }
        peak
    };
    let (read, unread) = (peak(true), peak(false));
    assert!(
        unread < read + 12 * 1024,
        "{unread} KiB, {read} KiB when it is read"
    );
}

async fn idle(state: &std::path::Path) {
    use threadkeep::domain::ThreadStatus;
    use threadkeep::store::{Store, StoreOptions};
    let store = Store::open(StoreOptions::new(state)).await.unwrap().store;
    let thread = "t".parse().unwrap();
    let begun = Instant::now();
    while store.thread(&thread).await.unwrap().status != ThreadStatus::Idle {
        assert!(begun.elapsed() < PATIENCE, "the turn does not end");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// C1 and C2.
#[test]
fn what_was_answered_is_there_after_a_kill() {
    let dir = TempDir::new().unwrap();
    let mut service = Service::start(&dir, &hanging());
    service.introduce();
    service.ask("thread/start", &json!({ "threadId": "first" }));
    service.signal("KILL");
    service.ended();

    let mut service = Service::start(&dir, &hanging());
    service.introduce();
    assert_eq!(
        service.ask("thread/read", &json!({ "threadId": "first" }))["result"]["thread"]["id"],
        "first"
    );
    service.turn();
    service.signal("KILL");
    service.ended();

    let mut service = Service::start(&dir, &answering());
    service.introduce();
    let read = service.ask("thread/read", &json!({ "threadId": "t" }));
    assert_eq!(read["result"]["thread"]["status"], "idle");
    assert!(read.to_string().contains("the user's words"));
    service.ask("turn/start", &json!({ "threadId": "t", "input": "go on" }));
    let completed = service.until("turn/completed");
    assert_eq!(completed["params"]["turn"]["status"], "completed");
}

#[test]
fn signals_and_the_end_of_the_input_end_the_process_in_order_and_in_time() {
    for cause in ["TERM", "INT", "HUP", "end of input"] {
        let dir = TempDir::new().unwrap();
        let mut service = Service::start(&dir, &hanging());
        service.introduce();
        service.turn();
        service.until("item/delta");
        if cause == "end of input" {
            service.input = None;
        } else {
            service.signal(cause);
        }
        let (status, took) = service.ended();
        assert!(
            status.success() && took < GONE_WITHIN,
            "{cause}: {status} {took:?}"
        );
        let completed = service.until("turn/completed");
        assert_eq!(
            completed["params"]["turn"]["status"], "interrupted",
            "{cause}"
        );
    }
}

#[test]
fn an_output_that_is_closed_ends_the_process_with_a_failure() {
    let dir = TempDir::new().unwrap();
    let replies = json!([{ "steps": [{ "text": "word ", "repeat": 100_000, "every_us": 1_000 }] }]);
    let mut service = Service::start(&dir, &replies);
    service.introduce();
    service.turn();
    service.output = None;
    let (status, took) = service.ended();
    assert!(!status.success() && took < GONE_WITHIN, "{status} {took:?}");
}
