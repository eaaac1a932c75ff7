use serde_json::json;
use tempfile::tempdir;
use threadkeep::domain::{EvidenceStatus, ItemId, ItemStatus, ThreadStatus, TurnStatus};
use threadkeep::store::{
    Archived, Durability, EventType, Fork, NewEvent, NewThread, StoreError, StoreOptions,
    ThreadFilter, TurnStart,
};

use super::{
    claim, delta, item_completed, item_started, new_turn, open, start, thread, turn_completed,
};
use threadkeep::store::Store;

#[tokio::test]
async fn a_turn_is_read_back_after_reopening_as_it_was_written() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let thread = thread(&store).await;
    let writer = start(&store, new_turn(&thread, "hello")).await;
    assert_eq!(
        store.thread(&thread).await.unwrap().status,
        ThreadStatus::Active
    );
    let item = ItemId::generate();
    writer
        .append(
            vec![item_started(&item), delta(&item, "h"), delta(&item, "i")],
            Durability::Process,
        )
        .await
        .unwrap();
    writer
        .append(
            vec![item_completed(&item, "hi"), turn_completed()],
            Durability::Power,
        )
        .await
        .unwrap();
    let before = store.events(&thread, 0, 100).await.unwrap();
    store.close().await;

    let store = open(&dir).await;
    let events = store.events(&thread, 0, 100).await.unwrap();
    assert_eq!(events, before);
    let types: Vec<_> = events.iter().map(|event| &*event.event_type).collect();
    assert_eq!(
        types,
        [
            "thread.started",
            "turn.started",
            "item.started",
            "item.completed",
            "item.started",
            "item.delta",
            "item.delta",
            "item.completed",
            "turn.completed"
        ]
    );
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    assert!(
        events
            .windows(2)
            .all(|pair| pair[1].prev_hash == pair[0].hash)
    );
    assert_eq!(store.events(&thread, 7, 1).await.unwrap(), events[7..8]);
    let turn = store.turn(&thread, writer.turn()).await.unwrap();
    assert_eq!(turn.status, TurnStatus::Completed);
    let evidence = turn.evidence.unwrap();
    assert_eq!(evidence.status, EvidenceStatus::Succeeded);
    assert_eq!(evidence.event_digest, events[8].hash);
    assert_eq!((evidence.first_event_seq, evidence.last_event_seq), (2, 9));
    assert_eq!(
        (evidence.input_tokens, evidence.output_tokens),
        (Some(7), None)
    );
    let items = store.items(&thread).await.unwrap();
    let contents: Vec<_> = items.iter().map(|item| item.content.clone()).collect();
    assert_eq!(contents, [json!({"text": "hello"}), json!({"text": "hi"})]);
    let thread = store.thread(&thread).await.unwrap();
    assert_eq!((thread.status, thread.revision), (ThreadStatus::Idle, 9));
}

#[tokio::test]
async fn an_ended_turn_takes_nothing_more() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let thread = thread(&store).await;
    let writer = start(&store, new_turn(&thread, "hello")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    let late = writer
        .append(vec![turn_completed()], Durability::Power)
        .await;
    assert!(matches!(late, Err(StoreError::Fenced(_))), "{late:?}");
    let late = writer
        .append(vec![delta(&ItemId::generate(), "x")], Durability::Process)
        .await;
    assert!(matches!(late, Err(StoreError::Fenced(_))), "{late:?}");
    assert_eq!(store.thread(&thread).await.unwrap().revision, 5);
}

#[tokio::test]
async fn one_bad_command_takes_nobody_with_it() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let (one, two) = (thread(&store).await, thread(&store).await);
    let good = start(&store, new_turn(&one, "good")).await;
    let bad = start(&store, new_turn(&two, "bad")).await;
    let item = ItemId::generate();
    // Queued together, so that they meet in one transaction.
    let mut pending = vec![
        good.post(vec![item_started(&item)], Durability::Process)
            .await
            .unwrap(),
    ];
    let nonsense = NewEvent::new(EventType::ItemStarted, &json!({ "kind": "no such kind" }));
    let refused = bad
        .post(
            vec![nonsense.of_item(&ItemId::generate())],
            Durability::Process,
        )
        .await
        .unwrap();
    for _ in 0..20 {
        pending.push(
            good.post(vec![delta(&item, "x")], Durability::Process)
                .await
                .unwrap(),
        );
    }
    assert!(matches!(refused.await, Err(StoreError::Refused(_))));
    for one in pending {
        one.await.unwrap();
    }
    assert_eq!(store.thread(&one).await.unwrap().revision, 4 + 21);
    assert_eq!(store.thread(&two).await.unwrap().revision, 4);
}

#[tokio::test]
async fn an_item_ends_once() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let thread = thread(&store).await;
    let writer = start(&store, new_turn(&thread, "hello")).await;
    let item = ItemId::generate();
    writer
        .append(
            vec![item_started(&item), item_completed(&item, "a")],
            Durability::Power,
        )
        .await
        .unwrap();
    let again = writer
        .append(vec![item_completed(&item, "b")], Durability::Power)
        .await;
    assert!(matches!(again, Err(StoreError::Refused(_))), "{again:?}");
    let found = store.item(&item).await.unwrap().unwrap();
    assert_eq!(
        (found.status, found.content),
        (ItemStatus::Completed, json!({"text": "a"}))
    );
}

#[tokio::test]
async fn listeners_hear_of_commits_in_order_and_only_committed_ones() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let mut commits = store.commits().unwrap();
    let thread = thread(&store).await;
    let writer = start(&store, new_turn(&thread, "hello")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    let mut heard = Vec::new();
    while let Ok(commit) = commits.try_recv() {
        heard.extend(commit.events.iter().map(|event| (**event).clone()));
    }
    assert_eq!(heard, store.events_after(0, 100).await.unwrap());
    assert_eq!(store.last_event_id().await.unwrap(), 5);
}

#[tokio::test]
async fn a_fork_reads_the_whole_lineage_and_goes_on_from_it() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let root = thread(&store).await;
    for text in ["one", "two"] {
        let writer = start(&store, new_turn(&root, text)).await;
        writer
            .append(vec![turn_completed()], Durability::Power)
            .await
            .unwrap();
    }
    let fork = |source: &_, at| Fork {
        source: std::clone::Clone::clone(source),
        at,
        id: None,
        title: None,
        claim: None,
    };
    // After the first turn: thread.started and four events of the turn.
    let child = store
        .fork_thread(fork(&root, Some(5)))
        .await
        .unwrap()
        .into_inner();
    let writer = start(&store, new_turn(&child.id, "three")).await;
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    let grandchild = store
        .fork_thread(fork(&child.id, None))
        .await
        .unwrap()
        .into_inner();
    // A fork at a place that its source itself shares with the root.
    let early = store
        .fork_thread(fork(&child.id, Some(2)))
        .await
        .unwrap()
        .into_inner();

    let events = store.events(&grandchild.id, 0, 100).await.unwrap();
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    assert!(
        events
            .windows(2)
            .all(|pair| pair[1].prev_hash == pair[0].hash)
    );
    let said: Vec<_> = store
        .items(&grandchild.id)
        .await
        .unwrap()
        .into_iter()
        .map(|item| item.content["text"].clone())
        .collect();
    assert_eq!(said, ["one", "three"]);
    assert_eq!(grandchild.parent.as_ref(), Some(&child.id));
    let events = store.events(&early.id, 0, 100).await.unwrap();
    assert_eq!(events.len(), 3);
    assert!(
        events
            .windows(2)
            .all(|pair| pair[1].prev_hash == pair[0].hash)
    );
    assert_eq!(store.events(&early.id, 2, 100).await.unwrap().len(), 1);

    let missing = store.fork_thread(fork(&root, Some(99))).await;
    assert!(
        matches!(missing, Err(StoreError::UnknownEvent { seq: 99, .. })),
        "{missing:?}"
    );
    let unknown = store
        .fork_thread(fork(&"nobody".parse().unwrap(), None))
        .await;
    assert!(
        matches!(unknown, Err(StoreError::UnknownThread(_))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn an_archived_thread_is_hidden_and_takes_no_turn() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let (kept, put_away) = (thread(&store).await, thread(&store).await);
    let writer = start(&store, new_turn(&put_away, "x")).await;
    let early = store.archive_thread(&put_away, None).await;
    assert!(
        matches!(early, Err(StoreError::TurnActive { .. })),
        "{early:?}"
    );
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    store.archive_thread(&put_away, None).await.unwrap();
    let again = store
        .archive_thread(&put_away, None)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(again.status, ThreadStatus::Archived);
    let refused = store.start_turn(new_turn(&put_away, "y")).await.map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::ThreadArchived(_))),
        "{refused:?}"
    );
    let list = |archived| {
        store.threads(ThreadFilter {
            archived,
            limit: 100,
        })
    };
    assert_eq!(
        list(Archived::Hidden)
            .await
            .unwrap()
            .iter()
            .map(|t| t.id.clone())
            .collect::<Vec<_>>(),
        std::slice::from_ref(&kept)
    );
    let all: Vec<_> = list(Archived::Included)
        .await
        .unwrap()
        .iter()
        .map(|t| t.id.clone())
        .collect();
    assert_eq!(all, [put_away, kept]);
}

#[tokio::test]
async fn a_store_opened_to_be_read_takes_no_command() {
    let dir = tempdir().unwrap();
    let missing = Store::open_read_only(&dir.path().join("state"))
        .await
        .map(|_| ());
    assert!(
        matches!(missing, Err(StoreError::Directory { .. })),
        "{missing:?}"
    );
    let store = open(&dir).await;
    let thread = thread(&store).await;
    let reader = Store::open_read_only(store.dir()).await.unwrap();
    assert_eq!(reader.thread(&thread).await.unwrap().revision, 1);
    let refused = reader.start_thread(NewThread::default()).await.map(|_| ());
    assert!(matches!(refused, Err(StoreError::Closing)), "{refused:?}");
}

#[tokio::test]
async fn names_that_are_taken_are_said_to_be() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let (one, two) = (thread(&store).await, thread(&store).await);
    let named = |thread| {
        let mut turn = new_turn(thread, "x");
        turn.id = Some("t-1".parse().unwrap());
        turn
    };
    let writer = start(&store, named(&one)).await;
    let active = store.start_turn(new_turn(&one, "y")).await.map(|_| ());
    assert!(
        matches!(&active, Err(StoreError::TurnActive { holder, .. }) if holder == "this process runs it"),
        "{active:?}"
    );
    let taken = store.start_turn(named(&two)).await.map(|_| ());
    assert!(matches!(taken, Err(StoreError::TurnExists(_))), "{taken:?}");
    writer
        .append(vec![turn_completed()], Durability::Power)
        .await
        .unwrap();
    match store
        .start_turn(new_turn(&"nobody".parse().unwrap(), "x"))
        .await
        .map(|_| ())
    {
        Err(StoreError::UnknownThread(_)) => {}
        other => panic!("{other:?}"),
    }
    let again = store
        .start_thread(NewThread {
            id: Some(one.clone()),
            ..NewThread::default()
        })
        .await
        .unwrap();
    assert_eq!(again.into_inner().id, one);
}

#[tokio::test]
async fn directories_others_can_read_and_later_databases_are_refused_untouched() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let state = store.dir().to_owned();
    store.close().await;
    let database = state.join("threadkeep.db");
    assert_eq!(
        std::fs::metadata(&state).unwrap().permissions().mode() & 0o777,
        0o700
    );
    assert_eq!(
        std::fs::metadata(&database).unwrap().permissions().mode() & 0o777,
        0o600
    );
    for (path, open_to_all, private) in [(&state, 0o755, 0o700), (&database, 0o640, 0o600)] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(open_to_all)).unwrap();
        let refused = Store::open(StoreOptions::new(&state)).await.map(|_| ());
        assert!(
            matches!(&refused, Err(StoreError::Directory { problem, .. }) if problem.contains("chmod")),
            "{refused:?}"
        );
        std::fs::set_permissions(path, PermissionsExt::from_mode(private)).unwrap();
    }
    let later = rusqlite::Connection::open(&database).unwrap();
    later.pragma_update(None, "user_version", 9999).unwrap();
    drop(later);
    let before = std::fs::read(&database).unwrap();
    let refused = Store::open(StoreOptions::new(&state)).await.map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::Newer { found: 9999, .. })),
        "{refused:?}"
    );
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_database_is_kept_and_the_next_start_begins_afresh() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let state = store.dir().to_owned();
    store.close().await;
    let database = state.join("threadkeep.db");
    std::fs::write(
        &database,
        b"this is no database, but it is somebody's only copy",
    )
    .unwrap();
    let kept = match Store::open(StoreOptions::new(&state)).await.map(|_| ()) {
        Err(StoreError::Corrupt { kept, .. }) => kept,
        other => panic!("{other:?}"),
    };
    assert!(
        std::fs::read(kept)
            .unwrap()
            .starts_with(b"this is no database")
    );
    let store = open(&dir).await;
    assert!(matches!(
        store
            .start_turn(new_turn(&thread(&store).await, "x"))
            .await
            .unwrap(),
        TurnStart::New { .. }
    ));
}

#[tokio::test]
async fn a_damaged_database_stays_where_it_is_while_somebody_writes_it() {
    let dir = tempdir().unwrap();
    let store = open(&dir).await;
    let database = store.dir().join("threadkeep.db");
    let options = StoreOptions::new(store.dir());
    std::fs::write(&database, b"damaged").unwrap();
    let refused = Store::open(options.clone()).await.map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::Damaged { .. })),
        "{refused:?}"
    );
    assert_eq!(std::fs::read(&database).unwrap(), b"damaged");
    store.close().await;
    drop(store);
    let kept = Store::open(options).await.map(|_| ());
    assert!(matches!(kept, Err(StoreError::Corrupt { .. })), "{kept:?}");
}

#[tokio::test]
async fn no_key_is_taken_for_a_new_one_beside_a_store_that_may_know_it() {
    let dir = tempdir().unwrap();
    let state = open(&dir).await.dir().to_owned();
    std::fs::write(state.join("threadkeep.db"), b"damaged").unwrap();
    let opened = Store::open(StoreOptions::new(&state)).await.map(|_| ());
    let Err(StoreError::Corrupt { kept, .. }) = opened else {
        panic!("{opened:?}")
    };
    let store = open(&dir).await;
    let keyed = || NewThread {
        claim: Some(claim("thread/start", "job-1", "x")),
        ..NewThread::default()
    };
    let refused = store.start_thread(keyed()).await;
    assert!(
        matches!(&refused, Err(StoreError::KeyForgotten { aside, .. }) if *aside == kept),
        "{refused:?}"
    );
    assert_eq!(store.last_event_id().await.unwrap(), 0);
    store.start_thread(NewThread::default()).await.unwrap();
    std::fs::rename(&kept, dir.path().join("elsewhere")).unwrap();
    store.start_thread(keyed()).await.unwrap();
}
