use tempfile::tempdir;
use threadkeep::domain::{EvidenceStatus, ItemId, ItemStatus, ThreadStatus, TurnStatus};
use threadkeep::store::{Durability, StoreError, TurnStart};

use super::{delta, item_started, new_turn, open, start, thread, turn_completed};

#[tokio::test]
async fn a_turn_of_a_live_owner_is_not_robbed_and_that_of_a_dead_one_is_closed_with_evidence() {
    let dir = tempdir().unwrap();
    let first = open(&dir).await;
    let thread = thread(&first).await;
    let writer = start(&first, new_turn(&thread, "hello")).await;
    let item = ItemId::generate();
    writer
        .append(
            vec![
                item_started(&item),
                delta(&item, "half "),
                delta(&item, "said"),
            ],
            Durability::Process,
        )
        .await
        .unwrap();

    let second = open(&dir).await;
    let held = second
        .start_turn(new_turn(&thread, "mine"))
        .await
        .map(|_| ());
    assert!(
        matches!(&held, Err(StoreError::TurnActive { holder, .. }) if holder.contains(&std::process::id().to_string())),
        "{held:?}"
    );
    // Its owner goes without a word: what the kernel does to the lock of a killed process.
    let lock = second
        .dir()
        .join("owners")
        .join(format!("{}.lock", first.owner()));
    std::fs::remove_file(lock).unwrap();

    let TurnStart::New { writer: mine, .. } =
        second.start_turn(new_turn(&thread, "mine")).await.unwrap()
    else {
        panic!("not a new turn");
    };
    let orphan = second.turn(&thread, writer.turn()).await.unwrap();
    assert_eq!(orphan.status, TurnStatus::Interrupted);
    assert_eq!(orphan.evidence.unwrap().status, EvidenceStatus::Partial);
    assert_eq!(orphan.error.unwrap().code, "owner_died");
    let cut = second.item(&item).await.unwrap().unwrap();
    assert_eq!(
        (cut.status, cut.content["text"].as_str()),
        (ItemStatus::Cancelled, Some("half said"))
    );
    // The old owner was only slow: it can write nothing any more.
    let late = writer
        .append(vec![delta(&item, "late")], Durability::Process)
        .await;
    assert!(matches!(late, Err(StoreError::Fenced(_))), "{late:?}");
    mine.append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    assert_eq!(
        second.thread(&thread).await.unwrap().status,
        ThreadStatus::Idle
    );
}

#[tokio::test]
async fn two_stores_on_one_directory_write_one_chain() {
    let dir = tempdir().unwrap();
    let stores = [open(&dir).await, open(&dir).await];
    let mut turns = Vec::new();
    for store in &stores {
        let thread = thread(store).await;
        turns.push(start(store, new_turn(&thread, "x")).await);
    }
    let tasks: Vec<_> = turns
        .iter()
        .cloned()
        .map(|writer| {
            tokio::spawn(async move {
                let item = ItemId::generate();
                writer
                    .append(vec![item_started(&item)], Durability::Process)
                    .await
                    .unwrap();
                for n in 0..100 {
                    writer
                        .append(vec![delta(&item, &n.to_string())], Durability::Process)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let events = stores[0].events_after(0, 1000).await.unwrap();
    assert!(
        events
            .iter()
            .zip(1..)
            .all(|(event, id)| event.event_id == id)
    );
    assert_eq!(events.len(), 2 * (1 + 3 + 1 + 100));
}
