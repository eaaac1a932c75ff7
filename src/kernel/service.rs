use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::approval::Approver;
use super::budget::Budget;
use super::error::KernelError;
use super::history::Conversations;
use super::model::{self, Environment, Model, ModelName};
use super::permission::{PermissionMode, Permissions};
use super::process::Broker;
use super::prompt::Instructions;
use super::running::{Running, RunningTurn};
use super::session::{Grants, Sessions};
use super::tool::{ContentStore, Kept, Session, Toolbox};
use super::turn::{Asking, Calls, Turn};
use super::workspace::Workspace;
use crate::domain::{Digest, ThreadId, TurnId, TurnStatus};
use crate::store::{
    Claim, NewTurn, Opening, Store, StoreContent, StoreError, TurnRecord, TurnStart, TurnWriter,
};

/// Turns that run at once unless the options say otherwise.
const RUNNING_TURNS: usize = 256;
/// When to try again that was refused because too many turns run.
const OVERLOADED_AGAIN_MS: u64 = 1_000;
/// How long an interrupt waits for its turn to end.
const SETTLE_WAIT: Duration = Duration::from_secs(30);
/// When to ask again for a turn that had not ended by then.
const NOT_SETTLED_AGAIN_MS: u64 = 1_000;
/// Models kept open.
const MODELS: usize = 32;

/// How a kernel works.
pub struct KernelOptions {
    /// The directory its turns work in.
    pub workspace: PathBuf,
    /// The model asked when a turn names none.
    pub model: ModelName,
    /// Keys and addresses of the providers.
    pub environment: Environment,
    /// What is allowed.
    pub permissions: Permissions,
    /// How much a turn may do.
    pub budget: Budget,
    /// What a model may call.
    pub toolbox: Toolbox,
    /// The most turns that run at once; the next is [`KernelError::Overloaded`].
    pub running_turns: usize,
}

impl KernelOptions {
    /// The rehearsal model, the built-in tools and the default mode in `workspace`.
    #[must_use]
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self {
            workspace: workspace.into(),
            model: ModelName::default(),
            environment: Environment::default(),
            permissions: Permissions::default(),
            budget: Budget::default(),
            toolbox: Toolbox::standard(),
            running_turns: RUNNING_TURNS,
        }
    }
}

/// A turn to start.
pub struct TurnInput {
    /// Its thread.
    pub thread: ThreadId,
    /// Its name; made here when `None`.
    pub turn: Option<TurnId>,
    /// What the user says; never empty.
    pub text: String,
    /// The model; the kernel's own when `None`.
    pub model: Option<ModelName>,
    /// A mode at least as narrow as the kernel's; the kernel's own when `None`.
    pub mode: Option<PermissionMode>,
    /// The wish that it happens once.
    pub claim: Option<Claim>,
}

/// A turn to admit, however it begins.
pub(super) struct Wish {
    pub thread: ThreadId,
    pub turn: Option<TurnId>,
    pub opening: Opening,
    pub model: Option<ModelName>,
    pub mode: Option<PermissionMode>,
    pub claim: Option<Claim>,
}

/// What starting a turn led to.
pub enum Started {
    /// It is admitted, and committed so.
    New {
        /// The turn.
        turn: TurnRecord,
        /// Its work, which begins when told so.
        run: TurnRun,
    },
    /// The same request had started this turn before.
    Repeated(TurnRecord),
}

/// An admitted turn that has not begun its work. Dropping it begins it: what was admitted is run.
#[must_use = "the turn begins its work now; call `spawn` to say when"]
pub struct TurnRun {
    admitted: Option<Box<Admitted>>,
}

/// What runs when the work begins.
struct Admitted {
    turn: Turn,
    running: RunningTurn,
    tasks: TaskTracker,
}

impl TurnRun {
    /// Begins the work.
    pub fn spawn(self) {
        drop(self);
    }
}

impl Drop for TurnRun {
    fn drop(&mut self) {
        let Some(admitted) = self.admitted.take() else {
            return;
        };
        let Admitted {
            turn,
            running,
            tasks,
        } = *admitted;
        tasks.spawn(async move {
            turn.run().await;
            drop(running);
        });
    }
}

/// What interrupting a turn led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Interrupted {
    /// It ended just now, and everything it started is gone.
    Settled(TurnRecord),
    /// It had ended before.
    AlreadyTerminal(TurnRecord),
}

/// Runs turns. Clones share it.
#[derive(Clone)]
pub struct Kernel {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    options: KernelOptions,
    workspace: Arc<Workspace>,
    toolbox: Arc<Toolbox>,
    content: Arc<dyn ContentStore>,
    broker: Arc<Broker>,
    models: Mutex<HashMap<ModelName, Arc<dyn Model>>>,
    sessions: Sessions,
    conversations: Arc<Conversations>,
    instructions: Arc<Instructions>,
    permits: Arc<Semaphore>,
    running: Arc<Running>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl Kernel {
    /// A kernel over `store`.
    ///
    /// # Errors
    /// [`KernelError::Workspace`], [`KernelError::Model`] or [`KernelError::Processes`] when the
    /// options cannot be used.
    pub fn new(store: Store, mut options: KernelOptions) -> Result<Self, KernelError> {
        let workspace =
            Workspace::open(&options.workspace).map_err(|error| KernelError::Workspace {
                path: options.workspace.clone(),
                problem: error.to_string(),
            })?;
        let toolbox = std::mem::replace(&mut options.toolbox, Toolbox::of(Vec::new()));
        let broker = Broker::start().map_err(|error| KernelError::Processes(error.to_string()))?;
        let content: Arc<dyn ContentStore> = Arc::new(store.content()?);
        let kernel = Self {
            shared: Arc::new(Shared {
                workspace: Arc::new(workspace),
                toolbox: Arc::new(toolbox),
                content,
                broker,
                models: Mutex::default(),
                sessions: Sessions::default(),
                conversations: Arc::default(),
                instructions: Arc::default(),
                permits: Arc::new(Semaphore::new(options.running_turns)),
                running: Arc::default(),
                tasks: TaskTracker::new(),
                closing: CancellationToken::new(),
                store,
                options,
            }),
        };
        kernel.shared.model(&kernel.shared.options.model)?;
        Ok(kernel)
    }

    /// Admits a turn: when this returns, it and what the user said are committed. Approvals are
    /// asked of `approver`.
    ///
    /// # Errors
    /// [`KernelError`]; nothing was started then.
    pub async fn start_turn(
        &self,
        input: TurnInput,
        approver: Arc<dyn Approver>,
    ) -> Result<Started, KernelError> {
        if input.text.trim().is_empty() {
            return Err(KernelError::EmptyInput);
        }
        let wish = Wish {
            thread: input.thread,
            turn: input.turn,
            opening: Opening::Said(input.text),
            model: input.model,
            mode: input.mode,
            claim: input.claim,
        };
        self.admit(wish, approver).await
    }

    pub(super) async fn admit(
        &self,
        wish: Wish,
        approver: Arc<dyn Approver>,
    ) -> Result<Started, KernelError> {
        let shared = Arc::clone(&self.shared);
        // A caller that goes away while this is being committed must not leave a turn that nobody
        // runs, so the admission is a task of its own.
        let admission = self
            .shared
            .tasks
            .spawn(async move { shared.admit(wish, approver).await });
        match admission.await {
            Ok(started) => started,
            Err(error) => Err(KernelError::Internal(error.to_string())),
        }
    }

    /// Tells a turn to stop and waits, 30 s at most, until everything it started is gone. A turn
    /// whose process died is closed; a turn of another live process is
    /// [`StoreError::TurnActive`].
    ///
    /// # Errors
    /// [`StoreError::UnknownThread`], [`StoreError::UnknownTurn`], [`KernelError::NotSettled`] …
    pub async fn interrupt(
        &self,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<Interrupted, KernelError> {
        let store = &self.shared.store;
        store.thread(thread).await?;
        let found = store.turn(thread, turn).await?;
        if found.status.is_terminal() {
            return Ok(Interrupted::AlreadyTerminal(found));
        }
        let ended = match self.shared.running.stop(turn) {
            Some(ended) => {
                let waited = tokio::time::timeout(SETTLE_WAIT, ended.cancelled()).await;
                waited.map_err(|_| KernelError::NotSettled {
                    turn: turn.clone(),
                    retry_after_ms: NOT_SETTLED_AGAIN_MS,
                })?;
                store.turn(thread, turn).await?
            }
            None => store.close_orphan(found).await?,
        };
        Ok(match ended.status {
            TurnStatus::Interrupted => Interrupted::Settled(ended),
            _ => Interrupted::AlreadyTerminal(ended),
        })
    }

    pub(super) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(super) fn options(&self) -> &KernelOptions {
        &self.shared.options
    }

    /// Waits until a turn of this process has ended. Returns at once for any other.
    pub async fn ended(&self, turn: &TurnId) {
        if let Some(ended) = self.shared.running.ended(turn) {
            ended.cancelled().await;
        }
    }

    /// How many turns run.
    pub fn running(&self) -> usize {
        self.shared.running.count()
    }

    /// Takes no more turns, interrupts those that run, and waits until they ended, `deadline` at
    /// most. Returns how many had not: the next start closes them.
    pub async fn shutdown(&self, deadline: Duration) -> usize {
        self.shared.closing.cancel();
        self.shared.tasks.close();
        if tokio::time::timeout(deadline, self.shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("turns had not ended when the service did");
        }
        self.running()
    }
}

impl Shared {
    async fn admit(
        &self,
        input: Wish,
        approver: Arc<dyn Approver>,
    ) -> Result<Started, KernelError> {
        if self.closing.is_cancelled() {
            return Err(KernelError::ShuttingDown);
        }
        let model = self.model(input.model.as_ref().unwrap_or(&self.options.model))?;
        let permissions = self.permissions(input.mode)?;
        let permit =
            Arc::clone(&self.permits)
                .try_acquire_owned()
                .map_err(|_| KernelError::Overloaded {
                    running: self.running.count(),
                    retry_after_ms: OVERLOADED_AGAIN_MS,
                })?;
        // Known as running before it is committed as running, so that an interrupt finds it.
        let id = input.turn.unwrap_or_else(TurnId::generate);
        let running = self.running.enter(&id, self.closing.child_token(), permit);
        let policy_digest = self.policy(&permissions);
        let new = NewTurn {
            thread: input.thread,
            id: Some(id),
            opening: input.opening.clone(),
            model: model.name().to_string(),
            workspace: self.workspace.root().display().to_string(),
            workspace_digest: self.workspace.digest(),
            permission_mode: permissions.mode.to_string(),
            policy_digest,
            claim: input.claim,
        };
        let (record, writer) = match self.store.start_turn(new).await? {
            TurnStart::Repeated(turn) => return Ok(Started::Repeated(turn)),
            TurnStart::New { turn, writer, .. } => (turn, writer),
        };
        // The store takes a turn's name once, so it was free here too.
        let running = running.ok_or_else(|| StoreError::TurnExists(record.id.clone()))?;
        let calls = self.calls(&record, permissions, policy_digest, approver, &running);
        let text = match input.opening {
            Opening::Said(text) => Some(text),
            Opening::Continues { .. } => None,
        };
        let turn = self.turn(record.clone(), writer, text, model, calls);
        Ok(Started::New {
            turn: record,
            run: TurnRun {
                admitted: Some(Box::new(Admitted {
                    turn,
                    running,
                    tasks: self.tasks.clone(),
                })),
            },
        })
    }

    fn calls(
        &self,
        record: &TurnRecord,
        permissions: Permissions,
        policy_digest: Digest,
        approver: Arc<dyn Approver>,
        running: &RunningTurn,
    ) -> Calls {
        let thread = self.sessions.of(&record.thread);
        Calls {
            toolbox: Arc::clone(&self.toolbox),
            session: Session {
                workspace: Arc::clone(&self.workspace),
                reads: Arc::clone(&thread.reads),
                content: Arc::clone(&self.content),
                processes: self.broker.scope(record.id.as_str()),
            },
            permissions,
            asking: Asking {
                approver,
                workspace: Arc::clone(&self.workspace),
                policy_digest,
                clock: self.store.clock().clone(),
                grants: Arc::new(Grants::new(&thread)),
            },
            cancel: running.cancel.clone(),
            unknown_effects: 0,
        }
    }

    fn turn(
        &self,
        record: TurnRecord,
        writer: TurnWriter,
        text: Option<String>,
        model: Arc<dyn Model>,
        calls: Calls,
    ) -> Turn {
        Turn {
            store: self.store.clone(),
            record,
            writer,
            text,
            model,
            calls,
            budget: self.options.budget,
            conversations: Arc::clone(&self.conversations),
            instructions: Arc::clone(&self.instructions),
            closing: self.closing.clone(),
        }
    }

    fn permissions(&self, mode: Option<PermissionMode>) -> Result<Permissions, KernelError> {
        let own = &self.options.permissions;
        match mode {
            Some(asked) if asked < own.mode => Err(KernelError::WiderMode {
                asked,
                allowed: own.mode,
            }),
            Some(asked) if asked > own.mode => Ok(own.narrowed(asked)),
            _ => Ok(own.clone()),
        }
    }

    fn policy(&self, permissions: &Permissions) -> Digest {
        let policy =
            serde_json::json!({ "permissions": permissions, "budget": self.options.budget });
        Digest::of(policy.to_string().as_bytes())
    }

    fn model(&self, name: &ModelName) -> Result<Arc<dyn Model>, KernelError> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = models.get(name) {
            return Ok(Arc::clone(model));
        }
        let model = model::open(name, &self.options.environment)?;
        if models.len() >= MODELS {
            models.clear();
        }
        models.insert(name.clone(), Arc::clone(&model));
        Ok(model)
    }
}

#[async_trait::async_trait]
impl ContentStore for StoreContent {
    async fn keep(&self, spool: tokio::fs::File) -> std::io::Result<Kept> {
        let (digest, bytes) = Self::keep(self, spool).await?;
        Ok(Kept { digest, bytes })
    }
}
