//! The instants hosts asked about.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::host::Host;

pub(super) struct Place {
    dir: TempDir,
}

impl Place {
    pub fn new(replies: &Value) -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let place = Self { dir };
        place.plays(replies);
        place
    }

    /// What the model of services that start from now on says.
    pub fn plays(&self, replies: &Value) {
        let script = json!({ "record": "requests.jsonl", "replies": replies });
        std::fs::write(self.path("script.json"), script.to_string()).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn start(&self) -> Host {
        self.start_with(&["--allow", "process.exec"])
    }

    /// A service that asks before it runs anything.
    pub fn asked(&self) -> Host {
        self.start_with(&[])
    }

    fn start_with(&self, more: &[&str]) -> Host {
        let model = format!("rehearsal/{}", self.path("script.json").display());
        let more = [&["--model", &model], more].concat();
        Host::start(&self.path("state"), &self.path("work"), &more)
    }

    /// Waits until a file is there.
    pub fn until(&self, name: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.path(name).exists() {
            assert!(Instant::now() < deadline, "{name} never came");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

pub(super) fn thread(host: &mut Host) -> String {
    let started = host.result("thread/start", &json!({}));
    started["thread"]["id"].as_str().unwrap().to_owned()
}

pub(super) fn turn(thread: &str, input: &str) -> Value {
    json!({ "threadId": thread, "input": input })
}

#[test]
fn a_thread_is_there_however_soon_after_its_response_the_service_is_killed() {
    let place = Place::new(&json!([{ "steps": [] }]));
    let mut host = place.start();
    let thread = thread(&mut host);
    host.kill();
    let mut heir = place.start();
    let read = heir.result("thread/resume", &json!({ "threadId": thread }));
    assert_eq!(read["thread"]["id"], thread.as_str());
    assert_eq!(read["events"][0]["event_type"], "thread.started");
    heir.stop();
}

#[test]
fn what_the_user_said_is_kept_and_goes_to_the_model_with_the_next_turn() {
    let place = Place::new(&json!([
        { "when": "the first thing", "steps": [{ "hang": true }] },
        { "when": "the second", "expect": { "roles": ["user", "user"], "mentions": ["the first thing"] },
          "steps": [{ "text": "both heard" }] },
    ]));
    let mut host = place.start();
    let thread = thread(&mut host);
    host.result("turn/start", &turn(&thread, "the first thing"));
    host.kill();
    let mut heir = place.start();
    let events = heir.events(&thread);
    let said = |event: &Value| event["payload"]["content"]["text"] == "the first thing";
    assert!(events.iter().any(said), "{events:#?}");
    let last = events.last().unwrap();
    assert_eq!(last["event_type"], "turn.interrupted");
    assert_eq!(last["payload"]["evidence"]["status"], "partial");
    heir.result("turn/start", &turn(&thread, "the second"));
    let ended = heir.until("turn/completed");
    assert_eq!(ended["error"], Value::Null, "{ended}");
    heir.stop();
}

#[test]
fn a_call_cut_by_a_kill_has_one_result_which_says_that_its_outcome_is_unknown() {
    let slow = json!({ "command": "touch ../began; sleep 5 & sleep 5" });
    let place = Place::new(&json!([
        { "when": "the first", "steps": [
            { "tool_call": { "name": "shell", "arguments": slow } },
            { "tool_call": { "name": "shell", "arguments": { "command": "touch ../never" } } } ] },
        { "when": "the second",
          "expect": { "roles": ["user", "assistant", "results", "user"], "mentions": ["outcome unknown", "not run", "was interrupted"] },
          "steps": [{ "text": "I see" }] },
    ]));
    let mut host = place.start();
    let thread = thread(&mut host);
    host.result("turn/start", &turn(&thread, "the first"));
    place.until("began");
    host.kill();
    let mut heir = place.start();
    let events = heir.events(&thread);
    let results = |event: &&Value| event["event_type"] == "tool.result";
    assert_eq!(events.iter().filter(results).count(), 2);
    let settled = events
        .iter()
        .find(|event| event["event_type"] == "effect.settled")
        .unwrap();
    assert_eq!(settled["payload"]["state"], "unknown");
    // On what ground it ran is known all the same.
    let first = events.iter().find(results).unwrap();
    assert_eq!(first["payload"]["permissionDecision"], "allowed");
    heir.result("turn/start", &turn(&thread, "the second"));
    let ended = heir.until("turn/completed");
    assert_eq!(ended["error"], Value::Null, "{ended}");
    assert!(!place.path("never").exists());
    heir.stop();
}
