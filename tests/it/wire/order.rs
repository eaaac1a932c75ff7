use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use threadkeep::server::{ExitReason, ServeOptions};

use super::host::{Host, is_response, methods};
use crate::kernel::stand::call;

#[tokio::test]
async fn a_response_comes_before_what_its_request_brings_about() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    for n in 0..20 {
        let started = host
            .request("thread/start", json!({ "threadId": format!("t{n}") }))
            .await;
        assert!(is_response(&host.read().await, &started));
        assert_eq!(host.read().await["method"], "thread/updated");

        let turn = json!({ "threadId": format!("t{n}"), "input": "x" });
        let started = host.request("turn/start", turn).await;
        let response = host.read().await;
        assert!(is_response(&response, &started), "{response}");
        let messages = host.until("turn/completed").await;
        let told = [
            "thread/updated",
            "turn/started",
            "item/started",
            "item/completed",
            "item/started",
            "item/delta",
            "item/completed",
            "turn/completed",
        ];
        assert_eq!(methods(&messages), told);
        assert_eq!(host.read().await["params"]["thread"]["status"], "idle");

        let forked = host
            .request("thread/fork", json!({ "threadId": format!("t{n}") }))
            .await;
        assert!(is_response(&host.read().await, &forked));
        assert_eq!(host.read().await["method"], "thread/updated");
        let archived = host
            .request("thread/archive", json!({ "threadId": format!("t{n}") }))
            .await;
        assert!(is_response(&host.read().await, &archived));
        assert_eq!(host.read().await["params"]["thread"]["status"], "archived");
    }
}

#[tokio::test]
async fn an_interrupt_is_answered_when_the_turn_has_ended_and_before_its_end_is_told() {
    let replies = json!([{ "steps": [{ "text": "a" }, { "hang": true }] }]);
    let mut host = Host::new(&replies).await;
    let thread = host.thread().await;
    let turn = host
        .result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    let ids = json!({ "threadId": thread, "turnId": turn["turn"]["id"] });
    host.until("item/delta").await;
    // Reads of the thread are not kept out by the interrupt, and the next turn waits for it.
    let interrupt = host.request("turn/interrupt", ids.clone()).await;
    let next = host
        .request("turn/start", json!({ "threadId": thread, "input": "y" }))
        .await;
    let mut messages = host.until("turn/completed").await;
    let at = messages
        .iter()
        .position(|message| is_response(message, &interrupt))
        .unwrap();
    let response = messages.remove(at);
    assert_eq!(response["result"]["turn"]["status"], "interrupted");
    assert_eq!(response["result"]["physicallySettled"], true);
    let completed = messages.pop().unwrap();
    assert_eq!(completed["params"]["turn"], response["result"]["turn"]);
    assert!(host.response(&next).await["result"]["turn"]["id"].is_string());
    let again = host.result("turn/interrupt", ids).await;
    assert_eq!(again["alreadyTerminal"], true);
}

#[tokio::test]
async fn a_second_turn_is_a_conflict_and_requests_on_a_thread_keep_their_order() {
    let replies = json!([{ "steps": [{ "hang": true }] }]);
    let mut host = Host::new(&replies).await;
    let mut ids = Vec::new();
    ids.push(
        host.request("thread/start", json!({ "threadId": "t" }))
            .await,
    );
    ids.push(
        host.request(
            "turn/start",
            json!({ "threadId": "t", "turnId": "u", "input": "x" }),
        )
        .await,
    );
    ids.push(
        host.request("turn/start", json!({ "threadId": "t", "input": "y" }))
            .await,
    );
    ids.push(
        host.request("thread/archive", json!({ "threadId": "t" }))
            .await,
    );
    ids.push(
        host.request("thread/read", json!({ "threadId": "t" }))
            .await,
    );
    ids.push(
        host.request("turn/interrupt", json!({ "threadId": "t", "turnId": "u" }))
            .await,
    );
    ids.push(
        host.request("thread/archive", json!({ "threadId": "t" }))
            .await,
    );
    ids.push(
        host.request("turn/start", json!({ "threadId": "t", "input": "z" }))
            .await,
    );
    ids.push(host.request("thread/list", json!({})).await);
    let mut responses = Vec::new();
    for id in &ids {
        responses.push(host.response(id).await);
    }
    let codes: Vec<_> = responses
        .iter()
        .map(|r| r["error"]["code"].as_i64().unwrap_or(0))
        .collect();
    assert_eq!(codes, [0, 0, -32009, -32009, 0, 0, 0, -32009, 0]);
    assert_eq!(responses[4]["result"]["thread"]["status"], "active");
    // The stand's own thread is the only one left.
    assert_eq!(
        responses[8]["result"]["threads"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_pipelined_request_is_answered() {
    let options = ServeOptions {
        queue_cap: 16,
        ..ServeOptions::default()
    };
    let mut host = Host::stranger(&json!([{ "steps": [] }]), options).await;
    host.introduce(json!({})).await;
    let mut burst = String::new();
    for n in 0..1_000 {
        let request = json!({ "jsonrpc": "2.0", "id": n, "method": "thread/start", "params": {} });
        writeln!(burst, "{request}").unwrap();
    }
    host.write(burst.as_bytes()).await;
    let mut answers: HashMap<i64, Value> = HashMap::new();
    while answers.len() < 1_000 {
        let message = host.read().await;
        if message.get("method").is_none() {
            let id = message["id"].as_i64().unwrap();
            assert!(
                answers.insert(id, message).is_none(),
                "{id} was answered twice"
            );
        }
    }
    let overloaded = answers
        .values()
        .filter(|answer| answer["error"]["code"] == -32001)
        .count();
    let done = answers
        .values()
        .filter(|answer| answer["result"].is_object())
        .count();
    assert!(
        overloaded > 0 && done >= 16,
        "{overloaded} refused, {done} done"
    );
    assert_eq!(overloaded + done, 1_000);
}

/// Events of other turns go on while one reads slowly; nothing is lost or told twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_gets_everything_once_and_in_order() {
    const DELTAS: usize = 20_000;
    let replies = json!([{ "steps": [{ "text": "word {n} ", "repeat": DELTAS }] }]);
    let mut host = Host::new(&replies).await;
    let thread = host.thread().await;
    let turn = host
        .result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    let id = turn["turn"]["id"].as_str().unwrap().parse().unwrap();
    // Nothing is read until the turn is over; its events are in the ledger by then.
    host.kernel.ended(&id).await;
    let messages = host.until("turn/completed").await;
    let texts: Vec<&str> = messages
        .iter()
        .filter(|message| message["method"] == "item/delta")
        .map(|message| message["params"]["delta"]["text"].as_str().unwrap())
        .collect();
    let whole = messages
        .iter()
        .rfind(|m| m["method"] == "item/completed")
        .unwrap();
    assert_eq!(whole["params"]["item"]["content"]["text"], texts.concat());
    assert!(texts.len() > 100, "{} deltas are no stream", texts.len());
    assert_eq!(messages[0]["params"]["thread"]["status"], "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_takes_nothing_ends_the_connection_and_the_turn() {
    let replies = json!([
        { "steps": [{ "text": "word {n} ", "repeat": 5_000 }, call("wait", &json!({}))] },
    ]);
    let options = ServeOptions {
        stall: Duration::from_millis(300),
        ..ServeOptions::default()
    };
    let mut host = Host::stranger(&replies, options).await;
    host.introduce(json!({})).await;
    let thread = host.thread().await;
    let turn = host
        .result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    let (reason, stand) = host.abandon().await;
    assert_eq!(reason, ExitReason::OutputStalled(options.stall));
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    let thread = id(&thread).parse().unwrap();
    let turn = id(&turn["turn"]["id"]).parse().unwrap();
    let ended = stand.store.turn(&thread, &turn).await.unwrap();
    assert_eq!(ended.status.as_str(), "interrupted");
}
