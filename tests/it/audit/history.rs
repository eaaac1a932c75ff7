//! A store with something of everything in it, written through the store's own interface.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use threadkeep::domain::{
    ApprovalId, Digest, EffectId, EvidenceStatus, FoundOutcome, ItemId, ThreadId, Timestamp,
    ToolUseId,
};
use threadkeep::store::body::{
    ApprovalResolved, EffectIntended, EffectSettled, Evidence, EvidenceUsage, ToolRequested,
    ToolResult, TurnEnded, TurnError, UsageRecorded,
};
use threadkeep::store::{
    Clock, Durability, EventType, Fork, NewEvent, NewThread, NewTurn, Reconcile, Store,
    StoreOptions, TurnWriter,
};

use crate::store::{claim, delta, item_completed, item_started, new_turn, start};

/// A clock that goes on by 1,234 ms each time it is asked, from two hours ago.
fn clock() -> Clock {
    let now = AtomicI64::new(Timestamp::now().millis() - 7_200_000);
    Clock::new(move || Timestamp::from_millis(now.fetch_add(1_234, Ordering::SeqCst)))
}

pub(crate) async fn open(dir: &TempDir, clock: &Clock) -> Store {
    let mut options = StoreOptions::new(dir.path().join("state"));
    options.clock = clock.clone();
    Store::open(options).await.unwrap().store
}

/// Four threads and a fork; turns that succeeded, failed, were interrupted, lost their process, and
/// one that still runs. Returns the database.
pub(crate) async fn write(dir: &TempDir) -> PathBuf {
    let clock = clock();
    let store = open(dir, &clock).await;
    let docs = begin(&store, "docs").await;
    docs_turns(&store, &docs).await;
    let tests = begin(&store, "tests").await;
    let stopped = start(&store, turn(&tests, "tests-1", "run the tests")).await;
    let failing = Act::command("cargo test", "allowed");
    failing.run(&stopped, "happened", Some(1)).await;
    let told = ended(EventType::TurnInterrupted, EvidenceStatus::Cancelled);
    end(&stopped, told.because("interrupted")).await;
    store.archive_thread(&tests, None).await.unwrap();
    lost_turn(&store, dir, &clock).await;
    let fork = store.fork_thread(Fork {
        source: docs,
        at: Some(6),
        id: Some("fork".parse().unwrap()),
        title: None,
        claim: Some(claim("thread/fork", "fork-1", "docs at 6")),
    });
    let fork = fork.await.unwrap().into_inner().id;
    let going_on = start(&store, turn(&fork, "fork-1", "try another way")).await;
    end(
        &going_on,
        ended(EventType::TurnCompleted, EvidenceStatus::Succeeded).usage(0, 0),
    )
    .await;
    let open = begin(&store, "open").await;
    let running = start(&store, turn(&open, "open-1", "take your time")).await;
    Act::command("sleep 60", "approved").begin(&running).await;
    let database = store.dir().join("threadkeep.db");
    store.close().await;
    database
}

async fn docs_turns(store: &Store, docs: &ThreadId) {
    let mut asked = turn(docs, "docs-1", "what is here?");
    asked.claim = Some(claim("turn/start", "job-1", "what is here?"));
    let first = start(store, asked).await;
    say(&first, "I will look.").await;
    let look = Act::command("ls", "approved");
    look.ask(&first).await;
    look.answer(&first, true, &json!({ "kind": "acceptOnce" }))
        .await;
    look.run(&first, "happened", Some(0)).await;
    cost(&first, Some(70), Some(5)).await;
    let known = ended(EventType::TurnCompleted, EvidenceStatus::Succeeded).usage(70, 5);
    end(&first, known).await;

    let second = start(store, turn(docs, "docs-2", "write it down")).await;
    let writing = Act::write("NOTES.md", "granted");
    writing.ask(&second).await;
    let grants = json!([{ "capability": "fs.write", "scope": "NOTES.md" }]);
    let lasting = json!({ "kind": "acceptForSession", "permissions": grants });
    writing.answer(&second, true, &lasting).await;
    writing.run(&second, "happened", None).await;
    cost(&second, None, None).await;
    end(
        &second,
        ended(EventType::TurnCompleted, EvidenceStatus::Succeeded),
    )
    .await;

    let third = start(store, turn(docs, "docs-3", "remove it all")).await;
    let refused = Act::command("rm -rf .", "refused");
    refused.ask(&third).await;
    let no = json!({ "kind": "cancel", "reason": "far too much" });
    refused.answer(&third, false, &no).await;
    refused.told(&third, true).await;
    let blocked = ended(EventType::TurnFailed, EvidenceStatus::Blocked);
    end(&third, blocked.because("approval_refused")).await;
}

/// A turn whose process goes without a word, with a command under way and a question open.
async fn lost_turn(store: &Store, dir: &TempDir, clock: &Clock) {
    let other = open(dir, clock).await;
    let lost = begin(&other, "lost").await;
    let writer = start(&other, turn(&lost, "lost-1", "deploy it")).await;
    say(&writer, "Deploying.").await;
    let item = ItemId::generate();
    post(&writer, vec![item_started(&item), delta(&item, "half")]).await;
    Act::command("make deploy", "approved").begin(&writer).await;
    Act::command("make check", "approved").ask(&writer).await;
    // What the kernel does to the lock of a killed process.
    let lock = format!("owners/{}.lock", other.owner());
    std::fs::remove_file(store.dir().join(lock)).unwrap();
    assert_eq!(store.recover().await.unwrap().len(), 1);
    other.close().await;
    let check = Act::command("make publish", "allowed");
    let again = start(store, turn(&lost, "lost-2", "publish it")).await;
    check.run(&again, "unknown", None).await;
    let partial = ended(EventType::TurnCompleted, EvidenceStatus::Partial);
    end(&again, partial).await;
    let found = Reconcile {
        effect: check.effect.clone(),
        outcome: FoundOutcome::Happened,
        actor: "ada".to_owned(),
        note: "it is on the shelf".to_owned(),
        claim: Some(claim("effect/reconcile", "found-1", "publish")),
    };
    store.reconcile(found).await.unwrap();
}

async fn begin(store: &Store, name: &str) -> ThreadId {
    let thread = store.start_thread(NewThread {
        id: Some(name.parse().unwrap()),
        title: Some(format!("About {name}")),
        claim: Some(claim("thread/start", name, name)),
        ..NewThread::default()
    });
    thread.await.unwrap().into_inner().id
}

fn turn(thread: &ThreadId, id: &str, text: &str) -> NewTurn {
    NewTurn {
        id: Some(id.parse().unwrap()),
        ..new_turn(thread, text)
    }
}

async fn post(writer: &TurnWriter, events: Vec<NewEvent>) {
    writer.append(events, Durability::Process).await.unwrap();
}

pub(crate) async fn say(writer: &TurnWriter, text: &str) {
    let item = ItemId::generate();
    let half = text.len() / 2;
    let events = vec![
        item_started(&item),
        delta(&item, &text[..half]),
        delta(&item, &text[half..]),
        item_completed(&item, text),
    ];
    post(writer, events).await;
}

async fn cost(writer: &TurnWriter, input_tokens: Option<u64>, output_tokens: Option<u64>) {
    let usage = UsageRecorded {
        model: "rehearsal/default".to_owned(),
        input_tokens,
        output_tokens,
        stop: "end_turn".to_owned(),
        duration_ms: 40,
        ..UsageRecorded::default()
    };
    post(
        writer,
        vec![NewEvent::new(EventType::UsageRecorded, &usage)],
    )
    .await;
}

pub(crate) async fn end(writer: &TurnWriter, ended: Ended) {
    let event = NewEvent::new(ended.0, &ended.1);
    writer.append(vec![event], Durability::Power).await.unwrap();
}

pub(crate) struct Ended(EventType, TurnEnded);

pub(crate) fn ended(event_type: EventType, status: EvidenceStatus) -> Ended {
    let evidence = Evidence {
        status,
        output_digest: None,
        artifact_ids: Vec::new(),
        commit: None,
        test_receipt_ids: Vec::new(),
        usage: EvidenceUsage::default(),
    };
    Ended(
        event_type,
        TurnEnded {
            evidence,
            error: None,
        },
    )
}

impl Ended {
    pub(crate) fn because(mut self, code: &str) -> Self {
        self.1.error = Some(TurnError {
            code: code.to_owned(),
            message: format!("because of {code}"),
        });
        self
    }

    fn usage(mut self, input: u64, output: u64) -> Self {
        self.1.evidence.usage = EvidenceUsage {
            input_tokens: Some(input),
            output_tokens: Some(output),
        };
        self
    }
}

/// A tool call with one effect.
pub(crate) struct Act {
    item: ItemId,
    tool_use: ToolUseId,
    approval: ApprovalId,
    effect: EffectId,
    kind: &'static str,
    tool: &'static str,
    target: String,
    decision: &'static str,
}

impl Act {
    pub(crate) fn command(line: &str, decision: &'static str) -> Self {
        Self::new("process.exec", "shell", line, decision)
    }

    pub(crate) fn write(path: &str, decision: &'static str) -> Self {
        Self::new("file.write", "write_file", path, decision)
    }

    fn new(kind: &'static str, tool: &'static str, target: &str, decision: &'static str) -> Self {
        Self {
            item: ItemId::generate(),
            tool_use: ToolUseId::generate(),
            approval: ApprovalId::generate(),
            effect: EffectId::generate(),
            kind,
            tool,
            target: target.to_owned(),
            decision,
        }
    }

    fn event(&self, event_type: EventType, body: &impl serde::Serialize) -> NewEvent {
        let event = NewEvent::new(event_type, body);
        event.of_item(&self.item).of_tool_use(&self.tool_use)
    }

    fn state(&self, event_type: EventType, status: &str, result: &Value) -> NewEvent {
        let mut content = json!({
            "toolUseId": self.tool_use, "callId": "call", "tool": self.tool,
            "args": { "what": self.target },
        });
        if let (Some(content), Some(result)) = (content.as_object_mut(), result.as_object()) {
            content.extend(result.clone());
        }
        let body = json!({ "kind": "tool", "status": status, "content": content });
        self.event(event_type, &body)
    }

    fn called(&self) -> Vec<NewEvent> {
        let requested = ToolRequested {
            tool: self.tool.to_owned(),
            args: json!({ "what": self.target }),
        };
        vec![
            self.state(EventType::ItemStarted, "started", &Value::Null),
            self.event(EventType::ToolRequested, &requested),
        ]
    }

    /// The call is made and a question about it is open.
    pub(crate) async fn ask(&self, writer: &TurnWriter) {
        let request = json!({
            "id": self.approval,
            "binding": {
                "threadId": writer.thread(), "turnId": writer.turn(), "itemId": self.item,
                "operationDigest": Digest::of(self.target.as_bytes()),
                "policyDigest": Digest::of(b"policy"),
                "nonce": self.approval, "expiresAt": "2030-01-02T03:04:05.678Z",
            },
            "operation": { "tool": self.tool, "what": self.target },
            "risk": "high", "reason": "it changes something",
        });
        let asked = self.event(EventType::ApprovalRequested, &json!({ "request": request }));
        let mut events = self.called();
        events.push(asked.of_approval(&self.approval));
        post(writer, events).await;
    }

    pub(crate) async fn answer(&self, writer: &TurnWriter, approved: bool, decision: &Value) {
        let resolved = ApprovalResolved {
            approved,
            via: "host".to_owned(),
            decision: decision.clone(),
        };
        let resolved = self.event(EventType::ApprovalResolved, &resolved);
        post(writer, vec![resolved.of_approval(&self.approval)]).await;
    }

    fn intended(&self) -> NewEvent {
        let file = self.kind == "file.write";
        let intended = EffectIntended {
            permission_decision: Some(self.decision.to_owned()),
            effect_id: self.effect.clone(),
            kind: self.kind.to_owned(),
            target: self.target.clone(),
            args_digest: Digest::of(self.target.as_bytes()),
            before: None,
            after: file.then(|| Digest::of(b"after")),
        };
        self.event(EventType::EffectIntended, &intended)
    }

    /// The call is made and its effect under way.
    pub(crate) async fn begin(&self, writer: &TurnWriter) {
        let mut events = self.called();
        events.push(self.intended());
        post(writer, events).await;
    }

    /// The effect is settled and the call answered; the call is made first if nobody was asked.
    pub(crate) async fn run(&self, writer: &TurnWriter, state: &str, exit_code: Option<i32>) {
        let asked = matches!(self.decision, "approved" | "granted");
        let mut events = if asked { Vec::new() } else { self.called() };
        events.push(self.intended());
        post(writer, events).await;
        let settled = EffectSettled {
            effect_id: self.effect.clone(),
            state: state.to_owned(),
            after: None,
            exit_code,
            details: json!({ "bytes": 3 }),
        };
        post(writer, vec![self.event(EventType::EffectSettled, &settled)]).await;
        self.told(writer, exit_code.unwrap_or(0) != 0).await;
    }

    /// The call is answered.
    pub(crate) async fn told(&self, writer: &TurnWriter, is_error: bool) {
        let result = ToolResult {
            tool: self.tool.to_owned(),
            is_error,
            error: is_error.then(|| "it failed".to_owned()),
            result: (!is_error).then(|| "done".to_owned()),
            permission_decision: Some(self.decision.to_owned()),
        };
        let status = if is_error { "failed" } else { "completed" };
        let read = json!({ "result": "done", "isError": is_error, "details": { "bytes": 3 } });
        let events = vec![
            self.event(EventType::ToolResult, &result),
            self.state(EventType::ItemCompleted, status, &read),
        ];
        post(writer, events).await;
    }
}
