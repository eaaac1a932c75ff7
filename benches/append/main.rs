//! What the ledger costs over bare inserts. Every figure is a ratio within this one run.
//!
//! `cargo bench --bench append [-- EVENTS]` (default 1,000,000 events for the flatness figure)

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap
)]

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rusqlite::params;
use tempfile::TempDir;
use threadkeep::domain::{Digest, ItemId};
use threadkeep::store::{
    Durability, EventType, NewEvent, NewThread, NewTurn, Opening, Store, StoreOptions, TurnStart,
    TurnWriter,
};

const PRODUCERS: usize = 64;
const EACH: usize = 1500;
const ROUNDS: usize = 5;

fn main() {
    let events = std::env::args()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(1_000_000);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let mut ratios: Vec<f64> = (1..=ROUNDS).map(|round| compare(round, &runtime)).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "append, median of {ROUNDS}: {:.2} of a bare prepared INSERT loop",
        ratios[ROUNDS / 2]
    );
    runtime.block_on(flatness(events));
}

fn compare(round: usize, runtime: &tokio::runtime::Runtime) -> f64 {
    let (ours, group) = runtime.block_on(ledger());
    let bare = bare(group);
    let ratio = bare.as_secs_f64() / ours.as_secs_f64();
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / (PRODUCERS * EACH) as f64;
    println!(
        "round {round}: ledger {:.2} µs/event, bare loop in groups of {group} {:.2} µs/event, ours at {ratio:.2} of bare",
        micros(ours),
        micros(bare)
    );
    ratio
}

fn delta(item: &ItemId) -> NewEvent {
    let text = "x".repeat(155);
    let body = serde_json::json!({ "delta": { "type": "text_delta", "text": text } });
    NewEvent::new(EventType::ItemDelta, &body).of_item(item)
}

async fn turn(store: &Store) -> TurnWriter {
    let thread = store
        .start_thread(NewThread::default())
        .await
        .expect("a thread")
        .into_inner()
        .id;
    let new = NewTurn {
        thread,
        id: None,
        opening: Opening::Said("go".to_owned()),
        model: "rehearsal/default".to_owned(),
        workspace: "/".to_owned(),
        workspace_digest: Digest::of(b"/"),
        permission_mode: "default".to_owned(),
        policy_digest: Digest::of(b""),
        claim: None,
    };
    match store.start_turn(new).await.expect("a turn") {
        TurnStart::New { writer, .. } => writer,
        TurnStart::Repeated(_) => unreachable!("no claim was made"),
    }
}

async fn open(dir: &TempDir) -> Store {
    Store::open(StoreOptions::new(dir.path().join("state")))
        .await
        .expect("a store")
        .store
}

/// 64 producers, each waiting for its commit before the next event. Returns the time and how many
/// events a transaction held on average.
async fn ledger() -> (Duration, usize) {
    let dir = TempDir::new().expect("a directory");
    let store = open(&dir).await;
    let mut writers = Vec::new();
    for _ in 0..PRODUCERS {
        writers.push(turn(&store).await);
    }
    let started = Instant::now();
    let producers: Vec<_> = writers
        .into_iter()
        .map(|writer| {
            tokio::spawn(async move {
                let event = delta(&ItemId::generate());
                for _ in 0..EACH {
                    writer
                        .append(vec![event.clone()], Durability::Process)
                        .await
                        .expect("a commit");
                }
            })
        })
        .collect();
    for producer in producers {
        producer.await.expect("a producer");
    }
    let took = started.elapsed();
    let database = store.dir().join("threadkeep.db");
    store.close().await;
    let reader = rusqlite::Connection::open(database).expect("the database");
    let commits: i64 = reader
        .query_row(include_str!("count_commits.sql"), [], |row| row.get(0))
        .expect("a count");
    (
        took,
        (PRODUCERS * EACH / usize::try_from(commits).unwrap_or(1)).max(1),
    )
}

/// The same rows into the same table without the chain, the projections and the tasks: one
/// prepared INSERT a row, a transaction a group.
fn bare(group: usize) -> Duration {
    let dir = TempDir::new().expect("a directory");
    let mut connection =
        rusqlite::Connection::open(dir.path().join("bare.db")).expect("a database");
    connection
        .execute_batch(include_str!("bare_table.sql"))
        .expect("a table");
    let payload = delta(&ItemId::generate()).payload;
    let threads: Vec<ItemId> = (0..PRODUCERS).map(|_| ItemId::generate()).collect();
    let item = ItemId::generate();
    let hash = [7_u8; 32];
    let rows = (PRODUCERS * EACH) as i64;
    let started = Instant::now();
    let mut id = 0_i64;
    while id < rows {
        let transaction = connection.transaction().expect("a transaction");
        {
            let mut insert = transaction
                .prepare_cached(include_str!("bare_insert.sql"))
                .expect("an insert");
            for _ in 0..(group as i64).min(rows - id) {
                id += 1;
                // The same threads in turn, as the producers take turns.
                let thread = &threads[usize::try_from(id).unwrap_or(0) % PRODUCERS];
                insert
                    .execute(params![
                        id,
                        thread.as_str(),
                        id / PRODUCERS as i64 + 1,
                        "item.delta",
                        thread.as_str(),
                        item.as_str(),
                        1_700_000_000_000_i64,
                        payload,
                        &hash[..16],
                        &hash[..],
                        &hash[..],
                        &hash[..]
                    ])
                    .expect("a row");
            }
        }
        transaction.commit().expect("a commit");
    }
    started.elapsed()
}

/// Does an append cost the same late as early? One producer, one thread.
async fn flatness(events: usize) {
    let dir = TempDir::new().expect("a directory");
    let store = open(&dir).await;
    let writer = turn(&store).await;
    let event = delta(&ItemId::generate());
    let early = sample(&writer, &event).await;
    let mut pending = VecDeque::new();
    for _ in 0..events / 100 {
        let batch = vec![event.clone(); 100];
        pending.push_back(
            writer
                .post(batch, Durability::Process)
                .await
                .expect("a place"),
        );
        if pending.len() > 64
            && let Some(oldest) = pending.pop_front()
        {
            oldest.await.expect("a commit");
        }
    }
    for rest in pending {
        rest.await.expect("a commit");
    }
    let late = sample(&writer, &event).await;
    println!(
        "one append: {:.1} µs at event 1,000, {:.1} µs at event {events}: ratio {:.2}",
        early.as_secs_f64() * 1e6,
        late.as_secs_f64() * 1e6,
        late.as_secs_f64() / early.as_secs_f64()
    );
    store.close().await;
}

/// Median time of one append that waits for its commit.
async fn sample(writer: &TurnWriter, event: &NewEvent) -> Duration {
    let mut times = Vec::new();
    for _ in 0..3000 {
        let started = Instant::now();
        writer
            .append(vec![event.clone()], Durability::Process)
            .await
            .expect("a commit");
        times.push(started.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}
