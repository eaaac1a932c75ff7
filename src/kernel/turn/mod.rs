//! One turn: ask, call tools, ask again, and end exactly once.

mod answer;
mod asking;
mod calls;
mod ending;
mod journal;
mod record;

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio_util::sync::CancellationToken;

pub(super) use self::asking::Asking;
pub(super) use self::calls::Calls;

use self::answer::{Answer, AnswerEnd, ask};
use self::calls::Answered;
use self::ending::{Ending, Known};
use self::journal::Journal;
use self::record::Call;
use super::budget::Budget;
use super::history::{self, Before, Conversations, Left, user_text};
use super::model::{Message, Model, ModelRequest, StopReason, ToolCall, ToolResult, Usage};
use super::prompt::{self, Instructions};
use crate::kernel::git::head_commit;
use crate::store::body::EvidenceUsage;
use crate::store::{Durability, NewEvent, Store, StoreError, TurnRecord, TurnWriter};

/// How long the programs of a turn may take to be gone once they are killed.
const PROGRAMS_GONE: Duration = Duration::from_secs(10);
/// How often closing a turn is tried again that the store would not take.
const CLOSING_AGAIN: Duration = Duration::from_secs(5);

/// An admitted turn and all it needs.
pub(super) struct Turn {
    pub store: Store,
    pub record: TurnRecord,
    pub writer: TurnWriter,
    /// What the user says; `None` when it goes on with an interrupted turn.
    pub text: Option<String>,
    pub model: Arc<dyn Model>,
    pub calls: Calls,
    pub budget: Budget,
    pub conversations: Arc<Conversations>,
    pub instructions: Arc<Instructions>,
    /// The process ends.
    pub closing: CancellationToken,
}

impl Turn {
    /// Does the work and writes how it ended. Whatever goes wrong, the turn does not stay open
    /// while this process lives.
    pub async fn run(self) {
        let (store, record, closing) = (
            self.store.clone(),
            self.record.clone(),
            self.closing.clone(),
        );
        let problem = match AssertUnwindSafe(self.work()).catch_unwind().await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => {
                tracing::error!(turn = %record.id, %error, "the turn could not be recorded further");
                error.to_string()
            }
            Err(_) => "an internal error; see the service's diagnostics".to_owned(),
        };
        loop {
            match store.abandon_turn(&record, &problem).await {
                Ok(()) | Err(StoreError::Closing) => return,
                Err(error) => {
                    tracing::error!(turn = %record.id, %error, "the turn could not be closed");
                }
            }
            // When the process ends first, the next one closes the turn.
            tokio::select! {
                () = closing.cancelled() => return,
                () = tokio::time::sleep(CLOSING_AGAIN) => {}
            }
        }
    }

    async fn work(self) -> Result<(), StoreError> {
        let Before {
            mut messages,
            ended,
            left,
        } = self.before().await?;
        if let Some(text) = &self.text {
            messages.push(Message::User {
                text: user_text(ended, text),
            });
        }
        let workspace = Arc::clone(&self.calls.session.workspace);
        let instructions = self.instructions.of(workspace.root()).await;
        let system = prompt::system(workspace.root(), self.calls.permissions.mode, &instructions);
        let mut work = Work {
            journal: Journal::new(self.writer),
            model: self.model,
            calls: self.calls,
            budget: self.budget,
            began: Instant::now(),
            system,
            messages,
            answers_before: left.answers,
            spent: Spent::default(),
            output: None,
        };
        let (ending, closing) = work.within_its_time(left).await?;
        let messages = work.finish(ending, closing).await?;
        if let Some((messages, seq)) = messages {
            self.conversations.keep(self.record.thread, seq, messages);
        }
        Ok(())
    }

    async fn before(&self) -> Result<Before, StoreError> {
        let seq = self.record.first_event_seq - 1;
        match self.conversations.take(&self.record.thread, seq) {
            // Only the conversation of a turn that was completed is kept.
            Some(messages) => Ok(Before {
                messages,
                ..Before::default()
            }),
            None => history::before(&self.store, &self.record).await,
        }
    }
}

/// A turn at work.
struct Work {
    journal: Journal,
    model: Arc<dyn Model>,
    calls: Calls,
    budget: Budget,
    began: Instant,
    system: String,
    messages: Vec<Message>,
    /// Answers of the turn it goes on with.
    answers_before: u32,
    spent: Spent,
    /// The last thing the model said.
    output: Option<String>,
}

/// What the answers so far cost.
#[derive(Default)]
struct Spent {
    answers: u32,
    /// `None` when any answer's is unknown.
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Spent {
    /// Tokens written, when they are known.
    fn written(&self) -> Option<u64> {
        match self.answers {
            0 => Some(0),
            _ => self.output_tokens,
        }
    }

    fn add(&mut self, usage: &Usage) {
        let add = |sum: Option<u64>, more: Option<u64>| match self.answers {
            0 => more,
            _ => Some(sum?.saturating_add(more?)),
        };
        self.input_tokens = add(self.input_tokens, usage.input_tokens);
        self.output_tokens = add(self.output_tokens, usage.output_tokens);
        self.answers += 1;
    }
}

impl Work {
    /// Works until the turn ends or its time is up, which stops whatever runs then.
    async fn within_its_time(&mut self, left: Left) -> Result<(Ending, Vec<NewEvent>), StoreError> {
        let Some(most) = self.budget.wall_time else {
            return self.until_it_ends(left).await;
        };
        let told_to_stop = self.calls.cancel.clone();
        let time_is_up = told_to_stop.child_token();
        self.calls.cancel = time_is_up.clone();
        let (ending, closing) = {
            let mut work = pin!(self.until_it_ends(left));
            if let Ok(ended) = tokio::time::timeout(most, work.as_mut()).await {
                ended?
            } else {
                time_is_up.cancel();
                work.await?
            }
        };
        if ending == Ending::Interrupted && !told_to_stop.is_cancelled() {
            return Ok((Ending::BudgetSpent(Budget::time_spent(most)), closing));
        }
        Ok((ending, closing))
    }

    /// Asks and calls until the turn ends. Returns what is still to be written besides the end.
    async fn until_it_ends(&mut self, left: Left) -> Result<(Ending, Vec<NewEvent>), StoreError> {
        if let Some(ending) = self.make_up(left).await? {
            return Ok((ending, Vec::new()));
        }
        loop {
            if let Some(ending) = self.cannot_go_on() {
                return Ok((ending, Vec::new()));
            }
            let request = ModelRequest {
                system: self.system.clone(),
                messages: self.messages.clone(),
                tools: self.calls.toolbox.declarations(),
                max_output_tokens: None,
            };
            let answer = ask(&*self.model, request, &mut self.journal, &self.calls.cancel).await?;
            if !answer.text.is_empty() {
                self.output = Some(answer.text.clone());
            }
            let usage = match &answer.end {
                AnswerEnd::Whole { usage, .. } => *usage,
                AnswerEnd::Failed(_) | AnswerEnd::Cancelled => Usage::default(),
            };
            self.spent.add(&usage);
            let ending = match answer.end {
                AnswerEnd::Cancelled => Ending::Interrupted,
                AnswerEnd::Failed(error) => Ending::ModelFailed(error),
                AnswerEnd::Whole { stop, .. } if answer.calls.is_empty() => {
                    if !answer.text.is_empty() {
                        self.messages.push(said(answer.text, Vec::new()));
                    }
                    without_calls(stop)
                }
                AnswerEnd::Whole { .. } => match self.call(answer).await? {
                    Some(ending) => return Ok((ending, Vec::new())),
                    None => continue,
                },
            };
            return Ok((ending, answer.closing));
        }
    }

    async fn call(&mut self, answer: Answer) -> Result<Option<Ending>, StoreError> {
        let calls = Call::name_all(answer.calls, self.answers());
        let mut events = answer.closing;
        events.extend(calls.iter().flat_map(Call::announced));
        self.journal.post(events).await?;
        let asked = calls.iter().map(Call::asked_again).collect();
        self.messages.push(said(answer.text, asked));
        let answered = self.calls.carry_out(&calls, &mut self.journal).await?;
        Ok(self.answered(answered, Vec::new()))
    }

    /// Makes the calls that an interrupted turn had not begun; their answer is told already.
    async fn make_up(&mut self, left: Left) -> Result<Option<Ending>, StoreError> {
        if left.calls.is_empty() {
            return Ok(None);
        }
        let calls = Call::name_those(left.calls, self.answers());
        let events = calls.iter().flat_map(Call::announced).collect();
        self.journal.post(events).await?;
        let answered = self.calls.carry_out(&calls, &mut self.journal).await?;
        Ok(self.answered(answered, left.results))
    }

    fn answered(&mut self, answered: Answered, others: Vec<(usize, ToolResult)>) -> Option<Ending> {
        let ending = answered.ending.clone();
        let results = answered.results(others);
        self.messages.push(Message::ToolResults(results));
        ending
    }

    /// Answers so far, those of the turn it goes on with included.
    const fn answers(&self) -> u32 {
        self.answers_before.saturating_add(self.spent.answers)
    }

    /// What forbids another answer.
    fn cannot_go_on(&self) -> Option<Ending> {
        if self.calls.cancel.is_cancelled() {
            return Some(Ending::Interrupted);
        }
        let spent =
            self.budget
                .spent(self.answers(), self.began.elapsed(), self.spent.written())?;
        Some(Ending::BudgetSpent(spent))
    }

    /// Writes the end, once everything the turn started is gone. Returns the conversation and
    /// where it ends, when the next turn may go on from it.
    async fn finish(
        mut self,
        ending: Ending,
        mut events: Vec<NewEvent>,
    ) -> Result<Option<(Vec<Message>, i64)>, StoreError> {
        let session = &self.calls.session;
        let survivors = session.processes.end(PROGRAMS_GONE).await;
        if !survivors.is_empty() {
            tracing::warn!(?survivors, "programs of the turn could not be killed");
            events.extend(ending::survivors(&survivors));
        }
        let root = session.workspace.root().to_owned();
        let commit = tokio::task::spawn_blocking(move || head_commit(&root)).await;
        let known = Known {
            output: self.output.take(),
            commit: commit.ok().flatten(),
            usage: EvidenceUsage {
                input_tokens: self.spent.input_tokens,
                output_tokens: self.spent.output_tokens,
            },
            unknown_effects: self.calls.unknown_effects,
        };
        events.push(ending.event(&known));
        let place = self.journal.commit(events, Durability::Power).await?;
        Ok((ending == Ending::Completed).then_some((self.messages, place.seq)))
    }
}

fn said(text: String, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant { text, tool_calls }
}

const fn without_calls(stop: StopReason) -> Ending {
    match stop {
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Unknown => Ending::Completed,
        StopReason::MaxTokens => Ending::Stopped {
            code: "model_max_tokens",
            message: "the model reached the most tokens it may write; its answer is not whole",
        },
        StopReason::Refused => Ending::Stopped {
            code: "model_refused",
            message: "the model or its provider refused to go on",
        },
    }
}
