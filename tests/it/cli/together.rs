//! Many processes on one directory.

use serde_json::{Value, json};

use super::{Desk, fed, said};
use crate::crash::host::Host;

/// C8.
#[test]
fn eight_at_once_on_a_fresh_directory_all_end_with_whole_transcripts() {
    let desk = Desk::new();
    let look =
        |path: &str| json!({ "tool_call": { "name": "list_dir", "arguments": { "path": path } } });
    let act = json!({ "tool_call": { "name": "shell", "arguments": { "command": "echo x" } } });
    let replies = json!([
        { "steps": [{ "text": "word {n} ", "repeat": 200 }, look("."), look("."), act] },
        { "steps": [look("."), act] },
        { "steps": [{ "text": "word {n} ", "repeat": 200 }, { "text": "the end" }] },
    ]);
    let model = desk.script(&replies);
    let typed = [
        "exec",
        "--output",
        "stream-json",
        "--allow",
        "process.exec",
        "--model",
        &model,
        "go",
    ];
    let children: Vec<_> = (0..8).map(|_| desk.spawn(&typed)).collect();
    for child in children {
        let said = said(child.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
        let lines = said.lines();
        let (result, events) = lines.split_last().unwrap();
        assert!(
            result["text"]
                .as_str()
                .unwrap()
                .ends_with("word 200 the end"),
            "{result}"
        );
        let count = |name: &str| {
            events
                .iter()
                .filter(|line| line["event"]["event_type"] == name)
                .count()
        };
        assert_eq!(
            (
                count("tool.result"),
                count("effect.settled"),
                count("turn.completed")
            ),
            (5, 2, 1)
        );
        let thread = result["threadId"].as_str().unwrap();
        let kept = desk.says(&["show", thread, "--json"]).lines();
        assert_eq!(
            kept.iter()
                .filter(|event| event["turn_id"] == result["turnId"])
                .count(),
            events.len()
        );
    }
    assert_eq!(desk.says(&["verify"]).code, Some(0));
}

/// A host with a turn that hangs in a thread called `t`.
fn busy(desk: &Desk) -> Host {
    let model = desk.script(
        &json!([{ "when": "hang", "steps": [{ "text": "a" }, { "hang": true }] },
        { "when": "go on", "steps": [{ "text": "here" }] }]),
    );
    let mut host = Host::start(&desk.state(), &desk.path("project"), &["--model", &model]);
    host.result("thread/start", &json!({ "threadId": "t" }));
    host.result("turn/start", &json!({ "threadId": "t", "input": "hang" }));
    host.until("item/delta");
    host
}

#[test]
fn a_thread_that_works_in_one_process_is_refused_in_another_until_the_first_is_killed() {
    let desk = Desk::new();
    let first = busy(&desk);
    let model = desk.script(&json!([{ "when": "go on", "steps": [{ "text": "here" }] }]));
    let mut second = Host::start(&desk.state(), &desk.path("project"), &["--model", &model]);
    let asked = json!({ "threadId": "t", "input": "go on" });
    let refused = second.ask("turn/start", &asked);
    assert_eq!(refused["error"]["code"], -32009, "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("process {}", first.pid())),
        "{message}"
    );
    let read = second.result("thread/read", &json!({ "threadId": "t" }));
    assert_eq!(read["thread"]["status"], "active", "{read}");
    // The command line is one more process.
    desk.says(&["exec", "--thread", "t", "go on"])
        .is_usage(&format!("process {}", first.pid()));
    // Another thread is free.
    second.result("thread/start", &json!({ "threadId": "other" }));
    second.result(
        "turn/start",
        &json!({ "threadId": "other", "input": "go on" }),
    );
    second.until("turn/completed");

    first.kill();
    let taken = second.result("turn/start", &asked);
    // The end of the turn that was taken over is told too, before or after the response.
    let completed = loop {
        let completed = second.until("turn/completed");
        if completed["turn"]["id"] == taken["turn"]["id"] {
            break completed;
        }
    };
    assert_eq!(completed["turn"]["status"], "completed");
    let ends: Vec<Value> = second
        .events("t")
        .into_iter()
        .map(|event| event["event_type"].clone())
        .filter(|name| {
            ["turn.interrupted", "turn.completed", "turn.failed"]
                .iter()
                .any(|end| name == end)
        })
        .collect();
    assert_eq!(ends, ["turn.interrupted", "turn.completed"]);
    second.stop();
    assert_eq!(desk.says(&["verify"]).code, Some(0));
}

#[test]
fn the_service_goes_by_the_names_hosts_know() {
    let desk = Desk::new();
    let state = desk.path("named");
    let state = state.to_str().unwrap();
    let file = desk.path("file/threadkeep.db");
    let spoken: [&[&str]; 5] = [
        &["serve"],
        &["app-server", "--stdio"],
        &["agent-server", "--stdio"],
        &[
            "serve",
            "--app-server",
            "--app-server-store",
            "sqlite",
            "--app-server-state-dir",
            state,
            "--app-server-queue-cap",
            "64",
        ],
        &["serve", "--app-server-state-path", file.to_str().unwrap()],
    ];
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": 1, "minimumProtocolVersion": 1, "client": { "name": "test", "version": "1" } } });
    for typed in spoken {
        let mut command = desk.command(typed);
        command.env_remove("THREADKEEP_STATE_DIR");
        let said = fed(&mut command, format!("{hello}\n").as_bytes());
        assert_eq!(said.code, Some(0), "{typed:?}: {said:?}");
        let lines = said.lines();
        assert_eq!(
            (lines.len(), &lines[0]["id"]),
            (1, &json!(1)),
            "{typed:?}: {said:?}"
        );
        assert_eq!(lines[0]["result"]["protocolVersion"], 1, "{typed:?}");
    }
    assert!(desk.path("named/threadkeep.db").exists());
    assert!(file.exists());
}
