//! A place where honest stores are at work: the threads there are, and the processes that write.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::json;
use tempfile::{TempDir, tempdir};
use threadkeep::domain::{EvidenceStatus, ItemId, ThreadId, Timestamp};
use threadkeep::store::{
    Clock, Durability, EventType, Fork, NewThread, NewTurn, Store, StoreError, TurnStart,
    TurnWriter,
};

use super::{Call, Deed, Key};
use crate::audit::history::{Act, Ended, end, ended, open, say};
use crate::store::{claim, delta, item_started, new_turn};

/// Longer than keys are remembered.
const LATER: i64 = 31 * 24 * 3600 * 1000;

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

pub(super) struct World {
    dir: TempDir,
    now: Arc<AtomicI64>,
    /// Two processes may be at work.
    stores: [Option<Store>; 2],
    /// Which of them does the next deed.
    acting: usize,
    pub threads: Vec<(ThreadId, Option<Turn>)>,
    /// Events to erase at the end: those whose number leaves a rest.
    pub erasures: Vec<(i64, i64)>,
}

/// A turn under way, and the process that runs it.
#[derive(Clone)]
pub(super) struct Turn {
    process: usize,
    writer: TurnWriter,
}

impl World {
    pub async fn new() -> Self {
        let dir = tempdir().unwrap();
        let now = Arc::new(AtomicI64::new(1_700_000_000_000));
        let store = open(&dir, &clock(&now)).await;
        Self {
            dir,
            now,
            stores: [Some(store), None],
            acting: 0,
            threads: Vec::new(),
            erasures: Vec::new(),
        }
    }

    /// The thread of that number, counted round.
    fn at(&mut self, which: usize) -> Option<&mut (ThreadId, Option<Turn>)> {
        let count = self.threads.len();
        self.threads.get_mut(which.checked_rem(count)?)
    }

    fn writer(&mut self, which: usize) -> Option<TurnWriter> {
        Some(self.at(which)?.1.clone()?.writer)
    }

    fn know(&mut self, thread: ThreadId) {
        if self.threads.iter().all(|(known, _)| *known != thread) {
            self.threads.push((thread, None));
        }
    }

    /// Does it, where it can be done.
    pub async fn carry_out(&mut self, deed: Deed) {
        match deed {
            Deed::Thread(key) => self.begin(key).await,
            Deed::Fork(of, at, key) => self.fork(of, at, key).await,
            Deed::Turn(which, key) => self.turn(which, key).await,
            Deed::Archive(which) => self.archive(which).await,
            Deed::Die => self.die().await,
            Deed::Killed => self.killed().await,
            Deed::Other => self.other().await,
            Deed::Keep(bytes) => self.keep(bytes).await,
            Deed::Erase(of, rest) => self.erasures.push((of, rest)),
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
        let thread = self.store().start_thread(new).await.unwrap();
        self.know(thread.into_inner().id);
    }

    async fn fork(&mut self, of: usize, at: usize, key: Key) {
        let Some((source, _)) = self.at(of).cloned() else {
            return;
        };
        let last = self.store().thread(&source).await.unwrap().revision;
        let at = i64::try_from(at % usize::try_from(last).unwrap()).unwrap() + 1;
        let forked = self.store().fork_thread(Fork {
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
        let process = self.acting;
        match self.store().start_turn(turn).await {
            Ok(TurnStart::New { writer, .. }) => {
                self.at(which).unwrap().1 = Some(Turn { process, writer });
            }
            Ok(TurnStart::Repeated(_)) | Err(StoreError::ThreadArchived(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    async fn archive(&mut self, which: usize) {
        if let Some((thread, None)) = self.at(which).cloned() {
            self.store().archive_thread(&thread, None).await.unwrap();
        }
    }

    /// The process goes in order but without ending its turns, and comes back.
    async fn die(&mut self) {
        self.stores[self.acting].take().unwrap().close().await;
        self.stores[self.acting] = Some(open(&self.dir, &clock(&self.now)).await);
        self.lose_turns(self.acting);
    }

    /// The other process goes on.
    async fn other(&mut self) {
        self.acting = 1 - self.acting;
        if self.stores[self.acting].is_none() {
            self.stores[self.acting] = Some(open(&self.dir, &clock(&self.now)).await);
        }
    }

    /// The process is killed, and the other finds that out.
    async fn killed(&mut self) {
        let (dead, gone) = (self.acting, self.stores[self.acting].take().unwrap());
        // What the kernel does to the lock of a killed process.
        let lock = gone.dir().join(format!("owners/{}.lock", gone.owner()));
        let _ = std::fs::remove_file(lock);
        self.other().await;
        self.store().recover().await.unwrap();
        gone.close().await;
        self.lose_turns(dead);
    }

    fn lose_turns(&mut self, process: usize) {
        for (_, turn) in &mut self.threads {
            turn.take_if(|turn| turn.process == process);
        }
    }

    /// Something is kept outside the ledger.
    async fn keep(&self, bytes: usize) {
        let spool = self.dir.path().join("spool");
        std::fs::write(&spool, vec![b'x'; bytes]).unwrap();
        let file = tokio::fs::File::open(&spool).await.unwrap();
        self.store().content().unwrap().keep(file).await.unwrap();
    }

    /// The store that does the next deed.
    pub fn store(&self) -> &Store {
        self.stores[self.acting].as_ref().unwrap()
    }

    pub fn database(&self) -> PathBuf {
        self.store().dir().join("threadkeep.db")
    }

    pub async fn close(self) {
        for store in self.stores.into_iter().flatten() {
            store.close().await;
        }
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
