//! What the tests of this folder stand on: a store, a kernel, a script, tools of their own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tempfile::TempDir;
use threadkeep::domain::{ItemKind, ThreadId, TurnId};
use threadkeep::kernel::approval::{ApprovalRequest, Approver, Decision, NoApprover, Unanswered};
use threadkeep::kernel::model::ToolDeclaration;
use threadkeep::kernel::tool::{
    Access, EffectIntent, EffectReceipt, EffectState, Grant, Outcome, Plan, Refusal, Risk, Session,
    Tool, Toolbox,
};
use threadkeep::kernel::{Kernel, KernelOptions, Started, TurnInput};
use threadkeep::store::{Event, ItemRecord, NewThread, Store, StoreOptions, TurnRecord};
use tokio_util::sync::CancellationToken;

/// A store, a workspace and a script in one temporary directory.
pub(crate) struct Stand {
    pub dir: TempDir,
    pub store: Store,
    pub thread: ThreadId,
    pub acts: Arc<Acts>,
}

/// What the tools of a stand did.
#[derive(Default)]
pub(crate) struct Acts {
    pub done: AtomicUsize,
}

impl Stand {
    pub async fn new() -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let store = open(&dir).await;
        let thread = store.start_thread(NewThread::default()).await.unwrap();
        Self {
            store,
            thread: thread.into_inner().id,
            dir,
            acts: Arc::default(),
        }
    }

    /// Writes a script with these replies; every request is recorded.
    pub fn script(&self, replies: &Value) -> PathBuf {
        let path = self.dir.path().join("script.json");
        let script = json!({ "record": "requests.jsonl", "replies": replies });
        std::fs::write(&path, script.to_string()).unwrap();
        path
    }

    pub fn options(&self, replies: &Value) -> KernelOptions {
        let script = self.script(replies);
        let mut options = KernelOptions::new(self.dir.path().join("work"));
        options.model = format!("rehearsal/{}", script.display()).parse().unwrap();
        options.toolbox = Toolbox::of(vec![
            self.tool("look", Access::Read),
            self.tool("act", Access::Execute),
            self.tool("wait", Access::Read),
            self.tool("lose", Access::Execute),
        ]);
        options
    }

    pub fn kernel(&self, replies: &Value) -> Kernel {
        Kernel::new(self.store.clone(), self.options(replies)).unwrap()
    }

    fn tool(&self, name: &str, access: Access) -> Arc<dyn Tool> {
        Arc::new(Probe {
            declaration: ToolDeclaration {
                name: name.to_owned(),
                description: "for tests".to_owned(),
                parameters: json!({ "type": "object", "properties": { "what": { "type": "string" } } }),
            },
            access,
            acts: Arc::clone(&self.acts),
        })
    }

    /// Runs one turn to its end.
    pub async fn turn(&self, kernel: &Kernel, text: &str) -> TurnRecord {
        self.turn_with(kernel, text, Arc::new(NoApprover)).await
    }

    pub async fn turn_with(
        &self,
        kernel: &Kernel,
        text: &str,
        approver: Arc<dyn Approver>,
    ) -> TurnRecord {
        let turn = start(kernel, self.input(text), approver).await;
        kernel.ended(&turn).await;
        self.store.turn(&self.thread, &turn).await.unwrap()
    }

    pub fn input(&self, text: &str) -> TurnInput {
        TurnInput {
            thread: self.thread.clone(),
            turn: None,
            text: text.to_owned(),
            model: None,
            mode: None,
            claim: None,
        }
    }

    pub async fn events(&self) -> Vec<Event> {
        self.store.events(&self.thread, 0, 10_000).await.unwrap()
    }

    /// The events' types in order.
    pub async fn types(&self) -> Vec<String> {
        let events = self.events().await;
        events
            .iter()
            .map(|event| event.event_type.to_string())
            .collect()
    }

    pub async fn items(&self, kind: ItemKind) -> Vec<ItemRecord> {
        let mut items = self.store.items(&self.thread).await.unwrap();
        items.retain(|item| item.kind == kind);
        items
    }

    /// The requests the model got, as they were recorded.
    pub fn requests(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.dir.path().join("requests.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Waits for an event of this type.
    pub async fn until(&self, event_type: &str) {
        let wanted = async {
            loop {
                if self.types().await.iter().any(|found| found == event_type) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), wanted)
            .await
            .unwrap();
    }
}

pub(crate) async fn open(dir: &TempDir) -> Store {
    let options = StoreOptions::new(dir.path().join("state"));
    Store::open(options).await.unwrap().store
}

pub(crate) async fn start(
    kernel: &Kernel,
    input: TurnInput,
    approver: Arc<dyn Approver>,
) -> TurnId {
    match kernel.start_turn(input, approver).await.unwrap() {
        Started::New { turn, run } => {
            run.spawn();
            turn.id
        }
        Started::Repeated(turn) => panic!("{turn:?} was there before"),
    }
}

pub(crate) fn call(name: &str, arguments: &Value) -> Value {
    json!({ "tool_call": { "name": name, "arguments": arguments } })
}

pub(crate) fn payload(event: &Event) -> Value {
    serde_json::from_str(event.payload.as_deref().unwrap()).unwrap()
}

/// Answers every question with one decision, and counts them.
pub(crate) struct Always {
    pub decision: Value,
    pub asked: AtomicUsize,
}

impl Always {
    pub fn new(decision: Value) -> Arc<Self> {
        Arc::new(Self {
            decision,
            asked: AtomicUsize::new(0),
        })
    }
}

#[async_trait]
impl Approver for Always {
    async fn decide(&self, request: &ApprovalRequest) -> Result<Decision, Unanswered> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut decision = self.decision.clone();
        if decision["permissions"] == json!("requested") {
            decision["permissions"] = json!(request.requested_permissions);
        }
        serde_json::from_value(decision).map_err(|error| Unanswered {
            via: "invalid",
            message: error.to_string(),
        })
    }
}

/// Is asked and never answers.
pub(crate) struct NeverDecides;

#[async_trait]
impl Approver for NeverDecides {
    async fn decide(&self, _request: &ApprovalRequest) -> Result<Decision, Unanswered> {
        std::future::pending().await
    }
}

/// `look` returns at once, `act` has an effect, `wait` waits to be told to stop, `lose` has an
/// effect and gives no receipt.
struct Probe {
    declaration: ToolDeclaration,
    access: Access,
    acts: Arc<Acts>,
}

#[async_trait]
impl Tool for Probe {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    async fn plan(&self, args: &Value, _session: &Session) -> Result<Plan, Refusal> {
        let what = args["what"].as_str().unwrap_or("nothing").to_owned();
        let effects = match self.access {
            Access::Read => Vec::new(),
            _ => vec![EffectIntent {
                kind: "process.exec".to_owned(),
                target: what.clone(),
                before: None,
                after: None,
            }],
        };
        Ok(Plan {
            operation: json!({ "tool": self.declaration.name, "what": what }),
            access: self.access,
            grant: Grant {
                capability: "process.exec".to_owned(),
                scope: what,
            },
            risk: Risk::High,
            reason: "for tests".to_owned(),
            effects,
            state: Box::new(()),
        })
    }

    async fn run(&self, plan: Plan, _session: &Session, cancel: CancellationToken) -> Outcome {
        if self.declaration.name == "wait" {
            cancel.cancelled().await;
        }
        self.acts.done.fetch_add(1, Ordering::SeqCst);
        let receipt = EffectReceipt {
            state: EffectState::Happened,
            after: None,
            exit_code: Some(0),
            details: Value::Null,
        };
        let receipts = match (self.access, self.declaration.name.as_str()) {
            (Access::Read, _) | (_, "lose") => Vec::new(),
            _ => vec![receipt],
        };
        Outcome {
            content: format!("{} done", plan.operation["what"].as_str().unwrap()),
            is_error: false,
            details: json!({}),
            receipts,
        }
    }
}

/// A tool with a mistake in it.
pub(crate) fn panicking() -> Arc<dyn Tool> {
    Arc::new(Mistaken(ToolDeclaration {
        name: "panic".to_owned(),
        description: "for tests".to_owned(),
        parameters: json!({ "type": "object" }),
    }))
}

struct Mistaken(ToolDeclaration);

#[async_trait]
impl Tool for Mistaken {
    fn declaration(&self) -> &ToolDeclaration {
        &self.0
    }

    async fn plan(&self, _args: &Value, _session: &Session) -> Result<Plan, Refusal> {
        panic!("a mistake, on purpose")
    }

    async fn run(&self, _plan: Plan, _session: &Session, _cancel: CancellationToken) -> Outcome {
        panic!("a mistake, on purpose")
    }
}
