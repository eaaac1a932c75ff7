//! Histories as honest stores write them, at random: none may be accused.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use serde_json::json;
use tempfile::{TempDir, tempdir};
use threadkeep::domain::{EvidenceStatus, ItemId, ThreadId, Timestamp};
use threadkeep::store::verify::VerifyOptions;
use threadkeep::store::{
    Clock, Durability, EventType, Fork, NewThread, NewTurn, Store, StoreError, TurnStart,
    TurnWriter,
};

use super::python;
use crate::audit::history::{Act, Ended, end, ended, open, say};
use crate::store::{claim, delta, item_started, new_turn, thread};

/// Longer than keys are remembered.
const LATER: i64 = 31 * 24 * 3600 * 1000;

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
    /// The process goes without ending its turns and another takes over.
    Die,
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

impl Call {
    async fn carry_out(self, writer: &TurnWriter) {
        match self {
            Self::Allowed => {
                Act::command("ls", "allowed")
                    .run(writer, "happened", Some(0))
                    .await;
            }
            Self::Lost => {
                Act::write("notes", "allowed")
                    .run(writer, "unknown", None)
                    .await;
            }
            Self::Approved => {
                let act = Act::command("make", "approved");
                act.ask(writer).await;
                act.answer(writer, true, &json!({ "kind": "acceptOnce" }))
                    .await;
                act.run(writer, "happened", Some(2)).await;
            }
            Self::Refused => {
                let act = Act::command("rm", "refused");
                act.ask(writer).await;
                act.answer(writer, false, &json!({ "kind": "decline" }))
                    .await;
                act.told(writer, true).await;
            }
        }
    }
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
        1 => Just(Deed::Later),
    ]
}

struct World {
    dir: TempDir,
    now: Arc<AtomicI64>,
    store: Store,
    threads: Vec<(ThreadId, Option<TurnWriter>)>,
}

impl World {
    async fn new() -> Self {
        let dir = tempdir().unwrap();
        let now = Arc::new(AtomicI64::new(1_700_000_000_000));
        let store = open(&dir, &clock(&now)).await;
        Self {
            dir,
            now,
            store,
            threads: Vec::new(),
        }
    }

    /// The thread of that number, counted round.
    fn at(&mut self, which: usize) -> Option<&mut (ThreadId, Option<TurnWriter>)> {
        let count = self.threads.len();
        self.threads.get_mut(which.checked_rem(count)?)
    }

    fn writer(&mut self, which: usize) -> Option<TurnWriter> {
        self.at(which)?.1.clone()
    }

    fn know(&mut self, thread: ThreadId) {
        if self.threads.iter().all(|(known, _)| *known != thread) {
            self.threads.push((thread, None));
        }
    }

    /// Does it, where it can be done.
    async fn carry_out(&mut self, deed: Deed) {
        match deed {
            Deed::Thread(key) => self.begin(key).await,
            Deed::Fork(of, at, key) => self.fork(of, at, key).await,
            Deed::Turn(which, key) => self.turn(which, key).await,
            Deed::Archive(which) => self.archive(which).await,
            Deed::Die => self.die().await,
            Deed::Later => drop(self.now.fetch_add(LATER, Ordering::SeqCst)),
            Deed::Say(which)
            | Deed::HalfSay(which)
            | Deed::Call(which, _)
            | Deed::Begin(which)
            | Deed::Ask(which)
            | Deed::End(which, _) => {
                if let Some(writer) = self.writer(which) {
                    self.go_on(&writer, deed, which).await;
                }
            }
        }
    }

    async fn begin(&mut self, key: Key) {
        let claim = key.map(|key| claim("thread/start", &key.to_string(), "a thread"));
        let new = NewThread {
            claim,
            ..NewThread::default()
        };
        let thread = self.store.start_thread(new).await.unwrap();
        self.know(thread.into_inner().id);
    }

    async fn fork(&mut self, of: usize, at: usize, key: Key) {
        let Some((source, _)) = self.at(of).cloned() else {
            return;
        };
        let last = self.store.thread(&source).await.unwrap().revision;
        let at = i64::try_from(at % usize::try_from(last).unwrap()).unwrap() + 1;
        let forked = self.store.fork_thread(Fork {
            source,
            at: Some(at),
            id: None,
            title: Some("a fork".to_owned()),
            claim: key.map(|key| claim("thread/fork", &key.to_string(), "a fork")),
        });
        match forked.await {
            Ok(fork) => self.know(fork.into_inner().id),
            // The key led to a fork of another thread.
            Err(StoreError::ThreadExists(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn turn(&mut self, which: usize, key: Key) {
        let Some((thread, None)) = self.at(which).cloned() else {
            return;
        };
        let turn = NewTurn {
            claim: key.map(|key| claim("turn/start", &key.to_string(), "a turn")),
            ..new_turn(&thread, "go on")
        };
        match self.store.start_turn(turn).await {
            Ok(TurnStart::New { writer, .. }) => self.at(which).unwrap().1 = Some(writer),
            Ok(TurnStart::Repeated(_)) | Err(StoreError::ThreadArchived(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn archive(&mut self, which: usize) {
        if let Some((thread, None)) = self.at(which).cloned() {
            self.store.archive_thread(&thread, None).await.unwrap();
        }
    }

    async fn die(&mut self) {
        self.store.close().await;
        self.store = open(&self.dir, &clock(&self.now)).await;
        self.threads.iter_mut().for_each(|(_, turn)| *turn = None);
    }

    async fn go_on(&mut self, writer: &TurnWriter, deed: Deed, which: usize) {
        match deed {
            Deed::Say(_) => say(writer, "It is well.").await,
            Deed::HalfSay(_) => {
                let item = ItemId::generate();
                let events = vec![item_started(&item), delta(&item, "It is")];
                writer.append(events, Durability::Process).await.unwrap();
            }
            Deed::Call(_, call) => call.carry_out(writer).await,
            Deed::Begin(_) => Act::write("notes", "allowed").begin(writer).await,
            Deed::Ask(_) => Act::command("rm", "refused").ask(writer).await,
            _ => {
                let Deed::End(_, how) = deed else { return };
                end(writer, ending(how)).await;
                self.at(which).unwrap().1 = None;
            }
        }
    }
}

/// How a turn may end.
fn ending(how: usize) -> Ended {
    match how {
        0 => ended(EventType::TurnCompleted, EvidenceStatus::Succeeded),
        1 => ended(EventType::TurnFailed, EvidenceStatus::Failed).because("model_unavailable"),
        2 => ended(EventType::TurnInterrupted, EvidenceStatus::Cancelled).because("interrupted"),
        _ => ended(EventType::TurnFailed, EvidenceStatus::BudgetExhausted)
            .because("budget_exhausted"),
    }
}

fn clock(now: &Arc<AtomicI64>) -> Clock {
    let now = Arc::clone(now);
    Clock::new(move || Timestamp::from_millis(now.fetch_add(7, Ordering::SeqCst)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn an_honest_history_is_never_accused(deeds in prop::collection::vec(deed(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut world = World::new().await;
            for deed in deeds {
                world.carry_out(deed).await;
            }
            let report = world.store.verify(VerifyOptions::default()).await.unwrap();
            assert_eq!(report.findings, []);
            for (thread, _) in &world.threads {
                let report = world.store.verify_thread(thread).await.unwrap();
                assert_eq!(report.findings, []);
            }
            // A process of its own each time would take most of the time.
            if report.events % 8 == 0 {
                let database = world.store.dir().join("threadkeep.db");
                assert_eq!(python(&database, report.head), (0, "intact".to_owned()));
            }
            world.store.close().await;
        });
    }
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
