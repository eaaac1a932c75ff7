use serde_json::{Value, json};

use super::host::Host;

fn sequence(events: &Value) -> Vec<i64> {
    let events = events.as_array().unwrap().iter();
    events
        .map(|event| event["event_seq"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn a_thread_is_read_from_any_place_and_the_chain_holds() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "a" }, { "text": "b" }] }])).await;
    let thread = host.thread().await;
    host.turn(&thread, "go").await;
    let all = host
        .result("thread/read", json!({ "threadId": thread }))
        .await;
    let revision = all["thread"]["revision"].as_i64().unwrap();
    assert_eq!(sequence(&all["events"]), (1..=revision).collect::<Vec<_>>());
    let events = all["events"].as_array().unwrap();
    let zero = format!("sha256:{}", "0".repeat(64));
    assert_eq!(events[0]["prev_hash"], json!(zero));
    for pair in events.windows(2) {
        assert_eq!(pair[1]["prev_hash"], pair[0]["hash"]);
    }
    assert_eq!(all["thread"]["headHash"], events.last().unwrap()["hash"]);

    for after in 0..=revision {
        let params = json!({ "threadId": thread, "afterEventSeq": after, "limit": 2 });
        let read = host.result("thread/resume", params).await;
        let expected: Vec<i64> = (after + 1..=revision).take(2).collect();
        assert_eq!(sequence(&read["events"]), expected);
        assert_eq!(read["thread"], all["thread"]);
    }
    let beyond = json!({ "threadId": thread, "afterEventSeq": 1_000 });
    assert_eq!(
        host.result("thread/read", beyond).await["events"],
        json!([])
    );
}

#[tokio::test]
async fn a_long_history_is_read_in_pages_by_bytes() {
    let big = "x".repeat(900_000);
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    let thread = host.thread().await;
    for _ in 0..10 {
        host.turn(&thread, &big).await;
    }
    let (mut events, mut pages) = (Vec::new(), 0);
    loop {
        let params = json!({ "threadId": thread, "afterEventSeq": events.len() });
        let read = host.result("thread/read", params).await;
        let bytes = read.to_string().len();
        assert!(bytes <= 8 << 20, "{bytes}");
        events.extend(sequence(&read["events"]));
        pages += 1;
        if json!(events.len()) == read["thread"]["revision"] {
            break;
        }
    }
    let expected: Vec<i64> = (1..).take(events.len()).collect();
    assert_eq!(events, expected);
    assert!(pages > 1);
}

#[tokio::test]
async fn a_fork_reads_the_whole_lineage_and_goes_its_own_way() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    let source = host
        .result(
            "thread/start",
            json!({ "title": "first", "metadata": { "a": 1 } }),
        )
        .await;
    let source = source["thread"]["id"].clone();
    host.until("thread/updated").await;
    host.turn(&source, "go").await;
    let forked = host
        .result(
            "thread/fork",
            json!({ "threadId": source, "newThreadId": "fork" }),
        )
        .await;
    assert_eq!(forked["historyForked"], true);
    assert_eq!(forked["thread"]["parentThreadId"], source);
    assert_eq!(
        (&forked["thread"]["title"], &forked["thread"]["metadata"]),
        (&json!("first"), &json!({ "a": 1 }))
    );
    host.until("thread/updated").await;

    let shared = host
        .result("thread/read", json!({ "threadId": source }))
        .await;
    let read = host
        .result("thread/read", json!({ "threadId": "fork" }))
        .await;
    let both = |value: &Value| value["events"].as_array().unwrap().clone();
    let (shared, mut own) = (both(&shared), both(&read));
    let fork_event = own.pop().unwrap();
    assert_eq!(own, shared);
    assert_eq!(fork_event["event_type"], "thread.forked");
    assert_eq!(fork_event["prev_hash"], shared.last().unwrap()["hash"]);
}

#[tokio::test]
async fn threads_are_listed_newest_first_and_archived_ones_on_request() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    for name in ["a", "b", "c"] {
        host.result("thread/start", json!({ "threadId": name }))
            .await;
        host.until("thread/updated").await;
    }
    host.turn(&json!("a"), "go").await;
    host.result("thread/archive", json!({ "threadId": "b" }))
        .await;
    let again = host
        .result("thread/archive", json!({ "threadId": "b" }))
        .await;
    assert_eq!(again["thread"]["status"], "archived");
    let names = |list: &Value| -> Vec<String> {
        let threads = list["threads"].as_array().unwrap().iter();
        let known = threads.map(|thread| thread["id"].as_str().unwrap().to_owned());
        known.filter(|id| id.len() == 1).collect()
    };
    let listed = host.result("thread/list", json!({})).await;
    assert_eq!(names(&listed), ["a", "c"]);
    let listed = host
        .result("thread/list", json!({ "includeArchived": true }))
        .await;
    assert_eq!(names(&listed), ["b", "a", "c"]);
    let listed = host.result("thread/list", json!({ "limit": 1 })).await;
    assert_eq!(names(&listed), ["a"]);
    assert_eq!(
        host.code("turn/start", json!({ "threadId": "b", "input": "x" }))
            .await,
        -32009
    );
}

#[tokio::test]
async fn a_thread_that_exists_is_returned_unchanged() {
    let mut host = Host::new(&json!([{ "steps": [] }])).await;
    let first = host
        .result("thread/start", json!({ "threadId": "t", "title": "one" }))
        .await;
    let again = host
        .result("thread/start", json!({ "threadId": "t", "title": "two" }))
        .await;
    assert_eq!(again, first);
}
