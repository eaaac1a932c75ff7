//! Histories as honest stores write them, at random: none may be accused.

mod world;

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tempfile::tempdir;
use threadkeep::store::verify::{Report, VerifyOptions};

use self::world::World;
use super::python;
use crate::audit::history::say;
use crate::store::{new_turn, thread};

/// Histories of a run; `THREADKEEP_HISTORIES` asks for another number.
const HISTORIES: u32 = 100;
/// Those who write them at the same time.
const WRITERS: u32 = 2;

/// Something a host or a model does. The numbers choose among what is there.
#[derive(Debug, Clone)]
enum Deed {
    Thread(Key),
    Fork(usize, usize, Key),
    Turn(usize, Key),
    Say(usize),
    HalfSay(usize),
    Call(usize, Call),
    Begin(usize),
    Ask(usize),
    End(usize, usize),
    Archive(usize),
    /// The process goes without ending its turns, and comes back.
    Die,
    /// The process is killed, and the other finds that out.
    Killed,
    /// The other process goes on.
    Other,
    /// Bytes are kept outside the ledger.
    Keep(usize),
    /// What is said in some of the events is erased at the end.
    Erase(i64, i64),
    /// The clock goes on until keys are forgotten.
    Later,
}

type Key = Option<u8>;

/// What becomes of a tool call.
#[derive(Debug, Clone, Copy)]
enum Call {
    Allowed,
    Approved,
    Refused,
    /// It ran, and how is not known.
    Lost,
}

fn deed() -> impl Strategy<Value = Deed> {
    let key = || prop::option::of(0..3_u8);
    let which = || 0..8_usize;
    let call = prop_oneof![
        Just(Call::Allowed),
        Just(Call::Approved),
        Just(Call::Refused),
        Just(Call::Lost)
    ];
    prop_oneof![
        2 => key().prop_map(Deed::Thread),
        2 => (which(), any::<usize>(), key()).prop_map(|(of, at, key)| Deed::Fork(of, at, key)),
        5 => (which(), key()).prop_map(|(thread, key)| Deed::Turn(thread, key)),
        3 => which().prop_map(Deed::Say),
        1 => which().prop_map(Deed::HalfSay),
        4 => (which(), call).prop_map(|(thread, call)| Deed::Call(thread, call)),
        1 => which().prop_map(Deed::Begin),
        1 => which().prop_map(Deed::Ask),
        4 => (which(), 0..4_usize).prop_map(|(thread, how)| Deed::End(thread, how)),
        1 => which().prop_map(Deed::Archive),
        1 => Just(Deed::Die),
        1 => Just(Deed::Killed),
        2 => Just(Deed::Other),
        1 => prop_oneof![0..200_usize, 262_100..262_200_usize].prop_map(Deed::Keep),
        1 => (2..9_i64, 0..9_i64).prop_map(|(of, rest)| Deed::Erase(of, rest % of)),
        1 => Just(Deed::Later),
    ]
}

/// How much was written.
#[derive(Debug, Default)]
struct Written {
    histories: AtomicU64,
    events: AtomicU64,
    erased: AtomicU64,
    threads: AtomicU64,
    contents: AtomicU64,
}

impl Written {
    fn count(&self, report: &Report) {
        self.histories.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(report.events, Ordering::Relaxed);
        self.erased.fetch_add(report.erased, Ordering::Relaxed);
        self.threads.fetch_add(report.threads, Ordering::Relaxed);
        self.contents.fetch_add(report.contents, Ordering::Relaxed);
    }
}

/// Carries out the deeds; nothing may be found then, and nothing after the erasures.
async fn live(deeds: Vec<Deed>) -> Report {
    let mut world = World::new().await;
    // Without a thread most deeds are none.
    world.carry_out(Deed::Thread(None)).await;
    for deed in deeds {
        world.carry_out(deed).await;
    }
    let mut report = honest(&world).await;
    // A process of its own each time would take most of the time.
    if report.events % 16 == 0 {
        let told = python(&world.database(), report.head);
        assert_eq!(told, (0, "intact".to_owned()));
    }
    if !world.erasures.is_empty() {
        let eraser = rusqlite::Connection::open(world.database()).unwrap();
        for (of, rest) in &world.erasures {
            let erase = include_str!("erase.sql");
            eraser.execute(erase, [of, rest]).unwrap();
        }
        report = honest(&world).await;
    }
    world.close().await;
    report
}

async fn honest(world: &World) -> Report {
    let store = world.store();
    let report = store.verify(VerifyOptions::default()).await.unwrap();
    assert_eq!(report.findings, []);
    for (thread, _) in &world.threads {
        let report = store.verify_thread(thread).await.unwrap();
        assert_eq!(report.findings, []);
    }
    report
}

fn write(histories: u32, written: &Written) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(ProptestConfig {
        cases: histories,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    });
    let lived = runner.run(&prop::collection::vec(deed(), 1..50), |deeds| {
        written.count(&runtime.block_on(live(deeds)));
        Ok(())
    });
    lived.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
#[allow(clippy::print_stdout)]
fn an_honest_history_is_never_accused() {
    let asked = std::env::var("THREADKEEP_HISTORIES");
    let histories = asked.map_or(HISTORIES, |number| number.parse().unwrap());
    let written = Written::default();
    std::thread::scope(|writers| {
        for _ in 0..WRITERS {
            writers.spawn(|| write(histories.div_ceil(WRITERS), &written));
        }
    });
    println!("none accused: {written:?}");
}

#[tokio::test]
async fn a_store_at_work_is_not_accused() {
    let dir = tempdir().unwrap();
    let store = crate::store::open(&dir).await;
    let busy = thread(&store).await;
    let writer = crate::store::start(&store, new_turn(&busy, "write")).await;
    let working = tokio::spawn(async move {
        for _ in 0..200 {
            say(&writer, "more and more").await;
        }
    });
    let mut seen = 0;
    while !working.is_finished() {
        let report = store.verify(VerifyOptions::default()).await.unwrap();
        assert_eq!(report.findings, []);
        assert!(report.events >= seen);
        seen = report.events;
    }
    working.await.unwrap();
}
