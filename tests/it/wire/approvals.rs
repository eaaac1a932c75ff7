use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use threadkeep::server::{ExitReason, ServeOptions};
use tokio::sync::broadcast::error::RecvError;

use super::host::{Host, methods};
use crate::kernel::stand::call;

fn acting() -> Value {
    json!([
        { "steps": [call("act", &json!({ "what": "push" }))] },
        { "steps": [{ "text": "done" }] },
    ])
}

/// A host whose turn waits for an answer, and the question.
async fn asked(host: &mut Host) -> Value {
    let thread = host.thread().await;
    host.result("turn/start", json!({ "threadId": thread, "input": "go" }))
        .await;
    let mut messages = host.until("approval/decide").await;
    let question = messages.pop().unwrap();
    let requested = messages.pop().unwrap();
    assert_eq!(requested["method"], "approval/requested");
    assert_eq!(requested["params"], question["params"]);
    question
}

/// How the question was settled, and how many acts there were.
async fn settled(host: &mut Host) -> (bool, String, usize) {
    let resolved = host.until("approval/resolved").await.pop().unwrap();
    host.until("turn/completed").await;
    let params = &resolved["params"];
    let acts = host.stand.acts.done.load(Ordering::SeqCst);
    (
        params["approved"].as_bool().unwrap(),
        params["via"].as_str().unwrap().to_owned(),
        acts,
    )
}

#[tokio::test]
async fn an_acceptance_lets_the_act_happen_once() {
    for decision in [
        json!({ "kind": "acceptOnce" }),
        json!({ "kind": "acceptForTurn", "permissions": [{ "capability": "process.exec", "scope": "push" }] }),
        json!({ "kind": "acceptForSession", "permissions": [] }),
    ] {
        let mut host = Host::new(&acting()).await;
        let question = asked(&mut host).await;
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": decision });
        host.send(&answer).await;
        // A duplicate changes nothing.
        host.send(&answer).await;
        assert_eq!(
            settled(&mut host).await,
            (true, "host".to_owned(), 1),
            "{decision}"
        );
        // Nor does one that comes late.
        host.send(&answer).await;
        let (rest, reason, _) = host.end().await;
        assert_eq!(
            (methods(&rest), reason),
            (vec!["thread/updated"], ExitReason::InputEnded)
        );
    }
}

#[tokio::test]
async fn whatever_is_no_acceptance_to_the_letter_lets_nothing_happen() {
    let result = |decision: Value| json!({ "result": decision });
    let table = [
        (result(json!({ "kind": "decline", "reason": "no" })), "host"),
        (result(json!({ "kind": "cancel" })), "host"),
        (
            json!({ "error": { "code": -32601, "message": "no handler" } }),
            "host_error",
        ),
        (json!({ "error": "broken" }), "host_error"),
        (result(Value::Null), "invalid"),
        (result(json!("acceptOnce")), "invalid"),
        (result(json!(["acceptOnce"])), "invalid"),
        (result(json!([["acceptOnce"]])), "invalid"),
        (
            result(json!({ "kind": "acceptForTurn", "permissions": [["process.exec", "push"]] })),
            "invalid",
        ),
        (result(json!({ "kind": "yes" })), "invalid"),
        (
            result(json!({ "kind": "acceptOnce", "note": "fine" })),
            "invalid",
        ),
        (result(json!({ "approved": true })), "invalid"),
        (result(json!({ "kind": "acceptForTurn" })), "invalid"),
        (
            result(
                json!({ "kind": "acceptForTurn", "permissions": [{ "capability": "process.exec", "scope": "pus" }] }),
            ),
            "invalid",
        ),
        (
            result(
                json!({ "kind": "acceptForSession", "permissions": [{ "capability": "fs.write", "scope": "push" }] }),
            ),
            "invalid",
        ),
        (
            result(json!({ "kind": "decline", "reason": "r".repeat(2_049) })),
            "invalid",
        ),
        (
            json!({ "result": { "kind": "acceptOnce" }, "extra": 1 }),
            "invalid",
        ),
        (
            json!({ "result": { "kind": "acceptOnce" }, "error": null }),
            "invalid",
        ),
    ];
    for (answer, via) in table {
        let mut host = Host::new(&acting()).await;
        let question = asked(&mut host).await;
        let mut message = answer.clone();
        message["jsonrpc"] = json!("2.0");
        message["id"] = question["id"].clone();
        host.send(&message).await;
        assert_eq!(
            settled(&mut host).await,
            (false, via.to_owned(), 0),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn an_answer_to_another_id_is_no_answer() {
    let mut host = Host::new(&acting()).await;
    let question = asked(&mut host).await;
    for id in [
        json!("server:00000000-0000-4000-8000-000000000000"),
        json!(1),
        question["params"]["request"]["id"].clone(),
    ] {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "kind": "acceptOnce" } });
        host.send(&answer).await;
    }
    let decline =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "kind": "decline" } });
    host.send(&decline).await;
    assert_eq!(settled(&mut host).await, (false, "host".to_owned(), 0));
}

#[tokio::test]
async fn a_host_that_did_not_agree_to_be_asked_is_not() {
    let mut host = Host::stranger(&acting(), ServeOptions::default()).await;
    host.introduce(json!({ "features": ["thread_turn_item"] }))
        .await;
    let thread = host.thread().await;
    host.result("turn/start", json!({ "threadId": thread, "input": "go" }))
        .await;
    let messages = host.until("turn/completed").await;
    assert!(!methods(&messages).contains(&"approval/decide"));
    let resolved = messages
        .iter()
        .find(|m| m["method"] == "approval/resolved")
        .unwrap();
    assert_eq!(resolved["params"]["via"], "no_approver");
    assert_eq!(
        messages.last().unwrap()["params"]["turn"]["terminalEvidence"]["status"],
        "blocked"
    );
}

#[tokio::test]
async fn a_host_that_vanishes_has_not_approved() {
    let mut host = Host::new(&acting()).await;
    let question = asked(&mut host).await;
    let (_, stand) = host.vanish().await;
    let binding = &question["params"]["request"]["binding"];
    let thread = binding["threadId"].as_str().unwrap().parse().unwrap();
    let turn = binding["turnId"].as_str().unwrap().parse().unwrap();
    let turn = stand.store.turn(&thread, &turn).await.unwrap();
    assert!(turn.status.is_terminal());
    assert_eq!(stand.acts.done.load(Ordering::SeqCst), 0);
    let events = stand.store.events(&thread, 0, 1_000).await.unwrap();
    let resolved = events
        .iter()
        .find(|event| event.event_type == "approval.resolved")
        .unwrap();
    let payload: Value = serde_json::from_str(resolved.payload.as_deref().unwrap()).unwrap();
    assert_eq!(payload["approved"], false);
    assert_eq!(payload["via"], "disconnected");
}

/// A host that reads slowly is asked in its turn: after everything that was before the question.
#[tokio::test(flavor = "multi_thread")]
async fn the_question_comes_right_behind_its_announcement() {
    let text = json!({ "text": "word {n} ", "repeat": 3_000 });
    let replies = json!([
        { "steps": [text, call("act", &json!({ "what": "push" }))] },
        { "steps": [{ "text": "done" }] },
    ]);
    let mut host = Host::new(&replies).await;
    let mut commits = host.stand.store.commits().unwrap();
    let thread = host.thread().await;
    host.result("turn/start", json!({ "threadId": thread, "input": "go" }))
        .await;
    loop {
        match commits.recv().await {
            Ok(commit) if commit.events.iter().any(|event| event.approval.is_some()) => break,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => panic!("the store closed"),
        }
    }
    let mut messages = host.until("approval/decide").await;
    messages.pop();
    assert_eq!(methods(&messages).pop(), Some("approval/requested"));
    assert!(messages.len() > 100, "only {} before it", messages.len());
}
