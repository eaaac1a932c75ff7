//! What verifying costs over hashing the same bytes, and signing a checkpoint. Every figure is from
//! this one run.
//!
//! `cargo bench --bench verify [-- EVENTS | STATE_DIRECTORY]`: a ledger of so many events is written
//! first (default 1,000,000), or the one that is there is verified.

#![allow(clippy::expect_used, clippy::print_stdout, clippy::cast_precision_loss)]

mod ledger;

use std::path::Path;
use std::time::{Duration, Instant};

use threadkeep::domain::{Digest, ThreadId};
use threadkeep::store::proof::{Checkpoint, Key};
use threadkeep::store::verify::VerifyOptions;
use threadkeep::store::{Archived, Store, ThreadFilter};

const ROUNDS: usize = 5;
/// Threads that are verified one by one.
const THREADS: u32 = 100;

fn main() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let there = arguments.iter().find(|text| Path::new(text).is_dir());
    let events = arguments.iter().find_map(|text| text.parse().ok());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let state = match there {
            Some(there) => there.into(),
            None => ledger::write(dir.path(), events.unwrap_or(1_000_000)).await,
        };
        let store = Store::open_read_only(&state).await.expect("a store");
        whole(&store).await;
        by_thread(&store).await;
        checkpoint(&store, dir.path()).await;
    });
}

async fn whole(store: &Store) {
    let bytes = hashed_bytes(&store.dir().join("threadkeep.db"));
    let plain = median((0..ROUNDS).map(|_| plain(bytes)).collect());
    let mut times = Vec::new();
    let (mut events, mut peak) = (0, 0);
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let report = store
            .verify(VerifyOptions::default())
            .await
            .expect("a report");
        times.push(started.elapsed());
        assert!(report.is_intact(), "{:?}", report.findings);
        (events, peak) = (report.events, peak_kib());
    }
    let took = median(times);
    println!(
        "verify: {events} events in {:.2} s, {:.2} µs an event, {:.1} times plain SHA-256 over the same {} MiB, peak memory {} MiB",
        took.as_secs_f64(),
        took.as_secs_f64() * 1e6 / events as f64,
        took.as_secs_f64() / plain.as_secs_f64(),
        bytes >> 20,
        peak >> 10,
    );
}

async fn by_thread(store: &Store) {
    let filter = ThreadFilter {
        archived: Archived::Included,
        limit: THREADS,
    };
    let threads = store.threads(filter).await.expect("threads");
    let mut times = Vec::new();
    let mut events = 0;
    for thread in &threads {
        let id: &ThreadId = &thread.id;
        let started = Instant::now();
        let report = store.verify_thread(id).await.expect("a report");
        times.push(started.elapsed());
        assert!(report.is_intact(), "{:?}", report.findings);
        events += report.events;
    }
    println!(
        "verify one thread: {} events on average, median {:.2} ms",
        events / times.len() as u64,
        median(times).as_secs_f64() * 1e3
    );
}

/// Signs the state of the ledger as it is, by a key that is made in `dir`.
async fn checkpoint(store: &Store, dir: &Path) {
    let (key, _) = Key::of_state(dir, None).expect("a key");
    let mut times = Vec::new();
    let mut commits = 0;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let note = store
            .sign_checkpoint(&key, None)
            .await
            .expect("a note")
            .note;
        times.push(started.elapsed());
        let signed = Checkpoint::verified(&note, key.verifier()).expect("a checkpoint");
        commits = signed.head.size;
    }
    let took = median(times).as_secs_f64();
    println!(
        "checkpoint: {commits} commits in {:.0} ms, {:.2} µs a commit",
        took * 1e3,
        took * 1e6 / commits as f64
    );
}

/// Bytes of all payloads with their salts and of all members, as they are hashed.
fn hashed_bytes(database: &Path) -> usize {
    let reader = rusqlite::Connection::open(database).expect("the database");
    let bytes: i64 = reader
        .query_row(include_str!("hashed_bytes.sql"), [], |row| row.get(0))
        .expect("a sum");
    usize::try_from(bytes).expect("a size")
}

fn plain(bytes: usize) -> Duration {
    let buffer = vec![b'x'; 1 << 20];
    let started = Instant::now();
    let mut left = bytes;
    while left > 0 {
        let part = left.min(buffer.len());
        std::hint::black_box(Digest::of(std::hint::black_box(&buffer[..part])));
        left -= part;
    }
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The most memory this process ever had, in KiB; 0 where that is not told.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(0)
}
