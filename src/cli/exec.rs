//! One turn, told as it happens.

mod outcome;
mod stop;
mod teller;

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use self::outcome::Outcome;
use self::stop::Stop;
use self::teller::Teller;
use super::agent::Agent;
use super::failure::{Exit, Failure};
use super::follow::Follow;
use super::output::{complain, note, one_line};
use super::place::{self, Place};
use crate::domain::{Digest, IdempotencyKey, ThreadId};
use crate::kernel::approval::NoApprover;
use crate::kernel::{Continuation, Interrupted, Kernel, KernelError, Started, TurnInput};
use crate::store::{Claim, NewThread, Store, StoreError, TurnRecord};

/// The most bytes of a prompt.
const PROMPT_LIMIT: u64 = 1 << 20;
/// The most characters of the title made from a prompt.
const TITLE: usize = 80;
/// How long the same request, already running elsewhere, is waited for, and how often it is looked at.
const TWIN_WAIT: Duration = Duration::from_hours(1);
const TWIN_POLL: Duration = Duration::from_millis(50);
/// How long the end of everything may take, and what is left of it after a second signal: enough to
/// kill the programs of the turn.
const SHUTDOWN: Duration = Duration::from_secs(10);
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// Run one turn in the current directory and tell what happens
#[derive(Args)]
#[command(
    after_help = "Example:\n  threadkeep exec --allow 'process.exec:cargo test' \"make the tests pass\"\n\n\
    What is not allowed and would have to be asked is refused (exit 5). The same key runs once:\n\
    again, it gives the same turn, answer, evidence and exit code."
)]
pub(super) struct Exec {
    /// What to do; - reads it from standard input
    #[arg(required_unless_present = "continue_thread")]
    prompt: Option<String>,
    /// Go on with the interrupted last turn of a thread
    #[arg(
        long = "continue",
        value_name = "THREAD",
        conflicts_with_all = ["prompt", "thread"]
    )]
    continue_thread: Option<String>,
    /// Go on with a thread
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// Run this once, however often it is called with this key
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<IdempotencyKey>,
    /// text, json or stream-json (an object a line)
    #[arg(
        long,
        value_name = "FORM",
        default_value = "text",
        hide_possible_values = true
    )]
    output: Form,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    agent: Agent,
}

/// Forms of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    // The answer as it comes.
    Text,
    // One object at the end.
    Json,
    // An object a line: each event as it is committed, then the outcome.
    StreamJson,
}

impl Exec {
    pub async fn run(self) -> Result<Exit, Failure> {
        let prompt = self.prompt.as_deref().map(prompt).transpose()?;
        // Before anything is made for it.
        if prompt
            .as_ref()
            .is_some_and(|prompt| prompt.trim().is_empty())
        {
            return Err(KernelError::EmptyInput.into());
        }
        let store = self.place.open().await?;
        let kernel = Kernel::new(store.clone(), self.agent.options())?;
        let mut stop = Stop::new()?;
        let done = self.turn(&store, &kernel, prompt, &mut stop).await;
        let ending = async {
            let unsettled = kernel.shutdown(SHUTDOWN).await;
            store.close().await;
            unsettled == 0
        };
        let ended = tokio::select! {
            ended = ending => ended,
            () = stop.over() => false,
        };
        if !ended {
            complain("the turn had not ended; the next start closes it");
        }
        done
    }

    async fn turn(
        &self,
        store: &Store,
        kernel: &Kernel,
        prompt: Option<String>,
        stop: &mut Stop,
    ) -> Result<Exit, Failure> {
        let mut follow = Follow::new(store).await?;
        let mut teller = Teller::new(self.output);
        let (turn, repeated) = match self.start(store, kernel, prompt).await? {
            Started::New { turn, run } => {
                run.spawn();
                let ended = watch(kernel, &turn, &mut follow, &mut teller, stop);
                let Some(()) = ended.await? else {
                    return Ok(Exit::Interrupted);
                };
                (store.turn(&turn.thread, &turn.id).await?, false)
            }
            Started::Repeated(turn) => (twin(store, kernel, turn, stop).await?, true),
        };
        let outcome = Outcome::of(store, turn, repeated).await?;
        teller.ended(&outcome);
        if self.output == Form::Text {
            note(&format!(
                "\nthread {0} · threadkeep show {0}",
                outcome.thread()
            ));
        }
        Ok(outcome.exit())
    }

    async fn start(
        &self,
        store: &Store,
        kernel: &Kernel,
        prompt: Option<String>,
    ) -> Result<Started, Failure> {
        let approver = Arc::new(NoApprover);
        if let Some(name) = &self.continue_thread {
            let thread = place::thread(store, name).await?;
            let claim = self.claim("exec", &json!({ "continue": thread }));
            let continuation = Continuation {
                thread,
                turn: None,
                claim,
            };
            return Ok(kernel.continue_turn(continuation, approver).await?);
        }
        let text = prompt.unwrap_or_default();
        let thread = self.thread(store, &text).await?;
        let asked = json!({ "prompt": text, "thread": self.thread });
        let input = TurnInput {
            thread,
            turn: None,
            text,
            model: None,
            mode: None,
            claim: self.claim("exec", &asked),
        };
        Ok(kernel.start_turn(input, approver).await?)
    }

    async fn thread(&self, store: &Store, prompt: &str) -> Result<ThreadId, Failure> {
        if let Some(name) = &self.thread {
            return place::thread(store, name).await;
        }
        let new = NewThread {
            title: Some(one_line(prompt, TITLE)),
            claim: self.claim("exec/thread", &json!({ "prompt": prompt })),
            ..NewThread::default()
        };
        Ok(store.start_thread(new).await?.into_inner().id)
    }

    fn claim(&self, method: &str, asked: &serde_json::Value) -> Option<Claim> {
        self.idempotency_key.as_ref().map(|key| Claim {
            method: method.to_owned(),
            key: key.clone(),
            digest: Digest::of(asked.to_string().as_bytes()),
        })
    }
}

/// Tells the events of a turn until it ended; `None` when a second signal did not let it end.
async fn watch(
    kernel: &Kernel,
    turn: &TurnRecord,
    follow: &mut Follow,
    teller: &mut Teller,
    stop: &mut Stop,
) -> Result<Option<()>, Failure> {
    loop {
        tokio::select! {
            events = follow.next() => {
                let events = events?;
                if events.is_empty() {
                    return Ok(Some(()));
                }
                for event in events.iter().filter(|event| event.turn.as_ref() == Some(&turn.id)) {
                    teller.event(event);
                    if event.known_type().is_some_and(crate::store::EventType::ends_turn) {
                        return Ok(Some(()));
                    }
                }
            }
            () = stop.asked() => {
                if stop.at_once() {
                    return Ok(None);
                }
                note("interrupting; once more to leave at once");
                let (kernel, turn) = (kernel.clone(), turn.clone());
                tokio::spawn(async move {
                    match kernel.interrupt(&turn.thread, &turn.id).await {
                        Ok(Interrupted::Settled(_) | Interrupted::AlreadyTerminal(_)) => {}
                        Err(error) => complain(&error.to_string()),
                    }
                });
            }
        }
    }
}

/// Waits until a turn that the same request had started before has ended, wherever it runs.
async fn twin(
    store: &Store,
    kernel: &Kernel,
    mut turn: TurnRecord,
    stop: &mut Stop,
) -> Result<TurnRecord, Failure> {
    kernel.ended(&turn.id).await;
    let deadline = tokio::time::Instant::now() + TWIN_WAIT;
    while !turn.status.is_terminal() {
        match store.close_orphan(turn.clone()).await {
            Ok(now) => turn = now,
            Err(StoreError::TurnActive { holder, .. }) => {
                tracing::info!(%holder, "the same request is running");
                tokio::select! {
                    () = tokio::time::sleep(TWIN_POLL) => {}
                    () = stop.asked() => return Err(Failure::failed(
                        "stopped waiting for the same request, which is still running",
                    )),
                }
                turn = store.turn(&turn.thread, &turn.id).await?;
            }
            Err(error) => return Err(error.into()),
        }
        if tokio::time::Instant::now() >= deadline {
            return Err(Failure::failed(format!(
                "the same request has been running for {} s; see `threadkeep show {}`",
                TWIN_WAIT.as_secs(),
                turn.thread
            )));
        }
    }
    Ok(turn)
}

fn prompt(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(PROMPT_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("standard input cannot be read: {error}")))?;
    if bytes.len() as u64 > PROMPT_LIMIT {
        return Err(Failure::usage(format!(
            "a prompt has at most {PROMPT_LIMIT} bytes"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("the prompt is not UTF-8 text"))
}
