use std::time::{Duration, Instant};

use serde_json::{Value, json};
use threadkeep::domain::TurnStatus;
use threadkeep::server::{ExitReason, ServeOptions};

use super::host::{Host, is_response, methods};
use crate::kernel::stand::call;
use crate::store;

/// From the first cause to the end.
const GONE_WITHIN: Duration = Duration::from_millis(1_500);

fn hanging() -> Value {
    json!([{ "steps": [{ "text": "a" }, { "hang": true }] }])
}

#[tokio::test]
async fn a_host_that_says_all_it_wants_and_closes_gets_its_answers() {
    let options = ServeOptions::default();
    let mut host = Host::stranger(&json!([{ "steps": [] }]), options).await;
    let introduce = json!({
        "protocolVersion": 1, "minimumProtocolVersion": 1, "client": { "name": "a", "version": "1" },
    });
    let mut ids = vec![host.request("initialize", introduce).await];
    for n in 0..30 {
        let params = json!({ "threadId": format!("t{n}") });
        ids.push(host.request("thread/start", params).await);
    }
    // The last line lacks its end.
    host.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"thread/list\"}")
        .await;
    ids.push(json!("last"));
    let (messages, reason, _) = host.end().await;
    assert_eq!(reason, ExitReason::InputEnded);
    for id in &ids {
        let answers = messages
            .iter()
            .filter(|message| is_response(message, id))
            .count();
        assert_eq!(answers, 1, "{id}");
    }
    let updated = methods(&messages)
        .iter()
        .filter(|method| **method == "thread/updated")
        .count();
    let done = messages
        .iter()
        .filter(|message| message["result"]["thread"].is_object())
        .count();
    assert_eq!(updated, done, "what was done was also told");
}

#[tokio::test]
async fn a_running_turn_is_interrupted_at_the_end_of_the_input_and_the_host_is_told() {
    let mut host = Host::new(&hanging()).await;
    let thread = host.thread().await;
    host.result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    host.until("item/delta").await;
    let begun = Instant::now();
    let (messages, reason, stand) = host.end().await;
    assert!(begun.elapsed() < GONE_WITHIN, "{:?}", begun.elapsed());
    assert_eq!(reason, ExitReason::InputEnded);
    assert_eq!(
        methods(&messages),
        ["item/completed", "turn/completed", "thread/updated"]
    );
    assert_eq!(messages[1]["params"]["turn"]["status"], "interrupted");
    let id = thread.as_str().unwrap().parse().unwrap();
    let turns = stand.store.turns(&id).await.unwrap();
    assert_eq!(turns[0].status, TurnStatus::Interrupted);
}

#[tokio::test]
async fn an_interrupt_on_its_way_is_answered_at_the_end_of_the_input() {
    let mut host = Host::new(&hanging()).await;
    let thread = host.thread().await;
    let turn = host
        .result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    host.until("item/delta").await;
    let params = json!({ "threadId": thread, "turnId": turn["turn"]["id"] });
    let id = host.request("turn/interrupt", params).await;
    let (messages, _, _) = host.end().await;
    let answer = messages
        .iter()
        .find(|message| is_response(message, &id))
        .unwrap();
    assert!(answer["result"]["turn"].is_object(), "{answer}");
}

#[tokio::test]
async fn a_turn_that_ends_by_itself_in_time_is_not_cut_short() {
    let replies = json!([{ "steps": [{ "delay_ms": 20 }, { "text": "done" }] }]);
    // However busy the machine is.
    let options = ServeOptions {
        drain: Duration::from_secs(10),
        ..ServeOptions::default()
    };
    let mut host = Host::stranger(&replies, options).await;
    host.introduce(json!({})).await;
    let thread = host.thread().await;
    host.request("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    let (messages, _, _) = host.end().await;
    let completed = messages
        .iter()
        .find(|message| message["method"] == "turn/completed");
    assert_eq!(completed.unwrap()["params"]["turn"]["status"], "completed");
}

#[tokio::test]
async fn a_host_that_goes_away_takes_its_turns_along() {
    let mut host = Host::new(&json!([{ "steps": [call("wait", &json!({}))] }])).await;
    let thread = host.thread().await;
    host.result("turn/start", json!({ "threadId": thread, "input": "x" }))
        .await;
    host.until("tool/requested").await;
    let begun = Instant::now();
    let (_, stand) = host.vanish().await;
    assert!(begun.elapsed() < GONE_WITHIN, "{:?}", begun.elapsed());
    let id = thread.as_str().unwrap().parse().unwrap();
    let turns = stand.store.turns(&id).await.unwrap();
    assert_eq!(turns[0].status, TurnStatus::Interrupted);
}

/// C7: the thread of a process that died is put right by whoever reads it.
#[tokio::test]
async fn a_thread_whose_process_died_is_idle_when_it_is_read() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    for method in ["thread/read", "thread/resume"] {
        let other = store::open(&host.stand.dir).await;
        let thread = store::thread(&other).await;
        let turn = store::start(&other, store::new_turn(&thread, "x")).await;
        let read = host.result(method, json!({ "threadId": thread })).await;
        assert_eq!(read["thread"]["status"], "active", "its process lives");
        // What becomes of the lock of a killed process.
        let lock = format!("owners/{}.lock", other.owner());
        std::fs::remove_file(other.dir().join(lock)).unwrap();
        let read = host.result(method, json!({ "threadId": thread })).await;
        assert_eq!(read["thread"]["status"], "idle");
        let events = read["events"].as_array().unwrap();
        assert_eq!(events.last().unwrap()["event_type"], "turn.interrupted");
        assert_eq!(events.last().unwrap()["turn_id"], json!(turn.turn()));
    }
}
