use std::fmt::Write as _;

use serde_json::{Value, json};

use super::host::{Host, methods};
use super::redact::Redactor;
use crate::kernel::stand::call;

/// A conversation as it goes over the wire, one message a line.
struct Transcript {
    redactor: Redactor,
    text: String,
}

impl Transcript {
    fn new(host: &Host) -> Self {
        Self {
            redactor: Redactor::new(host.stand.dir.path()),
            text: String::new(),
        }
    }

    async fn ask(&mut self, host: &mut Host, method: &str, params: Value) {
        let id = host.request(method, params.clone()).await;
        writeln!(self.text, "-> {id} {method} {params}").unwrap();
    }

    /// Reads up to a message of `method` and returns that.
    async fn until(&mut self, host: &mut Host, method: &str) -> Value {
        let messages = host.until(method).await;
        for message in &messages {
            let mut message = message.clone();
            self.redactor.redact(&mut message);
            writeln!(self.text, "<- {message}").unwrap();
        }
        messages.into_iter().next_back().unwrap()
    }
}

#[tokio::test]
async fn a_whole_turn_reads_like_this() {
    let replies = json!([
        { "steps": [{ "text": "Let me " }, { "text": "look." }, call("look", &json!({ "what": "around" }))] },
        { "steps": [{ "reasoning": "Enough." }, { "text": "Done." }],
          "usage": { "input_tokens": 7, "output_tokens": 3 } },
    ]);
    let mut host = Host::new(&replies).await;
    let mut transcript = Transcript::new(&host);
    let start = json!({ "threadId": "t1", "title": "A walk", "agentOptions": { "depth": 2 } });
    transcript.ask(&mut host, "thread/start", start).await;
    transcript.until(&mut host, "thread/updated").await;
    let turn = json!({ "threadId": "t1", "turnId": "u1", "input": "look around" });
    transcript.ask(&mut host, "turn/start", turn).await;
    transcript.until(&mut host, "turn/completed").await;
    transcript.until(&mut host, "thread/updated").await;
    insta::assert_snapshot!(transcript.text);
}

#[tokio::test]
async fn an_approval_reads_like_this() {
    let replies = json!([
        { "steps": [call("act", &json!({ "what": "push" }))] },
        { "steps": [{ "text": "Pushed." }] },
    ]);
    let mut host = Host::new(&replies).await;
    let thread = host.thread().await;
    let mut transcript = Transcript::new(&host);
    let turn = json!({ "threadId": thread, "turnId": "u1", "input": "push it" });
    host.result("turn/start", turn).await;
    let question = transcript.until(&mut host, "approval/decide").await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "kind": "acceptOnce" } });
    host.send(&answer).await;
    writeln!(transcript.text, "-> acceptOnce").unwrap();
    transcript.until(&mut host, "turn/completed").await;
    insta::assert_snapshot!(transcript.text);
}

/// What is told of a turn and of its items is what is read later, as far as it did not change.
#[tokio::test]
async fn what_is_told_is_what_is_read_later() {
    let replies = json!([
        { "steps": [{ "text": "a" }, call("look", &json!({ "what": "b" }))] },
        { "steps": [{ "text": "c" }] },
    ]);
    let mut host = Host::new(&replies).await;
    let thread = host.thread().await;
    let messages = host.turn(&thread, "go").await;
    let last = |method: &str| {
        let found = messages.iter().rfind(|message| message["method"] == method);
        found.unwrap()["params"].clone()
    };

    let read = host
        .result("thread/read", json!({ "threadId": thread }))
        .await;
    assert_eq!(last("thread/updated")["thread"], read["thread"]);
    let turn = &last("turn/completed")["turn"];
    let ended = json!({ "threadId": thread, "turnId": turn["id"] });
    let again = host.result("turn/interrupt", ended).await;
    assert_eq!(again, json!({ "turn": turn, "alreadyTerminal": true }));

    let items = host.stand.store.items(&host.stand.thread).await.unwrap();
    assert!(items.is_empty(), "the stand's own thread was not used");
    let id = thread.as_str().unwrap().parse().unwrap();
    for item in host.stand.store.items(&id).await.unwrap() {
        let told = messages.iter().rfind(|message| {
            message["method"] == "item/completed"
                && message["params"]["item"]["id"] == json!(item.id)
        });
        let told = &told.unwrap()["params"]["item"];
        assert_eq!(told["content"], item.content);
        assert_eq!(told["createdAt"], json!(item.created_at));
        assert_eq!(told["completedAt"], json!(item.completed_at));
    }
    host.end().await;
}

#[tokio::test]
async fn a_turn_that_fails_says_why() {
    let replies = json!([{ "steps": [{ "error": { "kind": "unavailable", "message": "gone" } }] }]);
    let mut host = Host::new(&replies).await;
    let thread = host.thread().await;
    let messages = host.turn(&thread, "go").await;
    let completed = &messages[messages.len() - 2];
    assert_eq!(completed["params"]["turn"]["status"], "failed");
    assert_eq!(
        completed["params"]["turn"]["terminalEvidence"]["status"],
        "failed"
    );
    assert_eq!(completed["params"]["error"]["code"], "model_unavailable");
    assert_eq!(methods(&messages).last(), Some(&"thread/updated"));
}
