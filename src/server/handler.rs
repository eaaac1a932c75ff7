use std::sync::Arc;

use serde::Serialize;
use tokio::sync::Semaphore;

use super::approver::HostApprover;
use super::holds::{Cause, Holds};
use super::{reading, view};
use crate::domain::{ThreadId, TurnId};
use crate::kernel::approval::Approver;
use crate::kernel::{Continuation, Interrupted, Kernel, Started, TurnInput, TurnRun};
use crate::protocol::{
    Call, ContinueTurn, Effect, ErrorCode, ForkThread, Once, Options, ReconcileEffect, Refused,
    RequestId, StartThread, StartTurn, Thread, Turn, TurnEvidence, line,
};
use crate::store::{Claim, Fork, NewThread, Reconcile, Store, ThreadRecord};
use crate::transport::Outbox;

/// Long responses put together at once: each may take as many bytes as may wait to be written.
const LONG_RESPONSES: usize = 2;

/// What the requests of a connection share.
pub(super) struct Handler {
    pub store: Store,
    pub kernel: Kernel,
    pub outbox: Outbox,
    pub holds: Arc<Holds>,
    pub approver: Arc<HostApprover>,
    long_responses: Semaphore,
}

#[derive(Serialize)]
struct ThreadResult<'a> {
    thread: Thread<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ForkResult<'a> {
    thread: Thread<'a>,
    history_forked: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnResult<'a> {
    turn: Turn<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physically_settled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    already_terminal: Option<bool>,
}

#[derive(Serialize)]
struct EffectResult<'a> {
    effect: Effect<'a>,
}

#[derive(Serialize)]
struct EvidenceResult<'a> {
    evidence: TurnEvidence<'a>,
}

impl Handler {
    pub fn new(store: Store, kernel: Kernel, outbox: Outbox) -> Self {
        Self {
            store,
            kernel,
            holds: Arc::default(),
            approver: Arc::new(HostApprover::new(outbox.clone())),
            outbox,
            long_responses: Semaphore::new(LONG_RESPONSES),
        }
    }

    /// Does what is asked and answers.
    pub async fn handle(&self, id: RequestId, call: Call) {
        let done = match call {
            Call::StartThread(start) => self.start_thread(&id, start).await,
            Call::ForkThread(fork) => self.fork_thread(&id, fork).await,
            Call::ArchiveThread(thread) => self.archive_thread(&id, thread).await,
            Call::StartTurn(turn) => self.start_turn(&id, turn).await,
            Call::ContinueTurn(turn) => self.continue_turn(&id, turn).await,
            Call::InterruptTurn(thread, turn) => self.interrupt(&id, &thread, turn).await,
            Call::ReadThread(read) | Call::ResumeThread(read) => {
                self.long(reading::events(&self.store, &id, read)).await
            }
            Call::ListThreads(list) => self.long(reading::threads(&self.store, &id, list)).await,
            Call::ListEffects(list) => self.long(reading::effects(&self.store, &id, list)).await,
            Call::ReconcileEffect(found) => self.reconcile(&id, found).await,
            Call::GetEvidence(thread, turn) => self.evidence(&id, &thread, &turn).await,
            // The connection does this itself: what comes after it depends on it.
            Call::Initialize(_) => Err(Refused::internal()),
        };
        if let Err(refused) = done {
            self.outbox.send(line::refusal(Some(&id), &refused)).await;
        }
    }

    async fn respond(&self, id: &RequestId, result: &impl Serialize) -> Result<(), Refused> {
        let response = line::response(id, result)?;
        self.outbox.send(response).await;
        Ok(())
    }

    async fn respond_thread(&self, id: &RequestId, record: &ThreadRecord) -> Result<(), Refused> {
        let thread = view::thread(record);
        self.respond(id, &ThreadResult { thread }).await
    }

    async fn start_thread(&self, id: &RequestId, start: StartThread) -> Result<(), Refused> {
        let name = start.thread.unwrap_or_else(ThreadId::generate);
        let _hold = self.holds.hold(Cause::Thread(name.clone()));
        let new = NewThread {
            id: Some(name),
            title: start.title,
            metadata: start.metadata,
            claim: claim("thread/start", start.once),
        };
        let started = self.store.start_thread(new).await?.into_inner();
        self.respond_thread(id, &started).await
    }

    async fn fork_thread(&self, id: &RequestId, fork: ForkThread) -> Result<(), Refused> {
        let name = fork.thread.unwrap_or_else(ThreadId::generate);
        let _hold = self.holds.hold(Cause::Thread(name.clone()));
        let fork = Fork {
            source: fork.source,
            at: None,
            id: Some(name),
            title: fork.title,
            claim: claim("thread/fork", fork.once),
        };
        let forked = self.store.fork_thread(fork).await?.into_inner();
        let result = ForkResult {
            thread: view::thread(&forked),
            history_forked: true,
        };
        self.respond(id, &result).await
    }

    async fn archive_thread(&self, id: &RequestId, thread: ThreadId) -> Result<(), Refused> {
        let _hold = self.holds.hold(Cause::Thread(thread.clone()));
        let archived = self.store.archive_thread(&thread, None).await?.into_inner();
        self.respond_thread(id, &archived).await
    }

    /// The response goes first, then what the turn does; so the turn begins its work after it.
    async fn start_turn(&self, id: &RequestId, turn: StartTurn) -> Result<(), Refused> {
        let name = turn.turn.clone().unwrap_or_else(TurnId::generate);
        let _hold = self.holds.hold(Cause::TurnStart(name.clone()));
        let input = turn_input(turn, name)?;
        let approver = Arc::clone(&self.approver) as Arc<dyn Approver>;
        let (record, run) = match self.kernel.start_turn(input, approver).await? {
            Started::New { turn, run } => (turn, Some(run)),
            Started::Repeated(turn) => (turn, None),
        };
        let result = TurnResult {
            turn: view::turn(&record),
            physically_settled: None,
            already_terminal: None,
        };
        let responded = self.respond(id, &result).await;
        if let Some(run) = run {
            TurnRun::spawn(run);
        }
        responded
    }

    /// As with a turn that is started, the response goes first.
    async fn continue_turn(&self, id: &RequestId, going_on: ContinueTurn) -> Result<(), Refused> {
        let name = going_on.turn.unwrap_or_else(TurnId::generate);
        let _hold = self.holds.hold(Cause::TurnStart(name.clone()));
        let continuation = Continuation {
            thread: going_on.read.thread.clone(),
            turn: Some(name),
            claim: claim("thread/resume", going_on.once),
        };
        let approver = Arc::clone(&self.approver) as Arc<dyn Approver>;
        let started = self.kernel.continue_turn(continuation, approver).await?;
        let (record, run) = match started {
            Started::New { turn, run } => (turn, Some(run)),
            Started::Repeated(turn) => (turn, None),
        };
        let response = reading::turn_and_events(&self.store, id, &record, &going_on.read);
        let responded = self.long(response).await;
        if let Some(run) = run {
            TurnRun::spawn(run);
        }
        responded
    }

    async fn interrupt(
        &self,
        id: &RequestId,
        thread: &ThreadId,
        turn: TurnId,
    ) -> Result<(), Refused> {
        let _hold = self.holds.hold(Cause::TurnEnd(turn.clone()));
        let (record, settled) = match self.kernel.interrupt(thread, &turn).await? {
            Interrupted::Settled(record) => (record, true),
            Interrupted::AlreadyTerminal(record) => (record, false),
        };
        let result = TurnResult {
            turn: view::turn(&record),
            physically_settled: settled.then_some(true),
            already_terminal: (!settled).then_some(true),
        };
        self.respond(id, &result).await
    }

    async fn reconcile(&self, id: &RequestId, found: ReconcileEffect) -> Result<(), Refused> {
        let found = Reconcile {
            effect: found.effect,
            outcome: found.outcome,
            actor: found.actor,
            note: found.note,
            claim: claim("effect/reconcile", found.once),
        };
        let effect = self.store.reconcile(found).await?.into_inner();
        let effect = view::effect(&effect);
        self.respond(id, &EffectResult { effect }).await
    }

    async fn evidence(
        &self,
        id: &RequestId,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<(), Refused> {
        let evidence = reading::evidence(&self.store, thread, turn).await?;
        let evidence = view::turn_evidence(&evidence);
        self.respond(id, &EvidenceResult { evidence }).await
    }

    async fn long(
        &self,
        response: impl Future<Output = Result<Vec<u8>, Refused>>,
    ) -> Result<(), Refused> {
        // The semaphore is never closed.
        let _permit = self.long_responses.acquire().await;
        self.outbox.send(response.await?).await;
        Ok(())
    }
}

fn turn_input(turn: StartTurn, name: TurnId) -> Result<TurnInput, Refused> {
    let Options {
        model,
        permission_mode,
    } = turn.options;
    Ok(TurnInput {
        thread: turn.thread,
        turn: Some(name),
        text: turn.text,
        model: option("model", model)?,
        mode: option("permissionMode", permission_mode)?,
        claim: claim("turn/start", turn.once),
    })
}

fn option<T: std::str::FromStr>(name: &str, text: Option<String>) -> Result<Option<T>, Refused>
where
    T::Err: std::fmt::Display,
{
    text.map(|text| text.parse()).transpose().map_err(|error| {
        let message = format!("params.options.{name}: {error}");
        Refused::new(ErrorCode::InvalidParams, message)
    })
}

fn claim(method: &str, once: Option<Once>) -> Option<Claim> {
    once.map(|Once { key, digest }| Claim {
        method: method.to_owned(),
        key,
        digest,
    })
}
