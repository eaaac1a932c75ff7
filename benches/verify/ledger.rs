//! A ledger as work leaves it: threads of some thousand events, most of them deltas.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde_json::json;
use threadkeep::domain::{Digest, EffectId, ItemId, ThreadId, ToolUseId};
use threadkeep::store::{
    Durability, EventType, NewEvent, NewThread, NewTurn, Opening, Pending, Store, StoreOptions,
    TurnStart,
};

/// Deltas of a turn.
const DELTAS: usize = 60;
/// Turns of a thread: with their tool calls some thousand events.
const TURNS: usize = 13;
/// Commits on their way at once.
const WAITING: usize = 64;

/// Writes at least `events` events into a store in `dir`, and returns where it is.
pub async fn write(dir: &Path, events: usize) -> PathBuf {
    let store = Store::open(StoreOptions::new(dir.join("state")))
        .await
        .expect("a store")
        .store;
    let wanted = i64::try_from(events).expect("a number of events");
    while store.last_event_id().await.expect("a head") < wanted {
        let thread = store
            .start_thread(NewThread::default())
            .await
            .expect("a thread")
            .into_inner()
            .id;
        for _ in 0..TURNS {
            turn(&store, &thread).await;
        }
    }
    let state = store.dir().to_owned();
    store.close().await;
    state
}

async fn turn(store: &Store, thread: &ThreadId) {
    let new = NewTurn {
        thread: thread.clone(),
        id: None,
        opening: Opening::Said("what is in this repository?".to_owned()),
        model: "rehearsal/default".to_owned(),
        workspace: "/project".to_owned(),
        workspace_digest: Digest::of(b"/project"),
        permission_mode: "default".to_owned(),
        policy_digest: Digest::of(b"policy"),
        claim: None,
    };
    let TurnStart::New { writer, .. } = store.start_turn(new).await.expect("a turn") else {
        unreachable!("no claim was made");
    };
    let mut waiting: VecDeque<Pending> = VecDeque::new();
    for events in commits() {
        let pending = writer.post(events, Durability::Process).await;
        waiting.push_back(pending.expect("a place"));
        if waiting.len() > WAITING
            && let Some(oldest) = waiting.pop_front()
        {
            oldest.await.expect("a commit");
        }
    }
    for pending in waiting {
        pending.await.expect("a commit");
    }
}

fn commits() -> Vec<Vec<NewEvent>> {
    let mut commits = vec![tool_call()];
    let item = ItemId::generate();
    let say = |event_type, body: &serde_json::Value| NewEvent::new(event_type, body).of_item(&item);
    let (kind, text) = ("assistant_message", "x".repeat(155));
    let started = json!({ "kind": kind, "status": "streaming" });
    let delta = json!({ "delta": { "type": "text_delta", "text": text } });
    let whole =
        json!({ "kind": kind, "status": "completed", "content": { "text": text.repeat(DELTAS) } });
    commits.push(vec![say(EventType::ItemStarted, &started)]);
    commits.extend((0..DELTAS).map(|_| vec![say(EventType::ItemDelta, &delta)]));
    let usage = json!({ "model": "rehearsal/default", "stop": "end_turn", "durationMs": 3 });
    let ended = json!({ "evidence": { "status": "succeeded" } });
    commits.push(vec![
        say(EventType::ItemCompleted, &whole),
        NewEvent::new(EventType::UsageRecorded, &usage),
        NewEvent::new(EventType::TurnCompleted, &ended),
    ]);
    commits
}

fn tool_call() -> Vec<NewEvent> {
    let (item, tool_use) = (ItemId::generate(), ToolUseId::generate());
    let effect = EffectId::generate();
    let event = |event_type, body: &serde_json::Value| {
        NewEvent::new(event_type, body)
            .of_item(&item)
            .of_tool_use(&tool_use)
    };
    let content =
        |result: &str| json!({ "tool": "shell", "args": { "line": "ls" }, "result": result });
    let state = |status, result: &str| json!({ "kind": "tool", "status": status, "content": content(result) });
    let intended = json!({ "effectId": effect, "kind": "process.exec", "target": "ls",
        "argsDigest": Digest::of(b"ls") });
    let settled = json!({ "effectId": effect, "state": "happened", "exitCode": 0 });
    let result = json!({ "tool": "shell", "isError": false, "permissionDecision": "allowed" });
    vec![
        event(EventType::ItemStarted, &state("started", "")),
        event(EventType::ToolRequested, &content("")),
        event(EventType::EffectIntended, &intended),
        event(EventType::EffectSettled, &settled),
        event(EventType::ToolResult, &result),
        event(
            EventType::ItemCompleted,
            &state("completed", &"y".repeat(2_000)),
        ),
    ]
}
