use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::host::Host;

/// Stores, and kills of each: 200 in all.
const STORES: u64 = 8;
const KILLS: u64 = 25;
/// The latest instant of a kill after the turn was asked for, in µs: about as long as a turn takes.
const SPAN_US: u64 = 60_000;

#[test]
fn a_service_killed_at_any_of_200_instants_loses_nothing_and_repeats_nothing() {
    let stores: Vec<_> = (0..STORES)
        .map(|store| std::thread::spawn(move || killed(store)))
        .collect();
    let (mut interrupted, mut completed) = (0, 0);
    for store in stores {
        let (cut, whole) = store.join().unwrap();
        interrupted += cut;
        completed += whole;
    }
    // Kills that all came too early or too late would show nothing.
    assert!(
        interrupted >= STORES * KILLS / 10,
        "{interrupted} turns were cut"
    );
    assert!(completed >= STORES, "{completed} turns were whole");
}

/// One store under fire. Returns how many turns were cut and how many were whole.
fn killed(store: u64) -> (u64, u64) {
    let place = Place::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (store + 1));
    let mut host = place.start();
    let started = host.result("thread/start", &json!({}));
    let thread = started["thread"]["id"].as_str().unwrap().to_owned();
    host.stop();
    for round in 0..KILLS {
        let instant = Duration::from_micros(random.below(SPAN_US));
        let mut host = place.start();
        host.send("turn/start", &asked(&thread, round));
        std::thread::sleep(instant);
        let heard = host.kill();
        let mut heir = place.start();
        let context = format!("store {store}, round {round}, killed after {instant:?}");
        inherits(&mut heir, &thread, round, &heard, &context);
        heir.stop();
    }
    place.check();
    let mut host = place.start();
    let events = host.events(&thread);
    host.stop();
    let count = |name: &str| {
        events
            .iter()
            .filter(|event| event["event_type"] == name)
            .count() as u64
    };
    let ended = count("turn.completed") + count("turn.interrupted");
    assert_eq!(
        count("turn.started"),
        ended,
        "store {store}: every turn ended, and none failed"
    );
    (count("turn.interrupted"), count("turn.completed"))
}

/// What must hold for the next process, whenever the one before was killed.
fn inherits(heir: &mut Host, thread: &str, round: u64, heard: &[Value], context: &str) {
    let read = heir.result("thread/read", &json!({ "threadId": thread, "limit": 1 }));
    assert_eq!(read["thread"]["status"], "idle", "{context}");
    let events = heir.events(thread);
    let stored = stored_deltas(&events);
    for (item, said) in heard_deltas(heard) {
        let kept = stored.get(&item).map(String::as_str).unwrap_or_default();
        assert!(
            kept.starts_with(&said),
            "{context}: heard {said:?}, kept {kept:?}"
        );
    }
    for (method, kind) in [
        ("turn/completed", "turn."),
        ("item/completed", "item.completed"),
        ("tool/result", "tool.result"),
    ] {
        let told = heard
            .iter()
            .filter(|message| message["method"] == method)
            .count();
        let kept = events
            .iter()
            .filter(|event| event["event_type"].as_str().unwrap().starts_with(kind))
            .count();
        assert!(
            kept >= told,
            "{context}: {told} {method} were told, {kept} are kept"
        );
    }
    let admitted = heard
        .iter()
        .find_map(|message| message["result"]["turn"]["id"].as_str());
    let again = heir.result("turn/start", &asked(thread, round));
    let turn = again["turn"]["id"].as_str().unwrap();
    if let Some(admitted) = admitted {
        assert_eq!(
            turn, admitted,
            "{context}: the same key gives the same turn"
        );
    }
    if again["turn"]["completedAt"].is_null() {
        heir.until("turn/completed");
    }
    let mut other = asked(thread, round);
    other["input"] = json!("something else");
    let refused = heir.ask("turn/start", &other);
    assert_eq!(refused["error"]["code"], -32009, "{context}: {refused}");
    let once = heir.result("turn/start", &asked(thread, round));
    assert_eq!(once["turn"]["id"], turn, "{context}");
    let evidence = &once["turn"]["terminalEvidence"]["eventDigest"];
    assert!(
        evidence.as_str().unwrap().starts_with("sha256:"),
        "{context}: {once}"
    );
}

fn asked(thread: &str, round: u64) -> Value {
    json!({ "threadId": thread, "input": format!("round {round}."), "idempotencyKey": format!("key-{round}") })
}

/// Text of every item as far as it was heard.
fn heard_deltas(heard: &[Value]) -> HashMap<String, String> {
    let mut texts: HashMap<String, String> = HashMap::new();
    for message in heard
        .iter()
        .filter(|message| message["method"] == "item/delta")
    {
        let params = &message["params"];
        let item = params["itemId"].as_str().unwrap().to_owned();
        texts
            .entry(item)
            .or_default()
            .push_str(params["delta"]["text"].as_str().unwrap());
    }
    texts
}

fn stored_deltas(events: &[Value]) -> HashMap<String, String> {
    let mut texts: HashMap<String, String> = HashMap::new();
    for event in events
        .iter()
        .filter(|event| event["event_type"] == "item.delta")
    {
        let item = event["item_id"].as_str().unwrap().to_owned();
        texts
            .entry(item)
            .or_default()
            .push_str(event["payload"]["delta"]["text"].as_str().unwrap());
    }
    texts
}

struct Place {
    dir: TempDir,
}

impl Place {
    /// A script in which each round streams, writes its number into a file, and streams again.
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let stream =
            |repeat: u64| json!({ "text": "piece {n} ", "repeat": repeat, "every_us": 400 });
        let replies: Vec<Value> = (0..KILLS)
            .flat_map(|round| {
                let when = format!("round {round}.");
                let act = json!({ "command": format!("echo {round} >> effects.log") });
                [
                    json!({ "when": when, "steps": [stream(30), { "tool_call": { "name": "shell", "arguments": act } }] }),
                    json!({ "when": when, "steps": [stream(30)] }),
                ]
            })
            .collect();
        let script = json!({ "replies": replies }).to_string();
        std::fs::write(dir.path().join("script.json"), script).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn start(&self) -> Host {
        let model = format!("rehearsal/{}", self.path("script.json").display());
        let more = ["--allow", "process.exec", "--model", &model];
        Host::start(&self.path("state"), &self.path("work"), &more)
    }

    /// No act happened twice, and both verifiers find the ledger intact.
    fn check(&self) {
        let acts = std::fs::read_to_string(self.path("work/effects.log")).unwrap_or_default();
        let mut acts: Vec<&str> = acts.lines().collect();
        let count = acts.len();
        acts.sort_unstable();
        acts.dedup();
        assert_eq!(acts.len(), count, "an act happened twice");
        let python = Command::new("python3")
            .arg("queries/audit/verify.py")
            .arg(self.path("state/threadkeep.db"))
            .output()
            .unwrap();
        assert!(python.status.success(), "{python:?}");
        let own = Command::new(env!("CARGO_BIN_EXE_threadkeep"))
            .args(["verify", "--state-dir"])
            .arg(self.path("state"))
            .output()
            .unwrap();
        assert!(own.status.success(), "{own:?}");
    }
}

/// Numbers by xorshift64* (Vigna 2016), so that a failure can be had again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % limit
    }
}
