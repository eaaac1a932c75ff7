use serde_json::{Value, json};
use threadkeep::server::ServeOptions;

use super::host::Host;

fn counted(events: &Value, event_type: &str) -> usize {
    let events = events["events"].as_array().unwrap().iter();
    events
        .filter(|event| event["event_type"] == event_type)
        .count()
}

#[tokio::test]
async fn the_same_key_and_parameters_happen_once_and_others_are_a_conflict() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    let start = json!({ "title": "x", "metadata": { "a": 1, "b": 2 }, "idempotencyKey": "k" });
    let first = host.result("thread/start", start.clone()).await;
    let thread = first["thread"]["id"].clone();
    let same = json!({ "idempotencyKey": "k", "metadata": { "b": 2, "a": 1 }, "title": "x" });
    assert_eq!(host.result("thread/start", same).await, first);
    let other = json!({ "title": "y", "metadata": { "a": 1, "b": 2 }, "idempotencyKey": "k" });
    assert_eq!(host.code("thread/start", other).await, -32009);

    let turn = json!({ "threadId": thread, "input": "go", "idempotencyKey": "k" });
    let started = host.result("turn/start", turn.clone()).await;
    host.until("turn/completed").await;
    let again = host.result("turn/start", turn.clone()).await;
    assert_eq!(again["turn"]["id"], started["turn"]["id"]);
    assert_eq!(again["turn"]["status"], "completed");
    let other = json!({ "threadId": thread, "input": "stop", "idempotencyKey": "k" });
    assert_eq!(host.code("turn/start", other).await, -32009);

    let fork = json!({ "threadId": thread, "idempotencyKey": "k" });
    let forked = host.result("thread/fork", fork.clone()).await;
    assert_eq!(host.result("thread/fork", fork).await, forked);
    let read = host
        .result("thread/read", json!({ "threadId": thread }))
        .await;
    assert_eq!(counted(&read, "turn.started"), 1);

    // Another connection, the same store.
    let (_, _, stand) = host.end().await;
    let kernel = stand.kernel(&json!([{ "steps": [{ "text": "ok" }] }]));
    let mut host = Host::on(stand, kernel, ServeOptions::default());
    host.introduce(json!({})).await;
    assert_eq!(host.result("turn/start", turn).await, again);
    let now = host.result("thread/start", start).await;
    assert_eq!(now["thread"]["id"], thread);
}

#[tokio::test]
async fn concurrent_twins_run_once() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    let twins = async |host: &mut Host, method: &str, params: Value| {
        let mut ids = Vec::new();
        for _ in 0..8 {
            ids.push(host.request(method, params.clone()).await);
        }
        let mut results = Vec::new();
        for id in &ids {
            results.push(host.response(id).await["result"].take());
        }
        results
    };
    let threads = twins(&mut host, "thread/start", json!({ "idempotencyKey": "k" })).await;
    let thread = &threads[0]["thread"]["id"];
    assert!(
        thread.is_string()
            && threads
                .iter()
                .all(|result| result["thread"]["id"] == *thread)
    );
    let params = json!({ "threadId": thread, "input": "go", "idempotencyKey": "k" });
    let turns = twins(&mut host, "turn/start", params).await;
    let turn = &turns[0]["turn"]["id"];
    assert!(turn.is_string() && turns.iter().all(|result| result["turn"]["id"] == *turn));
    host.until("turn/completed").await;
    let read = host
        .result("thread/read", json!({ "threadId": thread }))
        .await;
    assert_eq!(counted(&read, "turn.started"), 1);
}
