use tempfile::tempdir;
use threadkeep::domain::TurnStatus;
use threadkeep::store::{Durability, NewThread, Outcome, StoreError, TurnStart};

use super::{claim, new_turn, open, start, thread, turn_completed};

#[tokio::test]
async fn the_same_request_happens_once_across_a_restart_and_another_is_refused() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let thread = thread(&store).await;
    let keyed = |asked: &str| {
        let mut turn = new_turn(&thread, asked);
        turn.claim = Some(claim("turn/start", "job-1", asked));
        turn
    };
    let writer = start(&store, keyed("do it")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    for _ in 0..2 {
        store.close().await;
        let store = open(&dir).await;
        match store.start_turn(keyed("do it")).await.unwrap() {
            TurnStart::Repeated(turn) => {
                assert_eq!(
                    (&turn.id, turn.status),
                    (writer.turn(), TurnStatus::Completed)
                );
                assert!(turn.evidence.is_some());
            }
            TurnStart::New { .. } => panic!("the turn ran twice"),
        }
        let other = store
            .start_turn(keyed("do something else"))
            .await
            .map(|_| ());
        assert!(
            matches!(other, Err(StoreError::KeyReused { .. })),
            "{other:?}"
        );
        assert_eq!(store.turns(&thread).await.unwrap().len(), 1);
        store.close().await;
    }
}

#[tokio::test]
async fn concurrent_twins_lead_to_one_thread() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let twins = (0..16).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let claim = Some(claim("thread/start", "twin", "same"));
            store
                .start_thread(NewThread {
                    claim,
                    ..NewThread::default()
                })
                .await
                .unwrap()
        })
    });
    let (mut done, mut ids) = (0, std::collections::HashSet::new());
    for twin in twins.collect::<Vec<_>>() {
        let outcome = twin.await.unwrap();
        done += usize::from(matches!(outcome, Outcome::Done(_)));
        ids.insert(outcome.into_inner().id);
    }
    assert_eq!((done, ids.len()), (1, 1));
}
