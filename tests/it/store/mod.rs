//! The store alone: what is acknowledged stays, and what may not happen does not.

mod claims;
mod lifecycle;
mod owners;

use serde_json::json;
use tempfile::TempDir;
use threadkeep::domain::{Digest, ItemId, ThreadId};
use threadkeep::store::body::{Evidence, EvidenceUsage, TurnEnded};
use threadkeep::store::{
    Claim, EventType, NewEvent, NewThread, NewTurn, Opening, Store, StoreOptions, TurnStart,
    TurnWriter,
};

pub(crate) async fn open(dir: &TempDir) -> Store {
    Store::open(StoreOptions::new(dir.path().join("state")))
        .await
        .unwrap()
        .store
}

pub(crate) fn new_turn(thread: &ThreadId, text: &str) -> NewTurn {
    NewTurn {
        thread: thread.clone(),
        id: None,
        opening: Opening::Said(text.to_owned()),
        model: "rehearsal/default".to_owned(),
        workspace: "/project".to_owned(),
        workspace_digest: Digest::of(b"/project"),
        permission_mode: "default".to_owned(),
        policy_digest: Digest::of(b"policy"),
        claim: None,
    }
}

pub(crate) fn claim(method: &str, key: &str, asked: &str) -> Claim {
    Claim {
        method: method.to_owned(),
        key: key.parse().unwrap(),
        digest: Digest::of(asked.as_bytes()),
    }
}

pub(crate) async fn thread(store: &Store) -> ThreadId {
    store
        .start_thread(NewThread::default())
        .await
        .unwrap()
        .into_inner()
        .id
}

pub(crate) async fn start(store: &Store, turn: NewTurn) -> TurnWriter {
    match store.start_turn(turn).await.unwrap() {
        TurnStart::New { writer, .. } => writer,
        TurnStart::Repeated(turn) => panic!("{turn:?} was there before"),
    }
}

pub(crate) fn delta(item: &ItemId, text: &str) -> NewEvent {
    let body = json!({ "delta": { "type": "text_delta", "text": text } });
    NewEvent::new(EventType::ItemDelta, &body).of_item(item)
}

pub(crate) fn item_started(item: &ItemId) -> NewEvent {
    let body = json!({ "kind": "assistant_message", "status": "streaming" });
    NewEvent::new(EventType::ItemStarted, &body).of_item(item)
}

pub(crate) fn item_completed(item: &ItemId, text: &str) -> NewEvent {
    let body =
        json!({ "kind": "assistant_message", "status": "completed", "content": { "text": text } });
    NewEvent::new(EventType::ItemCompleted, &body).of_item(item)
}

pub(crate) fn turn_completed() -> NewEvent {
    let ended = TurnEnded {
        evidence: Evidence {
            status: threadkeep::domain::EvidenceStatus::Succeeded,
            output_digest: Some(Digest::of(b"output")),
            artifact_ids: Vec::new(),
            commit: None,
            test_receipt_ids: Vec::new(),
            usage: EvidenceUsage {
                input_tokens: Some(7),
                output_tokens: None,
            },
        },
        error: None,
    };
    NewEvent::new(EventType::TurnCompleted, &ended)
}
