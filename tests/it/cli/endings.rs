//! How a turn ended is how `exec` exits.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::{Desk, kill, runs, said, until};

fn text(words: &str) -> Value {
    json!([{ "steps": [{ "text": words }] }])
}

/// What is played, what is typed, and the exit code, status and evidence it must come to.
type Case = (
    &'static str,
    Value,
    &'static [&'static str],
    i32,
    &'static str,
    &'static str,
);

fn cases() -> Vec<Case> {
    let calls = json!([{ "steps": [{ "tool_call": { "name": "list_dir", "arguments": { "path": "." } } }] }]);
    let tokens = json!([{ "steps": [{ "text": "much" }, { "tool_call": { "name": "list_dir", "arguments": { "path": "." } } }],
        "usage": { "input_tokens": 1, "output_tokens": 100 } }]);
    let fails = json!([{ "steps": [{ "text": "begun" }, { "error": { "kind": "rejected", "message": "no such model" } }] }]);
    vec![
        ("an answer", text("ok"), &[], 0, "completed", "succeeded"),
        (
            "an allowed effect",
            runs("true", &Value::Null),
            &["--allow", "process.exec"],
            0,
            "completed",
            "succeeded",
        ),
        (
            "one allowed command",
            runs("true", &Value::Null),
            &["--allow", "process.exec:true"],
            0,
            "completed",
            "succeeded",
        ),
        (
            "a command that fails is the model's affair",
            runs("false", &Value::Null),
            &["--allow", "process.exec"],
            0,
            "completed",
            "succeeded",
        ),
        ("the model fails", fails, &[], 1, "failed", "failed"),
        (
            "a cut answer",
            json!([{ "steps": [{ "text": "half" }, { "break": true }] }]),
            &[],
            1,
            "failed",
            "failed",
        ),
        (
            "too many answers",
            calls,
            &["--max-answers", "1"],
            4,
            "failed",
            "budget_exhausted",
        ),
        (
            "too long",
            json!([{ "steps": [{ "hang": true }] }]),
            &["--max-seconds", "1"],
            4,
            "failed",
            "budget_exhausted",
        ),
        (
            "too many tokens",
            tokens,
            &["--max-output-tokens", "50"],
            4,
            "failed",
            "budget_exhausted",
        ),
        (
            "nobody to ask",
            runs("true", &Value::Null),
            &[],
            5,
            "failed",
            "blocked",
        ),
        (
            "another command than the allowed one",
            runs("true x", &Value::Null),
            &["--allow", "process.exec:true"],
            5,
            "failed",
            "blocked",
        ),
        (
            "a rule for something else",
            runs("true", &Value::Null),
            &["--allow", "fs.write"],
            5,
            "failed",
            "blocked",
        ),
        (
            "an outcome nobody knows",
            runs("sleep 30", &json!({ "timeout_ms": 100 })),
            &["--allow", "process.exec"],
            6,
            "completed",
            "partial",
        ),
    ]
}

#[test]
fn the_exit_code_says_how_the_turn_ended() {
    for (name, replies, more, code, status, evidence) in cases() {
        let desk = Desk::new();
        let model = desk.script(&replies);
        let mut typed = vec!["--model", &model, "go"];
        typed.extend(more);
        let outcome = desk.exec(&typed);
        let ended = (
            &outcome["exitCode"],
            &outcome["status"],
            &outcome["evidence"]["status"],
        );
        assert_eq!(
            ended,
            (&json!(code), &json!(status), &json!(evidence)),
            "{name}: {outcome}"
        );
        // The same in the ledger, and in the text a person reads.
        let turns = desk.asks("recent_turns");
        assert_eq!(turns[0]["evidence_status"], evidence, "{name}");
        let mut typed = vec!["exec", "--model", &model, "go"];
        typed.extend(more);
        let told = desk.says(&typed);
        assert_eq!(told.code, Some(code), "{name}: {told:?}");
        let reason = outcome["error"]["message"].as_str().unwrap_or_default();
        assert!(told.err.contains(reason), "{name}: {told:?}");
        assert_eq!(outcome["error"].is_null(), matches!(code, 0 | 6), "{name}");
    }
}

#[test]
fn a_mode_that_asks_nobody_refuses_what_it_would_have_to_ask() {
    for (mode, code) in [("plan", 0), ("dontAsk", 0), ("manual", 5), ("default", 5)] {
        let desk = Desk::new();
        let model = desk.script(&runs("touch made", &Value::Null));
        let outcome = desk.exec(&["--model", &model, "--permission-mode", mode, "go"]);
        assert_eq!(outcome["exitCode"], code, "{mode}: {outcome}");
        assert!(!desk.path("project/made").exists(), "{mode}");
    }
}

/// Whether the ledger has a turn; there may be no ledger yet.
fn turn_begun(desk: &Desk) -> bool {
    let said = desk.says(&["audit", "recent_turns", "--json"]);
    !said.out.is_empty()
}

#[test]
fn a_signal_interrupts_the_turn() {
    for signal in ["INT", "TERM", "HUP"] {
        let desk = Desk::new();
        let model = desk.script(&json!([{ "steps": [{ "text": "begun" }, { "hang": true }] }]));
        let typed = ["exec", "--output", "stream-json", "--model", &model, "go"];
        let child = desk.spawn(&typed);
        until(|| turn_begun(&desk));
        kill(signal, &child);
        let said = said(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(3), "{signal}: {said:?}");
        let last = said.lines().pop().unwrap();
        assert_eq!(
            (&last["type"], &last["status"], &last["evidence"]["status"]),
            (&json!("result"), &json!("interrupted"), &json!("cancelled")),
            "{signal}"
        );
    }
}

#[test]
fn two_signals_at_once_leave_no_turn_open() {
    let desk = Desk::new();
    let deaf = "trap '' TERM INT; touch ../began; sleep 30 & sleep 30";
    let model = desk.script(&runs(deaf, &Value::Null));
    let child = desk.spawn(&["exec", "--allow", "process.exec", "--model", &model, "go"]);
    until(|| desk.path("began").exists());
    kill("INT", &child);
    kill("INT", &child);
    let ended = said(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert_eq!(desk.exec(&["list ."])["exitCode"], 0);
    let turns = desk.asks("recent_turns");
    let ends: Vec<_> = turns.iter().map(|turn| &turn["status"]).collect();
    assert_eq!(ends, ["completed", "interrupted"]);
}

#[test]
fn a_second_signal_leaves_before_the_turn_has_ended_and_the_next_start_closes_it() {
    let desk = Desk::new();
    let model = desk.script(&json!([{ "steps": [{ "text": "begun" }, { "hang": true }] }]));
    let mut child = desk.spawn(&["exec", "--model", &model, "go"]);
    let running = || desk.asks("recent_turns")[0]["status"] == "running";
    until(|| turn_begun(&desk));
    // Nothing can be committed, so the turn cannot end.
    let mut stranger = rusqlite::Connection::open(desk.database()).unwrap();
    let lock = stranger
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    kill("INT", &child);
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(err.any(|line| line.unwrap().contains("once more to leave at once")));
    kill("INT", &child);
    let last = err.last().unwrap().unwrap();
    assert!(last.contains("the next start closes it"), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(running());
    drop(lock);
    assert_eq!(desk.exec(&["list ."])["exitCode"], 0);
    let ends = desk.asks("recent_turns");
    assert_eq!(ends[1]["status"], "interrupted", "{ends:?}");
}

#[test]
fn standard_output_holds_the_answer_and_nothing_else() {
    let desk = Desk::new();
    let replies = json!([
        { "steps": [{ "text": "Let me look." }, { "tool_call": { "name": "list_dir", "arguments": { "path": "." } } }] },
        { "steps": [{ "text": "It is " }, { "text": "a lighthouse." }] },
    ]);
    let model = desk.script(&replies);
    let mut text = desk.command(&["exec", "--model", &model, "go"]);
    let text = said(text.env("THREADKEEP_LOG", "trace").output().unwrap());
    assert_eq!(text.out, "Let me look.\nIt is a lighthouse.\n", "{text:?}");
    assert!(text.err.contains("• list_dir {\"path\":\".\"}"), "{text:?}");
    let thread = text.err.lines().last().unwrap();
    assert!(
        thread.starts_with("thread ") && thread.contains(" · threadkeep show "),
        "{text:?}"
    );

    let mut stream = desk.command(&["exec", "--output", "stream-json", "--model", &model, "go"]);
    let stream = said(stream.env("THREADKEEP_LOG", "trace").output().unwrap()).lines();
    let (result, events) = stream.split_last().unwrap();
    assert_eq!(
        (&result["type"], &result["text"]),
        (&json!("result"), &json!("It is a lighthouse."))
    );
    let types: Vec<_> = events
        .iter()
        .map(|line| line["event"]["event_type"].as_str().unwrap())
        .collect();
    assert_eq!(
        (types[0], *types.last().unwrap()),
        ("turn.started", "turn.completed")
    );
    let digest = events.last().unwrap()["event"]["hash"].as_str().unwrap();
    assert_eq!(result["evidence"]["eventDigest"], digest);
    // What was streamed is what was stored.
    let thread = result["threadId"].as_str().unwrap();
    let kept = desk.says(&["show", thread, "--json"]).lines();
    let of_the_turn: Vec<_> = kept
        .iter()
        .filter(|event| event["turn_id"] == result["turnId"])
        .collect();
    assert_eq!(
        of_the_turn,
        events.iter().map(|line| &line["event"]).collect::<Vec<_>>()
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_the_turn_goes_on() {
    let desk = Desk::new();
    let model = desk.script(&json!([{ "steps": [{ "text": "word {n} ", "repeat": 50_000 }] }]));
    for form in ["text", "stream-json"] {
        let mut child = desk.spawn(&["exec", "--output", form, "--model", &model, "go"]);
        drop(child.stdout.take());
        let said = said(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(0), "{form}: {said:?}");
        assert!(!said.err.contains("panicked"), "{said:?}");
    }
    let turns = desk.asks("recent_turns");
    assert!(
        turns.len() == 2 && turns.iter().all(|turn| turn["status"] == "completed"),
        "{turns:?}"
    );
}
