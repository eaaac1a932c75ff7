//! What the tools that change a file have in common: they change only what the model knows, say
//! beforehand what exactly, and leave a receipt.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::diff::unified;
use super::reading::{failure, merge, off_thread, parse};
use super::{
    Access, EffectIntent, EffectReceipt, EffectState, Grant, Outcome, Plan, Refusal, Risk, Session,
    Tool,
};
use crate::domain::Digest;
use crate::kernel::model::ToolDeclaration;
use crate::kernel::workspace::{FILE_LIMIT, Place, ReadLog, ReplaceError, Workspace};

/// A tool that changes one file.
pub(super) trait Change: Send + Sync + 'static {
    /// Its arguments, already checked against its schema.
    type Args: DeserializeOwned + Send + 'static;

    fn declaration() -> ToolDeclaration;

    /// The path of the file.
    fn path(args: &Self::Args) -> &str;

    /// What the file is to hold after, from what it holds now. The error is what the model reads;
    /// it continues a sentence about the file.
    fn change(args: Self::Args, now: Option<&str>) -> Result<Changed, String>;
}

/// What a change makes of a file.
pub(super) struct Changed {
    pub(super) content: String,
    /// What the model is told was done, before the path.
    pub(super) done: String,
}

/// A [`Change`] as a [`Tool`].
pub(super) struct Writing<C> {
    declaration: ToolDeclaration,
    change: PhantomData<C>,
}

/// What was planned.
struct Act {
    place: Place,
    before: Option<Digest>,
    after: Digest,
    content: String,
    done: String,
}

impl<C: Change> Writing<C> {
    pub(super) fn new() -> Self {
        Self {
            declaration: C::declaration(),
            change: PhantomData,
        }
    }
}

#[async_trait]
impl<C: Change> Tool for Writing<C> {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    async fn plan(&self, args: &Value, session: &Session) -> Result<Plan, Refusal> {
        let args: C::Args = parse(args)?;
        let workspace = Arc::clone(&session.workspace);
        let reads = Arc::clone(&session.reads);
        let tool = self.declaration.name.clone();
        off_thread(move || plan::<C>(&tool, args, &workspace, &reads)).await
    }

    async fn run(&self, plan: Plan, session: &Session, cancel: CancellationToken) -> Outcome {
        let started = Instant::now();
        let Ok(act) = plan.state.downcast::<Act>() else {
            return settled(
                EffectState::DidNotHappen,
                None,
                "this plan was made by another tool",
            );
        };
        if cancel.is_cancelled() {
            return settled(
                EffectState::DidNotHappen,
                None,
                "cancelled before it was written",
            );
        }
        let workspace = Arc::clone(&session.workspace);
        let reads = Arc::clone(&session.reads);
        let path = act.place.path().to_owned();
        // Once begun it is a matter of moments, and better finished than left.
        let wrote = spawn_blocking(move || write(&act, &workspace, &reads)).await;
        let mut outcome = wrote.unwrap_or_else(|_| {
            session.reads.forget(&path);
            settled(
                EffectState::Unknown,
                None,
                "the tool failed inside: read the file again",
            )
        });
        let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        merge(
            &mut outcome.details,
            json!({ "path": path, "durationMs": took }),
        );
        outcome
    }
}

fn plan<C: Change>(
    tool: &str,
    args: C::Args,
    workspace: &Workspace,
    reads: &ReadLog,
) -> Result<Plan, Refusal> {
    let place = workspace.resolve(C::path(&args))?;
    let path = place.path().to_owned();
    let says = |why: String| Refusal {
        message: format!("{path} {why}"),
    };
    let now = known(workspace, reads, &place)?;
    let before = now.as_ref().map(|now| Digest::of(now.as_bytes()));
    let changed = C::change(args, now.as_deref()).map_err(says)?;
    if changed.content.len() > FILE_LIMIT {
        return Err(says(format!("would be larger than {FILE_LIMIT} bytes")));
    }
    let after = Digest::of(changed.content.as_bytes());
    let diff = unified(&path, now.as_deref().unwrap_or_default(), &changed.content);
    let what = if now.is_some() { "changes" } else { "creates" };
    Ok(Plan {
        operation: json!({
            "tool": tool,
            "path": path,
            "before": before,
            "after": after,
            "bytes": changed.content.len(),
            "diff": diff.text,
            "diffBytesLeftOut": diff.left_out,
        }),
        access: Access::Write,
        grant: Grant {
            capability: "fs.write".to_owned(),
            scope: path.clone(),
        },
        risk: risk(&path),
        reason: format!("{tool} {what} {path}"),
        effects: vec![EffectIntent {
            kind: "file.write".to_owned(),
            target: path.clone(),
            before,
            after: Some(after),
        }],
        state: Box::new(Act {
            place,
            before,
            after,
            content: changed.content,
            done: changed.done,
        }),
    })
}

/// A change can be seen and put back, except where it makes git run programs the next time.
fn risk(path: &str) -> Risk {
    if path.split('/').any(|step| step == ".git") {
        Risk::High
    } else {
        Risk::Medium
    }
}

/// What is at `place`, if the model has read just that; nothing when there is nothing.
fn known(workspace: &Workspace, reads: &ReadLog, place: &Place) -> Result<Option<String>, Refusal> {
    if place.kind().is_none() {
        return Ok(None);
    }
    let path = place.path();
    let refused = |why: &str| Refusal {
        message: format!("{path} {why}"),
    };
    let now = workspace.read(place)?;
    match reads.seen(path) {
        Some(seen) if seen == Digest::of(&now) => {}
        Some(_) => return Err(refused("changed since you read it: read it again")),
        None => return Err(refused("exists and you have not read it: read it first")),
    }
    String::from_utf8(now)
        .map(Some)
        .map_err(|_| refused("is not UTF-8 text"))
}

fn write(act: &Act, workspace: &Workspace, reads: &ReadLog) -> Outcome {
    let path = act.place.path();
    match workspace.replace(&act.place, act.before, act.content.as_bytes()) {
        Ok(()) => {
            reads.saw(path, act.after);
            let bytes = act.content.len();
            let said = format!("{} {path}: it has {bytes} bytes now", act.done);
            Outcome {
                is_error: false,
                ..settled(EffectState::Happened, Some(act.after), &said)
            }
        }
        Err(error @ ReplaceError::Unknown { .. }) => {
            reads.forget(path);
            settled(EffectState::Unknown, None, &error.to_string())
        }
        Err(error) => settled(EffectState::DidNotHappen, None, &error.to_string()),
    }
}

/// The outcome of a write, failed unless it is said otherwise.
fn settled(state: EffectState, after: Option<Digest>, said: &str) -> Outcome {
    Outcome {
        receipts: vec![EffectReceipt {
            state,
            after,
            exit_code: None,
            details: Value::Null,
        }],
        ..failure(said.to_owned())
    }
}
